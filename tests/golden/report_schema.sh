#!/bin/sh
# report_schema.sh: the reports that a unit test prints are what contrib/report.schema.json says.
set -u

source=${srcdir:-.}
program=tests/unit/test_report
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
"$program" sample full >"$work/full.json" || exit 1
"$program" sample empty >"$work/empty.json" || exit 1

"$python" - "$source/contrib/report.schema.json" "$work/full.json" "$work/empty.json" <<'CHECK'
import copy, json, sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def names(node, path=()):
    """Every field of the schema that an object may have, with the way to it."""
    for key, value in node.get("properties", {}).items():
        yield path + (key,)
        yield from names(value, path + (key,))
    if "items" in node:
        yield from names(node["items"], path + (0,))


failed = 0


def expect(good, instance, what):
    global failed
    if validator.is_valid(instance) != good:
        failed += 1
        print(f"not ok: {what} should be {'valid' if good else 'refused'}")
        for error in validator.iter_errors(instance):
            print("  ", list(error.path), error.message)


full, empty = (json.load(open(path)) for path in sys.argv[2:4])
expect(True, full, "the full report")
expect(True, empty, "the empty report")

# A schema that took anything would prove nothing: without any one field, or with one more, it refuses.
for path in names(schema):
    broken = copy.deepcopy(full)
    at = broken
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    expect(False, broken, "a report without " + "/".join(map(str, path)))
    at["surprise"] = 1
    expect(False, broken, "a report with a surprise beside " + "/".join(map(str, path)))
for wrong in ({"exit_status": "0"}, {"command": "flush"}, {"confined": None}, {"ipv6": "perhaps"}):
    expect(False, {**full, **wrong}, f"a report with {wrong}")
print("report schema:", "failed" if failed else "ok")
sys.exit(1 if failed else 0)
CHECK
