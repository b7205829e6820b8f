# doctor_lib.sh: what the tests of doctor share: its rows, asked for by name, and what must stay as it was.
# shellcheck shell=bash
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

# A world whose agent's side has processes of its own too, and setuid programs in /run alone.
doctor_begin() {
	world_begin
	world_hold world_inside nsenter -t "$world_agent" -m -n -w -- \
		unshare --pid --fork --kill-child --mount-proc --propagation private
	# The shell between is the parent that doctor looks at: that of its pid namespace's first process is none.
	agent() {
		nsenter -t "$world_inside" -m -n -w --pid="/proc/$world_inside/ns/pid_for_children" -- \
			sh -c '"$@"; exit $?' sh "$@"
	}

	as_user() {
		local uid=$1
		shift
		nsenter -t "$world_inside" -m -n -w --pid="/proc/$world_inside/ns/pid_for_children" -- \
			setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all -- sh -c '"$@"; exit $?' sh "$@"
	}
	agent sh -c 'for place in /usr /var /tmp /home /opt; do
		mount --bind "$place" "$place" && mount -o remount,bind,nosuid "$place" || exit 1
	done' || skip_all "bind mounts cannot be made here"
}

# examine CMD...: runs it; the table is in $WORLD/out, the exit status in $examined.
examine() {
	run_quietly "$@" && examined=0 || examined=$?
}

# row NAME STATUS CHECK [PATTERN]: the check has that status, and its finding matches.
row() {
	local line
	line=$(grep -E "^  [a-z]+ +$3  " "$WORLD/out")
	if [[ $line == "  $2 "* ]] && grep -qE -- "${4:-}" <<<"${line#*"$3"}"; then
		ok "$1"
	else
		not_ok "$1" "wanted $2 of $3, matching: ${4:-}" "${line:-there is no such row}" "$(tail -n 3 "$WORLD/err")"
	fi
}

# hides NAME CHECK PATTERN: the check's finding does not match.
hides() {
	local line
	line=$(grep -E "^  [a-z]+ +$2  " "$WORLD/out")
	if [ -n "$line" ] && ! grep -qE -- "$3" <<<"$line"; then ok "$1"; else not_ok "$1" "$2 says $3" "$line"; fi
}

# Whatever doctor could change: tables with their handles, settings, files and their times.
everything() {
	agent nft -a list ruleset
	agent sysctl -a 2>/dev/null | grep -E '^net\.' | grep -v -E 'nf_conntrack_count|random|cookie'
	agent find /etc /run -printf '%p %y %m %u %g %s %T@\n' 2>/dev/null | sort
	agent sha256sum /etc/hosts /etc/resolv.conf /etc/nsswitch.conf
	agent ip -o address | sed 's/_lft.*//'
}
