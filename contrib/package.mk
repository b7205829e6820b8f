# contrib/package.mk: `make static`, one program that runs anywhere, and `make deb`, a Debian package; both from a copy.

# A build of its own from what a release would hold, so that neither the switches of this build nor what lies about
# in its source has a say in the bytes. Without debugging information, and with the names of sources as they stand in
# the release: the folder in which it was built does not show. $(1) is the folder, the rest are switches.
COPIED_CFLAGS = -O2
static: COPIED_CFLAGS = -Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
if ENABLE_FILTER
COPIED_SWITCHES = --with-llhttp='$(LLHTTP_SOURCE:/llhttp=)'
else
COPIED_SWITCHES = --disable-filter
endif
copied_build = $(MKDIR_P) $(1) && \
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=$(1)/source >$(1)/copy.log 2>&1 && \
	$(MKDIR_P) $(1)/build && cd $(1)/build && \
	{ { cat ../source/configure; echo "$(2) $(COPIED_CFLAGS) $(CC)"; } >configure.now && \
		cmp -s configure.now configure.done || { ../source/configure --quiet --disable-maintainer-mode \
		--disable-tests --disable-option-checking --build='$(build_alias)' --host='$(host_alias)' CC='$(CC)' \
		CFLAGS='$(COPIED_CFLAGS) -ffile-prefix-map=../source/=' LDFLAGS= $(2) >../copy.log && \
		mv -f configure.now configure.done; }; } && \
	$(MAKE) $(AM_MAKEFLAGS) --no-print-directory

# The folder of the same name is no reason to think that it is made.
force-copy:
static: force-copy
	+$(call copied_build,static,--enable-static-programs $(COPIED_SWITCHES)) $(sbin_PROGRAMS)
	for program in $(sbin_PROGRAMS); do \
		$(STRIP) -o static/$$program.new static/build/$$program && \
		mv -f static/$$program.new static/$$program && \
		(cd static && sha256sum $$program >$$program.sha256) || exit 1; \
	done

# Linked with the system's libraries, whose security updates reach it so; the policy of Debian asks for that, too.
deb: force-copy
	+$(call copied_build,deb,--prefix=/usr --sysconfdir=/etc --enable-shared-libraries $(COPIED_SWITCHES)) $(sbin_PROGRAMS)
	deb/source/contrib/debian/make-package deb/source deb/build deb/stage deb
clean-copies:
	rm -rf static deb
