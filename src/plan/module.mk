# src/plan: see HACKING for what the folder holds.
noinst_LIBRARIES += libplan.a
libplan_a_CFLAGS = $(PURE_CFLAGS) $(MD_CFLAGS) $(JANSSON_CFLAGS)
RULESET_SOURCES = \
	src/plan/judge.c src/plan/judge.h \
	src/plan/judge_statement.c src/plan/judge_statement.h \
	src/plan/ruleset.c src/plan/ruleset.h \
	src/plan/ruleset_build.c src/plan/ruleset_build.h \
	src/plan/ruleset_clients.c \
	src/plan/ruleset_chains.c \
	src/plan/ruleset_close.c src/plan/ruleset_closed.c src/plan/ruleset_shut.c \
	src/plan/ruleset_compare.c src/plan/ruleset_compare.h \
	src/plan/ruleset_compare_rules.c src/plan/ruleset_compare_rules.h \
	src/plan/ruleset_digest.c \
	src/plan/ruleset_expand.c src/plan/ruleset_expand.h \
	src/plan/ruleset_guard.c \
	src/plan/ruleset_hooks.c \
	src/plan/ruleset_lower.c src/plan/ruleset_lower.h \
	src/plan/ruleset_narrow.c src/plan/ruleset_ownerless.c \
	src/plan/ruleset_parts.c src/plan/ruleset_parts.h \
	src/plan/ruleset_plain.c src/plan/ruleset_plain.h \
	src/plan/ruleset_print.c src/plan/ruleset_print.h \
	src/plan/ruleset_print_rule.c \
	src/plan/ruleset_shared.c src/plan/ruleset_shared.h \
	src/plan/statement.c \
	src/plan/store_value.c src/plan/store_value.h
PLANNING_SOURCES = \
	src/plan/cidr_list.c src/plan/cidr_list.h \
	src/plan/cidr_list_notes.c src/plan/cidr_list_notes.h \
	src/plan/filter_environment.c src/plan/filter_environment.h \
	src/plan/filter_plan.c src/plan/filter_plan.h \
	src/plan/finding.c src/plan/finding.h \
	src/plan/hosts_block.c src/plan/hosts_block.h \
	src/plan/hosts_compare.c \
	src/plan/hosts_line.c src/plan/hosts_line.h \
	src/plan/hosts_lines.c src/plan/hosts_lines.h \
	src/plan/hosts_text.c \
	src/plan/denial.c src/plan/denial.h \
	src/plan/log_full.c src/plan/log_full.h \
	src/plan/log_summary.c src/plan/log_summary.h \
	src/plan/log_summary_json.c src/plan/log_summary_print.c \
	src/plan/named_users.c src/plan/named_users.h \
	src/plan/plan.c src/plan/plan.h \
	src/plan/plan_load_ruleset.c \
	src/plan/plan_store.c src/plan/plan_store.h \
	src/plan/plan_store_ruleset.c \
	src/plan/probe.c src/plan/probe.h \
	src/plan/report.c src/plan/report.h \
	src/plan/report_json.c \
	src/plan/report_text.c \
	src/plan/resolved.c src/plan/resolved.h \
	src/plan/resolved_store.c \
	src/plan/run_environment.c src/plan/run_environment.h
libplan_a_SOURCES = $(RULESET_SOURCES) $(PLANNING_SOURCES)
PLAN_LIBS = libplan.a $(POLICY_LIBS) $(MD_LIBS)
