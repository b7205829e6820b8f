#!/bin/bash
# gvisor.sh: in gVisor, which has legacy tables and not much of them: confined, proven by difference, and run.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/lib/static.sh"
. "$SRCDIR/tests/lib/gvisor.sh"
RAW_SOCKET=${RAW_SOCKET:-$BUILDDIR/tests/net/raw_socket}

gvisor_require
[ -x "$RAW_SOCKET" ] || skip_all "there is no $RAW_SOCKET"
world_begin
world_serve_far
static_released

# --- a container ------------------------------------------------------------------------------------------

gvisor_root sh cat httpd id grep nc nslookup sleep timeout
root=$gvisor_root
install -m 755 "$static" "$root/bin/egressfw"
install -m 755 "$RAW_SOCKET" "$root/bin/raw_socket"
echo '{ "network_mode": "no-network", "users": ["agent"] }' >"$root/etc/none.json"
echo '{ "network_mode": "no-network", "users": ["other"] }' >"$root/etc/other.json"
echo '{ "network_mode": "allowlist", "users": ["agent", "other"],
  "allowed_hosts": ["203.0.113.5:443", "[2001:db8:1::5]:443", "198.51.100.64/28:80"] }' >"$root/etc/pins.json"
echo '{ "network_mode": "no-network", "users": ["agent"], "loopback": [8080, "9000-9010"] }' >"$root/etc/list.json"
echo '{ "network_mode": "no-network", "exempt_users": ["other"] }' >"$root/etc/exempt.json"
echo '{ "network_mode": "no-network", "users": ["agent"], "published_ports": [8080] }' >"$root/etc/published.json"
echo '{ "network_mode": "no-network", "users": ["agent", "100000-165535"] }' >"$root/etc/range.json"
echo '{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["203.0.113.1:1-9"'"$(printf ', "203.0.113.%d:443"' {2..40})"'] }' \
	>"$root/etc/many.json"
