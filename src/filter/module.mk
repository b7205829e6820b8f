# src/filter: egressfilter, and the settings by which egressfw tells it what to do.
noinst_LIBRARIES += libsettings.a
libsettings_a_CFLAGS = $(PURE_CFLAGS) $(JANSSON_CFLAGS)
libsettings_a_SOURCES = \
	src/filter/settings.c src/filter/settings.h \
	src/filter/settings_print.c
noinst_LIBRARIES += librehearsal.a
librehearsal_a_SOURCES = \
	src/filter/log_open.c src/filter/log_open.h \
	src/filter/rehearsal.c src/filter/rehearsal.h \
	src/filter/sockets.c src/filter/sockets.h
SETTINGS_LIBS = libsettings.a libplan.a $(POLICY_LIBS)

if ENABLE_FILTER
noinst_LIBRARIES += libllhttp.a libfilter.a
# llhttp is compiled from where the system has its sources; its warnings are not ours.
libllhttp_a_SOURCES =
libllhttp_a_LIBADD = llhttp-api.$(OBJEXT) llhttp-http.$(OBJEXT) llhttp-llhttp.$(OBJEXT)
llhttp-%.$(OBJEXT): $(LLHTTP_SOURCE)/%.c Makefile
	$(AM_V_CC)$(CC) -std=gnu11 $(LLHTTP_CFLAGS) $(HARDEN_CFLAGS) $(BUILD_CFLAGS) $(CPPFLAGS) $(CFLAGS) -w -c -o $@ $<

libfilter_a_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS) $(LLHTTP_CFLAGS) $(SECCOMP_CFLAGS)
libfilter_a_SOURCES = \
	src/filter/filter.h \
	src/filter/http.c src/filter/http.h \
	src/filter/http_exchange.c src/filter/http_exchange.h \
	src/filter/http_leave.c src/filter/http_leave.h \
	src/filter/http_reach.c src/filter/http_reach.h \
	src/filter/http_relay.c src/filter/http_relay.h \
	src/filter/http_side.c src/filter/http_side.h \
	src/filter/http_verdict.c src/filter/http_verdict.h \
	src/filter/client.c src/filter/client.h \
	src/filter/confine.c src/filter/confine.h \
	src/filter/connect.c src/filter/connect.h \
	src/filter/decision_log.c src/filter/decision_log.h \
	src/filter/dial.c src/filter/dial.h \
	src/filter/dial_attempt.c src/filter/dial_attempt.h \
	src/filter/dial_candidates.c src/filter/dial_candidates.h \
	src/filter/dial_reason.c src/filter/dial_reason.h \
	src/filter/direction.c src/filter/direction.h \
	src/filter/farewell.c src/filter/farewell.h \
	src/filter/hello.c src/filter/hello.h \
	src/filter/judge.c src/filter/judge.h \
	src/filter/listener.c src/filter/listener.h \
	src/filter/log_files.c src/filter/log_files.h \
	src/filter/log_line.c src/filter/log_line.h \
	src/filter/log_trouble.c src/filter/log_trouble.h \
	src/filter/log_writer.c src/filter/log_writer.h \
	src/filter/names.c src/filter/names.h \
	src/filter/pipes.c src/filter/pipes.h \
	src/filter/program.c src/filter/program.h \
	src/filter/program_user.c src/filter/program_user.h \
	src/filter/reading.c src/filter/reading.h \
	src/filter/ready.c src/filter/ready.h \
	src/filter/reload.c src/filter/reload.h \
	src/filter/share.c src/filter/share.h \
	src/filter/turn.c src/filter/turn.h \
	src/filter/sock_owner.c src/filter/sock_owner.h \
	src/filter/timer.c src/filter/timer.h \
	src/filter/tunnel.c src/filter/tunnel.h
FILTER_LIBS = libfilter.a librehearsal.a libcodec.a libllhttp.a $(EVENT_LIBS) libsettings.a libplan.a $(SYSTEM_LIBS)
sbin_PROGRAMS += egressfilter
egressfilter_SOURCES = src/egressfilter.c
if ENABLE_STATIC
egressfilter_SOURCES += src/no_name_services.c
endif
egressfilter_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS)
egressfilter_LDFLAGS = $(AM_LDFLAGS) $(STRIP_LDFLAGS)
egressfilter_LDADD = $(FILTER_LIBS)
endif
