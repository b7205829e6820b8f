#!/bin/bash
# strict.sh: everybody is confined but root and the exempt users; what others leave open is closed, and root lives on.
. "${srcdir:-.}/tests/net/cases.sh"
. "$SRCDIR/tests/net/escapes_controls.sh"
EXEMPT_UID=$OTHER_UID

set_up() {
	cases_begin
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
check "users: apply" fw apply "$WORLD/users.json"
try_all users open closed
check "users: remove" fw remove
status 1 "users: what was left behind a closed window stays" abandoned fw apply "$WORLD/users.json"
set_up
write_policies
check "strict: apply" fw apply "$WORLD/strict.json"
try_all strict closed closed
finish
