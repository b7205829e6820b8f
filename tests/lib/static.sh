# static.sh: the static programs that tests put into roots which have nothing else; sourced after world.sh.
# shellcheck shell=bash
#
#   is_static FILE
#   static_released          $static: what `make static` makes, or $EGRESSFW_STATIC, or $EGRESSFW if it is static
#   static_programs DIR      puts egressfw, egressfilter where it is built, and the tests' own programs there
#   copy_libraries ROOT FILE    what a program that is not static needs in a root
#   copy_program ROOT NAME      such a program of this machine, and its libraries, in /bin there

is_static() {
	! readelf -lW "$1" | grep -q INTERP
}

static_released() {
	static=${EGRESSFW_STATIC:-}
	[ -z "$static" ] && is_static "$EGRESSFW" && static=$EGRESSFW
	[ -n "$static" ] && return
	[ -e Makefile ] || skip_all "not in a build directory"
	[ -e /usr/include/unistring/version.h ] || [ -e /usr/include/unistr.h ] || skip_all "needs libunistring-dev"
	# Two tests at a time may want it.
	flock Makefile make -s static >"$WORLD/make.log" 2>&1 || {
		not_ok "make static" "$(tail -n 20 "$WORLD/make.log")"
		finish
	}
	ok "make static"
	static=$BUILDDIR/static/egressfw
}

# static_switches BUILD: what objects depend on.
static_switches() {
	grep -E '^(CC|CPPFLAGS|CFLAGS|BUILD_CFLAGS|HARDEN_CFLAGS|LLHTTP_SOURCE) =' "$1/Makefile" && cat "$1/config.h"
}

# static_libraries PROGRAM...: objects are the same however a program is linked. Those of this build are taken, if it has
# the same switches; otherwise everything is compiled here. What make is to leave as it is stands in $static_kept.
static_libraries() {
	local library
	static_kept=()
	find . -maxdepth 1 -name 'lib*.a' -type l -delete
	[ "$(static_switches .)" = "$(static_switches "$BUILDDIR")" ] || return 0
	flock "$BUILDDIR/Makefile" make -s -C "$BUILDDIR" "$@" || return
	for library in "$BUILDDIR"/lib*.a; do
		ln -sf "$library" .
		static_kept+=(-o "$(basename "$library")")
		[ egressfw -nt "$library" ] || rm -f egressfw egressfilter
	done
}

# From the source tree, whatever the switches of this build are; once for all scripts of a build directory.
static_programs() {
	local build=$BUILDDIR/tests/container/static directory=$1 filter=--disable-filter programs=egressfw program from
	local cflags
	mkdir -p "$build"
	cflags=$(sed -n 's/^CFLAGS = //p' "$BUILDDIR/Makefile")
	if [ -x "$BUILDDIR/egressfilter" ]; then
		filter=--with-llhttp=$(sed -n 's|^LLHTTP_SOURCE = \(.*\)/llhttp$|\1|p' "$BUILDDIR/Makefile")
		programs='egressfw egressfilter'
	fi
	(
		flock 9
		cd "$build" || exit 1
		{ [ config.status -nt "$SRCDIR/Makefile.in" ] && grep -q -e "$filter" config.status &&
			grep -qF -e "CFLAGS=$cflags" config.status; } || {
			find . -mindepth 1 -maxdepth 1 ! -name lock ! -name 'log-*' -exec rm -rf {} +
			"$SRCDIR/configure" -q --disable-maintainer-mode --disable-tests --enable-static-programs "$filter" \
				CFLAGS="$cflags"
		} || exit 1
		static_libraries $programs || exit 1
		[ -n "${EGRESSFW_STATIC:-}" ] || make -s -j"$(nproc)" "${static_kept[@]}" $programs || exit 1
		make -s "${static_kept[@]}" tests/net/attempt tests/lib/far
	) 9>"$build/lock" >"$build/log-$$" 2>&1 || {
		tail -n 30 "$build/log-$$" | sed 's/^/# /'
		echo 'Bail out! the static programs cannot be built'
		exit 1
	}
	rm -f "$build/log-$$"
	mkdir -m 755 "$directory"
	cp "$build/tests/net/attempt" "$build/tests/lib/far" "$directory"
	from=${EGRESSFW_STATIC:-$build/egressfw}
	for program in $programs; do strip -o "$directory/$program" "$(dirname "$from")/$program"; done
	chmod 755 "$directory"/*
}

copy_libraries() {
	local root=$1 library
	for library in $(ldd "$2" | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
}

copy_program() {
	local file
	file=$(command -v "$2")
	install -m 755 "$file" "$1/bin/$2"
	copy_libraries "$1" "$file"
}
