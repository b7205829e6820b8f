# tests/fuzz/plan.mk: the untrusted inputs of src/plan: hosts file, resolver's pipe, stored plan.
if ENABLE_FUZZER
PLAN_FUZZERS = tests/fuzz/fuzz_log_summary tests/fuzz/fuzz_hosts tests/fuzz/fuzz_plan tests/fuzz/fuzz_resolved
noinst_PROGRAMS += $(PLAN_FUZZERS)
tests_fuzz_fuzz_hosts_SOURCES = tests/fuzz/fuzz_hosts.c
tests_fuzz_fuzz_hosts_LDADD = $(PLAN_LIBS)
tests_fuzz_fuzz_hosts_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_log_summary_SOURCES = tests/fuzz/fuzz_log_summary.c
tests_fuzz_fuzz_log_summary_LDADD = $(PLAN_LIBS)
tests_fuzz_fuzz_log_summary_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c
tests_fuzz_fuzz_plan_CFLAGS = $(AM_CFLAGS) $(MD_CFLAGS)
tests_fuzz_fuzz_plan_LDADD = $(PLAN_LIBS)
tests_fuzz_fuzz_plan_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_resolved_SOURCES = tests/fuzz/fuzz_resolved.c
tests_fuzz_fuzz_resolved_LDADD = $(PLAN_LIBS)
tests_fuzz_fuzz_resolved_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
PLAN_FUZZ_SEEDS = \
	tests/fuzz/seeds/hosts/block tests/fuzz/seeds/hosts/conflict tests/fuzz/seeds/hosts/docker \
	tests/fuzz/seeds/hosts/instance tests/fuzz/seeds/hosts/odd tests/fuzz/seeds/hosts/torn \
	tests/fuzz/seeds/log_summary/decisions tests/fuzz/seeds/plan/filter \
	tests/fuzz/seeds/plan/allowlist tests/fuzz/seeds/plan/no-network tests/fuzz/seeds/plan/strict \
	tests/fuzz/seeds/resolved/failed tests/fuzz/seeds/resolved/found tests/fuzz/seeds/resolved/special
EXTRA_DIST += $(PLAN_FUZZ_SEEDS)
