# tests/fuzz/codec.mk: what a client of the filter, and a server behind it, may send.
if ENABLE_FUZZER
if ENABLE_FILTER
noinst_PROGRAMS += tests/fuzz/fuzz_client_hello
tests_fuzz_fuzz_client_hello_SOURCES = tests/fuzz/fuzz_client_hello.c
tests_fuzz_fuzz_client_hello_LDADD = $(CODEC_LIBS)
tests_fuzz_fuzz_client_hello_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
endif
EXTRA_DIST += \
	tests/fuzz/seeds/client_hello/address tests/fuzz/seeds/client_hello/encrypted \
	tests/fuzz/seeds/client_hello/nameless tests/fuzz/seeds/client_hello/old \
	tests/fuzz/seeds/client_hello/plain tests/fuzz/seeds/client_hello/records \
	tests/fuzz/seeds/client_hello/retry tests/fuzz/seeds/client_hello/share \
	tests/fuzz/seeds/client_hello/two_names
