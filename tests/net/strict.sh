#!/bin/bash
# strict.sh: everybody is confined but root and the exempt users; what others leave open is closed, and root lives on.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/escapes_controls.sh"
EXEMPT_UID=$OTHER_UID

set_up() {
	cases_begin
	[ -z "${back_end:-}" ] || xt_require
	. "$SRCDIR/tests/net/stream_tool.sh"
	install -m 644 "$SRCDIR/tests/net/strict_tool.py" "$WORLD/strict.py"
	serve agent udp/127.0.0.11/45353 tcp/127.0.0.11/45353 late/::/9002 tcp/::/8080 udp/::/8080
	# Everything that doctor warns of.
	agent sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv6.conf.all.seg6_enabled=1 \
		net.ipv6.conf.lo.seg6_enabled=1 net.ipv6.conf.eth0.seg6_enabled=1 net.ipv4.conf.eth0.route_localnet=1
	agent nft -f - <<-'END'
		table ip translate {
			chain output {
				type nat hook output priority -100;
				ip daddr 127.0.0.1 tcp dport 30000 dnat to 203.0.113.5:9100
			}
			chain postrouting {
				type nat hook postrouting priority 100;
				oifname "eth0" ip saddr 127.0.0.0/8 masquerade
			}
		}
	END
	far sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	index=$(agent cat /sys/class/net/eth0/ifindex)
	make_tunnel
}

# A device that an administrator made for the user, and its addresses.
make_tunnel() {
	mknod "$WORLD/tun" c 10 200 && chmod 666 "$WORLD/tun" &&
		agent ip tuntap add dev tun0 mode tun user $AGENT_UID 2>/dev/null || return 0
	agent ip address add 198.18.0.1/24 dev tun0
	agent ip address add 2001:db8:7::1/64 dev tun0 nodad
	agent ip link set tun0 up
}

strict_tool() { # UID FUNCTION ARGUMENT...
	local uid=$1
	shift
	as_user "$uid" timeout 20 "$python" "$WORLD/strict.py" "$@"
}

# A user's program that becomes a third user, who owns it.
third_user() {
	install -o 1600 -g 1600 -m 4755 "$(readlink -f "$python")" "$WORLD/third"
	as_user $AGENT_UID timeout 5 "$WORLD/third" "$WORLD/strict.py" connect 1.1.1.1 443
}

# left CONDITION COMMAND...: whether a packet that meets the awk condition reaches the far side.
left() {
	local condition=$1
	shift
	wire_settle
	local from=$wire_marked_now
	"$@" >"$WORLD/attempt" 2>&1
	sleep 0.2
	wire_settle
	awk -v from="$from" '$1 == "mark" { on = on || $2 == from; next } on && $1 == "packet" && ('"$condition"') { found = 1 }
		END { exit !found }' "$WORLD/wire"
}

# seen NAME open|closed CONDITION COMMAND...
seen() {
	local name=$1 want=$2 got=closed
	shift 2
	left "$@" && got=open
	if [ $got = "$want" ]; then ok "$name is $want"; else not_ok "$name is $want" "$(cat "$WORLD/attempt")"; fi
}

# What is still to be sent when its socket is closed, over an address of loopback that leads outside.
abandoned() { # LOCK...: true where something arrives after the lock
	start hoard far timeout 20 "$python" "$WORLD/strict.py" hoard 203.0.113.5 9100
	local hoarding=$started
	wait_for hoard ready
	strict_tool $AGENT_UID abandon 127.0.0.1 30000 >"$WORLD/attempt" 2>&1 || return 2
	sleep 0.3
	"$@" >/dev/null 2>&1 || return 2
	go hoard
	wait $hoarding
	! grep -q 'later 0$' "$WORLD/hoard"
}

