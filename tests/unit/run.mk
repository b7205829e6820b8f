# tests/unit: as whom and with which variables a program is run.
if ENABLE_TESTS
RUN_UNIT_TESTS = \
	tests/unit/test_identity \
	tests/unit/test_run_environment
check_PROGRAMS += $(RUN_UNIT_TESTS)
TESTS += $(RUN_UNIT_TESTS)

tests_unit_test_identity_SOURCES = tests/unit/test_identity.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/user_specs.c tests/unit/user_specs.h
tests_unit_test_identity_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_identity_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_run_environment_SOURCES = tests/unit/test_run_environment.c
tests_unit_test_run_environment_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_run_environment_LDADD = $(PLAN_LIBS) $(CHECK_LIBS)
endif
