#!/bin/bash
# concurrent.sh: two applies at once, fifty in a row, one policy after another, and never a moment of openness.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network a
policy b <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443", "[2001:db8:1::80]:443"] }
END
foreign_before=$(foreign_rules)
quick=(--no-canary --quiet)

check "policy A" fw apply "${quick[@]}" "$WORLD/a.json"
clean_a=$(snapshot)
check "policy B" fw apply "${quick[@]}" "$WORLD/b.json"
clean_b=$(snapshot)

# Tries to get out until it is told to stop; prints what came through.
prober() {
	while [ ! -e "$WORLD/stop" ]; do
		attempt $AGENT_UID tcp 1.1.1.1:443 | grep connected
		attempt $AGENT_UID udp '[2606:4700:4700::1111]:53' | grep -E 'sent|answered'
	done
}
prober >"$WORLD/came-through" 2>&1 &
prober_pid=$!
world_pids+=("$prober_pid")
wire_mark

failures=0
for round in $(seq 50); do
	run_quietly fw apply "${quick[@]}" "$WORLD/a.json" || failures=$((failures + 1))
done
same "fifty in a row succeed" 0 "$failures"
same "and leave what one leaves" "$clean_a" "$(snapshot)"

failures=0
for round in $(seq 10); do
	for letter in b a; do
		run_quietly fw apply "${quick[@]}" "$WORLD/$letter.json" || failures=$((failures + 1))
	done
done
same "A and B in turn succeed" 0 "$failures"
same "and leave the last" "$clean_a" "$(snapshot)"

failures=0
for round in $(seq 20); do
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" apply "${quick[@]}" "$WORLD/a.json" 2>"$WORLD/one" &
	one=$!
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" apply "${quick[@]}" "$WORLD/b.json" 2>"$WORLD/other" &
	other=$!
	wait $one || { failures=$((failures + 1)); cat "$WORLD/one"; }
	wait $other || { failures=$((failures + 1)); cat "$WORLD/other"; }
	now=$(snapshot)
	[ "$now" = "$clean_a" ] || [ "$now" = "$clean_b" ] || failures=$((failures + 1))
done
same "two at once succeed, and leave one of the two whole" 0 "$failures"

# Another mount namespace has another lock: only the kernel's generation keeps the two apart.
failures=0
for round in $(seq 20); do
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" apply "${quick[@]}" --state-dir "$WORLD/elsewhere" \
		--no-hosts "$WORLD/b.json" 2>"$WORLD/one" &
	one=$!
	run_quietly fw apply "${quick[@]}" --no-hosts "$WORLD/b.json" || { failures=$((failures + 1)); show_output; }
	wait $one || { failures=$((failures + 1)); cat "$WORLD/one"; }
done
same "two at once with different locks" 0 "$failures"
same "leave the rules whole" "$clean_b" "$(snapshot)"

# Somebody else's tables change all the while.
(
	while [ ! -e "$WORLD/stop" ]; do
		agent nft 'add table inet noise; add chain inet noise c; delete table inet noise'
	done
) &
noise_pid=$!
world_pids+=("$noise_pid")
failures=0
for round in $(seq 20); do
	run_quietly fw apply "${quick[@]}" "$WORLD/a.json" || { failures=$((failures + 1)); show_output; }
done
same "under somebody else's commits" 0 "$failures"

: >"$WORLD/stop"
wait "$prober_pid" "$noise_pid"
same "nothing came through at any moment" "" "$(cat "$WORLD/came-through")"
same "nothing reached the far side" "" "$(wire_since '$3 == "192.0.2.2" || $3 == "2001:db8::2"')"
same "foreign tables are untouched" "$foreign_before" "$(foreign_rules)"
finish
