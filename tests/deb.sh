#!/bin/bash
# deb.sh: `make deb` and `make static` give the same bytes wherever they are built; the package is clean and works.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
for program in dpkg-deb dpkg-shlibdeps lintian mandoc; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
[ -e Makefile ] || skip_all "not in a build directory"
[ -e /usr/include/unistr.h ] || skip_all "needs libunistring-dev"
cases_begin

# Once here, and once elsewhere: a longer path, other habits of the builder, more work at a time.
check "make deb" make -s deb
check "make static" flock Makefile make -s static
elsewhere=$WORLD/elsewhere/a/longer/path
build_elsewhere() {
	mkdir -p "$elsewhere"
	cd "$elsewhere" || return 1
	umask 077
	export TZ=Asia/Kathmandu LANG=C.UTF-8 HOME=/nonexistent USER=somebody
	"$SRCDIR/configure" --quiet --disable-maintainer-mode --disable-tests --disable-hardening --prefix=/opt/other &&
		make -s -j2 deb static
}
check "both elsewhere, configured in another way" eval '(build_elsewhere)'
package=$(echo deb/egressfw_*.deb)
check "there is one package" test -f "$package"
check "the package is the same, byte for byte" cmp "$package" "$elsewhere/$package"
for program in static/egressfw static/egressfilter; do
	[ -e "$program" ] || continue
	check "$program is the same, byte for byte" cmp "$program" "$elsewhere/$program"
	check "$program: no name service switch is linked" eval "! grep -qa libnss_ $program"
done
check "the package's checksum holds" eval '(cd deb && sha256sum --strict -c SHA256SUMS)'
check "the static program's checksum holds" eval '(cd static && sha256sum --strict -c egressfw.sha256)'
(cd "$elsewhere" && SOURCE_DATE_EPOCH=1000000000 "$SRCDIR/contrib/debian/make-package" deb/source deb/build deb/stage deb)
deny "another date gives another package: the comparison can fail" cmp -s "$package" "$elsewhere/$package"

lintian --allow-root --fail-on error "$package" >"$WORLD/out" 2>"$WORLD/err"
same "lintian finds no error" "0 " "$? $(grep '^E:' "$WORLD/out")"
dpkg-deb -f "$package" Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' | while read -r name; do
	dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || echo "$name"
done >"$WORLD/absent"
same "it depends on packages that are there" "" "$(cat "$WORLD/absent")"
check "on the C library among them" eval "dpkg-deb -f $package Depends | grep -q 'libc6 (>='"

scratch=$WORLD/scratch
mkdir -p "$scratch/var/lib/dpkg/updates" "$scratch/var/lib/dpkg/info"
touch "$scratch/var/lib/dpkg/status" "$scratch/var/lib/dpkg/available"
check "dpkg installs it" dpkg --root="$scratch" --log=/dev/null --force-depends -i "$package"
same "and files stand nowhere else" "usr/sbin
usr/share/bash-completion/completions
usr/share/doc/egressfw
usr/share/doc/egressfw/examples
usr/share/man/man5
usr/share/man/man8" "$(cd "$scratch" && find usr -type f -printf '%h\n' | sed 's|/examples/.*|/examples|' | sort -u)"
check "recipes are among the examples" test -f "$scratch/usr/share/doc/egressfw/examples/harness/README"
check "without their tests" test ! -e "$scratch/usr/share/doc/egressfw/examples/harness/tests"
same "all of root's, which others cannot write" "" "$(find "$scratch/usr" ! -type l \( ! -user root -o ! -group root -o -perm /07022 \))"
check "dpkg finds nothing changed" dpkg --root="$scratch" --verify egressfw
for page in man8/egressfw.8 man5/egressfw-policy.5; do
	check "the page ${page#*/}" mandoc -T lint -W error "$scratch/usr/share/man/$page.gz"
done
check "completion" bash -c '. "$1" && complete -p egressfw' bash "$scratch/usr/share/bash-completion/completions/egressfw"
EGRESSFW=$scratch/usr/sbin/egressfw
chmod 755 "$scratch"
check "the program starts" fw --version
for example in "$scratch"/usr/share/doc/egressfw/examples/*.json; do
	case $example in *.schema.json) continue ;; esac
	check "the example ${example##*/}" fw check --quiet --user $AGENT_UID "$example"
done
no_network installed
# prerm ARG: what dpkg would run, on the agent's side.
prerm() {
	agent env PATH="$scratch/usr/sbin:$PATH" "${@:2}" "$scratch/var/lib/dpkg/info/egressfw.prerm" "$1"
}
check "it may be removed where nothing stands" prerm remove
check "apply" fw apply "$WORLD/installed.json"
closed "closed" tcp 1.1.1.1:443
check "verify" fw verify
status 1 "while rules stand it is not removed" prerm remove
says "and what has to be done before" "^    egressfw remove "
closed "they stand as before" tcp 1.1.1.1:443
check "it may be replaced" prerm upgrade
check "and another root's package removed" prerm remove DPKG_ROOT=/somewhere
agent mv /run/egressfw /run/elsewhere
status 1 "by the table, where no plan is kept" prerm remove
agent mv /run/elsewhere /run/egressfw
check "remove" fw remove
check "apply of an instance" fw apply --name two --no-canary "$WORLD/installed.json"
status 1 "rules of another instance count" prerm remove
check "remove of it" fw remove --name two
check "then it may be removed" prerm remove
check "open again" attempt $AGENT_UID tcp 1.1.1.1:443
check "dpkg takes it out" dpkg --root="$scratch" --force-script-chrootless --log=/dev/null -P egressfw
same "nothing is left" "" "$(find "$scratch/usr" -type f 2>/dev/null)"
finish
