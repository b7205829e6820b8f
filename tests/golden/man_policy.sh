#!/bin/sh
# man_policy.sh: every example of egressfw-policy(5) is a policy, and the page names every field.
page=${srcdir:-.}/man/egressfw-policy.5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

fail() {
	echo "FAIL: $*" >&2
	failed=1
}

awk -v work="$work" '
	/^\.Bd -literal/ { inside = 1; count++; next }
	/^\.Ed/ { inside = 0 }
	inside { print > (work "/example-" count ".json") }' "$page"
set -- "$work"/*.json
[ $# -ge 3 ] || fail "the page has fewer than three examples"
tests/golden/check_policies "$work" "$@" || exit 1
for message in "$work"/*.err; do
	[ -e "$message" ] && fail "$(basename "$message" .err): $(cat "$message")"
done
for example in "$@"; do
	[ -e "${example%.json}.out" ] || fail "$(basename "$example") was not tried"
done

# The fields are those of the schema, which schema.sh holds against the program.
fields=$(awk '/^  "properties": \{/ { inside = 1; next } /^  \}/ { inside = 0 }
	inside && /^    "[a-z_]+": \{/ { gsub(/[":{ ]/, ""); print }' "${srcdir:-.}/contrib/policy.schema.json")
[ "$(echo "$fields" | wc -l)" -ge 16 ] || fail "the schema has fewer than 16 fields: $fields"
for field in $fields; do
	grep -q "^\.It Ic $field\$" "$page" || fail "the page does not describe $field"
done
exit $failed
