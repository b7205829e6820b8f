# tests/unit/plan.mk
if ENABLE_TESTS
RULESET_TESTS = \
	tests/unit/test_judge tests/unit/test_judge_guard tests/unit/test_judge_statements \
	tests/unit/test_ruleset tests/unit/test_ruleset_build \
	tests/unit/test_ruleset_close tests/unit/test_ruleset_closed tests/unit/test_ruleset_compare \
	tests/unit/test_ruleset_shared
RULESET_FIXTURE = tests/unit/ruleset_fixture.c tests/unit/ruleset_fixture.h
check_PROGRAMS += $(RULESET_TESTS)
TESTS += $(RULESET_TESTS)
tests_unit_test_judge_SOURCES = tests/unit/test_judge.c tests/unit/packet_sketch.h $(RULESET_FIXTURE)
tests_unit_test_judge_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_judge_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_judge_guard_SOURCES = \
	tests/unit/test_judge_guard.c tests/unit/packet_sketch.h $(RULESET_FIXTURE)
tests_unit_test_judge_guard_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_judge_guard_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_judge_statements_SOURCES = \
	tests/unit/test_judge_statements.c tests/unit/packet_sketch.h $(RULESET_FIXTURE)
tests_unit_test_judge_statements_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_judge_statements_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_SOURCES = tests/unit/test_ruleset.c tests/unit/statement_terms.h $(RULESET_FIXTURE)
tests_unit_test_ruleset_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_build_SOURCES = tests/unit/test_ruleset_build.c $(RULESET_FIXTURE)
tests_unit_test_ruleset_build_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_build_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_close_SOURCES = tests/unit/test_ruleset_close.c $(RULESET_FIXTURE)
tests_unit_test_ruleset_close_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_close_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_closed_SOURCES = \
	tests/unit/test_ruleset_closed.c tests/unit/suite.h $(RULESET_FIXTURE)
tests_unit_test_ruleset_closed_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_closed_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_compare_SOURCES = tests/unit/test_ruleset_compare.c $(RULESET_FIXTURE)
tests_unit_test_ruleset_compare_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_compare_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_ruleset_shared_SOURCES = \
	tests/unit/test_ruleset_shared.c tests/unit/suite.h $(RULESET_FIXTURE)
tests_unit_test_ruleset_shared_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ruleset_shared_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
endif

if ENABLE_TESTS
PLANNING_TESTS = \
	tests/unit/test_cidr_list \
	tests/unit/test_finding tests/unit/test_hosts_block tests/unit/test_hosts_compare \
	tests/unit/test_plan tests/unit/test_plan_store tests/unit/test_probe \
	tests/unit/test_filter_environment tests/unit/test_log_summary \
	tests/unit/test_report tests/unit/test_resolved
check_PROGRAMS += $(PLANNING_TESTS)
TESTS += $(PLANNING_TESTS)
tests_unit_test_cidr_list_SOURCES = tests/unit/test_cidr_list.c
tests_unit_test_cidr_list_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_cidr_list_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_finding_SOURCES = tests/unit/test_finding.c tests/unit/suite.h
tests_unit_test_finding_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_finding_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_hosts_block_SOURCES = tests/unit/test_hosts_block.c tests/unit/hosts_sample.h
tests_unit_test_hosts_block_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_hosts_block_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_hosts_compare_SOURCES = tests/unit/test_hosts_compare.c tests/unit/hosts_sample.h
tests_unit_test_hosts_compare_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_hosts_compare_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_filter_environment_SOURCES = tests/unit/test_filter_environment.c
tests_unit_test_filter_environment_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_filter_environment_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_log_summary_SOURCES = tests/unit/test_log_summary.c
tests_unit_test_log_summary_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_log_summary_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_plan_SOURCES = tests/unit/test_plan.c tests/unit/plan_sample.h
tests_unit_test_plan_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_plan_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_plan_store_SOURCES = tests/unit/test_plan_store.c tests/unit/plan_sample.h
tests_unit_test_plan_store_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(MD_CFLAGS)
tests_unit_test_plan_store_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_probe_SOURCES = tests/unit/test_probe.c
tests_unit_test_probe_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_probe_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_report_SOURCES = tests/unit/test_report.c tests/unit/plan_sample.h
tests_unit_test_report_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_report_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
tests_unit_test_resolved_SOURCES = tests/unit/test_resolved.c
tests_unit_test_resolved_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_resolved_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
endif
