/* report_json.c: a report as one JSON object; contrib/report.schema.json says what is in it. */
#include "plan/report.h"

#include "base/memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Every value goes through here, so that none can be missing for want of memory. */
static json_t *have(json_t *value)
{
	if (!value)
		memory_exhausted();
	return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, have(value)) != 0)
		memory_exhausted();
}

static void append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, have(value)) != 0)
		memory_exhausted();
}

/* Bytes that are no ASCII text become "?": paths and kernel objects may be in any encoding. */
static json_t *string(const char *text)
{
	autofree char *copy = NULL;

	if (!text)
		return json_null();
	copy = memory_copy_string(text);
	for (char *c = copy; *c; c++)
		if ((uint8_t)*c >= 0x7f)
			*c = '?';
	return json_string(copy);
}

static json_t *address(const struct address *value)
{
	char text[ADDRESS_TEXT_SIZE];

	return json_string(address_format(value, text));
}

static json_t *ranges(const struct rangeset *set_of_ranges)
{
	json_t *array = have(json_array());

	for (size_t i = 0; set_of_ranges && i < set_of_ranges->count; i++) {
		const struct range *range = &set_of_ranges->items[i];

		append(array, json_pack("{s:I, s:I}", "first", (json_int_t)range->first, "last",
					(json_int_t)range->last));
	}
	return array;
}

static json_t *found_addresses(const struct addresses *addresses)
{
	json_t *array = have(json_array());

	for (size_t i = 0; i < addresses->count; i++)
		append(array, address(&addresses->items[i]));
	return array;
}

static json_t *refused_addresses(const struct addresses *addresses)
{
	json_t *array = have(json_array());

	for (size_t i = 0; i < addresses->count; i++)
		append(array, json_pack("{s:o, s:o}", "address", address(&addresses->items[i]),
					"special", string(address_special(&addresses->items[i]))));
	return array;
}

static json_t *names(const struct resolved *resolved)
{
	json_t *array = have(json_array());

	for (size_t i = 0; resolved && i < resolved->count; i++) {
		const struct resolved_name *item = &resolved->items[i];

		append(array, json_pack("{s:o, s:s, s:o, s:o}", "name", string(item->name),
					"status", resolve_status_name(item->status), "addresses",
					found_addresses(&item->found), "refused",
					refused_addresses(&item->refused)));
	}
	return array;
}

static json_t *table(const struct ruleset *ruleset)
{
	struct report_counts counts;

	if (!ruleset || !ruleset->chain_count)
		return json_null();
	counts = report_count(ruleset);
	return json_pack("{s:o, s:s, s:o, s:I, s:I, s:I, s:b}", "name", string(ruleset->table),
			 "family", table_family_name(ruleset->family), "digest",
			 string(ruleset->comment), "sets", (json_int_t)counts.sets, "elements",
			 (json_int_t)counts.elements, "rules", (json_int_t)counts.rules, "log",
			 counts.log);
}

static json_t *filter(const struct report *report)
{
	const struct filter_plan *plan = report->filter;
	json_t *listen;

	if (!plan)
		return json_null();
	listen = have(json_array());
	for (size_t i = 0; i < plan->listen.count; i++) {
		char text[ADDRESS_PORT_TEXT_SIZE];

		append(listen, json_string(address_port_format(&plan->listen.items[i], text)));
	}
	return json_pack("{s:I, s:o, s:o, s:i, s:s, s:s, s:o, s:o}", "uid", (json_int_t)plan->uid,
			 "listen", listen, "log", string(plan->log), "log_files", plan->log_files,
			 "log_full", log_full_name(plan->log_full), "denial",
			 denial_name(plan->denial), "program", string(plan->program), "state",
			 string(report->filter_state));
}

static json_t *hosts(const struct report *report)
{
	if (report->hosts == REPORT_HOSTS_UNKNOWN)
		return json_null();
	return json_pack("{s:o, s:s}", "file", string(report->hosts_file), "state",
			 report_hosts_name(report->hosts));
}

static json_t *sockets(const struct report_sockets *counted)
{
	if (!counted)
		return json_null();
	return json_pack("{s:I, s:I}", "ended", (json_int_t)counted->ended, "left",
			 (json_int_t)counted->left);
}

