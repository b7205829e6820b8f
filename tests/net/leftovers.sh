#!/bin/bash
# leftovers.sh: what a script starts in its world and loses sight of ends with the world.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
world_begin
far sh -c 'echo $$ >"$0"; exec sleep 600' "$WORLD/one" &
agent sh -c 'setsid sleep 600 & echo $! >"$0"; wait' "$WORLD/two" &
until [ -s "$WORLD/one" ] && [ -s "$WORLD/two" ]; do sleep 0.01; done
left=($(cat "$WORLD/one" "$WORLD/two"))
check "they run" kill -0 "${left[@]}"
world_end 2>/dev/null
tries=0
while kill -0 "${left[0]}" 2>/dev/null || kill -0 "${left[1]}" 2>/dev/null; do
	tries=$((tries + 1))
	[ "$tries" -lt 200 ] || break
	sleep 0.01
done
for pid in "${left[@]}"; do
	if [ -e "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; then
		not_ok "process ends" "$(tr '\0' ' ' <"/proc/$pid/cmdline")"
		kill -KILL "$pid"
	else
		ok "process ends"
	fi
done
finish
