#!/bin/bash
# sockets.sh: what confined users had connected before is ended, unless the new rules allow it; nobody else's.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/escapes_try.sh"
. "$SRCDIR/tests/net/escapes_early.sh"
cases_begin

# hold UID ADDRESS PORT: a connection that is kept; its process in $held.
hold() {
	local ready="$WORLD/held-$1-$3-${#world_pids[@]}"
	mkfifo "$ready"
	chmod 666 "$ready"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups -- \
		bash -c 'exec 3<>"/dev/tcp/$1/$2" || exit 9; echo >"$3"; exec sleep infinity' bash "$2" "$3" "$ready" &
	held=$!
	world_pids+=($held)
	read -r _ <"$ready"
}

# How many connections of this uid to that port are established: local processes see them in ss(8).
established() {
	agent ss -Htn state established "( dport = :$2 )" -e 2>/dev/null | grep -c "uid:$1" || true
}
established_root() {
	agent ss -Htn state established "( dport = :$1 )" -e 2>/dev/null | grep -vc 'uid:' || true
}

# The sockets of whoever looks, of one port, as "STATE" a line.
states() {
	"$1" ss -Htan "( dport = :$2 or sport = :$2 )" | awk '{ print $1 }' | sort
}

# A second host with a user of the same number.
elsewhere_begin() {
	world_hold world_elsewhere unshare -n
	far ip link add eth1 type veth peer name eth0 netns "$world_elsewhere"
	far ip address add 198.51.100.1/24 dev eth1
	far ip link set eth1 up
	elsewhere ip address add 198.51.100.2/24 dev eth0
	elsewhere ip link set eth0 up
	elsewhere ip route add default via 198.51.100.1
}

elsewhere() {
	nsenter -t "$world_elsewhere" -n -w -- "$@"
}

policy some <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["203.0.113.5:443"] }
END
serve agent tcp/127.0.0.1/8080
hold $AGENT_UID 203.0.113.5 80
hold $AGENT_UID 2001:db8:1::5 80
hold $AGENT_UID 203.0.113.5 443
hold $AGENT_UID 127.0.0.1 8080
hold $OTHER_UID 203.0.113.5 80
hold 0 203.0.113.5 80
elsewhere_begin
world_agent_kept=$world_agent world_agent=$world_elsewhere
hold $AGENT_UID 203.0.113.5 80
world_agent=$world_agent_kept
same "two of the user stand before" 2 "$(established $AGENT_UID 80)"
check "apply" fw apply "$WORLD/some.json"
says "the report counts them" 'sockets +2 ended, 0 could not be ended'
same "what is not allowed is ended, over both families" 0 "$(established $AGENT_UID 80)"
same "what is allowed is kept" 1 "$(established $AGENT_UID 443)"
same "loopback is kept" 1 "$(established $AGENT_UID 8080)"
same "another user's is kept" 1 "$(established $OTHER_UID 80)"
same "root's is kept" 1 "$(established_root 80)"
same "the same user's in another network namespace is kept" ESTAB "$(states elsewhere 80)"
check "apply again" fw apply "$WORLD/some.json"
says "nothing more to end" 'sockets +0 ended, 0 could not be ended'
no_network
check "a narrower policy" fw apply "$WORLD/none.json"
says "ends what it does not allow any more" 'sockets +1 ended'
same "which is gone" 0 "$(established $AGENT_UID 443)"

# Data that waits behind a closed window must not leave when the socket is closed and the window opens.
check "remove" fw remove
mkfifo "$WORLD/go"
chmod 666 "$WORLD/go"
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups -- \
	bash -c 'exec 3<>/dev/tcp/203.0.113.5/80; read -r _ <"$1"; echo late >&3; exec 3>&-' bash "$WORLD/go" 2>/dev/null &
late=$!
world_pids+=($late)
until [ "$(established $AGENT_UID 80)" = 1 ]; do sleep 0.02; done
check "apply once more" fw apply "$WORLD/none.json"
wire_mark
echo >"$WORLD/go"
wait "$late"
same "nothing of a user whose socket was ended leaves" "" "$(wire_since '$2 == "tcp" && $8 > 72')"

