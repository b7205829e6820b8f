# tests/unit: what of src/system can be tested without root and without a network.
if ENABLE_TESTS
USER_SPECS = tests/unit/user_specs.c tests/unit/user_specs.h
SYSTEM_UNIT_TESTS = \
	tests/unit/test_doctor_walk \
	tests/unit/test_hosts_file \
	tests/unit/test_hosts_rewrite \
	tests/unit/test_policy_file \
	tests/unit/test_state \
	tests/unit/test_users \
	tests/unit/test_users_exempt
check_PROGRAMS += $(SYSTEM_UNIT_TESTS)
TESTS += $(SYSTEM_UNIT_TESTS)

tests_unit_test_doctor_walk_SOURCES = tests/unit/test_doctor_walk.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/suite.h
tests_unit_test_doctor_walk_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_doctor_walk_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_hosts_file_SOURCES = tests/unit/test_hosts_file.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/suite.h
tests_unit_test_hosts_file_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_hosts_file_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_hosts_rewrite_SOURCES = tests/unit/test_hosts_rewrite.c
tests_unit_test_hosts_rewrite_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_hosts_rewrite_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_policy_file_SOURCES = tests/unit/test_policy_file.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/suite.h
tests_unit_test_policy_file_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_file_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_state_SOURCES = tests/unit/test_state.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/suite.h
tests_unit_test_state_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_state_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_users_SOURCES = tests/unit/test_users.c tests/unit/scratch.c tests/unit/scratch.h $(USER_SPECS)
tests_unit_test_users_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_users_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_users_exempt_SOURCES = tests/unit/test_users_exempt.c tests/unit/scratch.c tests/unit/scratch.h $(USER_SPECS)
tests_unit_test_users_exempt_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_users_exempt_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
endif

if ENABLE_TESTS
RESOLVER_UNIT_TESTS = \
	tests/unit/test_resolver_config \
	tests/unit/test_resolver_message
check_PROGRAMS += $(RESOLVER_UNIT_TESTS)
TESTS += $(RESOLVER_UNIT_TESTS)

tests_unit_test_resolver_config_SOURCES = tests/unit/test_resolver_config.c
tests_unit_test_resolver_config_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_resolver_config_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
tests_unit_test_resolver_message_SOURCES = tests/unit/test_resolver_message.c
tests_unit_test_resolver_message_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_resolver_message_LDADD = $(SYSTEM_LIBS) $(CHECK_LIBS)
endif
