# lib.sh: a filter on the agent's side, its log, and a client for it; sourced by the tests in tests/filter.
# shellcheck shell=bash
#
#   filter_begin                  a world with servers, the filter's user, an empty log
#   filter_settings [JSON-MEMBER...]  <POLICY: writes $WORLD/settings.json
#   filter_start [CMD...]         starts it (with CMD in front), waits until it is ready; pid in $filter_pid
#   filter_end                    ends it by SIGTERM; its exit status in $filter_status
#   client FUNCTION ARG...        tests/filter/client.py as the agent
#   siege_as UID FUNCTION ARG...  tests/filter/siege.py in the background, in $siege_pid; "echo >&$siege" gives it a line;
#                                 what it tells is in $siege_told, its last argument
#   told WORD                     waits until it has told that
#   answers NAME WANT TARGET [SERVER-NAME]   CONNECT to the target, a hello: what comes of it
#   log_mark; decisions FIELD...; ends FIELD...   fields of the log's lines since the mark
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"

FILTER_UID=1510
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
PYTHON=${PYTHON:-/usr/bin/python3}
filter_pid=

filter_begin() {
	[ -x "$EGRESSFILTER" ] || skip_all "there is no $EGRESSFILTER"
	"$PYTHON" -c 'import ssl' 2>/dev/null || skip_all "needs python3"
	world_begin
	echo "filter:x:$FILTER_UID:$FILTER_UID::/nonexistent:/bin/sh" >>"$WORLD/etc/passwd"
	install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
	install -m 644 "$SRCDIR/tests/filter/client.py" "$SRCDIR/tests/filter/siege.py" "$WORLD/bin"
	install -d -o "$FILTER_UID" -g "$FILTER_UID" -m 755 "$WORLD/log"
	install -d -m 1777 "$WORLD/tmp"
	filter_log=$WORLD/log/decisions
	echo 0 >"$WORLD/log-mark"
	world_serve_far
}

filter_settings() {
	local member
	{
		printf '{ "policy": '
		cat
		printf ', "listen": ["127.0.0.1:3128"%s], "nameservers": ["203.0.113.53:53"], "log": "%s"' \
			"${filter_listen_more:-}" "$filter_log"
		for member in "$@"; do printf ', %s' "$member"; done
		printf ' }\n'
	} >"$WORLD/settings.new"
	chown "$FILTER_UID" "$WORLD/settings.new"
	chmod 400 "$WORLD/settings.new"
	mv "$WORLD/settings.new" "$WORLD/settings.json"
}

filter_start() {
	local ready="$WORLD/filter-ready" line=
	rm -f "$ready"
	mkfifo "$ready"
	# The search for leaks traces the process, which may not be traced.
	ASAN_OPTIONS=detect_leaks=0 nsenter -t "$world_agent" -m -n -w -- "$@" "$WORLD/bin/egressfilter" --user filter --ready-fd 9 \
		"$WORLD/settings.json" 9>"$ready" 2>"$WORLD/filter.err" </dev/null &
	filter_pid=$!
	world_pids+=("$filter_pid")
	read -r -t 20 line <"$ready"
	[ "$line" = ready ] || {
		cat "$WORLD/filter.err"
		echo 'Bail out! the filter did not start'
		exit 1
	}
}

filter_end() {
	kill -"${1:-TERM}" "$filter_pid" 2>/dev/null
	wait "$filter_pid" 2>/dev/null && filter_status=0 || filter_status=$?
	filter_pid=
}

client() {
	as_user "$AGENT_UID" "$PYTHON" "$WORLD/bin/client.py" "$@"
}

# client_begin FUNCTION ARG...: in the background, in $client_pid, until client_end.
client_begin() {
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$AGENT_UID" --regid "$AGENT_UID" --clear-groups \
		--inh-caps=-all -- "$PYTHON" "$WORLD/bin/client.py" "$@" >"$WORLD/client.out" 2>&1 </dev/null &
	client_pid=$!
	world_pids+=("$client_pid")
}

siege_as() {
	local lines="$WORLD/siege-${#world_pids[@]}"
	siege_told=$WORLD/tmp/told-${#world_pids[@]}
	mkfifo "$lines"
	exec {siege}<>"$lines"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups \
		--inh-caps=-all -- "$PYTHON" "$WORLD/bin/siege.py" "${@:2}" "$siege_told" >"$WORLD/siege.out" 2>&1 <&"$siege" &
	siege_pid=$!
	world_pids+=("$siege_pid")
}

told() { until_true grep -q "$1" "$siege_told"; }

client_end() {
	kill "$client_pid" 2>/dev/null
	wait "$client_pid" 2>/dev/null
}

answers() {
	same "$1" "$2" "$(client connect "${@:3}" 2>&1)"
}

# The lines of an event since the last log_mark.
log_mark() {
	wc -l <"$filter_log" >"$WORLD/log-mark"
}

log_lines() {
	local event=$1
	shift
	tail -n "+$(($(cat "$WORLD/log-mark") + 1))" "$filter_log" | "$PYTHON" "$WORLD/bin/client.py" fields "$event" "$@"
}

decisions() {
	log_lines decision "$@"
}

ends() {
	log_lines end "$@"
}

# until_true CMD...: waits for it, not for ever.
until_true() {
	local tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 500 ] || return 1
		sleep 0.02
	done
}

# Whether it was built with a sanitizer, which keeps what was freed: its memory tells nothing.
sanitized() {
	ldd "$EGRESSFILTER" 2>/dev/null | grep -q asan
}

descriptors() {
	ls "/proc/$filter_pid/fd" | wc -l
}
