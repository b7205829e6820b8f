#!/bin/bash
# harness.sh: the unit tests of contrib/harness, which ask the real program.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || skip_all "needs $python"
[ -x "$EGRESSFW" ] || skip_all "there is no $EGRESSFW"
WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
trap 'rm -rf "$WORLD"' EXIT
harness=$SRCDIR/contrib/harness

for file in "$harness"/tests/test_*.py; do
	name=$(basename "$file" .py)
	check "$name" env EGRESSFW="$EGRESSFW" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$harness:$harness/tests" \
		"$python" -m unittest "$name"
	says "$name: it has tests" '^Ran [1-9][0-9]* tests'
done
# One line and no traceback: example.py is what a reader tries first.
example() {
	local name=$1 pattern=$2
	shift 2
	status 2 "example.py: $name" env PYTHONDONTWRITEBYTECODE=1 "$python" "$harness/example.py" "$@"
	says "example.py: $name: why" "$pattern"
	says_not "example.py: $name: without a traceback" 'Traceback'
}
example 'no arguments' '^usage: example.py TASK.json COMMAND'
example 'no command' '^usage: ' "$harness/example.json"
example 'no such file' 'none.json: cannot be read' "$WORLD/none.json" true
echo '{ "command": ["id"] }' >"$WORLD/task.json"
example 'no uid' '"uid", .* is missing' "$WORLD/task.json" true
echo '[' >"$WORLD/task.json"
example 'no JSON' 'task.json: cannot be read' "$WORLD/task.json" true
# task NAME PATTERN JSON: a task that is refused before anything is started.
task() {
	echo "$3" >"$WORLD/task.json"
	example "$1" "$2" "$WORLD/task.json" true
}
task 'a scope that is misspelt' 'unknown field .Agent.' '{ "uid": 1, "command": ["id"], "sandbox": {}, "Agent": {} }'
task 'roles in roles' 'unknown field .roles.' '{ "uid": 1, "command": ["id"], "roles": { "agent": {} } }'
task 'a mode twice' '.network_mode. is there twice' \
	'{ "uid": 1, "command": ["id"], "sandbox": { "network_mode": "no-network", "network_mode": "public" } }'
task 'a scope twice' '.agent. is there twice' '{ "uid": 1, "command": ["id"], "agent": {}, "agent": {} }'
task 'no number as uid' '"uid", .* is none' '{ "uid": true, "command": ["id"] }'
task 'root' '"uid", .* is none' '{ "uid": 0, "command": ["id"] }'
task 'a command that is no array' '"command", .* is none' '{ "uid": 1, "command": "id" }'
task 'steps that are none' '"install" is no array' '{ "uid": 1, "command": ["id"], "install": ["apt-get update"] }'
check "Python 3.9 can read it" "$python" -c '
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_text(), str(path), feature_version=(3, 9))' "$harness"
finish
