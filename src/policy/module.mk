# src/policy: from policy.json to a value, and decisions by it; pure.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_CFLAGS = $(PURE_CFLAGS) $(JANSSON_CFLAGS) $(IDN2_CFLAGS) $(PSL_CFLAGS)
libpolicy_a_SOURCES = \
	src/policy/address_port.c \
	src/policy/blocked_url.c src/policy/blocked_url.h \
	src/policy/canary.c \
	src/policy/decide.c src/policy/decide.h \
	src/policy/destination.c src/policy/destination.h src/policy/destination_parse.c \
	src/policy/document.c src/policy/document.h \
	src/policy/entries.c \
	src/policy/fields.c src/policy/fields.h \
	src/policy/host.c src/policy/host.h \
	src/policy/literal.c src/policy/literal.h \
	src/policy/long_list.c src/policy/long_list.h \
	src/policy/nearest.c src/policy/nearest.h \
	src/policy/path.c \
	src/policy/percent.c src/policy/percent.h \
	src/policy/policy.c src/policy/policy.h \
	src/policy/policy_parse.c \
	src/policy/policy_print.c \
	src/policy/port_note.c src/policy/port_note.h \
	src/policy/query.c src/policy/query.h \
	src/policy/repeated.c src/policy/repeated.h \
	src/policy/url.c src/policy/url.h \
	src/policy/url_split.c src/policy/url_split.h \
	src/policy/user_spec.c
POLICY_LIBS = libpolicy.a libbase.a $(JANSSON_LIBS) $(PSL_LIBS) $(IDN2_LIBS)
