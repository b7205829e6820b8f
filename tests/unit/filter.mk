# tests/unit/filter.mk: the parts of egressfilter that need no network.
if ENABLE_TESTS
FILTER_TESTS = tests/unit/test_settings
check_PROGRAMS += $(FILTER_TESTS)
TESTS += $(FILTER_TESTS)

tests_unit_test_settings_SOURCES = tests/unit/test_settings.c tests/unit/suite.h
tests_unit_test_settings_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_settings_LDADD = $(SETTINGS_LIBS) $(CHECK_LIBS)
endif
