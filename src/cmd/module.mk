# src/cmd: one file per command, nothing but the order of the steps and the printing.
noinst_LIBRARIES += libcmd.a
libcmd_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MD_CFLAGS)
libcmd_a_SOURCES = \
	src/cmd/apply.c src/cmd/apply.h \
	src/cmd/apply_commit.c \
	src/cmd/apply_filter.c \
	src/cmd/apply_hosts.c \
	src/cmd/apply_route.c \
	src/cmd/canary.c \
	src/cmd/check.c \
	src/cmd/close_first.c src/cmd/close_first.h \
	src/cmd/doctor.c \
	src/cmd/doctor_kernel.c src/cmd/doctor_kernel.h \
	src/cmd/doctor_kernel_checks.c \
	src/cmd/env.c \
	src/cmd/failure.c src/cmd/failure.h \
	src/cmd/filter_compare.c \
	src/cmd/filter_conflict.c src/cmd/filter_conflict.h \
	src/cmd/filter_holder.c src/cmd/filter_holder.h \
	src/cmd/filter_plans.c src/cmd/filter_plans.h \
	src/cmd/filter_possible.c src/cmd/filter_possible.h \
	src/cmd/filter_run.c src/cmd/filter_run.h \
	src/cmd/filter_settings.c src/cmd/filter_settings.h \
	src/cmd/filter_theirs.c src/cmd/filter_theirs.h \
	src/cmd/firewall.c src/cmd/firewall.h \
	src/cmd/firewall_count.c \
	src/cmd/firewall_read.c \
	src/cmd/firewall_others.c src/cmd/firewall_others.h \
	src/cmd/firewall_open.c src/cmd/firewall_open.h \
	src/cmd/log.c \
	src/cmd/log_names.c src/cmd/log_names.h \
	src/cmd/log_set.c src/cmd/log_set.h \
	src/cmd/log_summary.c src/cmd/log_summary.h \
	src/cmd/need.c src/cmd/need.h \
	src/cmd/option_rows.c src/cmd/option_rows.h \
	src/cmd/options.c src/cmd/options.h \
	src/cmd/plan.c \
	src/cmd/plan_list.c src/cmd/plan_list.h \
	src/cmd/remove.c \
	src/cmd/reporting.c src/cmd/reporting.h \
	src/cmd/run.c \
	src/cmd/session.c src/cmd/session.h \
	src/cmd/session_users.c \
	src/cmd/session_filter.c \
	src/cmd/session_hosts.c \
	src/cmd/session_shared.c \
	src/cmd/undo.c src/cmd/undo.h \
	src/cmd/usage.c src/cmd/usage.h \
	src/cmd/verify.c src/cmd/verify.h \
	src/cmd/verify_text.c \
	src/cmd/verify_alone.c src/cmd/verify_alone.h \
	src/cmd/verify_options.c src/cmd/verify_options.h \
	src/cmd/verify_users.c src/cmd/verify_users.h \
	src/cmd/witness.c src/cmd/witness.h
sbin_PROGRAMS += egressfw
egressfw_SOURCES = src/egressfw.c
if ENABLE_STATIC
egressfw_SOURCES += src/no_name_services.c
endif
egressfw_LDFLAGS = $(AM_LDFLAGS) $(STRIP_LDFLAGS)
egressfw_LDADD = libcmd.a libkernel.a librehearsal.a libsettings.a $(SYSTEM_LIBS)