# Every state and kind of socket. Who answers, and whether: the far side drops what goes to port 7500.
check "remove" fw remove
far nft -f - <<'END'
table inet silent {
	chain input { type filter hook input priority 0; tcp dport 7500 drop; }
}
END
allow_mptcp_roads
begin_early early-send '[::ffff:203.0.113.5]:7501'
begin_early early-connecting 203.0.113.5:7500
begin_early early-unsent '[2001:db8:1::5]:7502'
begin_early early-accepted 192.0.2.2:7503
begin_early early-mptcp-endpoint 203.0.113.5:7504
begin_early early-mptcp-endpoint '[2001:db8:1::5]:7505'
begin_early early-udp 203.0.113.5:7506
begin_early early-udp '[2001:db8:1::5]:7507'
begin_early early-queued '[2001:db8::2]:7509'
add_mptcp_roads
# A listener has one line more: itself.
kinds='7501 ESTAB v4-mapped
7500 SYN-SENT connecting
7502 FIN-WAIT-1 closed-with-data
7503 CLOSE-WAIT,LISTEN closed-by-the-far-side
7504 ESTAB,ESTAB,ESTAB subflows
7505 ESTAB,ESTAB,ESTAB,ESTAB subflows-over-IPv6'
# A road more may take its time.
while read -r port want kind; do
	for _ in {1..100}; do
		[ "$(states agent "$port" | paste -sd ,)" != "$want" ] || break
		sleep 0.05
	done
	same "$kind: stands before" "$want" "$(states agent "$port" | paste -sd ,)"
done <<<"$kinds"
datagrams() { agent ss -Hn "$@" "( dport >= :7506 and dport <= :7507 )" | wc -l; }
same "datagram sockets are connected before" 2 "$(datagrams -ua)"
check "apply" fw apply "$WORLD/none.json"
says "ends them all" 'sockets +(1[2-9]|2[0-9]) ended, 0 could not be ended'
while read -r port want kind; do
	same "$kind: is ended" "" "$(states agent "$port" | grep -v LISTEN)"
done <<<"$kinds"
same "datagram sockets have no peer any more" 0 "$(datagrams -ua)"
same "a listener is left alone" LISTEN "$(states agent 7509)"
go_on_early
# The far side's answers to a datagram do not count, and this side's reset holds nothing.
for port in "${!early_packets[@]}"; do
	same "nothing of port $port has left after it" 0 "${early_packets[$port]}"
done
early_seen=() early_packets=()

# A simultaneous open that nobody finishes.
check "remove" fw remove
PEER=${PEER:-$BUILDDIR/tests/net/peer}
# crossed FAMILY OWN-PORT FAR-ADDRESS: connects as the user to a far side that says nothing.
crossed() {
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups -- /usr/bin/python3 -c '
import socket, sys, time
one = socket.socket(getattr(socket, sys.argv[1]))
one.bind(("", int(sys.argv[2])))
one.setblocking(False)
one.connect_ex((sys.argv[3], 7500))
time.sleep(600)' "$@" &
	world_pids+=($!)
}
crossing() { agent ss -Htn state "$1" "( sport >= :7541 and sport <= :7542 )" | wc -l; }
crossed AF_INET 7541 203.0.113.5
crossed AF_INET6 7542 2001:db8:1::5
for _ in {1..100}; do
	[ "$(crossing syn-sent)" -eq 2 ] && break
	sleep 0.05
done
far "$PEER" cross 192.0.2.2 7541 203.0.113.5 7500
far "$PEER" cross 2001:db8::2 7542 2001:db8:1::5 7500
same "opens that cross stand before" 2 "$(crossing syn-recv)"
check "apply" fw apply "$WORLD/none.json"
same "none of them is left" 0 "$(($(crossing syn-recv) + $(crossing syn-sent)))"

# A kernel that ends no sockets: the answer to the first attempt is put in its mouth.
check "remove" fw remove
early_seen=() early_packets=()
begin_early early-send 203.0.113.5:7511
# The leak checker of a sanitized build does not work under strace.
traced() { agent env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -qq "$@"; }
traced -f -e trace=sendto -o "$WORLD/calls" "$EGRESSFW" apply "$WORLD/none.json" >/dev/null
number=$(awk '{ sub(/^[0-9]+ +/, ""); n++ } /SOCK_DESTROY/ { print n; exit }' \
	<(awk 'NR == 1 { main = $1 } $1 == main' "$WORLD/calls"))
check "a socket is ended by a message that can be told" test "${number:-0}" -gt 0
go_on_early
check "remove" fw remove
early_seen=() early_packets=()
for row in "send 203.0.113.5:7521" "send [2001:db8:1::5]:7522" "close 203.0.113.5:7523" "kill [2001:db8:1::5]:7524" \
	   "unsent 203.0.113.5:7525" "unsent [2001:db8:1::5]:7526" "linger 203.0.113.5:7527" \
	   "mptcp-endpoint 203.0.113.5:7528" "mptcp-announced [2001:db8:1::5]:7529" "accepted 192.0.2.2:7530"; do
	begin_early early-${row/ */} "${row#* }"
done
check "apply, on a kernel without SOCK_DESTROY" traced -o /dev/null \
	-e inject=sendto:error=EOPNOTSUPP:when="$number" "$EGRESSFW" apply "$WORLD/none.json"
says "the report says so" 'cannot end sockets \(SOCK_DESTROY\)'
same "the socket stands" ESTAB "$(states agent 7521)"
go_on_early
for port in "${!early_packets[@]}"; do
	same "the rules alone let nothing of port $port out" 0 "${early_packets[$port]}"
done
finish
