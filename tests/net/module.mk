# tests/net: the whole program in network namespaces. A script prints TAP and says 77 when nothing of it can run.
# The demonstration in contrib needs the world's programs, whether tests are built or not.
EXTRA_PROGRAMS += tests/lib/far tests/net/attempt tests/net/peer
tests_lib_far_SOURCES = tests/lib/far.c tests/lib/wire.c tests/lib/wire.h
tests_net_attempt_SOURCES = \
	tests/net/attempt.c tests/net/attempt.h tests/net/attempt_datagram.c \
	tests/net/attempt_early.c tests/net/attempt_family.c tests/net/attempt_helper.c \
	tests/net/attempt_inbound.c tests/net/attempt_option.c tests/net/attempt_raw.c \
	tests/net/attempt_step.c tests/net/attempt_stream.c tests/net/attempt_table.c \
	tests/net/attempt_xdp.c
tests_net_peer_SOURCES = tests/net/peer.c

NET_TESTS = \
	tests/net/purity.sh \
	tests/net/escapes.sh tests/net/escapes_xt.sh \
	tests/net/cases_A.sh \
	tests/net/cases_B.sh \
	tests/net/cases_C.sh \
	tests/net/cases_D.sh \
	tests/net/cases_E.sh \
	tests/net/cases_F.sh \
	tests/net/cases_L.sh \
	tests/net/cidr_list.sh \
	tests/net/concurrent.sh \
	tests/net/gvisor.sh \
	tests/net/harness.sh \
	tests/net/kill_anywhere.sh \
	tests/net/kill_filter.sh \
	tests/net/apply.sh \
	tests/net/filter.sh \
	tests/net/filter_unaware.sh \
	tests/net/filter_instances.sh \
	tests/net/shared_users.sh \
	tests/net/filter_log.sh \
	tests/net/filter_whole.sh \
	tests/net/guard.sh \
	tests/net/filter_between.sh tests/net/impostor.sh \
	tests/net/clients.sh \
	tests/net/hosts_remembered.sh \
	tests/net/leftovers.sh \
	tests/net/log.sh \
	tests/net/log_summary.sh \
	tests/net/loopback.sh tests/net/loopback_xt.sh \
	tests/net/messages.sh \
	tests/net/published.sh tests/net/published_xt.sh \
	tests/net/released.sh \
	tests/net/sockets.sh \
	tests/net/states.sh \
	tests/net/sockets_marked.sh \
	tests/net/static_root.sh \
	tests/net/strict.sh tests/net/strict_xt.sh \
	tests/net/xt.sh
if ENABLE_TESTS
# It is put into a root that has nothing else; the sanitizers' libraries are no archives. In a static build it is so
# already.
check_PROGRAMS += tests/net/raw_socket
tests_net_raw_socket_SOURCES = tests/net/raw_socket.c
tests_net_raw_socket_LDFLAGS = $(AM_LDFLAGS)
if !ENABLE_SANITIZERS
if !ENABLE_STATIC
tests_net_raw_socket_LDFLAGS += -static
endif
endif
check_PROGRAMS += tests/lib/far tests/net/attempt tests/net/peer tests/net/fake_filter
tests_net_fake_filter_SOURCES = tests/net/fake_filter.c
tests_net_fake_filter_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_net_fake_filter_LDADD = $(JANSSON_LIBS)
TESTS += $(NET_TESTS)
endif
EXTRA_DIST += $(NET_TESTS) \
	tests/lib/world.sh tests/lib/static.sh tests/lib/gvisor.sh tests/net/filter_lib.sh tests/net/cases.sh \
	tests/net/dns.sh tests/net/kill_calls.sh tests/net/naive.nft \
	tests/net/escapes.table tests/net/escapes_controls.sh \
	tests/net/attempt_pasta.sh tests/net/attempt_slirp.sh \
	tests/net/escapes_early.sh tests/net/escapes_rows.sh tests/net/escapes_try.sh tests/net/escapes_worlds.sh \
	tests/net/answer_names.py tests/net/stream_tool.sh tests/net/stream_tool.py tests/net/strict_tool.py

include tests/net/resolver.mk
include tests/net/kernel.mk
include tests/net/system.mk
include tests/net/doctor.mk
