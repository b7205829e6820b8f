#!/bin/bash
# escapes_xt.sh: every way out of escapes.table again, closed by legacy xtables: after apply, and in run.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"
unshare -n iptables-legacy -nL >/dev/null 2>&1 || skip_all "this kernel has no legacy tables, or there is no iptables"
lock_options=(--backend xt)

check_end() {
	if [ -e "$results/$1.end" ]; then ok "$1 came to its end"; else not_ok "$1 came to its end"; fi
}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for world in ${EGRESSFW_WORLDS:-apply run strict}; do
	(try_world "$world" && touch "$results/$world.end") >"$results/$world.tap" 2>&1 &
done
wait
for world in ${EGRESSFW_WORLDS:-apply run strict}; do
	retell "$results/$world.tap"
	check_end "$world"
done
finish