chmod 644 "$root"/etc/*

# Its watch-dog ends the program where the kernel drops without a word.
connects() {
	inside_as "$1" timeout 2 sh -c ': | nc -w 1 "$0" "$1"' "$2" "$3"
}

# A question to a name server that answers nothing.
asks() {
	inside_as "$1" timeout 2 nslookup a.example.test "$2"
}

# stopped NAME connects|asks UID ADDRESS [PORT]: it fails, or (a datagram) nobody is the wiser; nothing leaves.
stopped() {
	local name=$1 packets
	shift
	wire_mark
	"$@" >/dev/null 2>&1 </dev/null && [ "$1" = connects ] && {
		not_ok "$name" "it went through"
		return
	}
	packets=$(wire_since)
	if [ -z "$packets" ]; then ok "$name"; else not_ok "$name" "$packets"; fi
}

# left NAME PATTERN CMD...: something of it reaches the far side.
left() {
	local name=$1 pattern=$2
	shift 2
	wire_mark
	"$@" >/dev/null 2>&1 </dev/null
	if wire_since | grep -q "$pattern"; then ok "$name"; else not_ok "$name" "nothing arrived"; fi
}

everything_closed() {
	stopped "$1: TCP over IPv4" connects "$2" 1.1.1.1 443
	stopped "$1: TCP over IPv6" connects "$2" 2606:4700:4700::1111 443
	stopped "$1: UDP over IPv4" asks "$2" 1.1.1.1
	stopped "$1: UDP over IPv6" asks "$2" 2606:4700:4700::1111
	deny "$1: a resolver on loopback" connects "$2" 127.0.0.1 53
	deny "$1: the engine's resolver" connects "$2" 127.0.0.11 53
	check "$1: loopback" connects "$2" 127.0.0.1 8080
	check "$1: root over IPv4" connects 0 1.1.1.1 443
	check "$1: root over IPv6" connects 0 2606:4700:4700::1111 443
	left "$1: root over UDP" '1.1.1.1 53' asks 0 1.1.1.1
	left "$1: root over UDP, IPv6" '2606:4700:4700::1111 53' asks 0 2606:4700:4700::1111
	check "$1: root and the resolver on loopback" connects 0 127.0.0.1 53
}

gvisor_spec CAP_NET_ADMIN CAP_NET_RAW CAP_SETUID CAP_SETGID CAP_SETPCAP
gvisor_start gvisor --net-raw || skip_all "runsc starts no container here: $(head -c 300 "$WORLD/err" "$WORLD/out")"
inside sh -c 'for port in 53 8080 8090 9005; do httpd -p $port -h /tmp || exit; done' >/dev/null 2>&1 </dev/null
check "without rules the agent gets out" connects $AGENT_UID 1.1.1.1 443
check "over IPv6 too" connects $AGENT_UID 2606:4700:4700::1111 443

inside egressfw doctor >"$WORLD/out" 2>"$WORLD/err" </dev/null
says "doctor says by what users are confined here" 'warn +enforcement.nf-tables .*by legacy xtables, as gVisor has them'
says "and that it can be done" 'pass +enforcement.ruleset'
says_not "it finds nothing that forbids it" '^ +fail +enforcement'

# --- apply ------------------------------------------------------------------------------------------------

check "apply" inside egressfw apply --timeout 1 /etc/none.json
says "takes the back end xt by itself" 'back end +xt'
says "proves by difference" 'probe +blocked +tcp uid 1500 to 1.1.1.1:443 .*proof: difference, unconfined: connected'
says "over IPv6 too" 'probe +blocked +tcp uid 1500 to \[2606:.*proof: difference'
says "and says why" "counters stay at zero: the canary proves by"
says "what is dropped and not refused" 'cannot refuse'
says "and what is not judged" 'what has no owner is not judged'
says "and that run is needed" 'start programs by run'
says "and what that costs over IPv6" 'neighbours over IPv6'
everything_closed "apply" $AGENT_UID
far ip -6 neigh del 2001:db8::2 dev eth0
deny "over IPv6 a neighbour that does not know it is not answered" far "$ATTEMPT" --uid 0 tcp '[2001:db8::2]:8080'
gvisor_known
check "one that knows it is" far "$ATTEMPT" --uid 0 tcp '[2001:db8::2]:8080'
check "another user is not confined" connects $OTHER_UID 1.1.1.1 443
check "a closed port on loopback answers" inside sh -c 'nc -w 1 127.0.0.1 54 2>&1 | grep -q refused'
check "verify" inside egressfw verify
check "canary" inside egressfw canary --timeout 1 --json
says "says the back end" '"backend": "xt"'
says "and the proof, for programs" '"proof": "difference"'
check "a second apply" inside egressfw apply --no-canary /etc/none.json
check "verify" inside egressfw verify
status 3 "nft alone is not there" inside egressfw verify --backend nft
says "and says so" 'no nf_tables'

# --- policies ---------------------------------------------------------------------------------------------

check "an allowlist for two users" inside egressfw apply --no-canary /etc/pins.json
check "a pinned address" connects $AGENT_UID 203.0.113.5 443
check "over IPv6" connects $OTHER_UID 2001:db8:1::5 443
check "an address of a prefix" connects $AGENT_UID 198.51.100.70 80
stopped "not its other ports" connects $AGENT_UID 203.0.113.5 22
stopped "not the address behind the prefix" connects $OTHER_UID 198.51.100.80 80
everything_closed "allowlist" $AGENT_UID
everything_closed "allowlist, the other user" $OTHER_UID
check "verify" inside egressfw verify
status 3 "a published port" inside egressfw apply --no-canary /etc/published.json
says "is refused by name" 'published_ports: .*an answer from a beginning'
status 3 "exempt users" inside egressfw apply --no-canary /etc/exempt.json
says "are refused by name" 'exempt_users: .*one uid at a time'
status 3 "more addresses than the kernel's room" inside egressfw apply --no-canary /etc/many.json
says "is refused with both numbers" 'would have [0-9]+ bytes, and this kernel takes 8096'
status 3 "a range of uids" inside egressfw apply --no-canary /etc/range.json
says "is refused with the reason" 'one uid at a time'
check "what stood stands" inside egressfw verify
check "back to no network" inside egressfw apply --no-canary /etc/none.json
stopped "what was pinned is closed" connects $AGENT_UID 203.0.113.5 443
check "the other user is free" connects $OTHER_UID 1.1.1.1 443

# --- loopback as a list of ports --------------------------------------------------------------------------

check "loopback port by port, before" connects $AGENT_UID 127.0.0.1 8090
check "a list of loopback ports" inside egressfw apply --timeout 1 /etc/list.json
says "says what that costs" 'servers of confined users answer to listed ports alone'
check "verify" inside egressfw verify
stopped "list: TCP" connects $AGENT_UID 1.1.1.1 443
stopped "list: UDP over IPv6" asks $AGENT_UID 2606:4700:4700::1111
deny "list: a resolver on loopback" connects $AGENT_UID 127.0.0.1 53
check "a listed port" connects $AGENT_UID 127.0.0.1 8080
check "a listed port over IPv6" connects $AGENT_UID ::1 8080
check "a port of a listed range" connects $AGENT_UID 127.0.0.1 9005
for address in 127.0.0.1 ::1; do
	deny "a port that is not listed, $address" connects $AGENT_UID $address 8090
	check "root is free, $address" connects 0 $address 8090
	check "another user is free, $address" connects $OTHER_UID $address 8090
done
deny "not by way of a listed port of its own" inside_as $AGENT_UID timeout 2 sh -c ': | nc -w 1 -p 9001 127.0.0.1 8090'
check "back to no network" inside egressfw apply --no-canary /etc/none.json
check "loopback is whole again" connects $AGENT_UID 127.0.0.1 8090

status 3 "a second instance has no room beside it" inside egressfw apply --no-canary --name two /etc/other.json
says "which is said before anything is changed" 'this kernel takes 8096'
stopped "the first one's user is confined" connects $AGENT_UID 1.1.1.1 443
check "verify" inside egressfw verify

# --- run --------------------------------------------------------------------------------------------------

check "after apply alone a raw socket is one user namespace away" inside_as $AGENT_UID raw_socket
check "run" inside egressfw run --timeout 1 /etc/none.json -- id -u
same "is the user" "$AGENT_UID" "$(cat "$WORLD/out")"
check "run: nothing is left of the capabilities" inside egressfw run --no-canary --quiet /etc/none.json -- \
	sh -c '! grep Cap /proc/self/status | grep -v 0000000000000000'
status 1 "run: a raw socket is not to be had" inside egressfw run --no-canary --quiet /etc/none.json -- raw_socket
says "run: it is refused" EPERM
wire_mark
deny "run: TCP" inside egressfw run --no-canary --quiet /etc/none.json -- timeout 2 sh -c ': | nc -w 1 1.1.1.1 443'
same "run: nothing leaves" "" "$(wire_since)"
check "run: loopback" inside egressfw run --no-canary --quiet /etc/none.json -- sh -c ': | nc -w 1 127.0.0.1 8080'

# --- remove, and what it needs ------------------------------------------------------------------------------

check "remove" inside egressfw remove
check "the agent gets out again" connects $AGENT_UID 1.1.1.1 443
check "and again remove" inside egressfw remove
gvisor_stop

gvisor_spec CAP_NET_ADMIN CAP_SETUID CAP_SETGID CAP_SETPCAP
gvisor_start no-capability --net-raw
status 3 "without CAP_NET_RAW" inside egressfw apply /etc/none.json
says "says which capability is missing" 'CAP_NET_RAW'
check "and nobody is confined" connects $AGENT_UID 1.1.1.1 443
gvisor_stop

gvisor_spec CAP_NET_ADMIN CAP_NET_RAW CAP_SETUID CAP_SETGID CAP_SETPCAP
gvisor_start no-option
status 3 "without --net-raw" inside egressfw apply /etc/none.json
says "says which option is missing" '\-\-net-raw'
gvisor_stop

finish
