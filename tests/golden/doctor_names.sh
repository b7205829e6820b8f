#!/bin/sh
# doctor_names.sh: the checks that egressfw(8) and the schema list are the program's, in its order.
set -u

program=tests/unit/test_diagnosis
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT

if [ ! -x "$program" ]; then
	echo "$program is not built"
	[ "${EGRESSFW_TESTS_MUST_RUN:-0}" = 1 ] && exit 1
	exit 77
fi
"$program" names >"$directory/wanted" || exit 1
[ "$(wc -l <"$directory/wanted")" -gt 30 ] || exit 1
awk '/^\.Sh / { inside = $2 == "CHECKS" } inside && /^\.It Ic / { print $3 }' \
	"${srcdir:-.}/man/egressfw.8" >"$directory/found"
diff "$directory/wanted" "$directory/found" || {
	echo "FAIL: < the program has, > the manual page has"
	exit 1
}
sed -n 's/^ *"\(\(enforcement\|channel\)\.[a-z0-9-]*\)",\{0,1\}$/\1/p' \
	"${srcdir:-.}/contrib/doctor.schema.json" >"$directory/found"
diff "$directory/wanted" "$directory/found" || {
	echo "FAIL: < the program has, > contrib/doctor.schema.json has"
	exit 1
}
