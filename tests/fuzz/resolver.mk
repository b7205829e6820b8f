# tests/fuzz/resolver.mk: what a nameserver may answer.
if ENABLE_FUZZER
noinst_PROGRAMS += tests/fuzz/fuzz_dns_message
tests_fuzz_fuzz_dns_message_SOURCES = tests/fuzz/fuzz_dns_message.c
tests_fuzz_fuzz_dns_message_LDADD = $(SYSTEM_LIBS)
tests_fuzz_fuzz_dns_message_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += \
	tests/fuzz/seeds/dns_message/address tests/fuzz/seeds/dns_message/address6 \
	tests/fuzz/seeds/dns_message/alias tests/fuzz/seeds/dns_message/alias_alone \
	tests/fuzz/seeds/dns_message/alias_final tests/fuzz/seeds/dns_message/formerr \
	tests/fuzz/seeds/dns_message/loop tests/fuzz/seeds/dns_message/nxdomain
