# filter_lib.sh: a world whose agent's side has a filter's program, and a log that is its own.
# shellcheck shell=bash
. "${srcdir:-.}/tests/net/cases.sh"

# shellcheck disable=SC2034 # for those who source this
FILTER_UID=65528
FAKE_FILTER=$BUILDDIR/tests/net/fake_filter

# A filter that was started belongs to nobody, so that it has to be ended by its number.
filter_end_all() {
	local uid pid
	for pid in $(agent sh -c 'cat /run/egressfw/egressfw*.filter' 2>/dev/null | cut -d ' ' -f 1) "${filter_strays[@]}"; do
		uid=$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
		[ "${uid:-0}" = "$FILTER_UID" ] && kill -KILL "$pid"
	done
	world_end
}

filter_begin() {
	[ -x "$FAKE_FILTER" ] || skip_all "there is no $FAKE_FILTER"
	filter_strays=()
	cases_begin
	trap 'filter_end_all' EXIT
	install -m 755 "$FAKE_FILTER" "$WORLD/bin/egressfilter"
	agent mount -t tmpfs -o mode=755 tmpfs /var/log
	sed -i '/^egressfilter:/d' "$WORLD/etc/passwd"
	policy wild <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["*.example.com", "10.1.0.0/16:9005"],
		  "model_endpoints": ["http://192.168.7.7:8443/v1"] }
	END
}

# The pid that is kept.
filter_pid() {
	agent cut -d ' ' -f 1 /run/egressfw/egressfw.filter 2>/dev/null
}

# Whether a process is there, and not only to be reaped by whoever adopted it.
alive() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null && [ "$(awk '/^State:/ { print $2 }' "/proc/$1/status")" != Z ]; }

# held NAME ATTEMPT TARGET: the filter's user does not get there, and nothing reaches the far side.
held() {
	local answer packets
	wire_mark
	answer=$(attempt "$FILTER_UID" "$2" "$3")
	# A reset is of a connection before, and carries nothing.
	packets=$(wire_since '!($2 == "tcp" && $7 == "R")')
	case ${answer% *} in
	connected | answered) not_ok "$1" "got through: $answer" ;;
	*) if [ -z "$packets" ]; then ok "$1"; else not_ok "$1" "saw $answer" "$packets"; fi ;;
	esac
}
