# tests/net/kernel.mk: the kernel part against the kernel.
if ENABLE_TESTS
check_PROGRAMS += tests/net/kernel_probe
tests_net_kernel_probe_SOURCES = tests/net/kernel_probe.c \
	tests/net/kernel_rulesets.c tests/net/kernel_rulesets.h $(RULESET_FIXTURE)
tests_net_kernel_probe_CFLAGS = $(AM_CFLAGS) $(NFTNL_CFLAGS)
tests_net_kernel_probe_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nft_transact
tests_net_kernel_probe_LDADD = $(KERNEL_LIBS)
endif
TESTS += tests/net/kernel.sh
EXTRA_DIST += tests/net/kernel.sh
