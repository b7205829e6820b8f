#!/bin/bash
# escapes.sh: every way out of escapes.table, without rules, with naive ones, and with ours.
#
# EGRESSFW_RULES=FILE loads our side's rules from a file instead of applying a policy.
. "${srcdir:-.}/tests/lib/world.sh"
. "$SRCDIR/tests/net/escapes_controls.sh"

table=$SRCDIR/tests/net/escapes.table

set_up() {
	world_begin
	agent sysctl -qw net.ipv4.conf.eth0.route_localnet=1
	world_serve_far
	serve agent udp/127.0.0.11/45353 tcp/127.0.0.11/45353 udp/127.0.0.53/53 tcp/127.0.0.53/53 \
		udp/127.0.0.1/53 tcp/127.0.0.1/53 udp/::1/53 tcp/::1/53 tcp/127.0.0.1/853 tcp/::1/853 \
		udp/127.0.0.1/5353 udp/::1/5353 tcp/127.0.0.1/3128 tcp/::/8080 udp/::/8080 late/::/9002
	agent nft -f - <<-'END'
		table ip engine {
			chain output {
				type nat hook output priority -100;
				ip daddr 127.0.0.11 tcp dport 53 dnat to 127.0.0.11:45353
				ip daddr 127.0.0.11 udp dport 53 dnat to 127.0.0.11:45353
				ip daddr 127.0.0.1 tcp dport 30000 dnat to 203.0.113.5:443
				ip daddr 127.0.0.1 udp dport 30000 dnat to 203.0.113.5:443
				ip daddr 198.51.100.99 tcp dport 80 dnat to 127.0.0.1:3128
			}
			chain postrouting {
				type nat hook postrouting priority 100;
				oifname "eth0" ip saddr 127.0.0.0/8 masquerade
			}
		}
	END
}

lock() {
	case $1 in
	none) return 0 ;;
	naive) agent nft -f "$SRCDIR/tests/net/naive.nft" ;;
	ours)
		if [ -n "${EGRESSFW_RULES:-}" ]; then
			agent nft -f "$EGRESSFW_RULES"
			return
		fi
		cat >"$WORLD/policy.json" <<-'END'
			{ "network_mode": "allowlist", "users": [1500],
			  "allowed_hosts": ["203.0.113.80:443", "[2001:db8:1::80]:443"] }
		END
		fw apply "$WORLD/policy.json" >"$WORLD/apply" 2>&1 || {
			cat "$WORLD/apply"
			return 1
		}
		;;
	esac
}

# Sets seen (the program's word), packets (on the far side) and state (open or closed).
try() {
	local answer
	wire_mark
	answer=$(attempt $AGENT_UID "$1" "$2")
	seen=${answer% *}
	if [ "$1" = join ]; then
		packets=$(wire_joins | wc -l)
	else
		packets=$(wire_since | wc -l)
	fi
	state=closed
	case $seen in connected | answered) state=open ;; esac
	[ "$packets" -eq 0 ] || state=open
}

# What an orphan of the previous attempt still sends must not be counted against the next one.
try_table() {
	local world=$1 name target none naive ours word want
	while read -r name target none naive ours word; do
		case $name in '' | '#'*) continue ;; esac
		want=${!world}
		try "$name" "$target"
		printf '# %-6s %-24s %-30s %-14s %5d packets  %s\n' "$world" "$name" "$target" "$seen" "$packets" \
			"$state"
		if [ "$seen" = no-kernel ]; then
			skip_kernel "$world: $name $target"
		elif [ "$state" != "$want" ]; then
			not_ok "$world: $name $target is $want" "saw $seen, $packets packets" "$(wire_since)"
		elif [ "$world" = ours ] && [ "$word" != - ] && [ "$seen" != "$word" ]; then
			not_ok "$world: $name $target sees $word" "saw $seen"
		else
			ok "$world: $name $target is $want"
		fi
	done <"$table"
}

# What the running kernel was built without cannot be demanded of it, not even in continuous integration.
skip_kernel() {
	test_count=$((test_count + 1))
	printf 'ok %d - %s # SKIP the kernel has none\n' "$test_count" "$1"
}

for world in none naive ours; do
	set_up
	check "$world: the rules are loaded" lock "$world"
	try_table "$world"
	controls "$world"
done
finish
