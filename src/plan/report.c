/* report.c: what a command did and saw: what follows from it, in names, counts and notes. */
#include "plan/report.h"

#include "base/memory.h"
#include "policy/port_note.h"

#include <errno.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const ipv6_names[] = {
	[REPORT_IPV6_UNKNOWN] = "unknown",
	[REPORT_IPV6_UP] = "up",
	[REPORT_IPV6_ABSENT] = "absent",
};
static_assert(sizeof(ipv6_names) / sizeof(*ipv6_names) == REPORT_IPV6_STATES,
	      "every state has a name");

static const char *const backend_names[] = {
	[REPORT_BACKEND_UNKNOWN] = "unknown",
	[REPORT_BACKEND_NFT] = "nft",
	[REPORT_BACKEND_XT] = "xt",
};
static_assert(sizeof(backend_names) / sizeof(*backend_names) == REPORT_BACKENDS,
	      "every back end has a name");

static const char *const hosts_names[] = {
	[REPORT_HOSTS_UNKNOWN] = "unknown",       [REPORT_HOSTS_WRITTEN] = "written",
	[REPORT_HOSTS_UNCHANGED] = "unchanged",   [REPORT_HOSTS_REMOVED] = "removed",
	[REPORT_HOSTS_NOT_NEEDED] = "not-needed", [REPORT_HOSTS_OFF] = "off",
	[REPORT_HOSTS_COMPARED] = "compared",
};
static_assert(sizeof(hosts_names) / sizeof(*hosts_names) == REPORT_HOSTS_STATES,
	      "every state has a name");

static const char *const capabilities_names[] = {
	[REPORT_CAPABILITIES_UNKNOWN] = "unknown",
	[REPORT_CAPABILITIES_DROPPED] = "dropped",
	[REPORT_CAPABILITIES_BOUNDING_LEFT] = "bounding-left",
};
static_assert(sizeof(capabilities_names) / sizeof(*capabilities_names) ==
		      REPORT_CAPABILITIES_STATES,
	      "every state has a name");

const char *report_ipv6_name(enum report_ipv6 state)
{
	return ipv6_names[state];
}

const char *report_backend_name(enum report_backend backend)
{
	return backend_names[backend];
}

const char *report_hosts_name(enum report_hosts state)
{
	return hosts_names[state];
}

const char *report_capabilities_name(enum report_capabilities state)
{
	return capabilities_names[state];
}

struct report_counts report_count(const struct ruleset *ruleset)
{
	struct report_counts counts = { .sets = ruleset->set_count };

	for (size_t i = 0; i < ruleset->set_count; i++)
		counts.elements += ruleset->sets[i].keys.count;
	for (size_t i = 0; i < ruleset->chain_count; i++) {
		const struct chain *chain = &ruleset->chains[i];

		counts.rules += chain->count;
		for (size_t j = 0; j < chain->count; j++)
			for (size_t k = 0; k < chain->rules[j].count; k++)
				counts.log |= chain->rules[j].statements[k].kind == LOG;
	}
	return counts;
}

void report_add_note(struct report *report, const char *sentence)
{
	report->notes =
		memory_resize(report->notes, report->note_count + 1, sizeof(*report->notes));
	report->notes[report->note_count++] = memory_copy_string(sentence);
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->note_count; i++)
		free(report->notes[i]);
	free(report->notes);
	report->notes = NULL;
	report->note_count = 0;
}

static bool has_pins(const struct resolved *resolved, bool refused)
{
	for (size_t i = 0; resolved && i < resolved->count; i++)
		if (refused ? resolved->items[i].refused.count : resolved->items[i].found.count)
			return true;
	return false;
}

/*
 * Why no target outside could be reached, where nothing else was proven: for want of a route, or
 * since nobody has the address; NULL: neither.
 */
static const char *unreached_for(const struct probe_results *results, enum family family)
{
	const char *why = NULL;

	for (size_t i = 0; i < results->count; i++) {
		const struct probe_result *result = &results->items[i];

		if (result->probe.target.address.family != family ||
		    result->probe.origin == PROBE_LOOPBACK)
			continue;
		if (probe_result_is_proven(result))
			return NULL;
		if (result->not_routed)
			why = "there is no route to";
		else if (result->errnum == EHOSTUNREACH && !why)
			why = "nobody answers at";
	}
	return why;
}

static bool is_proven_on_loopback(const struct probe_results *results, enum family family)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->items[i].probe.origin == PROBE_LOOPBACK &&
		    results->items[i].probe.target.address.family == family &&
		    probe_result_is_proven(&results->items[i]))
			return true;
	return false;
}

/* A target has no word for the interface (RFC 4007, section 11), without which nothing is sent. */
static void add_scope_note(struct report *report, const struct probe_results *results)
{
	static const struct prefix link_local = {
		.address = { .family = FAMILY_IPV6, .bytes = { 0xfe, 0x80 } },
		.length = 10,
	};

	for (size_t i = 0; i < results->count; i++) {
		const struct probe_result *result = &results->items[i];

		if (result->errnum != EINVAL ||
		    !prefix_contains(&link_local, &result->probe.target.address))
			continue;
		report_add_note(report, "link-local targets (fe80::/10) need an interface, which a "
					"target cannot name: they could not be tried");
		return;
	}
}

void report_add_route_notes(struct report *report, const struct probe_results *results)
{
	static const enum family families[] = { FAMILY_IPV4, FAMILY_IPV6 };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		const char *name = families[i] == FAMILY_IPV4 ? "IPv4" : "IPv6";
		const char *why = unreached_for(results, families[i]);
		autofree char *note = NULL;

		if (!why)
			continue;
		note = memory_format(
			"%s the %s targets: over %s nothing was proven%s", why, name, name,
			is_proven_on_loopback(results, families[i]) ? " but what is on loopback"
								    : "");
		report_add_note(report, note);
	}
	add_scope_note(report, results);
}

void report_add_filter_notes(struct report *report, const struct filter_plan *filter)
{
	if (filter && !filter->nameservers.count)
		report_add_note(report, "there is no nameserver that the filter could ask: it "
					"refuses every name until /etc/resolv.conf has one and "
					"apply runs again");
}

void report_add_standing_notes(struct report *report)
{
	char port_note[PORT_NOTE_SIZE];

	if (report->policy && policy_port_note(report->policy, port_note))
		report_add_note(report, port_note);
	if (has_pins(report->resolved, false))
		report_add_note(
			report,
			"addresses are pinned, not names: other names that live on the same "
			"address can be reached too");
	if (has_pins(report->resolved, true))
		report_add_note(report,
				"special-purpose addresses that a name resolved to were left out; "
				"\"allow_private\" of the policy takes them in");
	report_add_filter_notes(report, report->filter);
	if (report->ruleset && report->ruleset->chain_count && !report_count(report->ruleset).log)
		report_add_note(
			report,
			"refused packets are counted but not logged: this kernel does not take "
			"the log statement");
	if (report->results)
		report_add_route_notes(report, report->results);
	if (report->capabilities == REPORT_CAPABILITIES_BOUNDING_LEFT)
		report_add_note(
			report,
			"the bounding set is left as it was, since CAP_SETPCAP was not there to "
			"empty it");
	if (report->capabilities != REPORT_CAPABILITIES_UNKNOWN)
		report_add_note(
			report,
			"what was dropped is our own: the process that called this still holds "
			"CAP_NET_ADMIN");
}
