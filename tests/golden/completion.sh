#!/bin/bash
# completion.sh: bash completes exactly the commands and options that the program has, and values.
set -u

srcdir=${srcdir:-.}
egressfw=${EGRESSFW:-./egressfw}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failures=0

# shellcheck source=contrib/bash-completion/egressfw disable=SC1091
. "$srcdir/contrib/bash-completion/egressfw"

# What completing the words gives, sorted, with blanks between; the last word is the one begun.
complete_words() {
	COMP_WORDS=(egressfw "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_egressfw 2>/dev/null
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}

# expect WANTED WORD...: completing the words gives exactly what was wanted.
expect() {
	local wanted=$1 found
	shift
	found=$(complete_words "$@")
	if [ "$found" != "$wanted" ]; then
		echo "FAIL: completing \"$*\": wanted \"$wanted\", found \"$found\"" >&2
		failures=$((failures + 1))
	fi
}

commands=$("$egressfw" --help | awk '/^  [a-z]/ { print $1 }')
[ -n "$commands" ] || exit 1
# shellcheck disable=SC2086 # one word per command
expect "$(printf '%s\n' --help --version $commands | sort | paste -sd ' ')" ""
for command in $commands; do
	expect "$("$egressfw" "$command" --help | awk '/^  --/ { print $1 }' | sort | paste -sd ' ')" \
		"$command" --
done

mkdir "$directory/folder"
touch "$directory/one.json" "$directory/two.txt"
policies="$directory/folder $directory/one.json"
for command in check plan apply verify run env; do
	expect "$policies" "$command" "$directory/"
	expect "$policies" "$command" --quiet "$directory/"
	expect "$policies" "$command" --user agent "$directory/"
	expect "$policies" "$command" --user = agent "$directory/"
	expect "" "$command" policy.json "$directory/"
done
for command in canary remove doctor; do
	expect "" "$command" "$directory/"
done
expect "auto nft xt" apply --backend ""
expect "nft" apply --backend n
expect "nft" apply --backend = n
expect "auto nft xt" apply --backend =
expect "cidr-list nft" plan --format ""
expect "$policies" plan --format cidr-list "$directory/"
expect "root" apply --user roo
expect "$directory/folder" apply --state-dir "$directory/"
expect "$directory/folder $directory/one.json $directory/two.txt" apply --hosts-file "$directory/"
expect "$directory/folder" run --cwd "$directory/"
expect "" run --env ""
expect "$policies" run --env A=b --keep-env '*' "$directory/"
expect "compgen" run policy.json -- compge
expect "$directory/folder $directory/one.json $directory/two.txt" run policy.json -- cat "$directory/"
expect "" apply --name ""
expect "" nothing --
[ "$failures" -eq 0 ]
