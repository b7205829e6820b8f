# tests/fuzz/policy.mk: what a user may write into a policy, and what may be asked of it.
if ENABLE_FUZZER
noinst_PROGRAMS += tests/fuzz/fuzz_policy
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz_policy.c
tests_fuzz_fuzz_policy_LDADD = $(POLICY_LIBS)
tests_fuzz_fuzz_policy_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += \
	tests/fuzz/seeds/policy/allowlist tests/fuzz/seeds/policy/blocklist \
	tests/fuzz/seeds/policy/everything tests/fuzz/seeds/policy/list \
	tests/fuzz/seeds/policy/list-escaped tests/fuzz/seeds/policy/no-network
