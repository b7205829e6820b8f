# src/policy: see HACKING for what the folder holds.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_CFLAGS = $(PURE_CFLAGS) $(JANSSON_CFLAGS) $(IDN2_CFLAGS) $(PSL_CFLAGS)
libpolicy_a_SOURCES =
POLICY_LIBS = libpolicy.a libbase.a $(JANSSON_LIBS) $(IDN2_LIBS) $(PSL_LIBS)
