#!/bin/bash
# old_kernel.sh: kernels without the inet family or the log statement: the same is closed, by other tables.
#
# This kernel has both; the program under test is linked with a commit that refuses them as such a kernel does.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
EGRESSFW=$PWD/tests/net/egressfw_old_kernel
cases_begin
serve agent udp/127.0.0.11/53 tcp/127.0.0.1/8080
foreign_before=$(foreign_rules)

policy pins <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts":
  ["203.0.113.5:443", "[2001:db8:1::5]:443", "198.51.100.64/28:80", "[2001:db8:2::/64]:80"] }
END
no_network none
policy other <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "ownerless": "pass", "loopback": [9999],
  "allowed_hosts": ["203.0.113.6:443"] }
END

# tables_are "FAMILY..." NAME
tables_are() {
	same "$2" "$1" "$(agent nft list tables | awk '$3 == "egressfw" { print $2 }' | sort | xargs)"
}

for lacking in inet log "inet log"; do
	export OLD_KERNEL=$lacking
	families=inet
	[ "${lacking#inet}" = "$lacking" ] || families="ip ip6"

	check "without $lacking: apply" fw apply "$WORLD/pins.json"
	[ "${lacking%log}" = "$lacking" ] || says "without $lacking: the report says that nothing is logged" 'log'
	tables_are "$families" "without $lacking: where the rules stand"
	outside_closed "without $lacking"
	reached "without $lacking: an allowed address" tcp 203.0.113.5:443
	reached "without $lacking: an allowed address over IPv6" tcp '[2001:db8:1::5]:443'
	reached "without $lacking: within an allowed prefix" tcp 198.51.100.70:80
	reached "without $lacking: within an allowed prefix over IPv6" tcp '[2001:db8:2::7]:80'
	closed "without $lacking: another port of an allowed address" tcp 203.0.113.5:80
	reached "without $lacking: loopback" tcp 127.0.0.1:8080
	check "without $lacking: verify" fw verify
	check "without $lacking: verify by the policy" fw verify "$WORLD/pins.json"
	check "without $lacking: canary" fw canary
	status 1 "without $lacking: canary at what is allowed" fw canary 203.0.113.5:443

	family=${families##* }
	agent nft flush chain "$family" egressfw refuse
	status 1 "without $lacking: verify, rules are gone from $family" fw verify
	check "without $lacking: apply mends it" fw apply "$WORLD/pins.json"
	check "without $lacking: verify" fw verify

	check "without $lacking: another policy" fw apply "$WORLD/other.json"
	tables_are "$families" "without $lacking: it stands in the same place"
	outside_closed "without $lacking, another policy"
	closed "without $lacking: what the first allowed" tcp 203.0.113.5:443
	reached "without $lacking: what the second allows" tcp 203.0.113.6:443
	closed "without $lacking: a loopback port that is not listed" tcp 127.0.0.1:8080
	check "without $lacking: verify" fw verify

	closes_more "without $lacking" fw apply
	check "without $lacking: pins once more" fw apply --quiet "$WORLD/pins.json"
	agent nft flush chain "$family" egressfw confined
	status 4 "without $lacking: one more user, where a table is not whole" fw apply --timeout 1 "$WORLD/more.json"
	closed "without $lacking: everybody is closed" tcp 203.0.113.5:443
	closed "without $lacking: everybody is closed over IPv6" tcp '[2606:4700:4700::1111]:443'
	check "without $lacking: a policy without network" fw apply "$WORLD/none.json"
	outside_closed "without $lacking, without network"
	check "without $lacking: remove" fw remove
	tables_are "" "without $lacking: nothing of ours is left"
	reached "without $lacking: the user is free again" tcp 1.1.1.1:443
	same "without $lacking: foreign tables are as before" "$foreign_before" "$(foreign_rules)"
done

# A kernel that has learnt it meanwhile goes on with what stands.
export OLD_KERNEL=inet
check "ip and ip6 stand" fw apply "$WORLD/pins.json"
export OLD_KERNEL=
check "a kernel with inet applies" fw apply "$WORLD/none.json"
outside_closed "afterwards"
closed "what the pair allowed is closed" tcp 203.0.113.5:443
check "verify" fw verify
check "remove" fw remove
tables_are "" "nothing of ours is left"
finish
