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

bench: egressfw$(EXEEXT) $(BENCHES)
	$(srcdir)/tests/bench/run --egressfw ./egressfw --programs tests/bench $(BENCH_FLAGS)
.PHONY: bench
endif
EXTRA_DIST += tests/bench/run tests/bench/delayed_dns tests/bench/usual.sh

include tests/bench/resolver.mk
