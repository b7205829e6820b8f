#!/bin/bash
# guard.sh: what the kernel lets the filter's own user send, and what not, with the rules of an apply.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
filter_begin
printf 'nameserver 127.0.0.11\nnameserver 203.0.113.53\nnameserver 2001:db8:9::53\n' >"$WORLD/etc/resolv.conf"
serve agent udp/127.0.0.11/45353 tcp/127.0.0.11/45353 tcp/::/8080 tcp/::/443 udp/::/8080 udp/127.0.0.53/53
# What is special-purpose everywhere else is routed to the far side too.
far ip address add 10.0.0.1/32 dev lo
agent ip -6 route add fd00::/8 via 2001:db8::1
agent ip -6 route add 64:ff9b::/96 via 2001:db8::1
# Controls: without rules the filter's user gets everywhere.
for target in 203.0.113.5:443 10.0.0.1:443 169.254.169.254:80 '[2001:db8:7::1]:443' '[fd00::1]:443' '[64:ff9b::a00:1]:443' \
	127.0.0.1:8080 '[::1]:8080' 127.0.0.11:8080 192.0.2.2:443 203.0.113.5:22; do
	reached "control: without rules to $target" tcp "$target" $FILTER_UID
done
reached 'control: the other resolver' udp 127.0.0.53:53 $FILTER_UID

status 0 'apply with a wildcard starts the filter' fw apply "$WORLD/wild.json"

# outside
for target in 203.0.113.5:443 203.0.113.6:80 '[2001:db8:7::1]:443'; do
	reached "an ordinary address, $target" tcp "$target" $FILTER_UID
done
held 'a port that no name has' tcp 203.0.113.5:22
held 'the port of a lane that has an address' tcp 203.0.113.5:8443
held 'UDP' udp 203.0.113.5:443
held 'ping' ping 203.0.113.5:0
held 'ping over IPv6' ping '[2001:db8:7::1]:0'
held 'SCTP or nothing' sctp 203.0.113.5:443
held 'private' tcp 10.0.0.1:443
held 'metadata' tcp 169.254.169.254:80
held 'unique-local' tcp '[fd00::1]:443'
held 'private by NAT64' tcp '[64:ff9b::a00:1]:443'
held 'fast open to a private address' tcp-fastopen 10.0.0.1:443
wire_mark
attempt $FILTER_UID tcp 10.1.2.3:9005 >/dev/null
if [ -n "$(wire_since '$6 == 9005')" ]; then ok 'a listed private prefix is sent to'; else not_ok 'a listed private prefix is sent to'; fi
held 'a listed prefix on another port' tcp 10.1.2.3:443
wire_mark
attempt $FILTER_UID tcp 192.168.7.7:8443 >/dev/null
if [ -n "$(wire_since '$6 == 8443')" ]; then ok 'a private lane is sent to'; else not_ok 'a private lane is sent to'; fi
held 'beside a private lane' tcp 192.168.7.8:8443

# names
reached 'the engine'"'"'s resolver, which nat rewrites' udp 127.0.0.11:53 $FILTER_UID
reached 'the same over TCP' tcp 127.0.0.11:53 $FILTER_UID
held 'its real port' udp 127.0.0.11:45353
held 'its real port over TCP' tcp 127.0.0.11:45353
held 'a service at its address' tcp 127.0.0.11:8080
held 'another resolver on loopback' udp 127.0.0.53:53
reached 'a nameserver' udp 203.0.113.53:53 $FILTER_UID
reached 'a nameserver over TCP' tcp 203.0.113.53:53 $FILTER_UID
reached 'a nameserver over IPv6' udp '[2001:db8:9::53]:53' $FILTER_UID
held 'another nameserver' udp 203.0.113.54:53

# loopback
held 'a service on loopback' tcp 127.0.0.1:8080
held 'a service on loopback, IPv6' tcp '[::1]:8080'
held 'a service on loopback, UDP' udp 127.0.0.1:8080
held 'a service on loopback, on a port for names' tcp 127.0.0.1:443
held 'this host'"'"'s own address' tcp 192.0.2.2:443
held 'this host'"'"'s own address, IPv6' tcp '[2001:db8::2]:443'
held 'itself' tcp 127.0.0.1:3128

# the refusals are counted, and have the filter's uid
before=$(agent nft list chain inet egressfw refuse | grep -o 'packets [0-9]*' | awk '{ sum += $2 } END { print sum }')
attempt $FILTER_UID tcp 10.0.0.1:443 >/dev/null
after=$(agent nft list chain inet egressfw refuse | grep -o 'packets [0-9]*' | awk '{ sum += $2 } END { print sum }')
if [ "$after" -gt "$before" ]; then ok 'a refusal is counted'; else not_ok 'a refusal is counted' "$before, $after"; fi

# others are what they were
closed 'the agent outside' tcp 203.0.113.5:443
closed 'the agent at a nameserver' udp 203.0.113.53:53
closed 'the agent at the engine'"'"'s resolver' udp 127.0.0.11:53
closed 'the agent at a listed prefix' tcp 10.1.2.3:9005
reached 'the agent at the filter' tcp 127.0.0.1:3128
reached 'the agent at the filter, IPv6' tcp '[::1]:3128'
reached 'another user outside' tcp 10.0.0.1:443 $OTHER_UID
reached 'root at a service on loopback' tcp 127.0.0.1:8080 0

# no list of loopback ports takes the filter away, and nothing else comes with it
policy listed <<-END
	{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["bad.example.com"], "loopback": [],
	  "ownerless": "pass", "allow_private": ["10.0.0.0/8"] }
END
status 0 'apply with a list of blocked hosts and of loopback ports' fw apply "$WORLD/listed.json"
reached 'the agent at the filter all the same' tcp 127.0.0.1:3128
reached 'the agent at the filter all the same, IPv6' tcp '[::1]:3128'
closed 'the agent at another service' tcp 127.0.0.1:8080
reached 'any port of an ordinary address' tcp 203.0.113.5:22 $FILTER_UID
reached 'an allowed private address' tcp 10.0.0.1:443 $FILTER_UID
held 'another private address' tcp 192.168.0.1:443
held 'a service on loopback, with that policy' tcp 127.0.0.1:8080
status 0 'verify' fw verify
finish
