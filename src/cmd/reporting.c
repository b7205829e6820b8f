/* reporting.c: from what a command did to its printed report. */
#include "cmd/reporting.h"

#include "base/memory.h"
#include "plan/report.h"
#include "system/loopback.h"
#include "system/user_processes.h"

#include <stdio.h>
#include <string.h>

static enum report_hosts hosts_state(const struct reporting *reporting)
{
	if (reporting->options->no_hosts)
		return REPORT_HOSTS_OFF;
	if (reporting->undone)
		return reporting->undone->hosts ? REPORT_HOSTS_REMOVED : REPORT_HOSTS_NOT_NEEDED;
	if (reporting->hosts_compared)
		return REPORT_HOSTS_COMPARED;
	if (!reporting->plan || !reporting->dropped)
		return REPORT_HOSTS_UNKNOWN; /* canary does not look at it; a failure says what is left */
	if (!reporting->hosts_written)
		return REPORT_HOSTS_NOT_NEEDED;
	return reporting->hosts_changed ? REPORT_HOSTS_WRITTEN : REPORT_HOSTS_UNCHANGED;
}

static void fill_machine(const struct reporting *reporting, struct report *report)
{
	const struct session *session = reporting->session;

	if (firewall_is_open(&session->firewall)) {
		report->backend = session->firewall.xt ? REPORT_BACKEND_XT : REPORT_BACKEND_NFT;
		report->ipv6 = session->preflight.ipv6 ? REPORT_IPV6_UP : REPORT_IPV6_ABSENT;
	}
	report->hosts = hosts_state(reporting);
	report->hosts_file = reporting->session->hosts_file;
	if (reporting->dropped)
		report->capabilities = reporting->bounding_left ? REPORT_CAPABILITIES_BOUNDING_LEFT
								: REPORT_CAPABILITIES_DROPPED;
}

const struct rangeset *reporting_confined(const struct reporting *reporting)
{
	if (session_is_public(reporting->session))
		return NULL;
	return reporting->plan ? &reporting->plan->confined : &reporting->session->confined;
}

char *reporting_released_note(const struct reporting *reporting)
{
	struct rangeset running;
	struct buffer text = { 0 };

	/* Where everybody is let go, that was what was asked for. */
	if (!reporting->released || !reporting->released->count || reporting->undone)
		return NULL;
	running = user_processes_find(reporting->released);
	if (running.count) {
		buffer_append_text(&text, "uid ");
		rangeset_print(&running, &text);
		buffer_append_text(&text,
				   ", which this policy does not name, was confined before and has "
				   "processes, which these rules do not confine any more: name it "
				   "in this policy, "
				   "or give each policy an instance (--name)");
	}
	rangeset_free(&running);
	return text.length ? buffer_steal(&text) : NULL;
}

static void fill_policy(const struct reporting *reporting, struct report *report)
{
	const struct session *session = reporting->session;

	report->policy_path = session->policy_name;
	report->policy = session->has_policy ? &session->policy : NULL;
	report->confined = reporting_confined(reporting);
	report->standing = reporting->standing;
	report->altered = reporting->altered;
	report->released = reporting->released;
	report->resolved = session->resolved.count ? &session->resolved : NULL;
	report->ruleset = reporting->plan ? &reporting->plan->ruleset : NULL;
	report->filter =
		reporting->plan && reporting->plan->filtered ? &reporting->plan->filter : NULL;
	report->filter_state = reporting->filter_state;
}

/* What others had under way and could not be spared, as far as anybody can tell. */
static void add_marking_notes(const struct connections_marked *marked, struct report *report)
{
	autofree char *unknown = NULL, *failed = NULL;

	if (marked->unknown) {
		unknown =
			memory_format("this kernel does not tell whose %zu closed connections are: "
				      "what was still to be sent on them is dropped",
				      marked->unknown);
		report_add_note(report, unknown);
	}
	if (marked->failed) {
		failed =
			memory_format("%zu connections of others could not be marked: what is sent "
				      "on them after they are closed is dropped",
				      marked->failed);
		report_add_note(report, failed);
	}
}

static const char unreported_groups[] =
	"xtables cannot tell which groups are reported: over IPv6 no report of version 2 leaves, "
	"and a "
	"switch that forwards multicast by reports alone hides this host from its neighbours";
static const char listed_loopback[] =
	"xtables cannot tell an answer over UDP from a beginning: on loopback the servers of "
	"confined users answer over UDP to listed ports alone";
static const char listed_loopback_plain[] =
	"this kernel (gVisor) cannot tell an answer from a beginning: on loopback the servers of "
	"confined users answer to listed ports alone, and ports that nobody listens at are silent";

