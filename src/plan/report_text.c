/* report_text.c: a report as a few aligned lines for people. */
#include "plan/report.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL_WIDTH = 13 };

/* Appends text that may come from anywhere; control characters could steer a terminal. */
static void print_safely(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		uint8_t byte = (uint8_t)*text;

		buffer_append_u8(out, byte < ' ' || byte >= 0x7f ? '?' : byte);
	}
}

static void label(struct buffer *out, const char *name)
{
	buffer_printf(out, "  %-*s ", LABEL_WIDTH, name);
}

static void line(struct buffer *out, const char *name, const char *text)
{
	label(out, name);
	print_safely(out, text);
	buffer_append_text(out, "\n");
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void print_confined(const struct report *report, struct buffer *out)
{
	const struct rangeset *wanted = report->confined, *standing = report->standing;

	if (!wanted || !wanted->count)
		return;
	label(out, "confined");
	if (report->altered) {
		buffer_append_text(out, "unknown, for the rules were altered; wanted: ");
	} else if (report->table_missing || (standing && !standing->count)) {
		buffer_append_text(out, "nobody; wanted: ");
	} else if (standing && !rangeset_equal(standing, wanted)) {
		buffer_append_text(out, "uid ");
		rangeset_print(standing, out);
		buffer_append_text(out, "; wanted: ");
	}
	buffer_append_text(out, "uid ");
	rangeset_print(wanted, out);
	buffer_append_text(out, "\n");
}

static void print_policy(const struct report *report, struct buffer *out)
{
	if (report->policy_path) {
		label(out, "policy");
		print_safely(out, strcmp(report->policy_path, "-") ? report->policy_path
								   : "standard input");
		if (report->policy)
			buffer_printf(out, ", network_mode %s",
				      network_mode_name(report->policy->mode));
		if (report->policy && report->policy->mode != MODE_PUBLIC)
			buffer_printf(out, ", enforcement %s",
				      enforcement_name(policy_enforcement(report->policy)));
		buffer_append_text(out, "\n");
	}
	print_confined(report, out);
	if (report->released && report->released->count) {
		label(out, "released");
		buffer_append_text(out, "uid ");
		rangeset_print(report->released, out);
		buffer_append_text(out, "\n");
	}
}

static void print_addresses(const struct addresses *addresses, bool refused, struct buffer *out)
{
	for (size_t i = 0; i < addresses->count; i++) {
		const char *special = address_special(&addresses->items[i]);
		char text[ADDRESS_TEXT_SIZE];

		buffer_printf(out, "%s%s", i ? ", " : "",
			      address_format(&addresses->items[i], text));
		if (refused && special)
			buffer_printf(out, " (%s)", special);
	}
}

static void print_names(const struct resolved *resolved, struct buffer *out)
{
	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *item = &resolved->items[i];

		label(out, "name");
		print_safely(out, item->name);
		buffer_append_text(out, " = ");
		if (item->status == RESOLVE_FOUND)
			print_addresses(&item->found, false, out);
		else
			buffer_append_text(out, resolve_status_name(item->status));
		if (item->refused.count) {
			buffer_append_text(out, "; refused: ");
			print_addresses(&item->refused, true, out);
		}
		buffer_append_text(out, "\n");
	}
}

static void print_table(const struct report *report, struct buffer *out)
{
	const struct ruleset *ruleset = report->ruleset;
	struct report_counts counts = report_count(ruleset);
	/* What stands may have others: the findings say how it differs. */
	bool planned = report->findings && findings_count_differences(report->findings) &&
		       !report->table_missing;

	label(out, planned ? "planned" : "table");
	buffer_printf(out, "%s%s ", planned ? "table " : "", table_family_name(ruleset->family));
	print_safely(out, ruleset->table);
	if (report->table_missing) {
		buffer_append_text(out, ": missing\n");
		return;
	}
	buffer_printf(out, ": %zu set%s with %zu element%s, %zu rule%s, refused packets are %s\n",
		      counts.sets, plural(counts.sets), counts.elements, plural(counts.elements),
		      counts.rules, plural(counts.rules), counts.log ? "logged" : "not logged");
}

static void print_target(const struct address_port *target, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];
	bool brackets = target->address.family == FAMILY_IPV6;

	buffer_printf(out, "%s%s%s:%u", brackets ? "[" : "", address_format(&target->address, text),
		      brackets ? "]" : "", target->port);
}

static void print_filter(const struct report *report, struct buffer *out)
{
	const struct filter_plan *filter = report->filter;

	label(out, "filter");
	buffer_printf(out, "uid %" PRIu32 " at ", filter->uid);
	for (size_t i = 0; i < filter->listen.count; i++) {
		buffer_append_text(out, i ? ", " : "");
		print_target(&filter->listen.items[i], out);
	}
	buffer_append_text(out, ", log ");
	print_safely(out, filter->log);
	buffer_printf(out, "%s%s\n", report->filter_state ? ": " : "",
		      report->filter_state ? report->filter_state : "");
}

