# src/kernel: see HACKING for what the folder holds.
noinst_LIBRARIES += libkernel.a
libkernel_a_CFLAGS = $(AM_CFLAGS) $(MNL_CFLAGS) $(NFTNL_CFLAGS)
libkernel_a_SOURCES =
KERNEL_LIBS = libkernel.a $(PLAN_LIBS) $(NFTNL_LIBS) $(MNL_LIBS)