/* What legacy xtables do otherwise than nf_tables, and who else uses them. */
static void add_xt_notes(const struct xt *xt, struct report *report)
{
	const struct xt_kernel *kernel = xt_kernel(xt);
	const struct xt_notes *notes = xt_notes(xt);
	bool confines = report->ruleset && report->ruleset->chain_count;

	if (confines && kernel->plain)
		report_add_note(
			report,
			"this kernel (gVisor) has no connection marks: what has no owner is "
			"not judged by our rules but left to it, which drops it where it is "
			"asked for an owner: its neighbours over IPv6 have no answer where it is");
	if (confines && kernel->plain)
		report_add_note(
			report,
			"on this kernel (gVisor) whoever may make a user namespace can send "
			"past the rules, and take them out: start programs by run, which refuses "
			"raw sockets");
	if (confines && report->policy && !report->policy->loopback_any)
		report_add_note(report, kernel->plain ? listed_loopback_plain : listed_loopback);
	if (confines && report->policy && report->policy->exempt_users.count)
		report_add_note(report, unreported_groups);
	if (kernel->plain && report->results)
		report_add_note(
			report,
			"this kernel's counters stay at zero: the canary proves by "
			"difference, that the confined uid had no answer where the unconfined "
			"one had one in the same second");
	if (confines && !kernel->reject)
		report_add_note(report,
				"this kernel's xtables cannot refuse: what is not allowed is "
				"dropped, and a program waits for its own timeout");
	if (notes->counters_lost)
		report_add_note(report, "the counters of other rules could not be given back");
	if (notes->no_lock.text[0]) {
		autofree char *text = memory_format(
			"iptables' lock could not be taken (%s): another program that changed "
			"its rules meanwhile may have lost them",
			notes->no_lock.text);
		report_add_note(report, text);
	}
}

static void add_notes(const struct reporting *reporting, struct report *report)
{
	const struct sockets_ended *sockets = reporting->sockets;

	report_add_standing_notes(report);
	if (sockets && sockets->unsupported)
		report_add_note(report, "this kernel cannot end sockets (SOCK_DESTROY): "
					"connections that the confined "
					"users had before are refused packet by packet only");
	add_marking_notes(&reporting->session->firewall.marked, report);
	if (reporting->session->firewall.xt)
		add_xt_notes(reporting->session->firewall.xt, report);
	if (reporting->session->no_state.text[0])
		report_add_note(report, reporting->session->no_state.text);
	if (reporting->session->no_state.text[0] && reporting->plan)
		report_add_note(
			report,
			"no state is kept: verify needs the policy and resolves its names again");
	if (reporting->session->filter_forgotten && reporting->plan)
		report_add_note(report, reporting->session->filter_forgotten);
	if (reporting->session->filter_remark)
		report_add_note(report, reporting->session->filter_remark);
	if (reporting->session->filter_company)
		report_add_note(report, reporting->session->filter_company);
	if (reporting->session->shared && reporting->results && reporting->results->count)
		report_add_note(report, reporting->session->shared);
	if (reporting->note)
		report_add_note(report, reporting->note);
	if (reporting->undone && !reporting->undone->table)
		report_add_note(report, "there was no table of ours");
}

/* The failure's own line says what failed and what is left; people need not read it twice. */
static void print_text(struct report *report, const struct failure *failure)
{
	struct buffer text = { 0 };

	if (failure) {
		report->error = report->state = NULL;
		if (!report->results && (!report->findings || !report->findings->count))
			return;
	}
	report_text(report, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
}

static void print_json(const struct report *report)
{
	struct buffer text = { 0 };

	report_json(report, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
}

void reporting_add_loopback_note(struct report *report)
{
	if (loopback_is_down())
		report_add_note(report, LOOPBACK_DOWN ": nothing on loopback could be tried");
}

void reporting_warn(const struct options *options, const char *sentence)
{
	fprintf(stderr, "egressfw %s: warning: %s\n", options->command, sentence);
}

void reporting_warn_quietly(const struct reporting *reporting, const char *released)
{
	if (released)
		reporting_warn(reporting->options, released);
	if (reporting->session->filter_company)
		reporting_warn(reporting->options, reporting->session->filter_company);
}

int reporting_print(const struct reporting *reporting, int status, const struct failure *failure)
{
	autofree char *released = reporting_released_note(reporting);
	struct report_sockets sockets = { 0 };
	struct report report = {
		.command = reporting->options->command,
		.instance = reporting->options->instance,
		.findings = reporting->findings,
		.results =
			reporting->results && reporting->results->count ? reporting->results : NULL,
		.no_log_group = reporting->no_log_group,
		.table_missing = reporting->table_missing,
		.exit_status = status,
		.error = failure ? failure->err.text : NULL,
		.state = failure ? failure->state : reporting->state,
	};

	fill_policy(reporting, &report);
	fill_machine(reporting, &report);
	if (reporting->sockets && reporting->dropped) {
		sockets = (struct report_sockets){ reporting->sockets->ended,
						   reporting->sockets->left };
		report.sockets = &sockets;
	}
	add_notes(reporting, &report);
	/* A failure says so itself, where it matters to it. */
	if (report.results && !failure)
		reporting_add_loopback_note(&report);
	if (released)
		report_add_note(&report, released);
	if (reporting->options->json)
		print_json(&report);
	else if (!reporting->options->quiet)
		print_text(&report, failure);
	else
		reporting_warn_quietly(reporting, released);
	if (failure)
		failure_say(failure, reporting->options);
	report_free(&report);
	return status;
}
