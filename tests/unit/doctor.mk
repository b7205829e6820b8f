# tests/unit/doctor.mk: what doctor reads of the machine's texts, and the table that it prints.
if ENABLE_TESTS
DOCTOR_TESTS = tests/unit/test_diagnosis tests/unit/test_doctor_rights tests/unit/test_doctor_texts
check_PROGRAMS += $(DOCTOR_TESTS)
TESTS += $(DOCTOR_TESTS)

tests_unit_test_diagnosis_SOURCES = tests/unit/test_diagnosis.c tests/unit/suite.h
tests_unit_test_diagnosis_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_diagnosis_LDADD = $(DOCTOR_LIBS) $(CHECK_LIBS)

tests_unit_test_doctor_rights_SOURCES = tests/unit/test_doctor_rights.c tests/unit/suite.h
tests_unit_test_doctor_rights_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_doctor_rights_LDADD = $(DOCTOR_LIBS) $(CHECK_LIBS)

tests_unit_test_doctor_texts_SOURCES = tests/unit/test_doctor_texts.c tests/unit/suite.h
tests_unit_test_doctor_texts_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_doctor_texts_LDADD = $(DOCTOR_LIBS) $(CHECK_LIBS)
endif
