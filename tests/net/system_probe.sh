#!/bin/bash
# system_probe.sh: what a probe makes of every world (case_F1, case_F2, case_F3).
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

world_begin
# Only these answer; every other port of the far side refuses.
serve far -s eth0 tcp/::/443 udp/::/53
serve agent tcp/127.0.0.1/8080 udp/127.0.0.11/53 tcp/127.0.0.11/53

probe() {
	agent "$BUILDDIR/tests/net/system_probe" "$@"
}

# outcome NAME WANT ARGUMENTS...: WANT is a pattern for the first line.
outcome() {
	local name=$1 want=$2
	shift 2
	run_quietly probe "$@"
	if head -n 1 "$WORLD/out" | grep -qE -- "^$want"; then
		ok "$name"
	else
		not_ok "$name" "wanted $want" "$(show_output)"
	fi
}

t4=203.0.113.5:443 t6='[2001:db8:9::5]:443'
rst4=203.0.113.5:81 rst6='[2001:db8:9::5]:81'
dns4=203.0.113.5:53 dns6='[2001:db8:9::5]:53'

# --- an open network ----------------------------------------------------------------------------------
outcome "open v4" "open proof=none error=0" 1500 tcp $t4 1000 still no
outcome "open v6" "open proof=none error=0" 1500 tcp $t6 1000 still no
outcome "open, whatever the log says" "open proof=none error=0" 1500 tcp $t4 1000 still yes
outcome "open UDP v4" "open proof=none error=0" 1500 udp $dns4 1000 still no
outcome "open UDP v6" "open proof=none error=0" 1500 udp $dns6 1000 still no
outcome "open UDP, whatever the log says" "open proof=none error=0" 1500 udp $dns4 1000 none yes
outcome "far RST, whatever the log says" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $rst4 1000 still yes
outcome "UDP to a closed port has left" "open proof=none error=ECONNREFUSED" 1500 udp $rst4 1000 still no
outcome "UDP without any witness" "open proof=none error=0" 1500 udp $dns4 1000 none none
outcome "far RST v4" "inconclusive proof=none error=ECONNREFUSED timed_out=0 not_routed=0" 1500 tcp $rst4 1000 still no
outcome "far RST v6" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $rst6 1000 still none
outcome "far RST, no witness" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $rst4 1000 none none
outcome "open loopback" "open" 1500 tcp 127.0.0.1:8080 1000 still no
HTTPS_PROXY=http://127.0.0.1:8080 ALL_PROXY=socks5://127.0.0.1:8080 \
	outcome "proxy variables change nothing (case_F3)" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $rst4 1000 still no

# --- other people's rules -----------------------------------------------------------------------------
agent nft add table inet foreign
agent nft add chain inet foreign output '{ type filter hook output priority 0; }'
for verdict in drop reject 'reject with icmpx admin-prohibited'; do
	agent nft flush chain inet foreign output
	agent nft add rule inet foreign output meta skuid 1500 oifname eth0 $verdict
	outcome "foreign $verdict, TCP v4" "inconclusive proof=none" 1500 tcp $t4 300 still no
	outcome "foreign $verdict, TCP v6" "inconclusive proof=none" 1500 tcp $t6 300 still no
	outcome "foreign $verdict, UDP" "inconclusive proof=none error=EPERM" 1500 udp $dns4 300 still no
done
agent nft flush chain inet foreign output
agent nft add rule inet foreign output meta skuid 1500 meta l4proto tcp reject with tcp reset
outcome "foreign reset" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $t4 1000 still no
agent nft flush chain inet foreign output
agent nft add rule inet foreign output meta skuid 1500 drop
outcome "a drop times out" "inconclusive proof=none error=ETIMEDOUT timed_out=1" 1500 tcp $t4 300 still no
outcome "which is not how we refuse, whatever the log says" "inconclusive proof=none error=ETIMEDOUT" \
	1500 tcp $t4 300 none yes
outcome "nor what the counter says" "inconclusive proof=none error=ETIMEDOUT timed_out=1 not_routed=0 rise=1" \
	1500 tcp $t4 300 one none
