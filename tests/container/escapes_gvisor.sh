#!/bin/bash
# escapes_gvisor.sh: the ways out, tried inside gVisor, whose kernel is another one; escapes_gvisor.table says where.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/lib/static.sh"
. "$SRCDIR/tests/lib/gvisor.sh"
. "$SRCDIR/tests/net/escapes_rows.sh"
differences=$SRCDIR/tests/container/escapes_gvisor.table
world_require
gvisor_require setpriv
parts=(quick slow)

# --- the place ------------------------------------------------------------------------------------------

begin_place() {
	local program
	world_begin
	setns_pid=1
	# What both sides can execute lies where it lies outside.
	cp -r "$programs_base/t" "$WORLD/t"
	ATTEMPT=$WORLD/t/attempt FAR=$WORLD/t/far
	gvisor_root sh sleep
	for program in setpriv bash env unshare pasta slirp4netns; do
		! command -v $program >/dev/null || copy_program "$gvisor_root" $program
	done
	mkdir -p "$gvisor_root$WORLD"
	gvisor_spec CAP_NET_ADMIN CAP_NET_RAW CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_CHOWN -- "$WORLD"
	gvisor_start place --net-raw || {
		echo "Bail out! runsc starts no container here: $(head -c 300 "$WORLD/err" "$WORLD/out")"
		exit 1
	}
}
end_place() {
	gvisor_stop
}

# Not the null device, whose number gVisor hides from run.
gvisor_exec() {
	[ -p /dev/stdin ] || exec < <(:)
	exec nsenter -t "$world_agent" -m -n -w -- "${gvisor[@]}" "${gvisor_options[@]}" exec "$@"
}
become_on() {
	local side=$1
	shift
	case $side in
	far) exec nsenter -t "$world_far" -n -w -- "$@" ;;
	agent) gvisor_exec "$gvisor_name" "$@" ;;
	agent:*) gvisor_exec --user "${side#agent:}:${side#agent:}" "$gvisor_name" "$@" ;;
	esac
}
become_agent() {
	become_on agent "$@"
}
become_user() {
	local uid=$1
	shift
	become_on "agent:$uid" "$@"
}
fw() {
	inside "$EGRESSFW" "$@"
}
attempt() {
	local uid=$1
	shift
	inside "$ATTEMPT" --uid "$uid" "$@"
}

# No address is translated in there: the engine's resolver has the port that it pretends to have, too.
stage_agent() {
	serve agent udp/127.0.0.11/53 tcp/127.0.0.11/53 udp/127.0.0.11/45353 tcp/127.0.0.11/45353 "${usual_servers[@]}"
}
allow_mptcp_roads() { :; }
add_mptcp_roads() { :; }
remove_mptcp_roads() { :; }

# --- what is expected -----------------------------------------------------------------------------------

published=
lock_options=(--timeout 1)

# difference ROW TARGET: the line of it.
difference() {
	awk -v row="$1" -v target="$2" '
		$1 == row && $2 == target { print; found = 1; exit }
		$1 == row && $2 == "*" { any = $0 }
		END { if (!found && any) print any }
	' "$differences"
}
wanted_state() {
	local none apply run
	read -r _ _ none apply run _ <<<"$(difference "$2" "$4")"
	case $1 in none | apply | run) none=${!1} ;; esac
	echo "${none:-$3}"
}
wanted_word() {
	local word
	read -r _ _ _ _ _ word <<<"$(difference "$1" "$2")"
	case ${word:-like $3} in
	'like ECONNREFUSED') echo timeout ;;
	'like EPERM') echo sent ;;
	*) echo "${word:-$3}" ;;
	esac
}
# Those rows are among the differences.
lacks_kernel() { false; }

# What is dropped is waited for.
prepare_row() {
	usual_steps=()
	[ "$1" = open ] || usual_steps=(--within 150)
}

control_mptcp() {
	deny "$1: there is no MPTCP" attempt 0 mptcp 1.1.1.1:8443
}
forget_neighbours() {
	[ "$1" != -4 ] || far ip neigh flush dev eth0
}
controls_refusal() {
	deny "a refused TCP connect has no answer" attempt $AGENT_UID --within 250 tcp 1.1.1.1:443
	deny "nor over IPv6" attempt $AGENT_UID --within 250 tcp '[2606:4700:4700::1111]:443'
	deny "a user's server answers nobody outside" far "$ATTEMPT" --uid 0 --within 250 tcp 192.0.2.2:8090
	deny "nor over IPv6" far "$ATTEMPT" --uid 0 --within 250 tcp '[2001:db8::2]:8090'
}

# A difference that is none, or is about no row, is out of date.
check_differences() {
	same "every difference is one, of a row of escapes.table" "" "$(awk '
		/^#/ || NF == 0 { next }
		FNR == NR { row[++rows] = $1; target[rows] = $2; said[rows] = $3 " " $5 " " $6 " " $8; next }
		{
			differs = 0
			for (i = 1; i <= rows; i++)
				if (row[i] == $1 && ($2 == "*" || target[i] == $2) && said[i] != $3 " " $4 " " $5 " " $6)
					differs = 1
			if (!differs)
				print
		}
	' "$table" "$differences")"
}

# --- all of it ------------------------------------------------------------------------------------------

programs_base=$(mktemp -d "${TMPDIR:-/tmp}/egfw-XXXXXX")
trap 'rm -rf "$programs_base"' EXIT
static_programs "$programs_base/t"
EGRESSFW=$programs_base/t/egressfw
check_differences
try_worlds ${EGRESSFW_WORLDS:-none apply run}
finish
