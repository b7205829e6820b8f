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

static json_t *integer(uint64_t number)
{
	return json_integer((json_int_t)number);
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
		json_t *range = have(json_object());

		set(range, "first", integer(set_of_ranges->items[i].first));
		set(range, "last", integer(set_of_ranges->items[i].last));
		append(array, range);
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

	for (size_t i = 0; i < addresses->count; i++) {
		json_t *refused = have(json_object());

		set(refused, "address", address(&addresses->items[i]));
		set(refused, "special", string(address_special(&addresses->items[i])));
		append(array, refused);
	}
	return array;
}

static json_t *names(const struct resolved *resolved)
{
	json_t *array = have(json_array());

	for (size_t i = 0; resolved && i < resolved->count; i++) {
		const struct resolved_name *item = &resolved->items[i];
		json_t *name = have(json_object());

		set(name, "name", string(item->name));
		set(name, "status", string(resolve_status_name(item->status)));
		set(name, "addresses", found_addresses(&item->found));
		set(name, "refused", refused_addresses(&item->refused));
		append(array, name);
	}
	return array;
}

static json_t *table(const struct ruleset *ruleset)
{
	struct report_counts counts;
	json_t *object;

	if (!ruleset || !ruleset->chain_count)
		return json_null();
	counts = report_count(ruleset);
	object = have(json_object());
	set(object, "name", string(ruleset->table));
	set(object, "family", string(table_family_name(ruleset->family)));
	set(object, "digest", string(ruleset->comment));
	set(object, "sets", integer(counts.sets));
	set(object, "elements", integer(counts.elements));
	set(object, "rules", integer(counts.rules));
	set(object, "log", json_boolean(counts.log));
	return object;
}

static json_t *filter(const struct report *report)
{
	const struct filter_plan *plan = report->filter;
	json_t *object, *listen;

	if (!plan)
		return json_null();
	object = have(json_object());
	listen = have(json_array());
	for (size_t i = 0; i < plan->listen.count; i++) {
		char text[ADDRESS_PORT_TEXT_SIZE];

		append(listen, json_string(address_port_format(&plan->listen.items[i], text)));
	}
	set(object, "uid", integer(plan->uid));
	set(object, "listen", listen);
	set(object, "log", string(plan->log));
	set(object, "log_files", json_integer(plan->log_files));
	set(object, "log_full", json_string(log_full_name(plan->log_full)));
	set(object, "denial", json_string(denial_name(plan->denial)));
	set(object, "program", string(plan->program));
	set(object, "state", string(report->filter_state));
	return object;
}

static json_t *hosts(const struct report *report)
{
	json_t *object;

	if (report->hosts == REPORT_HOSTS_UNKNOWN)
		return json_null();
	object = have(json_object());
	set(object, "file", string(report->hosts_file));
	set(object, "state", string(report_hosts_name(report->hosts)));
	return object;
}

static json_t *sockets(const struct report_sockets *counted)
{
	json_t *object;

	if (!counted)
		return json_null();
	object = have(json_object());
	set(object, "ended", integer(counted->ended));
	set(object, "left", integer(counted->left));
	return object;
}

static json_t *findings(const struct findings *all)
{
	json_t *array;

	if (!all)
		return json_null();
	array = have(json_array());
	for (size_t i = 0; i < all->count; i++) {
		json_t *finding = have(json_object());

		set(finding, "kind", string(finding_name(all->items[i].kind)));
		set(finding, "warning", json_boolean(finding_is_warning(all->items[i].kind)));
		set(finding, "object", string(all->items[i].object));
		set(finding, "detail", string(all->items[i].detail));
		append(array, finding);
	}
	return array;
}

static json_t *errno_name(int errnum)
{
	return errnum ? string(strerrorname_np(errnum)) : json_null();
}

static json_t *control(const struct probe_result *result)
{
	json_t *object;

	if (!result->controlled)
		return json_null();
	object = have(json_object());
	set(object, "connected", json_boolean(result->control_connected));
	set(object, "errno", errno_name(result->control_errnum));
	return object;
}

static json_t *probe(const struct probe_result *result)
{
	json_t *object = have(json_object());

	set(object, "address", address(&result->probe.target.address));
	set(object, "port", integer(result->probe.target.port));
	set(object, "protocol", string(probe_protocol_name(result->probe.protocol)));
	set(object, "uid", integer(result->probe.uid));
	set(object, "origin", string(probe_origin_name(result->probe.origin)));
	set(object, "outcome", string(probe_outcome_name(result->outcome)));
	set(object, "proof", string(probe_proof_name(result->proof)));
	set(object, "errno", errno_name(result->errnum));
	set(object, "timed_out", json_boolean(result->timed_out));
	set(object, "not_routed", json_boolean(result->not_routed));
	set(object, "elapsed_us", integer(result->elapsed_us));
	set(object, "counter_rise", integer(result->counter_rise));
	set(object, "control", control(result));
	return object;
}

static json_t *canary(const struct report *report)
{
	bool no_log_group = report->no_log_group && *report->no_log_group;
	json_t *object, *probes;

	if (!report->results)
		return json_null();
	object = have(json_object());
	probes = have(json_array());
	for (size_t i = 0; i < report->results->count; i++)
		append(probes, probe(&report->results->items[i]));
	set(object, "verdict", string(probe_outcome_name(probe_results_verdict(report->results))));
	set(object, "no_log_group", no_log_group ? string(report->no_log_group) : json_null());
	set(object, "probes", probes);
	return object;
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