# try_all WORLD STRICT: how the ways are that strict closes; STRICT is what they have to be. Where there is no rule
# all are open.
try_all() {
	local world=$1 want=$2 spoofed=$3 family source outside
	seen "$world: IPv4, a group's report" "$want" '$2 == "igmp"' attempt $AGENT_UID join 239.9.9.9:0
	seen "$world: IPv6, a group's report" "$want" '$2 == "icmpv6" && $7 == "type=143"' \
		attempt $AGENT_UID join '[ff0e::db8:1]:0'
	seen "$world: IPv6, sources of a group's report" "$want" '$2 == "icmpv6" && $7 == "type=143"' \
		strict_tool $AGENT_UID join_sources ff02::1:ff12:3456 "$index"
	seen "$world: IPv4, an echo is answered" "$want" '$2 == "icmp" && $7 == "type=0"' \
		far "$ATTEMPT" --uid 0 ping 192.0.2.2:0
	seen "$world: IPv6, an echo is answered" "$want" '$2 == "icmpv6" && $7 == "type=129"' \
		far "$ATTEMPT" --uid 0 ping '[2001:db8::2]:0'
	seen "$world: IPv4, a closed port tells of itself" "$want" '$2 == "icmp" && $7 == "type=3"' \
		far "$ATTEMPT" --uid 0 udp 192.0.2.2:9999
	seen "$world: IPv6, a closed port tells of itself" "$want" '$2 == "icmpv6" && $7 == "type=1"' \
		far "$ATTEMPT" --uid 0 udp '[2001:db8::2]:9999'
	seen "$world: a program that becomes a third user" "$want" '$2 == "tcp" && $5 == "1.1.1.1"' third_user
	seen "$world: IPv4, a device made for the user" "$want" '$3 == "198.18.0.2"' \
		strict_tool $AGENT_UID tunnel "$WORLD/tun" tun0 198.18.0.2 203.0.113.9
	seen "$world: IPv6, a device made for the user" "$want" '$3 == "2001:db8:7::2"' \
		strict_tool $AGENT_UID tunnel "$WORLD/tun" tun0 2001:db8:7::2 2001:db8:9::9
	# These are closed whoever is confined.
	seen "$world: segments by way of ::1" "$spoofed" '$5 == "2001:db8:9::9"' \
		strict_tool $AGENT_UID segments 2001:db8::2 ::1 2001:db8:9::9 443
	seen "$world: segments by way of an own address" "$spoofed" '$5 == "2001:db8:9::9"' \
		strict_tool $AGENT_UID segments 2001:db8::2 2001:db8::2 2001:db8:9::9 443
	seen "$world: an echo that is answered elsewhere" "$spoofed" '$5 == "2001:db8:bad::1"' \
		strict_tool $AGENT_UID spoof ping 2001:db8:bad::1 ::1 0
	seen "$world: an error that is told elsewhere" "$spoofed" '$5 == "2001:db8:bad::1"' \
		strict_tool $AGENT_UID spoof udp 2001:db8:bad::1 ::1 9999
	seen "$world: a service that answers elsewhere" "$spoofed" '$5 == "2001:db8:bad::1"' \
		strict_tool $AGENT_UID spoof udp 2001:db8:bad::1 ::1 8080
}

write_policies() {
	policy strict <<-END
		{ "network_mode": "allowlist", "exempt_users": ["other", 33],
		  "allowed_hosts": ["203.0.113.80:443", "[2001:db8:1::80]:443"] }
	END
	policy users <<-END
		{ "network_mode": "no-network", "users": [$AGENT_UID] }
	END
	policy beside <<-END
		{ "network_mode": "no-network", "users": [$EXEMPT_UID] }
	END
}

set_up
write_policies
try_all 'no rules' open open
check "no rules: what was left behind a closed window arrives" abandoned true
set_up
write_policies
check "users: apply" by apply "$WORLD/users.json"
try_all users open closed
check "users: remove" by remove
status 1 "users: what was left behind a closed window stays" abandoned by apply "$WORLD/users.json"
set_up
write_policies
check "strict: apply" by apply "$WORLD/strict.json"
try_all strict closed closed

# --- who is confined, and who is not ----------------------------------------------------------------------------