static void print_filter_log(const struct filter_plan *filter, struct buffer *out)
{
	uint64_t most = (uint64_t)(filter->log_files + 1) * FILTER_LOG_SIZE_DEFAULT;

	label(out, "log");
	buffer_printf(out, "at most %" PRIu64 " MiB in %u files; where they are full %s\n",
		      most / (1024 * 1024), filter->log_files + 1U,
		      filter->log_full == LOG_FULL_REFUSE ? "everything is refused"
							  : "the oldest is dropped");
}

static void print_machine(const struct report *report, struct buffer *out)
{
	if (report->backend == REPORT_BACKEND_XT)
		line(out, "back end", "xt: as chains in the table \"filter\" of legacy xtables");
	if (report->ipv6 != REPORT_IPV6_UNKNOWN)
		line(out, "ipv6", report_ipv6_name(report->ipv6));
	if (report->hosts != REPORT_HOSTS_UNKNOWN) {
		label(out, "hosts file");
		print_safely(out, report->hosts_file ? report->hosts_file : "");
		buffer_printf(out, "%s%s\n", report->hosts_file ? ": " : "",
			      report_hosts_name(report->hosts));
	}
	if (report->sockets) {
		label(out, "sockets");
		buffer_printf(out, "%zu ended, %zu could not be ended\n", report->sockets->ended,
			      report->sockets->left);
	}
	if (report->capabilities != REPORT_CAPABILITIES_UNKNOWN)
		line(out, "capabilities",
		     report->capabilities == REPORT_CAPABILITIES_DROPPED
			     ? "dropped from every set"
			     : "dropped, bounding set left");
}

static void print_probe(const struct probe_result *result, struct buffer *out)
{
	const char *name = result->errnum ? strerrorname_np(result->errnum) : NULL;

	label(out, "probe");
	buffer_printf(out, "%-12s %s uid %" PRIu32 " to ", probe_outcome_name(result->outcome),
		      probe_protocol_name(result->probe.protocol), result->probe.uid);
	print_target(&result->probe.target, out);
	buffer_printf(out, " (%s", result->timed_out ? "timed out" : name ? name : "no error");
	if (result->not_routed)
		buffer_append_text(out, ", not routed");
	buffer_printf(out, ", %" PRIu64 ".%03u ms, counter +%" PRIu64 ", proof: %s",
		      result->elapsed_us / 1000, (unsigned)(result->elapsed_us % 1000),
		      result->counter_rise, probe_proof_name(result->proof));
	if (result->controlled)
		buffer_printf(out, ", unconfined: %s",
			      result->control_connected ? "connected" : "not connected");
	buffer_append_text(out, ")\n");
}

static void print_canary(const struct report *report, struct buffer *out)
{
	const struct probe_results *results = report->results;

	for (size_t i = 0; i < results->count; i++)
		print_probe(&results->items[i], out);
	label(out, "canary");
	buffer_printf(out, "%s: ", probe_outcome_name(probe_results_verdict(results)));
	probe_results_print_counts(results, out);
	buffer_append_text(out, "\n");
	if (report->no_log_group && *report->no_log_group) {
		label(out, "");
		buffer_append_text(out, "only counters could be proof: ");
		print_safely(out, report->no_log_group);
		buffer_append_text(out, "\n");
	}
}

static void print_findings(const struct findings *findings, struct buffer *out)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		label(out, finding_is_warning(finding->kind) ? "warning" : "difference");
		buffer_printf(out, "%s: ", finding_name(finding->kind));
		print_safely(out, finding->object);
		buffer_append_text(out, ": ");
		print_safely(out, finding->detail);
		buffer_append_text(out, "\n");
	}
}

void report_text(const struct report *report, struct buffer *out)
{
	buffer_printf(out, "egressfw %s%s%s\n", report->command,
		      *report->instance ? " --name " : "", report->instance);
	print_policy(report, out);
	if (report->resolved)
		print_names(report->resolved, out);
	if (report->ruleset && report->ruleset->chain_count)
		print_table(report, out);
	if (report->filter) {
		print_filter(report, out);
		print_filter_log(report->filter, out);
	}
	print_machine(report, out);
	if (report->results)
		print_canary(report, out);
	if (report->findings)
		print_findings(report->findings, out);
	for (size_t i = 0; i < report->note_count; i++)
		line(out, "note", report->notes[i]);
	if (report->error)
		line(out, "error", report->error);
	if (report->state)
		line(out, "state", report->state);
}
