# src/plan: see HACKING for what the folder holds.
noinst_LIBRARIES += libplan.a
libplan_a_CFLAGS = $(PURE_CFLAGS) $(MD_CFLAGS) $(JANSSON_CFLAGS)
RULESET_SOURCES = \
	src/plan/ruleset.c src/plan/ruleset.h \
	src/plan/ruleset_build.c src/plan/ruleset_build.h \
	src/plan/ruleset_chains.c \
	src/plan/ruleset_digest.c \
	src/plan/ruleset_parts.c src/plan/ruleset_parts.h \
	src/plan/ruleset_print.c src/plan/ruleset_print.h \
	src/plan/ruleset_print_rule.c
libplan_a_SOURCES = $(RULESET_SOURCES)
PLAN_LIBS = libplan.a $(POLICY_LIBS) $(MD_LIBS)