for uid in 1 $AGENT_UID 34 65534 100000 4294967294; do
	for target in 1.1.1.1 '[2606:4700:4700::1111]'; do
		deny "uid $uid, TCP to $target" attempt $uid tcp "$target:443"
		deny "uid $uid, UDP to $target" attempt $uid udp "$target:53"
	done
	reached "uid $uid, what is allowed" tcp 203.0.113.80:443 $uid
	reached "uid $uid, loopback" tcp '[::1]:8080' $uid
done
reached "what is allowed, over IPv6" tcp '[2001:db8:1::80]:443'
closed "another port of it" tcp 203.0.113.80:22
other_is_exempt=yes
controls strict
check "verify" by verify
status 0 "canary" by canary 192.0.2.1:443
says "probes as a user who is there, of every range" 'tcp uid 1 to 192.0.2.1:443'
says "for the last range too" 'tcp uid 1[0-9]{3} to 192.0.2.1:443'

# --- what root and the kernel need ------------------------------------------------------------------------------

# Neighbours are asked and told, and the switch is told that this host listens; a router is in other groups too.
agent sysctl -qw net.ipv6.conf.all.forwarding=0
address_reports() {
	agent ip address add 2001:db8::77/64 dev eth0 nodad
	sleep 1.5
}
# Which groups are reported legacy xtables do not see.
reported=open
[ "${back_end:-}" != xt ] || reported=closed
seen "the report of a new address" $reported '$2 == "icmpv6" && $7 == "type=143"' address_reports
check "a neighbour connects to the new address" far "$ATTEMPT" --uid 0 tcp '[2001:db8::77]:8080'

# A root server: what waits when it is gone arrives.
for address in 192.0.2.2 2001:db8::2; do
	for uid in 0 $EXEMPT_UID; do
		start server tool_of $uid dump $address 8070 400000
		server=$started
		wait_for server ready
		far_tool drain $address 8070 >"$WORLD/client" 2>&1
		wait $server
		same "uid $uid at $address: all that its server wrote arrives" \
			"read $(awk '$1 == "wrote" { print $2 }' "$WORLD/server")" "$(cat "$WORLD/client")"
	done
	start talk far_tool talk $address 8080
	talk=$started
	check "a connection to a root server, $address" wait_for talk ready
	go talk
	wait $talk
	same "goes on" heard "$(tail -n 1 "$WORLD/talk")"
done
late_answer() { # ADDRESS
	start late far timeout 20 "$python" "$WORLD/strict.py" answer_late "$1" 5353
	local late=$started
	wait_for late ready
	strict_tool 0 too_late "$1" 5353
	wait $late
}
seen "IPv4: that an answer to root comes too late" open '$2 == "icmp" && $7 == "type=3"' late_answer 203.0.113.9
seen "IPv6: that an answer to root comes too late" open '$2 == "icmpv6" && $7 == "type=1"' late_answer 2001:db8:9::9

