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
check "Python 3.9 can read it" "$python" -c '
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_text(), str(path), feature_version=(3, 9))' "$harness"
finish
