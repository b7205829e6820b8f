# tests/filter: egressfilter in the test world: names, limits, hostile clients, its log.
FILTER_NET_TESTS = \
	tests/filter/connect.sh tests/filter/log.sh tests/filter/names.sh tests/filter/nobodys.sh tests/filter/program.sh \
	tests/filter/siege.sh \
	tests/filter/shares.sh tests/filter/tunnels.sh
EXTRA_DIST += $(FILTER_NET_TESTS) tests/filter/client.py tests/filter/lib.sh tests/filter/siege.py tests/filter/without_diag.py

if ENABLE_TESTS
if ENABLE_FILTER
TESTS += $(FILTER_NET_TESTS)
endif
endif
