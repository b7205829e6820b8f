#!/bin/bash
# released.sh: whom a later policy lets go is said, and warned of where something of theirs still runs.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
# One as whom nothing else runs on this machine, in a test beside this one say: /proc shows all of them.
GONE_UID=$((20000 + $$ % 30000))
cases_begin
policy one <<<"{ \"network_mode\": \"no-network\", \"users\": [$GONE_UID] }"
policy other <<<"{ \"network_mode\": \"no-network\", \"users\": [$OTHER_UID] }"
policy both <<<"{ \"network_mode\": \"no-network\", \"users\": [$GONE_UID, $OTHER_UID] }"
policy public <<<'{ "network_mode": "public" }'
warning="uid $GONE_UID, which this policy does not name, was confined before and has processes, which these rules do not confine any more"

# silent NAME PATTERN: nothing of the last command's output matches.
silent() {
	if grep -qE -- "$2" "$WORLD/err" "$WORLD/out"; then not_ok "$1" "something matches: $2" "$(show_output)"; else ok "$1"; fi
}

check "a policy" fw apply "$WORLD/one.json"
silent "lets nobody go" 'released'
check "another one" fw apply "$WORLD/other.json"
says "lets a user go" "^  released +uid $GONE_UID$"
silent "who runs nothing" 'has processes'
reached "and is free" tcp 1.1.1.1:443 $GONE_UID

# sleeper: something that runs as the confined user, under the first policy.
check "the first again" fw apply --quiet "$WORLD/one.json"
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$GONE_UID" --regid "$GONE_UID" --clear-groups --inh-caps=-all -- \
	sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
sleeper=$!
world_pids+=("$sleeper")
for _ in {1..100}; do
	grep -q "^Uid:[[:space:]]*$GONE_UID" "/proc/$sleeper/status" && break
	sleep 0.05
done
check "both" fw apply "$WORLD/both.json"
silent "lets nobody go" 'released|has processes'
check "the other alone, by run" fw run --cwd / "$WORLD/other.json" -- true
says "says whom it lets go" "^  released +uid $GONE_UID"
says "and that something still runs" "^  note +$warning: name it in this policy, or give each policy an instance \(--name\)$"
check "the first again" fw apply --quiet "$WORLD/one.json"
check "the other by a quiet run" fw run --quiet --cwd / "$WORLD/other.json" -- true
says "warns all the same" "^egressfw run: warning: $warning"
same "in one line" 1 "$(cat "$WORLD/out" "$WORLD/err" | wc -l)"
check "the first again" fw apply --quiet "$WORLD/one.json"
check "a quiet apply" fw apply --quiet "$WORLD/other.json"
says "warns too" "^egressfw apply: warning: $warning"
# One in as many groups as there can be, which /proc all names: a user with subordinate groups can have one.
kill "$sleeper"
wait "$sleeper" 2>/dev/null
check "the first again" fw apply --quiet "$WORLD/one.json"
nsenter -t "$world_agent" -m -n -w -- "${PYTHON:-/usr/bin/python3}" -c '
import os, sys
os.setgroups(range(4200000000, 4200065536))
os.setresuid(*[int(sys.argv[1])] * 3)
os.execvp("sleep", ["sleep", "1000"])' $GONE_UID </dev/null >/dev/null 2>&1 3>&- &
sleeper=$!
world_pids+=("$sleeper")
for _ in {1..200}; do
	grep -q "^Uid:[[:space:]]*$GONE_UID" "/proc/$sleeper/status" && break
	sleep 0.05
done
check "a quiet apply" fw apply --quiet "$WORLD/other.json"
says "sees it in many groups" "^egressfw apply: warning: $warning"
check "the first again" fw apply --quiet "$WORLD/one.json"
fw apply --json "$WORLD/other.json" >"$WORLD/report" 2>&1 </dev/null
python=${PYTHON:-/usr/bin/python3}
check "JSON has them too" "$python" -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert {"first": int(sys.argv[2]), "last": int(sys.argv[2])} in report["released"], report["released"]
assert any("has processes" in note for note in report["notes"]), report["notes"]' "$WORLD/report" $GONE_UID

# An instance each lets nobody go.
check "the first under a name" fw apply --name one "$WORLD/one.json"
silent "lets nobody go" 'released|has processes'
check "and the other" fw apply --name other "$WORLD/other.json"
silent "lets nobody go either" 'released|has processes'
deny "the first is confined still" attempt $GONE_UID tcp 1.1.1.1:443

# A policy that fails lets nobody go, and says nothing of the kind.
policy unproven <<<"{ \"network_mode\": \"no-network\", \"users\": [$OTHER_UID], \"canary\": [\"198.51.100.77:443\"] }"
agent ip route add unreachable 198.51.100.77
status 6 "a policy that cannot be proven" fw apply --name one "$WORLD/unproven.json"
silent "lets nobody go" 'released|has processes'
deny "the first is confined still" attempt $GONE_UID tcp 1.1.1.1:443

# Who asks for it is told of the users alone.
check "a public policy" fw apply --name one "$WORLD/public.json"
says "lets all go" "^  released +uid $OTHER_UID, $GONE_UID$"
silent "as was asked" 'has processes'
check "remove" fw remove --name other
says "too" "^  released +uid $OTHER_UID"
check "remove where nothing is" fw remove --name other
silent "lets nobody go" 'released'
kill "$sleeper"
finish
