#!/bin/sh
# man.sh: the manual pages are clean, and egressfw(8) names exactly what the program has.
set -u

srcdir=${srcdir:-.}
egressfw=${EGRESSFW:-./egressfw}
page=$srcdir/man/egressfw.8
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# same WHAT: the lists "wanted" and "found" in $directory name the same things.
same() {
	if ! difference=$(diff "$directory/wanted" "$directory/found"); then
		fail "$1; < the program has, > the page has:
$difference"
	fi
}

lint() {
	for checked in "$srcdir"/man/*.[1-9]; do
		# Pages of other packages, and ours before installation, are not in mandoc's data base.
		said=$(mandoc -T lint -W style "$checked" 2>/dev/null |
			grep -v 'referenced manual not found')
		[ -z "$said" ] || fail "mandoc: $said"
	done
}

# The words that the synopsis of a command has, as "--option".
synopsis_options() {
	awk -v command="$1" '
		/^\.Sh / { inside = $2 == "SYNOPSIS" }
		inside && /^\.Nm/ { current = "" }
		inside && /^\.Cm/ { current = $2 }
		inside && current == command && /^\.Op Fl -/ { print "-" $3 }' "$page" | sort
}

# The options that "egressfw COMMAND --help" lists.
help_options() {
	"$egressfw" "$1" --help | awk '/^  --/ { print $1 }' | grep -vx -- --help | sort
}

commands() {
	"$egressfw" --help | awk '/^  [a-z]/ { print $1 }' | sort
}

compare_commands() {
	commands >"$directory/wanted"
	[ -s "$directory/wanted" ] || fail "egressfw --help lists no command"
	awk '/^\.Sh / { inside = $2 == "SYNOPSIS" } inside && /^\.Cm/ { print $2 }' "$page" |
		sort >"$directory/found"
	same "commands in SYNOPSIS"
	awk '/^\.Sh / { inside = $2 == "COMMANDS" } inside && /^\.Ss/ { print $2 }' "$page" |
		sort >"$directory/found"
	same "commands in COMMANDS"
}

compare_options() {
	for command in $(commands); do
		help_options "$command" >"$directory/wanted"
		synopsis_options "$command" >"$directory/found"
		same "options of $command in SYNOPSIS"
	done
	{
		for command in $(commands); do
			help_options "$command"
		done
		# Said once for all commands, and by the program itself.
		echo --help
		echo --version
	} | sort -u >"$directory/wanted"
	awk '/^\.Sh / { inside = $2 == "OPTIONS" } inside && /^\.It Fl -/ { print "-" $3 }' "$page" |
		sort >"$directory/found"
	same "options in OPTIONS"
	"$egressfw" --version >"$directory/version" || fail "egressfw --version fails"
}

compare_statuses() {
	sed -n '/^enum exit_status {/,/^}/s/.* = \([0-9]*\),.*/\1/p' "$srcdir/src/cmd/options.h" \
		>"$directory/wanted"
	[ -s "$directory/wanted" ] || fail "src/cmd/options.h names no exit status"
	awk '/^\.Sh / { inside = $2 == "EXIT" } inside && /^\.It / { print $2 }' "$page" \
		>"$directory/found"
	same "exit statuses"
}

if ! command -v mandoc >/dev/null; then
	echo "mandoc is not installed" >&2
	[ "${EGRESSFW_TESTS_MUST_RUN:-}" = 1 ] && exit 1
	exit 77
fi
lint
compare_commands
compare_options
compare_statuses
[ "$failures" -eq 0 ]
