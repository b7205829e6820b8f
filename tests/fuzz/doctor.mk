# tests/fuzz/doctor.mk: what doctor reads, some of which others may have written.
if ENABLE_FUZZER
noinst_PROGRAMS += tests/fuzz/fuzz_proc
tests_fuzz_fuzz_proc_SOURCES = tests/fuzz/fuzz_proc.c
tests_fuzz_fuzz_proc_LDADD = $(DOCTOR_LIBS)
tests_fuzz_fuzz_proc_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += \
	tests/fuzz/seeds/proc/accounts tests/fuzz/seeds/proc/doas tests/fuzz/seeds/proc/inet tests/fuzz/seeds/proc/locks \
	tests/fuzz/seeds/proc/mounts tests/fuzz/seeds/proc/nsswitch tests/fuzz/seeds/proc/status \
	tests/fuzz/seeds/proc/sudoers tests/fuzz/seeds/proc/unix