static json_t *findings(const struct findings *all)
{
	json_t *array;

	if (!all)
		return json_null();
	array = have(json_array());
	for (size_t i = 0; i < all->count; i++) {
		const struct finding *finding = &all->items[i];

		append(array,
		       json_pack("{s:s, s:b, s:o, s:o}", "kind", finding_name(finding->kind),
				 "warning", finding_is_warning(finding->kind), "object",
				 string(finding->object), "detail", string(finding->detail)));
	}
	return array;
}

static json_t *errno_name(int errnum)
{
	return errnum ? string(strerrorname_np(errnum)) : json_null();
}

static json_t *control(const struct probe_result *result)
{
	if (!result->controlled)
		return json_null();
	return json_pack("{s:b, s:o}", "connected", result->control_connected, "errno",
			 errno_name(result->control_errnum));
}

static json_t *probe(const struct probe_result *result)
{
	const struct probe *probe = &result->probe;

	return json_pack("{s:o, s:i, s:s, s:I, s:s, s:s, s:s, s:o, s:b, s:b, s:I, s:I, s:o}",
			 "address", address(&probe->target.address), "port", probe->target.port,
			 "protocol", probe_protocol_name(probe->protocol), "uid",
			 (json_int_t)probe->uid, "origin", probe_origin_name(probe->origin),
			 "outcome", probe_outcome_name(result->outcome), "proof",
			 probe_proof_name(result->proof), "errno", errno_name(result->errnum),
			 "timed_out", result->timed_out, "not_routed", result->not_routed,
			 "elapsed_us", (json_int_t)result->elapsed_us, "counter_rise",
			 (json_int_t)result->counter_rise, "control", control(result));
}

static json_t *canary(const struct report *report)
{
	bool no_log_group = report->no_log_group && *report->no_log_group;
	json_t *probes;

	if (!report->results)
		return json_null();
	probes = have(json_array());
	for (size_t i = 0; i < report->results->count; i++)
		append(probes, probe(&report->results->items[i]));
	return json_pack("{s:s, s:o, s:o}", "verdict",
			 probe_outcome_name(probe_results_verdict(report->results)), "no_log_group",
			 string(no_log_group ? report->no_log_group : NULL), "probes", probes);
}

static json_t *notes(const struct report *report)
{
	json_t *array = have(json_array());

	for (size_t i = 0; i < report->note_count; i++)
		append(array, string(report->notes[i]));
	return array;
}

static const char *or_null(bool known, const char *name)
{
	return known ? name : NULL;
}

void report_json(const struct report *report, struct buffer *out)
{
	const struct policy *policy = report->policy;
	json_t *object = have(json_object());
	char *text;

	set(object, "command", string(report->command));
	set(object, "instance", string(report->instance));
	set(object, "policy", string(report->policy_path));
	set(object, "network_mode", string(policy ? network_mode_name(policy->mode) : NULL));
	set(object, "enforcement",
	    string(policy && policy->mode != MODE_PUBLIC
			   ? enforcement_name(policy_enforcement(policy))
			   : NULL));
	set(object, "confined",
	    ranges(report->table_missing || report->altered ? NULL
		   : report->standing                       ? report->standing
							    : report->confined));
	set(object, "released", ranges(report->released));
	set(object, "names", names(report->resolved));
	set(object, "table", table(report->table_missing ? NULL : report->ruleset));
	set(object, "backend",
	    string(or_null(report->backend != REPORT_BACKEND_UNKNOWN,
			   report_backend_name(report->backend))));
	set(object, "filter", filter(report));
	set(object, "ipv6",
	    string(or_null(report->ipv6 != REPORT_IPV6_UNKNOWN, report_ipv6_name(report->ipv6))));
	set(object, "hosts", hosts(report));
	set(object, "sockets", sockets(report->sockets));
	set(object, "findings", findings(report->findings));
	set(object, "canary", canary(report));
	set(object, "capabilities",
	    string(or_null(report->capabilities != REPORT_CAPABILITIES_UNKNOWN,
			   report_capabilities_name(report->capabilities))));
	set(object, "notes", notes(report));
	set(object, "error", string(report->error));
	set(object, "exit_status", json_integer(report->exit_status));
	set(object, "state", string(report->state));
	text = json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
	json_decref(object);
	if (!text)
		memory_exhausted();
	buffer_append_text(out, text);
	buffer_append_text(out, "\n");
	free(text);
}