# A router on the way, behind which packets have to be smaller.
beyond() { nsenter -t "$world_beyond" -n -w -- "$@"; }
narrow_path() {
	world_hold world_beyond unshare -n
	far ip link add narrow type veth peer name eth0 netns "$world_beyond"
	far ip link set narrow mtu 1280 up
	far ip address add 198.51.100.1/24 dev narrow
	far ip address add 2001:db8:100::1/64 dev narrow nodad
	far sysctl -qw net.ipv4.ip_forward=1
	beyond ip link set lo up
	beyond ip link set eth0 up
	beyond ip address add 198.51.100.2/24 dev eth0
	beyond ip address add 2001:db8:100::2/64 dev eth0 nodad
	beyond ip route add default via 198.51.100.1
	beyond ip -6 route add default via 2001:db8:100::1
	nsenter -t "$world_beyond" -n -w -- "$FAR" -o "$WORLD/beyond" sink/::/9001 >/dev/null &
	world_pids+=($!)
	until [ -e "$WORLD/beyond" ] && [ -n "$(beyond ss -tlnH sport = :9001)" ]; do sleep 0.02; done
}
gets_through() { # TARGET ADDRESS: a mebibyte arrives, in smaller packets than the link here takes
	local tries=100 before
	before=$(grep -c '^sink 9001 1048576 eof$' "$WORLD/beyond")
	attempt 0 tcp-upload "$1" || true
	until [ "$(grep -c '^sink 9001 1048576 eof$' "$WORLD/beyond")" -gt "$before" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
	agent ip route get "$2" | grep -q 'mtu 1280'
}
narrow_path
check "IPv4: root's upload over a narrow path" gets_through 198.51.100.2:9001 198.51.100.2
check "IPv6: the same" gets_through '[2001:db8:100::2]:9001' 2001:db8:100::2

# --- beside another instance, and one after the other -----------------------------------------------------------

check "another instance, which confines an exempt user" by apply --name beside "$WORLD/beside.json"
deny "both confine" attempt $EXEMPT_UID tcp 1.1.1.1:443
reached "the other exempt user is free" tcp 1.1.1.1:443 33
check "remove the other" by remove --name beside
reached "and the first is free again" tcp 1.1.1.1:443 $EXEMPT_UID
check "from strict to one user" by apply "$WORLD/users.json"
reached "the others are let go" tcp 1.1.1.1:443 33
closed "the one is not" tcp 203.0.113.80:443
check "and back" by apply "$WORLD/strict.json"
deny "the others are confined" attempt 34 tcp 1.1.1.1:443
check "verify" by verify
check "what plan prints loads" agent sh -c '"$1" plan "$2" >"$3" && nft -c -f "$3"' sh "$EGRESSFW" "$WORLD/strict.json" "$WORLD/plan"

# --- refusals ---------------------------------------------------------------------------------------------------

policy repeated <<END
{ "network_mode": "no-network", "exempt_users": ["nobody-of-that-name"] }
END
refused "an exempt user who is unknown" 2 'exempt_users\[[0-9]+\]: there is no user "nobody-of-that-name"' apply "$WORLD/repeated.json"
policy all <<END
{ "network_mode": "no-network", "exempt_users": ["1-4294967294"] }
END
refused "nobody is left" 2 'nobody is confined' apply "$WORLD/all.json"
policy reach <<END
{ "network_mode": "no-network", "exempt_users": [100500] }
END
refused "a confined user who can become an exempt one" 2 \
	'/etc/subuid: line 1 gives uids 100000 to 165535 to a confined user, and one of them is exempt' \
	apply "$WORLD/reach.json"
policy pass <<END
{ "network_mode": "no-network", "exempt_users": [33], "ownerless": "pass" }
END
refused "without telling owners apart" 2 'ownerless: "pass" lets out' apply "$WORLD/pass.json"
refused "an exempt user by --user" 2 '--user: names a user whom exempt_users lets go free' \
	apply --user other "$WORLD/strict.json"
check "a confined one by --user" by apply --user agent "$WORLD/strict.json"
by_user() { # UID ARGUMENT...: with the capability, as a uid
	local uid=$1
	shift
	agent setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=+net_admin --ambient-caps=+net_admin -- \
		"$EGRESSFW" "$@"
}
status 3 "apply by a confined user" by_user $AGENT_UID apply --no-canary --no-hosts "$WORLD/strict.json"
says "says why" "uid $AGENT_UID, which started this, is a confined user"
status 3 "remove by a confined user" by_user $AGENT_UID remove --no-hosts
policy names <<END
{ "network_mode": "allowlist", "exempt_users": [33], "allowed_hosts": ["api.example"] }
END
check "remove" by remove
status 4 "a name that cannot be resolved" by apply --timeout 1 "$WORLD/names.json"
says "what is left is closed" 'uids 1-32, 34-4294967294 are closed'
closed "the users are closed" tcp 1.1.1.1:443
reached "root is not" tcp 1.1.1.1:443 0
reached "the exempt user is not" tcp 1.1.1.1:443 33
finish
