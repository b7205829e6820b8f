#!/bin/bash
# install.sh: what `make install` puts where, that the pages can be read, and that `make uninstall` leaves nothing.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
[ -e Makefile ] || skip_all "not in a build directory"
WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
trap 'rm -rf "$WORLD"' EXIT
stage=$WORLD/stage
prefix=$(sed -n 's/^prefix = //p' Makefile)

check "make install" make -s install DESTDIR="$stage"
check "the program is there" test -x "$stage$prefix/sbin/egressfw"
check "it is neither setuid nor setgid" test ! -u "$stage$prefix/sbin/egressfw" -a ! -g "$stage$prefix/sbin/egressfw"
check "it starts" "$stage$prefix/sbin/egressfw" --version
says "it knows its version" "^egressfw [0-9]+\.[0-9]+\.[0-9]+$"
for page in "$SRCDIR"/man/*.[58]; do
	name=${page##*/}
	installed=$stage$prefix/share/man/man${name##*.}/$name
	check "the page $name is there" test -f "$installed"
	if command -v mandoc >/dev/null; then
		check "the page $name is clean" mandoc -T lint -W warning "$installed"
	else
		skip "the page $name is clean" "needs mandoc"
	fi
done
same "no test program is installed" "" "$(find "$stage" -name attempt -o -name far -o -name "test_*")"
# As contrib/systemd/README says it: all units, and nothing else than this path.
unit_dir=$WORLD/units
mkdir -p "$unit_dir"
cp "$SRCDIR"/contrib/systemd/*.service "$SRCDIR"/contrib/systemd/*.conf "$unit_dir"
rewrite=$(sed -n "s/^    sed -i '\(.*\)' .*/\1/p" "$SRCDIR/contrib/systemd/README")
check "the units are changed as their README says" sed -i "$rewrite" "$unit_dir"/*
same "and name no other place of our programs" "/usr/local/sbin/egressfilter /usr/local/sbin/egressfw" \
	"$(grep -v '^#' "$unit_dir"/* | grep -o '/[a-z/]*/egress[a-z]*' | grep sbin | sort -u | xargs)"
check "make uninstall" make -s uninstall DESTDIR="$stage"
left=$(find "$stage" ! -type d)
if [ -z "$left" ]; then ok "nothing is left"; else not_ok "nothing is left" "$left"; fi
finish
