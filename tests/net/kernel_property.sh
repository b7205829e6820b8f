#!/usr/bin/env bash
# kernel_property.sh: thousands of random packets, judged in memory and by the kernel. EGRESSFW_SEED repeats a run.
set -u
# shellcheck source=tests/lib/world.sh
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

PROPERTY=$BUILDDIR/tests/net/kernel_property
world_require
space=egfw-$$-property
far_space=egfw-$$-silent
trap 'ip netns delete "$space" 2>/dev/null; ip netns delete "$far_space" 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP
ip netns add "$space" && ip netns add "$far_space" || exit 1
ip -n "$space" link add eth0 type veth peer name eth0 netns "$far_space"
in_space() { ip netns exec "$space" "$@"; }
in_space sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
# Whatever is sent, nobody answers: the far side has no address.
ip netns exec "$far_space" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n "$far_space" link set eth0 up
ip -n "$space" link set lo up
ip -n "$space" address add 192.0.2.2/30 dev eth0
ip -n "$space" address add 2001:db8:ffff::2/64 dev eth0 nodad
ip -n "$space" link set eth0 up
ip -n "$space" neighbour add 192.0.2.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
ip -n "$space" neighbour add 2001:db8:ffff::1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
ip -n "$space" route add default via 192.0.2.1
ip -n "$space" -6 route add default via 2001:db8:ffff::1

seed=${EGRESSFW_SEED:-0}
port=1024
rulesets=(no-network allowlist lanes loopback-ports loopback-none own-addresses ownerless-pass closing
	closing-beside-pass closing-for-published published published-pass strict strict-allowlist narrowed-ip
	filter filter-pass filter-loopback filter-nothing)
for ruleset in "${rulesets[@]}"; do
	in_space nft flush ruleset
	if output=$(in_space "$PROPERTY" "$seed" 1000 "$ruleset" "$ruleset" "$port"); then
		ok "1000 packets against $ruleset ($output)"
	else
		not_ok "1000 packets against $ruleset" "$(tail -n 20 <<<"$output")"
	fi
	port=$((port + 1000))
	if [[ $output =~ accepted\ [1-9][0-9]{2,}.*refused\ [1-9][0-9]{2,}.*mark\ [1-9][0-9] ]]; then
		ok "both verdicts are tried against $ruleset"
	else
		not_ok "both verdicts are tried against $ruleset" "$output"
	fi
done
if output=$(in_space "$PROPERTY" 1 1000 allowlist no-network "$port"); then
	not_ok 'two rulesets that differ are told apart' "$output"
else
	ok 'two rulesets that differ are told apart'
fi
finish
