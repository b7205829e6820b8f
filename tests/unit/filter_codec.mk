# tests/unit/filter_codec.mk: ClientHello and HTTP, octet by octet.
if ENABLE_TESTS
if ENABLE_FILTER
CODEC_TESTS = \
	tests/unit/test_client_hello tests/unit/test_hello_watch \
	tests/unit/test_http_answer tests/unit/test_http_request
check_PROGRAMS += $(CODEC_TESTS)
TESTS += $(CODEC_TESTS)

HELLO_RECIPE = \
	tests/unit/hello_corpus.c tests/unit/hello_recipe.c tests/unit/hello_recipe.h tests/unit/suite.h
tests_unit_test_client_hello_SOURCES = tests/unit/test_client_hello.c $(HELLO_RECIPE)
tests_unit_test_client_hello_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_client_hello_LDADD = $(CODEC_LIBS) $(CHECK_LIBS)
tests_unit_test_hello_watch_SOURCES = tests/unit/test_hello_watch.c $(HELLO_RECIPE)
tests_unit_test_hello_watch_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_hello_watch_LDADD = $(CODEC_LIBS) $(CHECK_LIBS)
tests_unit_test_http_answer_SOURCES = tests/unit/test_http_answer.c tests/unit/suite.h
tests_unit_test_http_answer_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LLHTTP_CFLAGS)
tests_unit_test_http_answer_LDADD = $(CODEC_LIBS) $(CHECK_LIBS)
tests_unit_test_http_request_SOURCES = \
	tests/unit/test_http_request.c tests/unit/request_corpus.c tests/unit/request_corpus.h \
	tests/unit/hello_recipe.h tests/unit/suite.h
tests_unit_test_http_request_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LLHTTP_CFLAGS)
tests_unit_test_http_request_LDADD = $(CODEC_LIBS) $(CHECK_LIBS)
endif
endif
