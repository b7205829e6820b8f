#!/bin/sh
# schema.sh: contrib/policy.schema.json takes every good policy and refuses every bad one that a schema can refuse.
set -u

source=${srcdir:-.}
python=${PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	echo "python3 has no jsonschema: the schema is not tried"
	[ "${EGRESSFW_TESTS_MUST_RUN:-0}" = 1 ] && exit 1
	exit 77
fi

"$python" - "$source/contrib/policy.schema.json" "$source/tests/golden/policies" <<'CHECK'
import json, pathlib, sys

import jsonschema

# A schema sees values, not their text: repeated keys are gone, 80.0 is 80, and a list of public
# suffixes, arithmetic on addresses, and the normal form of names are beyond it.
CANNOT = set("""
json-duplicate-inner-key json-duplicate-key
loopback-whole-real published-whole-real users-exponent users-whole-fraction
host-bits-v4 host-bits-v6 private-bits
host-ports-reversed loopback-range-reversed users-range-reversed
loopback-range-53 loopback-range-all
host-wildcard-co-uk host-wildcard-private-suffix
host-capital-u-label host-full-stop host-full-width host-kelvin host-not-nfc
host-spelling-v6
blocked-repeated host-repeated-address host-repeated-case host-repeated-ports host-repeated-u-label
lane-repeated users-repeated-range
""".split())

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
folder = pathlib.Path(sys.argv[2])
results = []


def check(name, success, why=""):
    results.append(success)
    print("%s %d - %s%s" % ("ok" if success else "not ok", len(results), name, why and ": " + why))


def errors(path):
    """What is wrong with the policy, or None where it is no JSON at all."""
    try:
        policy = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    return [error.message for error in validator.iter_errors(policy)]


for path in sorted(folder.glob("good/*.json")) + sorted(folder.glob("good/*.out")):
    found = errors(path)
    check(path.name + " is taken", found == [], "not JSON" if found is None else "; ".join(found))

bad = {path.stem: errors(path) for path in sorted(folder.glob("bad/*.json"))}
for name, found in bad.items():
    if name in CANNOT:
        check(name + " is beyond a schema", found == [], "the schema refuses it: take it off the list" if found else "")
    else:
        check(name + " is refused", found != [], "" if found != [] else "classify it")
for name in sorted(CANNOT - set(bad)):
    check(name + " is there", False, "the list names a policy that is not")

print("1..%d" % len(results))
sys.exit(0 if results and all(results) else 1)
CHECK
