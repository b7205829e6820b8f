#!/bin/sh
# doctor_schema.sh: what doctor prints, here and in a unit test, is what contrib/doctor.schema.json says.
set -u

source=${srcdir:-.}
program=tests/unit/test_diagnosis
egressfw=${EGRESSFW:-./egressfw}
python=${PYTHON:-/usr/bin/python3}

skip() {
	echo "$1"
	[ "${EGRESSFW_TESTS_MUST_RUN:-0}" = 1 ] && exit 1
	exit 77
}

"$python" -c 'import jsonschema' 2>/dev/null || skip "python3 has no jsonschema: the schema is not tried"
[ -x "$program" ] || skip "$program is not built"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$program" sample >"$work/sample.json" || exit 1
"$egressfw" doctor --json --user 65534 --timeout 30 >"$work/here.json" 2>"$work/error"
case $? in
0 | 1 | 6) ;;
*)
	cat "$work/error"
	exit 1
	;;
esac

"$python" - "$source/contrib/doctor.schema.json" "$work/sample.json" "$work/here.json" <<'CHECK'
import copy, json, sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failed = 0


def names(node, path=()):
    """Every field of the schema that an object may have, with the way to it."""
    for key, value in node.get("properties", {}).items():
        yield path + (key,)
        yield from names(value, path + (key,))
    if "items" in node:
        yield from names(node["items"], path + (0,))


def expect(good, instance, what):
    global failed
    if validator.is_valid(instance) != good:
        failed += 1
        print(f"not ok: {what} should be {'valid' if good else 'refused'}")
        for error in validator.iter_errors(instance):
            print("  ", list(error.path), error.message)


sample, here = (json.load(open(path)) for path in sys.argv[2:4])
expect(True, sample, "the sample")
expect(True, here, "what doctor says here")
for path in names(schema):
    broken = copy.deepcopy(sample)
    at = broken
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    expect(False, broken, "one without " + "/".join(map(str, path)))
    at["surprise"] = 1
    expect(False, broken, "one with a surprise beside " + "/".join(map(str, path)))
for wrong in ({"exit_status": 3}, {"command": "apply"}, {"verdict": "good"}, {"users": None}):
    expect(False, {**sample, **wrong}, f"one with {wrong}")
# The status of the program is the verdict, and the verdict the worst of the rows.
order = ["pass", "warn", "unknown", "fail"]
worst = max((row["status"] for row in here["checks"]), key=order.index)
if here["verdict"] != worst or here["exit_status"] != {"fail": 1, "unknown": 6}.get(worst, 0):
    failed += 1
    print("not ok: verdict", here["verdict"], "of", worst, "with", here["exit_status"])
print("doctor schema:", "failed" if failed else "ok")
sys.exit(1 if failed else 0)
CHECK
