#!/bin/sh
# policies.sh: every good policy has its normal form, every bad one its message, to the letter.
folder=${srcdir:-.}/tests/golden/policies
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 1' HUP INT TERM
number=0 failed=0

result() {
	number=$((number + 1))
	[ "$1" = ok ] || failed=$((failed + 1))
	echo "$1 $number - $2"
}

# compare FOLDER SUFFIX: what came out is what is expected, and nothing else came out.
compare() {
	for policy in "$folder/$1"/*.json; do
		name=$(basename "$policy" .json)
		if diff -u "$folder/$1/$name.$2" "$results/$1/$name.$2"; then
			result ok "$1/$name"
		else
			result 'not ok' "$1/$name"
		fi
	done
	for expected in "$folder/$1"/*."$2"; do
		[ -e "${expected%."$2"}.json" ] || result 'not ok' "$expected has no policy"
	done
}

for kind in good bad; do
	mkdir "$results/$kind"
	tests/golden/check_policies "$results/$kind" "$folder/$kind"/*.json || exit 1
done
compare good out
compare bad err

# What is printed is taken again and printed as the same.
mkdir "$results/again"
for printed in "$results"/good/*.out; do
	cp "$printed" "$results/again/$(basename "$printed" .out).json"
done
mkdir "$results/twice"
tests/golden/check_policies "$results/twice" "$results"/again/*.json || exit 1
for printed in "$results"/good/*.out; do
	if cmp "$printed" "$results/twice/$(basename "$printed")"; then
		result ok "$(basename "$printed" .out) is read as printed"
	else
		result 'not ok' "$(basename "$printed" .out) is read as printed"
	fi
done

echo "1..$number"
[ "$number" -gt 0 ] && [ "$failed" -eq 0 ]
