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
check "Python 3.9 can read it" "$python" -c '
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_text(), str(path), feature_version=(3, 9))' "$harness"
finish
