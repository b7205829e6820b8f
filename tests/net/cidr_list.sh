#!/bin/bash
# cidr_list.sh: egressfw plan --format cidr-list: names are resolved, losses are said, and a list opens just that.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
cases_begin
dns_script <<'END'
one.example A 203.0.113.5
pool.example A 203.0.113.6 203.0.113.7 203.0.113.4
both.example A 198.51.100.9
both.example AAAA 2001:db8:1::9
only6.example AAAA 2001:db8:1::6
private.example A 10.0.0.1
mixed.example A 10.0.0.1 198.51.100.10
many.example A 198.51.100.21 198.51.100.23 198.51.100.25 198.51.100.27 198.51.100.29 198.51.100.31
more.example A 198.51.100.41 198.51.100.43 198.51.100.45 198.51.100.47 198.51.100.49
END
list() {
	fw plan --format cidr-list --timeout 5 "$@"
}
# hosts NAME ENTRY...: the policy that allows these.
hosts() {
	local name=$1
	shift
	policy "$name" <<-END
		{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": [$(printf '"%s", ' "$@" | sed 's/, $//')] }
	END
}
# listed NAME WANTED POLICY: standard output is the list and nothing else.
listed() {
	check "$1" list "$WORLD/$3.json"
	same "$1: the list alone" "$2" "$(cat "$WORLD/out")"
}

hosts adjacent one.example pool.example:443
listed "adjacent addresses are merged" 203.0.113.4/30 adjacent
says "wider ports are said" '^egressfw plan: note: wider: .*one.example \(80, 443\), pool.example \(443\)$'
says "that users do not count is said" '^egressfw plan: note: narrower: .*everybody'
says "how names are found is said" '^egressfw plan: note: narrower: no resolver'
hosts both both.example 192.0.2.0/25 192.0.2.128/25
listed "IPv6 of a name is left out" 192.0.2.0/24,198.51.100.9/32 both
says "and said" 'IPv6 addresses are left out: both.example \(2001:db8:1::9\)'
hosts mixed mixed.example
listed "special-purpose addresses are left out" 198.51.100.10/32 mixed
says "and said" 'special-purpose addresses: mixed.example \(10.0.0.1\)'
policy lane <<'END'
{ "network_mode": "no-network", "model_endpoints": ["https://one.example/v1"] }
END
listed "lanes alone, no users" 203.0.113.5/32 lane
check "--quiet" list --quiet "$WORLD/adjacent.json"
same "--quiet says nothing" "" "$(cat "$WORLD/out" "$WORLD/err")"

check "--json" list --json "$WORLD/both.json"
same "--json: the list, the hosts lines and the notes" '192.0.2.0/24,198.51.100.9/32 2 10 198.51.100.9 both.example 4' \
	"$(python3 -c '
import json, sys
plan = json.load(sys.stdin)
assert plan["list"] == ",".join(plan["prefixes"]) and plan["exit_status"] == 0
print(plan["list"], len(plan["prefixes"]), plan["limit"], plan["hosts"].strip(), len(plan["notes"]))' <"$WORLD/out")"
same "--json: notes are in it, and not on standard error" "" "$(cat "$WORLD/err")"

: >"$WORLD/questions"
hosts wildcard one.example '*.wild.example'
refused "a wildcard" 3 'allowed_hosts\[1\]: the wildcard .*' \
	plan --format cidr-list "$WORLD/wildcard.json"
same "nothing is asked for it" "" "$(cat "$WORLD/questions")"
hosts ipv6 one.example 2001:db8::/32
refused "an IPv6 prefix" 3 'allowed_hosts\[1\]: "2001:db8::/32" is IPv6' plan --format cidr-list "$WORLD/ipv6.json"
no_network none
refused "an empty list" 3 'leaves the list empty.*has to be off' plan --format cidr-list "$WORLD/none.json"
hosts many many.example more.example
refused "more than ten" 3 '11 prefixes are needed, and a list has at most 10: many.example 6, more.example 5' \
	plan --format cidr-list "$WORLD/many.json"
policy limits <<'END'
{ "network_mode": "allowlist", "allowed_hosts": ["one.example", "pool.example"], "pin_limits": { "hosts": 1 } }
END
refused "more names than the policy's own limit" 2 'pin_limits' plan --format cidr-list "$WORLD/limits.json"
hosts only6 only6.example
refused "a name with IPv6 alone" 4 'only6.example has no IPv4 address' plan --format cidr-list "$WORLD/only6.json"
hosts missing one.example missing.example
refused "a name that is not there" 4 'missing.example \(NXDOMAIN\)' plan --format cidr-list "$WORLD/missing.json"
hosts private private.example
refused "a name with special-purpose addresses alone" 4 'private.example' plan --format cidr-list "$WORLD/private.json"
refused "another format" 2 '"yaml" is no format: nft or cidr-list' plan --format yaml "$WORLD/many.json"
refused "--user" 2 '^egressfw plan: --user: ' plan --format cidr-list --user agent "$WORLD/many.json"
check "--format nft is what there is without" fw plan --format nft "$WORLD/adjacent.json"
cp "$WORLD/out" "$WORLD/nft"
same "the same text" "$(fw plan "$WORLD/adjacent.json")" "$(cat "$WORLD/nft")"
finish
