# tests/fuzz/codec.mk: what a client of the filter, and a server behind it, may send.
if ENABLE_FUZZER
if ENABLE_FILTER
noinst_PROGRAMS += tests/fuzz/fuzz_client_hello tests/fuzz/fuzz_http
tests_fuzz_fuzz_client_hello_SOURCES = tests/fuzz/fuzz_client_hello.c
tests_fuzz_fuzz_client_hello_LDADD = $(CODEC_LIBS)
tests_fuzz_fuzz_client_hello_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/fuzz_http.c
tests_fuzz_fuzz_http_CFLAGS = $(AM_CFLAGS) $(LLHTTP_CFLAGS)
tests_fuzz_fuzz_http_LDADD = $(CODEC_LIBS)
tests_fuzz_fuzz_http_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
endif
EXTRA_DIST += \
	tests/fuzz/seeds/client_hello/address tests/fuzz/seeds/client_hello/encrypted \
	tests/fuzz/seeds/client_hello/nameless tests/fuzz/seeds/client_hello/old \
	tests/fuzz/seeds/client_hello/plain tests/fuzz/seeds/client_hello/records \
	tests/fuzz/seeds/client_hello/retry tests/fuzz/seeds/client_hello/share \
	tests/fuzz/seeds/client_hello/two_names \
	tests/fuzz/seeds/http/answer_chunks tests/fuzz/seeds/http/answer_close \
	tests/fuzz/seeds/http/answer_interim tests/fuzz/seeds/http/answer_length \
	tests/fuzz/seeds/http/request_chunks tests/fuzz/seeds/http/request_connect \
	tests/fuzz/seeds/http/request_get tests/fuzz/seeds/http/request_hop \
	tests/fuzz/seeds/http/request_pipeline tests/fuzz/seeds/http/request_post \
	tests/fuzz/seeds/http/request_tunnel tests/fuzz/seeds/http/request_websocket
