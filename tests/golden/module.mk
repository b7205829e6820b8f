# tests/golden/module.mk
# The manual pages and the completion, beside what the program says of itself.
if ENABLE_TESTS
TESTS += tests/golden/man.sh tests/golden/completion.sh tests/golden/usage.sh
endif
EXTRA_DIST += tests/golden/man.sh tests/golden/completion.sh tests/golden/usage.sh

# Rulesets as text: compared by tests/unit/test_ruleset_build, loaded by plans.sh, printed by print_ruleset.
GOLDEN_PLANS = \
	tests/golden/plans/allowlist.nft \
	tests/golden/plans/closing.nft \
	tests/golden/plans/closing-beside-pass.nft \
	tests/golden/plans/closing-for-pass.nft \
	tests/golden/plans/closing-beside-published.nft \
	tests/golden/plans/closing-for-published.nft \
	tests/golden/plans/filter.nft \
	tests/golden/plans/filter-loopback.nft \
	tests/golden/plans/filter-narrowed-ip6.nft \
	tests/golden/plans/filter-nothing.nft \
	tests/golden/plans/filter-pass.nft \
	tests/golden/plans/instance.nft \
	tests/golden/plans/lane-on-loopback.nft \
	tests/golden/plans/lanes.nft \
	tests/golden/plans/lanes-closed.nft \
	tests/golden/plans/loopback-none.nft \
	tests/golden/plans/loopback-ports.nft \
	tests/golden/plans/many-users.nft \
	tests/golden/plans/narrowed-ip.nft \
	tests/golden/plans/narrowed-ip6.nft \
	tests/golden/plans/no-network.nft \
	tests/golden/plans/own-addresses.nft \
	tests/golden/plans/ownerless-pass.nft \
	tests/golden/plans/ownerless-pass-closed.nft \
	tests/golden/plans/published.nft \
	tests/golden/plans/published-pass.nft \
	tests/golden/plans/strict.nft \
	tests/golden/plans/strict-allowlist.nft
if ENABLE_TESTS
TESTS += tests/golden/plans.sh
check_PROGRAMS += tests/golden/print_ruleset
tests_golden_print_ruleset_SOURCES = tests/golden/print_ruleset.c $(RULESET_FIXTURE)
tests_golden_print_ruleset_LDADD = $(PLAN_LIBS)
endif
EXTRA_DIST += tests/golden/plans.sh $(GOLDEN_PLANS)

# The checks of doctor, as the manual page lists them and as the schema of its JSON has them.
if ENABLE_TESTS
TESTS += tests/golden/doctor_names.sh tests/golden/doctor_schema.sh
endif
EXTRA_DIST += tests/golden/doctor_names.sh tests/golden/doctor_schema.sh

# The JSON of a report, against its schema.
if ENABLE_TESTS
TESTS += tests/golden/report_schema.sh
endif
EXTRA_DIST += tests/golden/report_schema.sh tests/lib/schema.sh tests/lib/schema_check.py

# Policies: good ones with their normal form, bad ones with their message, and the schema beside both.
if ENABLE_TESTS
TESTS += tests/golden/policies.sh tests/golden/schema.sh tests/golden/man_policy.sh
check_PROGRAMS += tests/golden/check_policies
tests_golden_check_policies_SOURCES = tests/golden/check_policies.c
tests_golden_check_policies_LDADD = $(POLICY_LIBS)
endif
EXTRA_DIST += \
	tests/golden/policies.sh tests/golden/schema.sh tests/golden/man_policy.sh \
	tests/golden/policies/good tests/golden/policies/bad

# The variables of the filter, evaluated by shells.
if ENABLE_TESTS
TESTS += tests/golden/env.sh
endif
EXTRA_DIST += tests/golden/env.sh
