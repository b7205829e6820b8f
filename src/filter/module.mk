# src/filter: egressfilter, and the settings by which egressfw tells it what to do.
noinst_LIBRARIES += libsettings.a
libsettings_a_CFLAGS = $(PURE_CFLAGS) $(JANSSON_CFLAGS)
libsettings_a_SOURCES = \
	src/filter/settings.c src/filter/settings.h \
	src/filter/settings_print.c
SETTINGS_LIBS = libsettings.a $(POLICY_LIBS)

if ENABLE_FILTER
noinst_LIBRARIES += libllhttp.a libfilter.a
# llhttp is compiled from where the system has its sources; its warnings are not ours.
libllhttp_a_SOURCES =
libllhttp_a_LIBADD = llhttp-api.$(OBJEXT) llhttp-http.$(OBJEXT) llhttp-llhttp.$(OBJEXT)
llhttp-%.$(OBJEXT): $(LLHTTP_SOURCE)/%.c
	$(AM_V_CC)$(CC) -std=gnu11 $(LLHTTP_CFLAGS) $(HARDEN_CFLAGS) $(BUILD_CFLAGS) $(CPPFLAGS) $(CFLAGS) -w -c -o $@ $<

libfilter_a_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS) $(LLHTTP_CFLAGS) $(SECCOMP_CFLAGS)
libfilter_a_SOURCES = \
	src/filter/answer.h \
	src/filter/client.h \
	src/filter/decision_log.h \
	src/filter/dial.h \
	src/filter/filter.h \
	src/filter/http.h \
	src/filter/judge.h
FILTER_LIBS = libfilter.a libllhttp.a $(EVENT_LIBS) libkernel.a libsettings.a $(SYSTEM_LIBS)
sbin_PROGRAMS += egressfilter
egressfilter_SOURCES = src/egressfilter.c
egressfilter_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS)
egressfilter_LDADD = $(FILTER_LIBS)
endif
