# tests/unit/base.mk: the values without which nothing else can be said.
if ENABLE_TESTS
BASE_TESTS = tests/unit/test_address tests/unit/test_bytes tests/unit/test_sets tests/unit/test_text
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)

tests_unit_test_address_SOURCES = tests/unit/test_address.c tests/unit/suite.h
tests_unit_test_address_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_address_LDADD = libbase.a $(CHECK_LIBS)

tests_unit_test_bytes_SOURCES = tests/unit/test_bytes.c tests/unit/suite.h
tests_unit_test_bytes_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_bytes_LDADD = libbase.a $(CHECK_LIBS)

tests_unit_test_sets_SOURCES = tests/unit/test_sets.c tests/unit/suite.h
tests_unit_test_sets_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_sets_LDADD = libbase.a $(CHECK_LIBS)

# JSON is read back with the library to see that what was printed is JSON.
tests_unit_test_text_SOURCES = tests/unit/test_text.c tests/unit/suite.h
tests_unit_test_text_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_text_LDADD = libbase.a $(JANSSON_LIBS) $(CHECK_LIBS)
endif
