# tests/net/doctor.mk: what doctor finds, and that it leaves all as it was.
if ENABLE_TESTS
check_PROGRAMS += tests/net/lacking
tests_net_lacking_SOURCES = src/egressfw.c tests/net/lacking.c
tests_net_lacking_LDADD = $(egressfw_LDADD)
tests_net_lacking_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=nft_open,--wrap=nft_transact,--wrap=send,--wrap=uname,--wrap=xt_open,--wrap=close_range
TESTS += tests/net/doctor.sh tests/net/doctor_filter.sh tests/net/doctor_flood.sh tests/net/doctor_kernel.sh
endif
EXTRA_DIST += tests/net/doctor.sh tests/net/doctor_filter.sh tests/net/doctor_flood.sh tests/net/doctor_kernel.sh tests/net/doctor_lib.sh
