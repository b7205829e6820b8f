# src/cmd: one file per command, nothing but the order of the steps and the printing.
noinst_LIBRARIES += libcmd.a
libcmd_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libcmd_a_SOURCES =
sbin_PROGRAMS = egressfw
egressfw_SOURCES = src/egressfw.c
egressfw_LDADD = libcmd.a libkernel.a libsystem.a $(PLAN_LIBS) $(NFTNL_LIBS) $(MNL_LIBS) $(CARES_LIBS) $(CAP_LIBS)
