#!/bin/bash
# kill_anywhere.sh: apply is killed at, or lied to about, its system calls; never is anybody more open.
#
# The system calls of one run are listed by strace. Then, for the N-th call of each name: a run that is killed
# there, and a run in which that call fails. Afterwards the confined user must be as closed as the old policy or the
# new one says, foreign lines and tables must be whole, and the next apply must succeed. Of the calls that reach
# nothing outside of the process (prctl, mmap, ...) some are taken; all of them with EGRESSFW_TESTS_THOROUGH=1.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"
. "$SRCDIR/tests/net/kill_calls.sh"
cases_begin

dns_script <<'END'
a.example.test A 203.0.113.80
b.example.test A 203.0.113.81
END
policy a <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["a.example.test:443"] }
END
policy b <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["b.example.test:443"] }
END
foreign_before=$(foreign_rules)
hosts_before=$(agent cat /etc/hosts)
hosts_lines=$(wc -l <<<"$hosts_before")
options=(apply --quiet --timeout 1)

# What is wrong now, in words; nothing where all is well. $1: a policy stood before, so that nobody may be open.
wrong() {
	local answer
	if [ -n "$1" ]; then
		answer=$(attempt $AGENT_UID tcp 1.1.1.1:443)
		[ "${answer% *}" = ECONNREFUSED ] || echo "TCP over IPv4 saw $answer"
		answer=$(attempt $AGENT_UID udp '[2606:4700:4700::1111]:53')
		[ "${answer% *}" = EPERM ] || echo "UDP over IPv6 saw $answer"
	fi
	attempt 0 tcp 1.1.1.1:443 >/dev/null || echo "root is cut off"
	[ "$(foreign_rules)" = "$foreign_before" ] || echo "a foreign table was changed"
	[ "$(head -n "$hosts_lines" "$WORLD/etc/hosts")" = "$hosts_before" ] || echo "a foreign line of the hosts file is lost"
	awk '!/^[0-9a-f.:]+([ \t]+[a-z0-9.-]+)+([ \t]*#.*)?$/ && !/^#/ && !/^$/ { print "a line of the hosts file is torn: " $0 }' \
		"$WORLD/etc/hosts"
}

# inject WHAT NAME N: one run of apply B with WHAT done to the N-th call of NAME; prints its exit status.
inject() {
	agent timeout -k 1 20 strace -f -qq -o /dev/null -e "trace=$2" -e "inject=$2:$1:when=$3" \
		"$EGRESSFW" "${options[@]}" "$WORLD/b.json" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	echo $?
}

reset_to() {
	if [ -n "$1" ]; then
		run_quietly fw apply --quiet --no-canary "$WORLD/a.json"
	else
		run_quietly fw apply --quiet --no-canary "$WORLD/b.json" && run_quietly fw remove --quiet
	fi
}

# each WHAT STOOD: WHAT at every call, with a policy standing before (STOOD=yes) or nothing.
each() {
	local what=$1 stood=$2 name number got faults runs=0 hurt=0 bad=0
	while read -r name number; do
		got=$(inject "$what" "$name" "$number")
		runs=$((runs + 1))
		[ "$got" -eq 0 ] || hurt=$((hurt + 1))
		faults=$(wrong "$stood")
		# The loader's own failure is 127, or 139 where it has no page for itself; an exhausted memory ends in
		# abort(3). No kernel answers brk(2) with an error, which libc takes for an address.
		case $what:$got:$name:$number in
		signal=*) ;;
		error=*:[0-6]:* | error=*:127:* | error=*:134:* | error=*:139:mmap:* | error=*:139:brk:*) ;;
		*) faults="$faults exit status $got, $(head -c 300 "$WORLD/err")" ;;
		esac
		if [ "$got" -eq 0 ] && ! run_quietly fw verify --quiet "$WORLD/b.json"; then
			faults="$faults; it said 0, but verify: $(show_output)"
		fi
		reset_to "$stood" || faults="$faults; the next apply: $(show_output)"
		if [ -n "$faults" ]; then
			bad=$((bad + 1))
			printf '# %s at call %s of %s (exit status %s): %s\n' "$what" "$number" "$name" "$got" "$faults"
		fi
	done <"$WORLD/calls"
	same "$what at each of $runs system calls, $([ -n "$stood" ] && echo a policy || echo nothing) stood" 0 "$bad"
	# Many calls are such that the run cannot succeed: else nothing was injected. About half of all are; of a
	# sample it may be fewer.
	check "$what: $hurt of them mattered" test $((hurt * 5)) -gt "$runs"
}

# trace FILE: lists the calls of one run with the present options.
trace() {
	check "the run that is traced, ${options[*]}" \
		agent strace -f -qq -o "$WORLD/trace" "$EGRESSFW" "${options[@]}" "$WORLD/b.json"
	calls "$WORLD/trace" >"$1"
	printf '# %d system calls, of which %d are tried\n' "$(grep -c '(' "$WORLD/trace")" "$(wc -l <"$1")"
}

# Without the canary first: it comes last, and its hundreds of calls change nothing.
options+=(--no-canary)
reset_to yes
trace "$WORLD/calls"
reset_to yes
each signal=KILL yes
each error=EIO yes
reset_to ""
[ -n "${EGRESSFW_TESTS_THOROUGH:-}" ] || sed -i -n '1~4p' "$WORLD/calls"
each signal=KILL ""

options=(apply --quiet --timeout 1)
reset_to yes
trace "$WORLD/calls"
[ -n "${EGRESSFW_TESTS_THOROUGH:-}" ] || sed -i -n '1~30p' "$WORLD/calls"
reset_to yes
each signal=KILL yes
each error=EIO yes
finish
