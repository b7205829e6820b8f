#!/bin/bash
# system_preflight.sh: what the preflight sees of namespaces, bridges and IPv6.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

world_begin
preflight=$BUILDDIR/tests/net/system_preflight

seen() {
	local name=$1 want=$2
	shift 2
	run_quietly "$@"
	same "$name" "$want" "$(head -n 1 "$WORLD/out")"
}

seen "a namespace of its own" "ipv6=1 host=0 foreign=0" agent "$preflight"
for bridge in docker0 cni0 cni-podman1 podman0 podman12 virbr0 lxdbr0 br-0123456789ab; do
	agent ip link add "$bridge" type veth peer name other0
	seen "$bridge" "ipv6=1 host=1 foreign=0" agent "$preflight"
	says "$bridge is named" "the container bridge $bridge is here"
	agent ip link delete "$bridge"
done
for other in docker podman podmanx0 br-lan br-0123456789ag br-0123456789a docker00; do
	agent ip link add "$other" type veth peer name other0
	seen "$other is no sign" "ipv6=1 host=0 foreign=0" agent "$preflight"
	agent ip link delete "$other"
done
if [ -e /proc/sys/net/core/netdev_max_backlog ]; then
	check "outside" "$preflight"
	says "the first network namespace is a host" "host=1"
	says "the sysctl is named" "net.core.netdev_max_backlog"
else
	skip "the first network namespace" "this is none"
fi
seen "no interface is up" "ipv6=1 host=0 foreign=0" unshare -n "$preflight"
agent sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1
seen "IPv6 on loopback alone" "ipv6=1 host=0 foreign=0" agent "$preflight"
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
seen "IPv6 is off" "ipv6=0 host=0 foreign=0" agent "$preflight"

deny "no descriptor is left" agent sh -c 'ulimit -n 4 && exec "$1"' sh "$preflight" 3>&-
says "it says why" "owner of this network namespace.*(Too many open files|EMFILE)"
if agent unshare -m mount -t proc -o subset=pid proc /proc 2>/dev/null; then
	deny "/proc without settings" agent unshare -m sh -c 'mount -t proc -o subset=pid proc /proc && exec "$1"' \
		sh "$preflight"
	says "it says so" "^/proc/sys/net: .* subset=pid"
else
	skip "/proc without settings" "it cannot be mounted here"
fi

if unshare -Ur true 2>/dev/null; then
	seen "a user namespace of its own for both" "ipv6=1 host=0 foreign=0" unshare -Urn "$preflight"
	run_quietly agent unshare -Ur "$preflight"
	says "a user namespace within the one that owns the network" "foreign=1"
	says "it says so" "an outer user namespace owns this network namespace"
else
	skip "user namespaces" "they cannot be made here"
fi
finish
