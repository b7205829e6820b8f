#!/bin/bash
# cases_L.sh: case_L1: run twice, half-way, after another version, and after another policy.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network a
policy b <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443"] }
END
policy public <<'END'
{ "network_mode": "public" }
END
empty=$(snapshot)

check "case_L1: apply" fw apply "$WORLD/a.json"
clean=$(snapshot)
for again in 2 3; do
	check "case_L1: apply, time $again" fw apply "$WORLD/a.json"
	same "case_L1: the same rules, time $again" "$clean" "$(snapshot)"
done
check "case_L1: then another policy" fw apply "$WORLD/b.json"
second=$(snapshot)
deny "case_L1: which differs" test "$clean" = "$second"
reached "case_L1: it opens what it allows" tcp 203.0.113.80:443
check "case_L1: and back" fw apply "$WORLD/a.json"
same "case_L1: as in one clean run" "$clean" "$(snapshot)"
closed "case_L1: closed again" tcp 203.0.113.80:443
check "case_L1: remove" fw remove
same "case_L1: nothing is left" "$empty" "$(snapshot)"

# What another version, or somebody else, left under our name.
agent nft -f - <<'END'
table inet egressfw {
	comment "an older one"
	map old { type ipv4_addr : verdict; }
	set stale { type ipv4_addr; elements = { 1.1.1.1 } }
	counter refused { }
	chain output {
		type filter hook output priority 0; policy accept;
		meta skuid 1500 ip daddr @stale accept
		meta skuid 1500 jump work
	}
	chain work { counter reject; }
}
END
check "case_L1: apply over an older table" fw apply "$WORLD/a.json"
same "case_L1: the same rules as without it" "$clean" "$(snapshot)"
closed "case_L1: nothing of the older one is open" tcp 1.1.1.1:443
check "case_L1: verify" fw verify

# A state directory that is gone, or of another time.
agent rm -rf /run/egressfw
check "case_L1: apply without the state of the last run" fw apply "$WORLD/b.json"
same "case_L1: the same rules as with it" "$second" "$(snapshot)"
check "case_L1: public takes the rules out" fw apply "$WORLD/public.json"
same "case_L1: nothing is left by public" "$empty" "$(snapshot)"
reached "case_L1: open" tcp 1.1.1.1:443
check "case_L1: a read-only /run" agent mount -o remount,ro /run
check "case_L1: apply without a place for state" fw apply "$WORLD/a.json"
closed "case_L1: closed without state" tcp 1.1.1.1:443
agent mount -o remount,rw /run
check "case_L1: remove without state" fw remove

# Two instances side by side: what one of them refuses is refused.
policy other <<'END'
{ "network_mode": "no-network", "users": [1501] }
END
check "case_L1: two instances" fw apply --name other "$WORLD/other.json"
check "case_L1: the first beside it" fw apply "$WORLD/a.json"
closed "case_L1: the first confines" tcp 1.1.1.1:443
check "case_L1: the second is removed" fw remove --name other
check "case_L1: the first verifies" fw verify
finish
