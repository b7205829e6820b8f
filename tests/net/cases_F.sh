#!/bin/bash
# cases_F.sh: the canary, which must not take a dead network for a wall, nor a wall of others for ours.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network
target=203.0.113.5:443

# case_F1: without our rules.
status 1 "case_F1: an open network" fw canary --user $AGENT_UID $target
says "case_F1: it is called open" '\bopen\b'
status 1 "case_F1: an open network, IPv6" fw canary --user $AGENT_UID '[2001:db8:1::5]:443'
status 6 "case_F1: a far RST is no proof" fw canary --user $AGENT_UID 203.0.113.5:4444
foreign() {
	agent nft -f - <<-END
		table inet wall {
			chain output {
				type filter hook output priority 0; policy accept;
				$1
			}
		}
	END
}
for verdict in drop reject 'reject with tcp reset' 'reject with icmpx admin-prohibited'; do
	foreign "meta skuid { $AGENT_UID, 100000-165535 } meta l4proto tcp $verdict"
	status 6 "case_F1: somebody else's \"$verdict\" is no proof" \
		fw canary --timeout 2 --user $AGENT_UID $target
	agent nft delete table inet wall
done

# With them.
check "case_F1: apply" fw apply "$WORLD/none.json"
status 0 "case_F1: our rules are proof" fw canary
status 0 "case_F1: for a named target" fw canary $target
says "case_F1: it is called blocked" '\bblocked\b'
status 0 "case_F1: for both families" fw canary $target '[2001:db8:1::5]:443'
agent ip route delete default
status 6 "case_F1: no route, a named target" fw canary $target
says "case_F1: it is called inconclusive" 'inconclusive'
check "case_F1: no route, default targets: loopback is the proof" fw canary
agent ip route add default via 192.0.2.1
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
status 6 "case_F1: no IPv6, a named target" fw canary '[2001:db8:1::5]:443'
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=0
agent ip address add 2001:db8::2/64 dev eth0 nodad
agent ip -6 route replace default via 2001:db8::1
agent ip link set eth0 down
status 6 "case_F1: the link is down, a named target" fw canary --timeout 2 $target
agent ip link set eth0 up
agent ip route replace default via 192.0.2.1
agent ip address replace 2001:db8::2/64 dev eth0 nodad
agent ip -6 route replace default via 2001:db8::1
for bad in 0x01010101:443 1.1.1.1:0 1.1.1.1 1.1.1.1:65536 example.test:443 1.1:443 01.1.1.1:443 '1.1.1.1:443 ' \
	'1.1.1.1:+443' '[1.1.1.1]:443' '::1:443'; do
	refused "case_F1: \"$bad\" is no target" 2 '.' canary "$bad"
done

# case_F2: the probe is the user, not root who started it.
reached "case_F2: root reaches the target all the while" tcp $target 0
status 2 "case_F2: root is no confined user" fw canary --user 0 $target
status 1 "case_F2: a user who is not confined is open" fw canary --user $OTHER_UID $target

# case_F3: both families, and no proxy variable.
check "case_F3: proxy variables have no say" \
	agent env HTTPS_PROXY=http://127.0.0.1:8080 https_proxy=http://127.0.0.1:8080 "$EGRESSFW" canary $target
policy six <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["[2001:db8:1::5]:443"] }
END
check "case_F3: IPv6 is allowed, IPv4 is not" fw apply "$WORLD/six.json"
status 1 "case_F3: the worse of the two counts" fw canary $target '[2001:db8:1::5]:443'
status 0 "case_F3: each has its own verdict" fw canary $target
check "case_F3: remove" fw remove

# The log stands before the reject, and is the same for all instances: a record alone proves nothing.
far_closed=203.0.113.5:4444
check "a record is no proof: apply" fw apply "$WORLD/none.json"
status 0 "a far port that is closed is proven by our rule" fw canary $far_closed
rejects=$(agent nft -a list chain inet egressfw refuse | awk '/reject/ { print $NF }')
for handle in $rejects; do agent nft delete rule inet egressfw refuse handle "$handle"; done
agent nft flush chain inet egressfw postrouting
status 6 "without the reject rules the far RST is not ours" fw canary $far_closed
status 1 "without the reject rules a target is open" fw canary $target
check "a record is no proof: remove" fw remove
policy other_user <<END
{ "network_mode": "no-network", "users": [$OTHER_UID] }
END
check "two instances: apply one" fw apply --name one "$WORLD/none.json"
check "two instances: apply two" fw apply --name two "$WORLD/other_user.json"
status 0 "two instances: one has its own proof" fw canary --name one --user $AGENT_UID $target
status 0 "two instances: so has two" fw canary --name two --user $OTHER_UID $target
status 6 "two instances: what one refuses does not prove two" fw canary --name two --user $AGENT_UID $target
check "two instances: remove one" fw remove --name one
check "two instances: remove two" fw remove --name two

# An engine rewrites its resolver's port before our rules see it, and there is no other target.
agent ip route delete default
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
status 0 "a rewritten resolver is proven by the counter" fw apply "$WORLD/none.json"
status 0 "by the canary too" fw canary --json
says "it was the counter" '"counter"'
check "a rewritten resolver: remove" fw remove
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=0
agent ip address replace 2001:db8::2/64 dev eth0 nodad
agent ip -6 route replace default via 2001:db8::1
agent ip route add default via 192.0.2.1

# A wall that has a hole is found by apply itself, which then closes.
policy broken <<'END'
{ "network_mode": "no-network", "users": [1500], "canary": ["203.0.113.5:443"] }
END
check "a second apply finds what was changed behind its back" fw apply "$WORLD/broken.json"
agent nft insert rule inet egressfw confined ip daddr 203.0.113.5 accept
status 1 "verify finds a rule that was added" fw verify
closed "the second wall holds alone" tcp 203.0.113.5:443
status 6 "which the canary does not take for the first" fw canary 203.0.113.5:443
agent nft flush chain inet egressfw postrouting
status 1 "the canary finds what it opens" fw canary
check "apply puts it right" fw apply "$WORLD/broken.json"
status 0 "verify agrees" fw verify
agent nft delete table inet egressfw
status 1 "verify finds that the table is gone" fw verify
finish
