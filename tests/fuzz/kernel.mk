# tests/fuzz/kernel.mk: what the kernel may answer.
if ENABLE_FUZZER
noinst_PROGRAMS += tests/fuzz/fuzz_log_record tests/fuzz/fuzz_netlink tests/fuzz/fuzz_xt
tests_fuzz_fuzz_log_record_SOURCES = tests/fuzz/fuzz_log_record.c
tests_fuzz_fuzz_log_record_LDADD = $(KERNEL_LIBS)
tests_fuzz_fuzz_log_record_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_netlink_SOURCES = tests/fuzz/fuzz_netlink.c
tests_fuzz_fuzz_netlink_LDADD = $(KERNEL_LIBS)
tests_fuzz_fuzz_netlink_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_xt_SOURCES = tests/fuzz/fuzz_xt.c
tests_fuzz_fuzz_xt_LDADD = $(KERNEL_LIBS)
tests_fuzz_fuzz_xt_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += \
	tests/fuzz/seeds/log_record/tcp6 tests/fuzz/seeds/log_record/udp \
	tests/fuzz/seeds/netlink/allowlist tests/fuzz/seeds/netlink/loopback-ports \
	tests/fuzz/seeds/netlink/no-network tests/fuzz/seeds/netlink/tampered \
	tests/fuzz/seeds/xt/none tests/fuzz/seeds/xt/pins6 tests/fuzz/seeds/xt/plain
