# src/system: see HACKING for what the folder holds.
noinst_LIBRARIES += libsystem.a
libsystem_a_CFLAGS = $(AM_CFLAGS) $(CARES_CFLAGS) $(CAP_CFLAGS)
SYSTEM_SOURCES = \
	src/system/privilege.c src/system/privilege.h
RESOLVER_SOURCES =
libsystem_a_SOURCES = $(SYSTEM_SOURCES) $(RESOLVER_SOURCES)
SYSTEM_LIBS = libsystem.a $(PLAN_LIBS) $(CARES_LIBS) $(CAP_LIBS)
