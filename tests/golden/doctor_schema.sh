#!/bin/sh
# doctor_schema.sh: what doctor prints, here and in a unit test, is what contrib/doctor.schema.json says.
set -u
. "${srcdir:-.}/tests/lib/schema.sh" || exit 1

program=tests/unit/test_diagnosis
schema_begin "$program"
"$program" sample >"$work/sample.json" || exit 1
"$egressfw" doctor --json --user 65534 --timeout 30 >"$work/here.json" 2>"$work/error"
case $? in
0 | 1 | 6) ;;
*)
	cat "$work/error"
	exit 1
	;;
esac

"$egressfw" doctor --json --nonsense >"$work/failure.json" 2>"$work/error"
[ $? -eq 2 ] || exit 1

schema_check "$source/contrib/doctor.schema.json" "$work/sample.json" "$work/here.json" "$work/failure.json" <<'CHECK'
import sys

from schema_check import SchemaCheck, load

check = SchemaCheck(sys.argv[1])
sample, here, failure = map(load, sys.argv[2:5])
check.expect(True, sample, "the sample")
check.expect(True, here, "what doctor says here")
check.expect(True, failure, "what it says where there is no such option")
check.refuse_faults(sample, check.schema["$defs"]["diagnosis"])
check.refuse_faults(failure, check.schema["$defs"]["failure"])
for wrong in ({"exit_status": 3}, {"command": "apply"}, {"verdict": "good"}, {"users": None}):
    check.expect(False, {**sample, **wrong}, f"one with {wrong}")
# The status of the program is the verdict, and the verdict the worst of the rows.
order = ["pass", "warn", "unknown", "fail"]
worst = max((row["status"] for row in here["checks"]), key=order.index)
if here["verdict"] != worst or here["exit_status"] != {"fail": 1, "unknown": 6}.get(worst, 0):
    check.fail("verdict", here["verdict"], "of", worst, "with", here["exit_status"])
check.finish("doctor")
CHECK
