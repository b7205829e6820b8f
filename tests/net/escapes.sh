#!/bin/bash
# escapes.sh: every way out of escapes.table: without rules, with naive ones, after apply, in run, strictly.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"

# run_world WORLD: everything in one set-up, by a shell of its own: what it prints, and what it saw.
run_world() {
	local key
	try_world "$1"
	for key in "${!outcome[@]}"; do
		[ "${key%% *}" != "$1" ] || printf 'outcome[%q]=%q\n' "$key" "${outcome[$key]}"
	done >"$results/$1.seen"
	for key in "${!absent[@]}"; do
		printf 'absent[%q]=yes\n' "$key"
	done >>"$results/$1.seen"
}

# add_world WORLD: its lines, numbered on, and what it saw, to those of the worlds before.
add_world() {
	retell "$results/$1.tap"
	[ -e "$results/$1.seen" ] || { not_ok "$1 came to its end"; return; }
	. "$results/$1.seen"
}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# EGRESSFW_WORLDS narrows the set-ups, for those who look for something. The first one finds out what this
# kernel has none of; the others, which wait most of their time, go side by side.
worlds=(${EGRESSFW_WORLDS:-none naive apply run strict})
(run_world "${worlds[0]}") >"$results/${worlds[0]}.tap"
add_world "${worlds[0]}"
for world in "${worlds[@]:1}"; do
	(run_world "$world") >"$results/$world.tap" 2>&1 &
done
wait
for world in "${worlds[@]:1}"; do
	add_world "$world"
done
print_table
finish
