# tests/unit/filter.mk: the parts of egressfilter that need no network.
if ENABLE_TESTS
SETTINGS_TESTS = tests/unit/test_settings
check_PROGRAMS += $(SETTINGS_TESTS)
TESTS += $(SETTINGS_TESTS)

tests_unit_test_settings_SOURCES = tests/unit/test_settings.c tests/unit/suite.h
tests_unit_test_settings_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_settings_LDADD = $(SETTINGS_LIBS) $(CHECK_LIBS)

if ENABLE_FILTER
FILTER_UNIT_TESTS = tests/unit/test_decision_log tests/unit/test_filter_pure tests/unit/test_share
check_PROGRAMS += $(FILTER_UNIT_TESTS)
TESTS += $(FILTER_UNIT_TESTS)

tests_unit_test_decision_log_SOURCES = \
	tests/unit/test_decision_log.c tests/unit/scratch.c tests/unit/scratch.h tests/unit/suite.h
tests_unit_test_decision_log_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_decision_log_LDADD = $(FILTER_LIBS) $(CHECK_LIBS)

tests_unit_test_share_SOURCES = tests/unit/test_share.c tests/unit/suite.h
tests_unit_test_share_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_share_LDADD = $(FILTER_LIBS) $(CHECK_LIBS)

tests_unit_test_filter_pure_SOURCES = tests/unit/test_filter_pure.c tests/unit/suite.h
tests_unit_test_filter_pure_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LLHTTP_CFLAGS)
tests_unit_test_filter_pure_LDADD = $(FILTER_LIBS) $(CHECK_LIBS)
endif
endif