agent nft delete table inet foreign

# --- ours ---------------------------------------------------------------------------------------------
agent nft -f - <<'END'
table inet egressfw {
	chain output {
		type filter hook output priority 100;
		meta skuid 1500 goto confined
	}
	chain confined {
		ip daddr 127.0.0.11 goto refuse
		oifname "lo" accept
		goto refuse
	}
	chain refuse {
		meta l4proto tcp counter reject with tcp reset
		counter reject with icmpx admin-prohibited
	}
}
END
wire_mark
for target in $t4 $t6 $rst4 $rst6; do
	outcome "blocked TCP $target" "blocked proof=counter error=ECONNREFUSED timed_out=0 not_routed=0 rise=1" 1500 tcp "$target" 1000 nft none
done
outcome "blocked UDP v4" "blocked proof=counter error=EPERM timed_out=0 not_routed=0 rise=1" 1500 udp $dns4 1000 nft none
outcome "blocked UDP v6" "blocked proof=counter error=EPERM timed_out=0 not_routed=0 rise=1" 1500 udp $dns6 1000 nft none
outcome "blocked resolver on loopback, UDP" "blocked proof=counter" 1500 udp 127.0.0.11:53 1000 nft none
outcome "blocked resolver on loopback, TCP" "blocked proof=counter" 1500 tcp 127.0.0.11:53 1000 nft none
outcome "blocked by the log" "blocked proof=log error=ECONNREFUSED" 1500 tcp $t4 1000 nft yes
outcome "blocked by a late record" "blocked proof=log" 1500 tcp $t4 1000 nft late
outcome "blocked by the log, UDP" "blocked proof=log error=EPERM" 1500 udp $dns4 1000 none yes
outcome "a record among other traffic" "blocked proof=log" 1500 tcp $t4 1000 busy yes
outcome "a record, and the counter stands still" "inconclusive proof=none error=ECONNREFUSED" 1500 tcp $t4 1000 still yes
outcome "a record, and the counter cannot be read" "inconclusive proof=none" 1500 tcp $t4 1000 broken yes
outcome "the log has no record" "blocked proof=counter error=ECONNREFUSED .* rise=1" 1500 tcp $t4 1000 nft no
outcome "the log has no record of the datagram" "blocked proof=counter error=EPERM" 1500 udp $dns4 1000 nft no
outcome "the log cannot be read" "blocked proof=counter" 1500 tcp $t4 1000 nft broken
outcome "no record, other traffic" "inconclusive proof=none error=ECONNREFUSED .* rise=3" 1500 tcp $t4 1000 busy no
outcome "no record and no counter" "inconclusive proof=none" 1500 tcp $t4 1000 none no
outcome "the counter cannot be read" "inconclusive proof=none" 1500 tcp $t4 1000 broken none
outcome "the counter stands still" "inconclusive proof=none" 1500 tcp $t4 1000 still none
outcome "other traffic hides the probe" "inconclusive proof=none error=ECONNREFUSED timed_out=0 not_routed=0 rise=3" 1500 tcp $t4 1000 busy none
outcome "other traffic that ends" "blocked proof=counter error=ECONNREFUSED timed_out=0 not_routed=0 rise=1" 1500 tcp $t4 1000 settles none
outcome "a counter that falls is none" "inconclusive proof=none error=ECONNREFUSED .* rise=0" 1500 tcp $t4 1000 falls none
outcome "whatever the log says" "inconclusive proof=none error=ECONNREFUSED .* rise=0" 1500 tcp $t4 1000 falls yes
outcome "other traffic hides the datagram" "inconclusive proof=none error=EPERM" 1500 udp $dns4 1000 busy none
same "nothing has left" "" "$(wire_since '$2 ~ /^(tcp|udp)$/')"
outcome "open loopback beside" "open" 1500 tcp 127.0.0.1:8080 1000 nft none
outcome "another uid is open (case_F2)" "open proof=none error=0" 1501 tcp $t4 1000 nft none
run_quietly probe 1500,1501 tcp $t4 1000 nft none
same "each is tried as itself" "blocked open" "$(grep -oE '^(blocked|open|inconclusive)' "$WORLD/out" | paste -sd ' ')"
outcome "the control connects" "blocked .* control=1 control_error=0" --control 1500 tcp $t4 1000 nft none
outcome "the control does not" "blocked .* control=0 control_error=ECONNREFUSED" --control 1500 tcp $rst4 1000 nft none
deny "uid 0 is refused" probe 0 tcp $t4 1000 nft none
says "it says so" 'uid 0'
deny "without CAP_SETUID" agent capsh --drop=cap_setuid -- -c \
	"exec $BUILDDIR/tests/net/system_probe 1500 tcp $t4 1000 nft none"
