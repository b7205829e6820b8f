# tests/net/kernel.mk: the kernel part against the kernel.
if ENABLE_TESTS
check_PROGRAMS += tests/net/kernel_probe tests/net/kernel_property
KERNEL_RULESETS = tests/net/kernel_rulesets.c tests/net/kernel_rulesets.h $(RULESET_FIXTURE)
tests_net_kernel_probe_SOURCES = tests/net/kernel_probe.c $(KERNEL_RULESETS)
# A commit can then be stopped between its transactions.
tests_net_kernel_probe_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nft_transact
tests_net_kernel_probe_LDADD = $(KERNEL_LIBS)
tests_net_kernel_property_SOURCES = tests/net/kernel_property.c $(KERNEL_RULESETS)
tests_net_kernel_property_LDADD = $(KERNEL_LIBS)
# The program, before a kernel that lacks things.
check_PROGRAMS += tests/net/egressfw_old_kernel
tests_net_egressfw_old_kernel_SOURCES = src/egressfw.c tests/net/old_kernel.c
tests_net_egressfw_old_kernel_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nft_commit
tests_net_egressfw_old_kernel_LDADD = $(egressfw_LDADD)
TESTS += tests/net/kernel.sh tests/net/kernel_property.sh tests/net/old_kernel.sh
endif
EXTRA_DIST += tests/net/kernel.sh tests/net/kernel_property.sh tests/net/old_kernel.sh
