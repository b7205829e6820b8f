# tests/net: egressfw run, and a program that tries what it must not have.
RUN_TESTS = tests/net/run.sh tests/net/run_browser.sh
EXTRA_DIST += $(RUN_TESTS)

if ENABLE_TESTS
check_PROGRAMS += tests/net/confined
tests_net_confined_SOURCES = tests/net/confined.c
TESTS += $(RUN_TESTS)
endif
