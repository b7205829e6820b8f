# tests/unit/policy.mk: names, paths, targets, policies and decisions.
if ENABLE_TESTS
POLICY_TESTS = \
	tests/unit/test_decide tests/unit/test_decide_blocklist tests/unit/test_host \
	tests/unit/test_long_list tests/unit/test_path tests/unit/test_policy \
	tests/unit/test_policy_print tests/unit/test_target tests/unit/test_user_spec
check_PROGRAMS += $(POLICY_TESTS)
TESTS += $(POLICY_TESTS)

tests_unit_test_decide_SOURCES = tests/unit/test_decide.c tests/unit/decide_rows.h tests/unit/suite.h
tests_unit_test_decide_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_decide_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_decide_blocklist_SOURCES = \
	tests/unit/test_decide_blocklist.c tests/unit/decide_rows.h tests/unit/suite.h
tests_unit_test_decide_blocklist_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_decide_blocklist_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_host_SOURCES = tests/unit/test_host.c tests/unit/suite.h
tests_unit_test_host_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_host_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_path_SOURCES = tests/unit/test_path.c tests/unit/suite.h
tests_unit_test_path_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_path_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_policy_SOURCES = tests/unit/test_policy.c tests/unit/suite.h
tests_unit_test_policy_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_long_list_SOURCES = tests/unit/test_long_list.c tests/unit/suite.h
tests_unit_test_long_list_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_long_list_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_policy_print_SOURCES = tests/unit/test_policy_print.c tests/unit/suite.h
tests_unit_test_policy_print_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_print_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_target_SOURCES = tests/unit/test_target.c tests/unit/suite.h
tests_unit_test_target_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_target_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)

tests_unit_test_user_spec_SOURCES = tests/unit/test_user_spec.c tests/unit/suite.h
tests_unit_test_user_spec_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_user_spec_LDADD = $(POLICY_LIBS) $(CHECK_LIBS)
endif
