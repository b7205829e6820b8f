# tests/net: privilege stages, the hosts file and the probes by themselves, as root.
SYSTEM_TESTS = \
	tests/net/system_hosts.sh \
	tests/net/system_preflight.sh \
	tests/net/system_privilege.sh \
	tests/net/system_probe.sh
EXTRA_DIST += $(SYSTEM_TESTS)

if ENABLE_TESTS
check_PROGRAMS += \
	tests/net/system_hosts \
	tests/net/system_preflight \
	tests/net/system_privilege \
	tests/net/system_probe
tests_net_system_hosts_SOURCES = tests/net/system_hosts.c
tests_net_system_hosts_LDADD = $(SYSTEM_LIBS)
tests_net_system_preflight_SOURCES = tests/net/system_preflight.c
tests_net_system_preflight_LDADD = $(SYSTEM_LIBS)
tests_net_system_privilege_SOURCES = tests/net/system_privilege.c
tests_net_system_privilege_LDADD = $(SYSTEM_LIBS)
tests_net_system_probe_SOURCES = tests/net/system_probe.c
tests_net_system_probe_LDADD = $(SYSTEM_LIBS)
TESTS += $(SYSTEM_TESTS)
endif
