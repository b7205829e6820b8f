#!/bin/bash
# kill_filter.sh: apply of a policy that needs the filter, and the filter, are killed at their system calls.
#
# As kill_anywhere.sh does it without a filter. Afterwards the confined user has what the old policy allows or what the
# new one does, never both nor more, and the next apply succeeds and leaves one filter, or none. Of the calls some are
# taken; all of them with EGRESSFW_TESTS_THOROUGH=1.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"
. "$SRCDIR/tests/net/kill_calls.sh"
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no $EGRESSFILTER"
command -v curl >/dev/null || skip_all "needs curl"
filter_begin
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
dns_script <<'END'
a.old.test A 203.0.113.5
a.new.test A 203.0.113.6
a.never.test A 203.0.113.7
END
serve agent tcp/127.0.0.1/8080
policy old <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.old.test:443"] }'
policy pins <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443"] }'
policy new <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.new.test:443"] }'
foreign_before=$(foreign_rules)

# tunnels NAME: the filter gives the user one to that name.
tunnels() {
	[ "$(as_user $AGENT_UID curl -s -o "$WORLD/tunnel" -w '%{http_connect}' --max-time 5 --connect-timeout 2 \
		-x http://127.0.0.1:3128 "https://$1/" 2>/dev/null)" = 200 ]
}

reaches() {
	case $1 in
	old) tunnels a.old.test ;;
	new) tunnels a.new.test ;;
	pins) attempt $AGENT_UID tcp 203.0.113.80:443 >/dev/null ;;
	esac
}

# What is open may be late on a busy machine; what is closed is asked once.
is_open() { reaches "$1" || reaches "$1" || reaches "$1"; }

# What is wrong now, in words; nothing where all is well. $1: the policy that stood; $2: the one that came.
wrong() {
	local answer
	answer=$(attempt $AGENT_UID tcp 1.1.1.1:443)
	[ "${answer% *}" = ECONNREFUSED ] || echo "TCP over IPv4 saw $answer"
	answer=$(attempt $AGENT_UID udp '[2606:4700:4700::1111]:53')
	[ "${answer% *}" = EPERM ] || echo "UDP over IPv6 saw $answer"
	! tunnels a.never.test || echo "a name of neither policy is reached"
	if reaches "$2"; then
		! reaches "$1" || echo "both policies are open"
		[ "$2" = pins ] || ! attempt "$FILTER_UID" tcp 127.0.0.1:8080 >/dev/null || echo "the filter is not guarded"
	fi
	attempt 0 tcp 1.1.1.1:443 >/dev/null || echo "root is cut off"
	[ "$(foreign_rules)" = "$foreign_before" ] || echo "a foreign table was changed"
}

# How many filters there are on the agent's side.
filters() {
	local pid count=0
	for pid in $(world_inhabitants " $world_agent "); do
		[ "$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" = "$FILTER_UID" ] && alive "$pid" &&
			count=$((count + 1))
	done
	echo "$count"
}

apply_plainly() { run_quietly fw apply --quiet --no-canary "$WORLD/$1.json"; }

# one WHAT NAME N OLD NEW: one run with WHAT done to the N-th call of NAME; prints what is wrong after it. The tracer
# stays with the filter (-D), which goes on.
one() {
	local got wanted=0
	agent timeout -k 1 20 strace -D -f -qq -o /dev/null -e "trace=$2" -e "inject=$2:$1:when=$3" \
		"$EGRESSFW" apply --quiet --no-canary --timeout 2 "$WORLD/$5.json" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	got=$?
	wrong "$4" "$5"
	case $1:$got in
	signal=*) ;;
	error=*:[0-6] | error=*:127 | error=*:134 | error=*:139) ;;
	*) echo "exit status $got, $(head -c 300 "$WORLD/err")" ;;
	esac
	# What was done to the filter may show afterwards, and then verify says so.
	if [ "$got" -eq 0 ] && ! run_quietly fw verify "$WORLD/$5.json"; then
		grep -q 'filter-stopped\|filter-silent' "$WORLD/out" "$WORLD/err" || echo "it said 0, but verify: $(show_output)"
	fi
	[ "$got" -eq 0 ] || echo . >>"$WORLD/hurt"
	apply_plainly "$4" || echo "the next apply: $(show_output)"
	[ "$4" = pins ] || wanted=1
	[ "$(filters)" -eq "$wanted" ] || echo "after the next apply there are $(filters) filters"
	is_open "$4" || echo "after the next apply its policy is not open"
}

# each WHAT OLD NEW STEP: WHAT at every STEP-th call.
each() {
	local name number faults runs=0 bad=0
	rm -f "$WORLD/hurt"
	while read -r name number <&7; do
		runs=$((runs + 1))
		faults=$(one "$1" "$name" "$number" "$2" "$3" 7<&-)
		[ -n "$faults" ] || continue
		bad=$((bad + 1))
		printf '# %s at call %s of %s: %s\n' "$1" "$number" "$name" "$faults"
	done 7< <(if [ -n "${EGRESSFW_TESTS_THOROUGH:-}" ]; then cat "$WORLD/calls"; else sed -n "1~$4p" "$WORLD/calls"; fi)
	same "$1 at each of $runs system calls, from $2 to $3" 0 "$bad"
	check "some of them mattered" test -s "$WORLD/hurt"
}

# trace OLD NEW: lists the calls of one run.
trace() {
	check "$1 stands" apply_plainly "$1"
	check "its policy is open" is_open "$1"
	check "the run that is traced, from $1 to $2" agent timeout -k 1 60 strace -D -f -qq -o "$WORLD/trace" \
		"$EGRESSFW" apply --quiet --no-canary --timeout 5 "$WORLD/$2.json"
	same "nothing is wrong after it" "" "$(wrong "$1" "$2")"
	check "and it is open" is_open "$2"
	cp "$WORLD/trace" "$WORLD/traced"
	calls "$WORLD/traced" >"$WORLD/calls"
	printf '# %d system calls, of which %d could be tried\n' "$(grep -c '(' "$WORLD/traced")" "$(wc -l <"$WORLD/calls")"
	check "$1 stands again" apply_plainly "$1"
}

trace old new
each signal=KILL old new 12
each error=EIO old new 23
trace pins new
each signal=KILL pins new 23
trace old pins
each signal=KILL old pins 23
finish
