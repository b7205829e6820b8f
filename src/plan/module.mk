# src/plan: see HACKING for what the folder holds.
noinst_LIBRARIES += libplan.a
libplan_a_CFLAGS = $(PURE_CFLAGS) $(MD_CFLAGS) $(JANSSON_CFLAGS)
libplan_a_SOURCES =
PLAN_LIBS = libplan.a $(POLICY_LIBS) $(MD_LIBS)
