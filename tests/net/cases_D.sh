#!/bin/bash
# cases_D.sh: what the kernel must be told, and what it may lack.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network

# case_D1: both families.
check "case_D1: apply" fw apply "$WORLD/none.json"
closed "case_D1: IPv4" tcp 1.1.1.1:443
closed "case_D1: IPv6" tcp '[2001:db8:1::1]:443'
closed "case_D1: IPv4 through an IPv6 socket" tcp '[::ffff:1.1.1.1]:443'
check "case_D1: remove" fw remove
reached "case_D1: open again" tcp '[2001:db8:1::1]:443'
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
check "case_D1: no IPv6 is no error" fw apply "$WORLD/none.json"
closed "case_D1: closed" tcp 1.1.1.1:443
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=0
agent ip address add 2001:db8::2/64 dev eth0 nodad
agent ip -6 route replace default via 2001:db8::1
closed "case_D1: IPv6 that comes later is closed as well" tcp '[2001:db8:1::1]:443'
reached "case_D1: for root it works" tcp '[2001:db8:1::1]:443' 0

# case_D3: not TCP alone, and not some ports.
for port in 22 53 80 443 8080; do closed "case_D3: TCP $port" tcp "203.0.113.5:$port"; done
for port in 9 53 443; do closed "case_D3: UDP $port" udp "203.0.113.5:$port"; done
closed "case_D3: UDP over IPv6" udp '[2001:db8:1::5]:443'
closed "case_D3: ping" ping 203.0.113.5:0
closed "case_D3: ping over IPv6" ping '[2001:db8:1::5]:0'
closed "case_D3: UDP-Lite" udplite 203.0.113.5:443
reached "case_D3: root pings" ping 203.0.113.5:0 0
check "case_D3: remove" fw remove

# case_D4: privilege and kernel parts that are missing. Nothing is changed, and the message names them.
without() {
	local capabilities=$1
	shift
	agent setpriv --bounding-set "$capabilities" --inh-caps=-all -- "$EGRESSFW" "$@"
}
lacking() {
	local name=$1 pattern=$2 before got
	shift 2
	before=$(snapshot)
	run_quietly "$@" && got=0 || got=$?
	if [ "$got" -eq 3 ] && grep -qE -- "$pattern" "$WORLD/err" && [ "$(snapshot)" = "$before" ]; then
		ok "$name"
	else
		not_ok "$name" "exit status $got, wanted 3 and: $pattern" "$(show_output)" \
			"$(diff <(echo "$before") <(snapshot))"
	fi
}
lacking "case_D4: without CAP_NET_ADMIN" CAP_NET_ADMIN without -net_admin apply "$WORLD/none.json"
lacking "case_D4: without CAP_SETUID" CAP_SETUID without -setuid apply "$WORLD/none.json"
check "case_D4: without CAP_SETUID, with --no-canary" without -setuid apply --no-canary "$WORLD/none.json"
closed "case_D4: that is closed, too" tcp 1.1.1.1:443
check "case_D4: remove" fw remove
lacking "case_D4: an ordinary user" CAP_NET_ADMIN as_user $OTHER_UID "$EGRESSFW" apply --state-dir "$WORLD/state" \
	"$WORLD/none.json"
if command -v strace >/dev/null; then
	lacking "case_D4: no nf_tables" 'nf_tables' agent strace -f -o /dev/null \
		-e inject=socket:error=EPROTONOSUPPORT "$EGRESSFW" apply "$WORLD/none.json"
else
	skip "case_D4: no nf_tables" "needs strace"
fi
agent ip link add docker0 type bridge
refused "the host's own network is refused" 3 'allow-host-network' apply "$WORLD/none.json"
check "the host's own network, when it is meant" fw apply --allow-host-network "$WORLD/none.json"
agent ip link delete docker0
check "it is closed" fw canary
check "and can be removed" fw remove

# case_D7: many pins. Sets, one transaction, and the answer comes from reading back.
many() {
	printf '{ "network_mode": "allowlist", "users": [1500], "pin_limits": { "addresses": 20000 }, "allowed_hosts": ['
	awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++)
		printf "%s\"203.0.%d.%d:443\"", i ? ", " : "", i / 250, i % 250 + 1 }'
	printf '] }\n'
}
for count in 1 500 5000; do
	many $count | policy many
	check "case_D7: $count addresses" fw apply "$WORLD/many.json"
	check "case_D7: $count addresses, verify" fw verify
	last=$((count - 1))
	reached "case_D7: $count addresses, the last" tcp "203.0.$((last / 250)).$((last % 250 + 1)):443"
	closed "case_D7: $count addresses, none of them" tcp "203.0.$((last / 250)).251:443"
	rule_count=$(rules | grep -c 'accept$')
	[ "$rule_count" -lt 30 ] && ok "case_D7: $count addresses, few rules" ||
		not_ok "case_D7: $count addresses, few rules" "$rule_count rules accept"
done
finish
