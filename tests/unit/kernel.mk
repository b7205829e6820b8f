# tests/unit/kernel.mk: what the kernel part does without a kernel: encode, decode, compare.
if ENABLE_TESTS
KERNEL_TESTS = \
	tests/unit/test_log_record tests/unit/test_nft_batch tests/unit/test_nft_elements \
	tests/unit/test_nft_round_trip tests/unit/test_nft_statement \
	tests/unit/test_socket_count tests/unit/test_unix_diag tests/unit/test_xt
check_PROGRAMS += $(KERNEL_TESTS)
TESTS += $(KERNEL_TESTS)
tests_unit_test_socket_count_SOURCES = tests/unit/test_socket_count.c tests/unit/suite.h
tests_unit_test_socket_count_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_socket_count_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_unix_diag_SOURCES = tests/unit/test_unix_diag.c tests/unit/suite.h
tests_unit_test_unix_diag_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_unix_diag_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_log_record_SOURCES = tests/unit/test_log_record.c tests/unit/suite.h
tests_unit_test_log_record_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_log_record_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_nft_batch_SOURCES = tests/unit/test_nft_batch.c tests/unit/suite.h $(RULESET_FIXTURE)
tests_unit_test_nft_batch_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_nft_batch_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_nft_elements_SOURCES = tests/unit/test_nft_elements.c tests/unit/suite.h
tests_unit_test_nft_elements_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_nft_elements_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_nft_round_trip_SOURCES = tests/unit/test_nft_round_trip.c tests/unit/suite.h $(RULESET_FIXTURE)
tests_unit_test_nft_round_trip_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_nft_round_trip_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_nft_statement_SOURCES = tests/unit/test_nft_statement.c tests/unit/statement_terms.h tests/unit/suite.h
tests_unit_test_nft_statement_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_nft_statement_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
tests_unit_test_xt_SOURCES = tests/unit/test_xt.c tests/unit/suite.h $(RULESET_FIXTURE)
tests_unit_test_xt_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_xt_LDADD = $(KERNEL_LIBS) $(CHECK_LIBS)
endif
