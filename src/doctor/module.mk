# src/doctor: what doctor asks, and what the machine's own texts answer; pure.
noinst_LIBRARIES += libdoctor.a
libdoctor_a_CFLAGS = $(PURE_CFLAGS) $(JANSSON_CFLAGS)
libdoctor_a_SOURCES = \
	src/doctor/checks.c src/doctor/checks.h \
	src/doctor/diagnosis.c src/doctor/diagnosis.h \
	src/doctor/diagnosis_json.c \
	src/doctor/diagnosis_text.c \
	src/doctor/accounts.c src/doctor/accounts.h \
	src/doctor/channels.c src/doctor/channels.h \
	src/doctor/mounts.c src/doctor/mounts.h \
	src/doctor/name_services.c src/doctor/name_services.h \
	src/doctor/proc_locks.c src/doctor/proc_locks.h \
	src/doctor/proc_net.c src/doctor/proc_net.h \
	src/doctor/proc_status.c src/doctor/proc_status.h \
	src/doctor/request_key.c src/doctor/request_key.h \
	src/doctor/rights.c src/doctor/rights.h \
	src/doctor/unix_sockets.c src/doctor/unix_sockets.h \
	src/doctor/words.c src/doctor/words.h
DOCTOR_LIBS = libdoctor.a libbase.a $(JANSSON_LIBS)