says "it says what is missing" 'as uid 1500: CAP_SETUID is needed'

# --- a child that its user stops ------------------------------------------------------------------------
agent nft insert rule inet egressfw output meta skuid 1500 drop
# stop_child: begins a probe, and stops its child in the middle: $stopped_probe, $child.
stop_child() {
	# Not by way of the function, so that the pid is the program's own.
	nsenter -t "$world_agent" -m -n -w -- "$BUILDDIR/tests/net/system_probe" 1500 tcp $t4 1500 none none \
		>"$WORLD/out" 2>"$WORLD/err" </dev/null 7<"$WORLD/etc/hosts" &
	stopped_probe=$!
	world_pids+=($stopped_probe)
	child=
	for _ in $(seq 100); do
		read -r child _ 2>/dev/null <"/proc/$stopped_probe/task/$stopped_probe/children"
		[ -z "$child" ] || break
		sleep 0.01
	done
	sleep 0.2
	[ -z "$child" ] || kill -STOP "$child" 2>/dev/null
}
# Not one that waits to be reaped by whoever inherited it either.
is_running() {
	grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null
}
stop_child
same "the child has its pipe, its socket and nothing else" "/dev/null pipe socket" \
	"$(echo $(for link in /proc/"${child:-0}"/fd/*; do readlink "$link"; done | sed 's/:.*//' | sort -u))"
wait "$stopped_probe" && got=0 || got=$?
same "a stopped child is an error" 1 "$got"
says "it says which" 'as uid 1500: did not answer within 3500 ms'
deny "and it is gone" test -e "/proc/$child"
stop_child
check "another child is stopped" is_running "$child"
kill -KILL "$stopped_probe"
wait "$stopped_probe" 2>/dev/null
sleep 0.2
deny "a stopped child ends with its parent" is_running "$child"
[ -z "$child" ] || kill -KILL "$child" 2>/dev/null
agent nft delete table inet egressfw

# --- no network ---------------------------------------------------------------------------------------
agent ip route del default
agent ip -6 route del default
outcome "no route v4" "inconclusive proof=none error=ENETUNREACH timed_out=0 not_routed=1" 1500 tcp $t4 1000 still no
outcome "no route v6" "inconclusive proof=none error=ENETUNREACH timed_out=0 not_routed=1" 1500 tcp $t6 1000 still no
outcome "no route UDP" "inconclusive proof=none error=ENETUNREACH timed_out=0 not_routed=1" 1500 udp $dns4 1000 still no
outcome "no route UDP, whatever the counter says" "inconclusive proof=none error=ENETUNREACH timed_out=0 not_routed=1" 1500 udp $dns4 1000 one none
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
outcome "IPv6 is off" "inconclusive proof=none error=(EADDRNOTAVAIL|ENETUNREACH) timed_out=0 not_routed=1" 1500 tcp $t6 1000 still no
outcome "IPv6 is off, UDP" "inconclusive proof=none error=(EADDRNOTAVAIL|ENETUNREACH) timed_out=0 not_routed=1" 1500 udp $dns6 1000 still no
outcome "IPv6 is off, loopback" "inconclusive proof=none error=(EADDRNOTAVAIL|ENETUNREACH) timed_out=0 not_routed=1" 1500 tcp '[::1]:53' 1000 still no
agent ip link set eth0 down
outcome "the link is down" "inconclusive proof=none error=ENETUNREACH timed_out=0 not_routed=1" 1500 tcp $t4 1000 still no
finish
