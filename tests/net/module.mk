# tests/net: the whole program in network namespaces. A script prints TAP and says 77 when nothing of it can run.
if ENABLE_TESTS
check_PROGRAMS += tests/lib/far tests/net/attempt
tests_lib_far_SOURCES = tests/lib/far.c tests/lib/wire.c tests/lib/wire.h
tests_net_attempt_SOURCES = \
	tests/net/attempt.c tests/net/attempt.h tests/net/attempt_datagram.c \
	tests/net/attempt_option.c tests/net/attempt_stream.c
endif

NET_TESTS = \
	tests/net/purity.sh \
	tests/net/escapes.sh
TESTS += $(NET_TESTS)
EXTRA_DIST += $(NET_TESTS) \
	tests/lib/world.sh tests/net/naive.nft tests/net/escapes.table tests/net/escapes_controls.sh
