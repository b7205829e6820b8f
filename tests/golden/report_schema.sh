#!/bin/sh
# report_schema.sh: the reports that a unit test prints are what contrib/report.schema.json says.
set -u
. "${srcdir:-.}/tests/lib/schema.sh" || exit 1

program=tests/unit/test_report
schema_begin "$program"
"$program" sample full >"$work/full.json" || exit 1
"$program" sample empty >"$work/empty.json" || exit 1

schema_check "$source/contrib/report.schema.json" "$work/full.json" "$work/empty.json" <<'CHECK'
import sys

from schema_check import SchemaCheck, load

check = SchemaCheck(sys.argv[1])
full, empty = map(load, sys.argv[2:4])
check.expect(True, full, "the full report")
check.expect(True, empty, "the empty report")
check.refuse_faults(full)
for wrong in ({"exit_status": "0"}, {"command": "flush"}, {"confined": None}, {"ipv6": "perhaps"}):
    check.expect(False, {**full, **wrong}, f"a report with {wrong}")
check.finish("report")
CHECK
