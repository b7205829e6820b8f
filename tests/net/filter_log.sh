#!/bin/bash
# filter_log.sh: a decision log that cannot be written, or was taken away, under apply, run and verify.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no $EGRESSFILTER"
command -v curl >/dev/null || skip_all "needs curl"
filter_begin
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
log=/var/log/egressfilter/egressfw.log
errors=/run/egressfw/egressfw.filter.err
refused_by_policy() {
	same "$1" "${2:-403}" "$(as_user $AGENT_UID curl -s -o /dev/null -w '%{http_code}' --max-time 10 --proxy http://127.0.0.1:3128 http://c.example.org/)"
}
ask() {
	"$1" curl -si --max-time 10 -X OPTIONS --request-target '*' -H 'Max-Forwards: 0' http://127.0.0.1:3128/ | tr -d '\r'
}
as_agent() { as_user $AGENT_UID "$@"; }

# --- a volume that fills up
agent umount /var/log
agent mount -t tmpfs -o size=400k,mode=755 tmpfs /var/log
status 0 'apply' fw apply "$WORLD/wild.json"
pid=$(filter_pid)
agent dd if=/dev/zero of=/var/log/ballast bs=4k 2>/dev/null
until_full() {
	for _ in $(seq 50); do
		as_user $AGENT_UID curl -s -o /dev/null --max-time 10 --proxy http://127.0.0.1:3128 http://c.example.org/[1-20] 2>/dev/null
		ask agent | grep -q '^HTTP/1.1 503 ' && return 0
	done
	return 1
}
check 'in the end there is no room' until_full
cause="$log: the decision log cannot be written: No space left on device; make room there"
status 1 'verify of a filter that refuses everything' fw verify
says 'names log and cause' "filter-log: filter: wanted: an answer where it listens, found: the filter at 127.0.0.1 port 3128: refuses every request: $cause\$"
says 'and what helps' "state +not as planned: the filter's log; it goes on as soon as that can be written\$"
status 1 'in JSON' fw verify --json
same 'it has a kind of its own' filter-log "$(jq -r '.findings[] | select(.warning | not) | .kind' "$WORLD/out")"
status 3 'apply' fw apply "$WORLD/wild.json"
says 'names log and cause, and what is left' "refuses every request: $cause; what stood before still stands, and the filter of before is still running"
same 'and leaves the filter alone' "$pid" "$(filter_pid)"
status 125 'run' fw run "$WORLD/wild.json" -- true
says 'names log and cause' "refuses every request: $cause"
status 3 'apply without probes' fw apply --no-canary "$WORLD/wild.json"
same 'the agent is told no path' 'X-Egressfw-Log: the decision log cannot be written' "$(ask as_agent | grep -i '^X-Egressfw-Log')"
same 'root is' "X-Egressfw-Log: $cause" "$(ask agent | grep -i '^X-Egressfw-Log')"
same 'the filter has said it, once' 1 "$(agent grep -c "^egressfilter: $cause; until then every request is refused\$" $errors)"
agent rm /var/log/ballast
status 0 'with room again: verify' fw verify
status 0 'with room again: apply' fw apply "$WORLD/wild.json"
says_not 'what is over is no remark of it' 'the filter says.*decision log'
same 'it is the same filter' "$pid" "$(filter_pid)"
same 'which has said so' 1 "$(agent grep -c "^egressfilter: $log: the decision log is written again\$" $errors)"
refused_by_policy 'and goes on'

# --- a new filter, where there is no room from the start
status 0 'remove' fw remove
agent dd if=/dev/zero of=/var/log/ballast bs=4k 2>/dev/null
status 5 'apply where there is no room' fw apply "$WORLD/wild.json"
says 'names log and cause too' "$cause"
agent rm /var/log/ballast
status 0 'with room: apply' fw apply "$WORLD/wild.json"
pid=$(filter_pid)

# --- taken away by name, as logrotate does, which looks at nothing that is open
lines() { agent sh -c 'cat "$1" 2>/dev/null | grep -c "$2"' sh "$1" "$2"; }
agent mv $log $log-20260101
refused_by_policy 'renamed: the next request is refused by policy still'
same 'and written to a new file at the path' 1 "$(lines $log c.example.org)"
same 'which is as the one before' "$FILTER_UID 640" "$(agent stat -c '%u %a' $log)"
agent mv $log $log-20260102
status 0 'renamed again: verify' fw verify
same 'what it asks, in two places, is written at the path too' 2 "$(lines $log '"event":"check"')"
status 0 'where it can be read' fw log --summary
agent mv $log $log-20260103
kill -HUP "$pid"
made() { for _ in $(seq 100); do agent test -e $log && return; sleep 0.02; done; return 1; }
check 'renamed, and told so: there is a file before anybody asks' made
agent rm $log
refused_by_policy 'removed: goes on'
same 'in a new file' 1 "$(lines $log c.example.org)"
# Emptied, it must not begin with as many zeros as it had octets.
agent truncate -s 0 $log
refused_by_policy 'emptied: goes on'
same 'with whole lines' 0 "$(agent sh -c 'grep -cv "^{.*}$" '$log)"
# Whose the file at the path is nobody can tell.
agent mv $log $log-20260104
agent install -o $FILTER_UID -m 640 /dev/null $log
refused_by_policy 'somebody else has put a file there: nothing goes on' 503
cause="$log: the decision log cannot be written: a new file cannot be made: File exists; another file has its name: move that away"
status 1 'verify' fw verify
says 'names it' "filter-log: filter: .*: refuses every request: $cause\$"
same 'that file is left alone' 0 "$(agent stat -c %s $log)"
kill -HUP "$pid"
status 3 'nor does a signal help' fw apply "$WORLD/wild.json"
agent rm $log
status 0 'moved away: verify' fw verify
refused_by_policy 'and it goes on'
same 'by the same filter' "$pid" "$(filter_pid)"
finish
