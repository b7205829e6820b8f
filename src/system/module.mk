# src/system: see HACKING for what the folder holds.
noinst_LIBRARIES += libsystem.a
libsystem_a_CFLAGS = $(AM_CFLAGS) $(CARES_CFLAGS) $(CAP_CFLAGS) $(SECCOMP_CFLAGS)
DOCTOR_SOURCES = \
	src/system/child_answer.c src/system/child_answer.h \
	src/system/doctor.c src/system/doctor.h \
	src/system/doctor_devices.c \
	src/system/doctor_filter.c \
	src/system/doctor_keys.c \
	src/system/doctor_loopback.c \
	src/system/doctor_machine.c \
	src/system/doctor_names.c \
	src/system/doctor_process.c \
	src/system/doctor_programs.c \
	src/system/doctor_rights.c \
	src/system/doctor_sockets.c src/system/doctor_sockets.h \
	src/system/doctor_sockets_find.c \
	src/system/doctor_walk.c src/system/doctor_walk.h \
	src/system/subject.c src/system/subject.h \
	src/system/subject_may.c
SYSTEM_SOURCES = \
	src/system/become_user.c src/system/become_user.h \
	src/system/colon_fields.c src/system/colon_fields.h \
	src/system/descriptor.c src/system/descriptor.h \
	src/system/environment.c src/system/environment.h \
	src/system/execute.c src/system/execute.h \
	src/system/filter_ask.c \
	src/system/filter_log.c src/system/filter_log.h \
	src/system/filter_process.c src/system/filter_process.h \
	src/system/filter_known.c \
	src/system/filter_program.c \
	src/system/path_walk.c src/system/path_walk.h \
	src/system/hosts_file.c src/system/hosts_file.h \
	src/system/hosts_note.c src/system/hosts_note.h \
	src/system/hosts_open.c src/system/hosts_open.h \
	src/system/hosts_path.c src/system/hosts_path.h \
	src/system/hosts_rewrite.c src/system/hosts_rewrite.h \
	src/system/identity.c src/system/identity.h \
	src/system/lock_holder.c src/system/lock_holder.h \
	src/system/loopback.c src/system/loopback.h \
	src/system/policy_file.c src/system/policy_file.h \
	src/system/process.c src/system/process.h \
	src/system/preflight.c src/system/preflight.h \
	src/system/privilege.c src/system/privilege.h \
	src/system/privilege_ids.c \
	src/system/probe_attempt.c src/system/probe_attempt.h \
	src/system/probe_child.c src/system/probe_child.h \
	src/system/probe_run.c src/system/probe_run.h \
	src/system/run_init.c src/system/run_init.h \
	src/system/seccomp_filter.c src/system/seccomp_filter.h \
	src/system/socket_process.c src/system/socket_process.h \
	src/system/state.c src/system/state.h src/system/state_parts.h \
	src/system/state_files.c \
	src/system/state_instances.c \
	src/system/account_index.c src/system/user_files.c src/system/user_files.h \
	src/system/user_processes.c src/system/user_processes.h \
	src/system/users.c src/system/users.h \
	src/system/users_exempt.c \
	src/system/working_directory.c src/system/working_directory.h
RESOLVER_SOURCES = \
	src/system/resolver.c src/system/resolver.h \
	src/system/resolver_child.c src/system/resolver_child.h \
	src/system/resolver_config.c src/system/resolver_config.h \
	src/system/resolver_explain.c src/system/resolver_explain.h \
	src/system/resolver_lookup.c src/system/resolver_lookup.h \
	src/system/dns_name.c src/system/dns_name.h \
	src/system/resolver_message.c src/system/resolver_message.h \
	src/system/resolver_ask.c src/system/resolver_ask.h \
	src/system/resolver_question.c src/system/resolver_question.h \
	src/system/resolver_sockets.c src/system/resolver_sockets.h \
	src/system/resolver_transport.c src/system/resolver_transport.h
libsystem_a_SOURCES = $(DOCTOR_SOURCES) $(SYSTEM_SOURCES) $(RESOLVER_SOURCES)
SYSTEM_LIBS = libsystem.a libdoctor.a $(PLAN_LIBS) $(CARES_LIBS) $(CAP_LIBS) $(SECCOMP_LIBS)
