# tests/filter/http.mk: requests and hellos over sockets to the running filter.
FILTER_HTTP_TESTS = \
	tests/filter/clients.sh tests/filter/clients_tools.sh tests/filter/corpus.sh tests/filter/http.sh \
	tests/filter/reload.sh
if ENABLE_TESTS
if ENABLE_FILTER
check_PROGRAMS += tests/filter/corpus
tests_filter_corpus_SOURCES = \
	tests/filter/corpus.c tests/unit/hello_corpus.c tests/unit/hello_recipe.c tests/unit/hello_recipe.h \
	tests/unit/request_corpus.c tests/unit/request_corpus.h
tests_filter_corpus_CFLAGS = $(AM_CFLAGS) $(LLHTTP_CFLAGS)
tests_filter_corpus_LDADD = $(CODEC_LIBS)

TESTS += $(FILTER_HTTP_TESTS)
endif
endif
EXTRA_DIST += \
	$(FILTER_HTTP_TESTS) tests/filter/clients_lib.sh tests/filter/http_client.py tests/filter/http_lib.sh tests/filter/origin.py \
	tests/filter/web_server.py
