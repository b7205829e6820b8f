# tests/net/resolver.mk: the resolver against scripted DNS servers.
if ENABLE_TESTS
check_PROGRAMS += tests/net/dns_stub tests/net/resolver_test
tests_net_dns_stub_SOURCES = \
	tests/net/dns_stub.c tests/net/dns_stub.h \
	tests/net/dns_stub_reply.c tests/net/dns_stub_script.c
tests_net_dns_stub_LDADD = libbase.a
tests_net_resolver_test_SOURCES = \
	tests/net/resolver_answers.c \
	tests/net/resolver_process.c \
	tests/net/resolver_servers.c \
	tests/net/resolver_test.c tests/net/resolver_test.h \
	tests/net/resolver_world.c tests/net/resolver_world.h
tests_net_resolver_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_net_resolver_test_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
TESTS += tests/net/resolver_test
endif
