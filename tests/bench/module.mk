# tests/bench: what egressfw costs, every figure beside a peer; not part of `make check`.
if ENABLE_TESTS
BENCHES = tests/bench/pair tests/bench/path tests/bench/denied tests/bench/load tests/bench/raw
EXTRA_PROGRAMS += $(BENCHES)
CLEANFILES += $(BENCHES)
tests_bench_pair_SOURCES = tests/bench/pair.c
tests_bench_path_SOURCES = tests/bench/path.c
tests_bench_denied_SOURCES = tests/bench/denied.c
tests_bench_load_SOURCES = tests/bench/load.c
tests_bench_load_LDADD = $(KERNEL_LIBS) $(SYSTEM_LIBS)
tests_bench_raw_SOURCES = tests/bench/raw.c

if ENABLE_FILTER
EXTRA_PROGRAMS += tests/bench/proxy_load
CLEANFILES += tests/bench/proxy_load
tests_bench_proxy_load_SOURCES = tests/bench/proxy_load.c
FILTER_BENCHES = egressfilter$(EXEEXT) tests/bench/proxy_load tests/lib/far tests/net/attempt tests/net/dns_stub
bench-filter: $(FILTER_BENCHES)
	$(srcdir)/tests/bench/filter $(BENCH_FILTER_FLAGS)
else
bench-filter:
endif
.PHONY: bench-filter

bench: egressfw$(EXEEXT) $(BENCHES)
	$(srcdir)/tests/bench/run --egressfw ./egressfw --programs tests/bench $(BENCH_FLAGS)
	$(MAKE) $(AM_MAKEFLAGS) bench-filter
.PHONY: bench
endif
EXTRA_DIST += tests/bench/filter tests/bench/run tests/bench/delayed_dns tests/bench/usual.sh

include tests/bench/resolver.mk
