# tests/fuzz/filter.mk: what egressfilter is told.
if ENABLE_FUZZER
noinst_PROGRAMS += tests/fuzz/fuzz_settings
tests_fuzz_fuzz_settings_SOURCES = tests/fuzz/fuzz_settings.c
tests_fuzz_fuzz_settings_LDADD = $(SETTINGS_LIBS)
tests_fuzz_fuzz_settings_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += tests/fuzz/seeds/settings/everything tests/fuzz/seeds/settings/least
