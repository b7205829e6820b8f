# tests/bench/resolver.mk: what resolving costs.
if ENABLE_TESTS
BENCHES += tests/bench/resolve_bench
tests_bench_resolve_bench_SOURCES = \
	tests/bench/resolve_bench.c \
	tests/net/resolver_world.c tests/net/resolver_world.h
tests_bench_resolve_bench_LDADD = $(SYSTEM_LIBS)
# It runs the server, which nothing else of the benches builds.
EXTRA_tests_bench_resolve_bench_DEPENDENCIES = tests/net/dns_stub$(EXEEXT)
endif
