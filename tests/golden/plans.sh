#!/bin/sh
# plans.sh: nft loads every golden ruleset, and what it then lists is the same when loaded again.
set -eu

plans=${srcdir:-.}/tests/golden/plans
space=egfw-$$-plans
listing=
failed=0

skip() {
	echo "plans: $1"
	[ "${EGRESSFW_TESTS_MUST_RUN:-}" = 1 ] && exit 1
	exit 77
}

# Loads a file into a fresh network namespace, checking it first, and lists what is there.
load_and_list() {
	ip netns add "$space"
	if ip netns exec "$space" nft -c -f "$1" && ip netns exec "$space" nft -f "$1" &&
	   ip netns exec "$space" nft list ruleset; then
		result=0
	else
		result=1
	fi
	ip netns del "$space"
	return "$result"
}

[ "$(id -u)" = 0 ] || skip "not root"
command -v nft >/dev/null || skip "no nft"
ip netns add "$space" 2>/dev/null || skip "no network namespaces"
trap 'ip netns del "$space" 2>/dev/null || :; rm -rf "$listing"' EXIT
trap 'exit 1' HUP INT TERM
ip netns exec "$space" nft list ruleset >/dev/null 2>&1 || skip "no nf_tables"
ip netns del "$space"
listing=$(mktemp -d)

for plan in "$plans"/*.nft; do
	name=$(basename "$plan" .nft)
	if ! load_and_list "$plan" >"$listing/once"; then
		echo "plans: $name does not load"
		failed=1
	elif ! load_and_list "$listing/once" >"$listing/twice"; then
		echo "plans: $name does not load as nft lists it"
		failed=1
	elif ! cmp -s "$listing/once" "$listing/twice"; then
		echo "plans: $name is listed another way when loaded again"
		failed=1
	# Every rule and every set of the plan must still be there.
	elif [ "$(grep -cE '^	(	[a-z]|set )' "$plan")" -ne "$(grep -cE '^	(	[a-z]|set )' "$listing/once")" ]; then
		echo "plans: $name has lost or won rules"
		failed=1
	fi
done
exit "$failed"
