/* test_report.c: a report in its two renderings; it also prints samples. */
#include "plan_sample.h"

#include "plan/report.h"
#include "suite.h"

#include <errno.h>
#include <check.h>
#include <stdio.h>

static struct policy policy;
static struct resolved resolved;
static struct plan plan;
static struct findings findings;
static struct report full;
static struct address_port listens[] = { { { FAMILY_IPV4, { 127, [3] = 1 } }, 3128 },
					 { { FAMILY_IPV6, { [15] = 1 } }, 3128 } };
static struct filter_plan filter = { .uid = FILTER_UID_DEFAULT,
				     .listen = { listens, 2 },
				     .log = (char[]){ "/var/log/egressfilter/egressfw\n.log" },
				     .log_files = 4,
				     .program = (char[]){ "/usr/sbin/egressfilter" } };

static struct probe_result results[] = {
	{ .probe = { PROBE_TCP, PROBE_DEFAULT, 1500, { { FAMILY_IPV4, { 1, 1, 1, 1 } }, 443 } },
	  .outcome = OUTCOME_BLOCKED,
	  .proof = PROOF_LOG,
	  .errnum = 111,
	  .elapsed_us = 212,
	  .counter_rise = 1,
	  .controlled = true,
	  .control_connected = true },
	{ .probe = { PROBE_UDP,
		     PROBE_DEFAULT,
		     1500,
		     { { FAMILY_IPV6, { 0x26, 0x06, [15] = 1 } }, 53 } },
	  .outcome = OUTCOME_INCONCLUSIVE,
	  .errnum = 101,
	  .not_routed = true,
	  .controlled = true,
	  .control_errnum = 101 },
	{ .probe = { PROBE_TCP, PROBE_LOOPBACK, 1500, { { FAMILY_IPV4, { 127, 0, 0, 11 } }, 53 } },
	  .outcome = OUTCOME_INCONCLUSIVE,
	  .timed_out = true,
	  .elapsed_us = 3000000 },
	{ .probe = { PROBE_TCP, PROBE_NAMED, 1500, { { FAMILY_IPV4, { 203, 0, 113, 1 } }, 80 } },
	  .outcome = OUTCOME_BLOCKED,
	  .proof = PROOF_COUNTER,
	  .errnum = 4095,
	  .counter_rise = 2 },
};
static const struct probe_results all_results = { results, 4 };
static struct range let_go[] = { { 1600, 1601 } };
static const struct rangeset released = { let_go, 1 };
static const struct report_sockets sockets = { 3, 1 };

static void set_up(void)
{
	sample_plan("n", &policy, &resolved, &plan);
	findings_add(&findings, FINDING_RULE_MISSING,
		     memory_copy_string("rule 3 of chain confined"),
		     memory_copy_string("wanted: accept, found: \x1b[31m\xff nothing"));
	findings_add(&findings, FINDING_FOREIGN_CHAIN, memory_copy_string("table ip filter"),
		     memory_copy_string("chain OUTPUT at priority 0"));
	full = (struct report){
		.command = "apply",
		.instance = "n",
		.policy_path = "p\xc3\xb6licy\n.json",
		.policy = &policy,
		.confined = &plan.confined,
		.released = &released,
		.resolved = &resolved,
		.ruleset = &plan.ruleset,
		.filter = &filter,
		.filter_state = "started",
		.backend = REPORT_BACKEND_XT,
		.ipv6 = REPORT_IPV6_UP,
		.hosts = REPORT_HOSTS_WRITTEN,
		.hosts_file = "/etc/hosts",
		.sockets = &sockets,
		.findings = &findings,
		.results = &all_results,
		.no_log_group = "somebody else has log group 9",
		.capabilities = REPORT_CAPABILITIES_BOUNDING_LEFT,
		.error = "rules differ",
		.exit_status = 5,
		.state = "the new rules stand; the confined users are closed in",
	};
	report_add_standing_notes(&full);
}

static void tear_down(void)
{
	report_free(&full);
	findings_free(&findings);
	plan_free(&plan);
	resolved_free(&resolved);
	policy_free(&policy);
}

static const struct report empty = { .command = "remove", .instance = "" };

static char *text_of(const struct report *report)
{
	struct buffer text = { 0 };

	report_text(report, &text);
	return buffer_steal(&text);
}

static char *json_of(const struct report *report)
{
	struct buffer text = { 0 };

	report_json(report, &text);
	return buffer_steal(&text);
}

START_TEST(text_says_everything)
{
	static const char *const wanted[] = {
		"egressfw apply --name n\n",
		"  policy        p??licy?.json, network_mode allowlist, enforcement pin\n",
		"  confined      uid 1500, 100000-165535\n",
		"  released      uid 1600-1601\n",
		"  name          api.test = 203.0.113.5, 2001:db8::5; refused: 127.0.0.1 "
		"(loopback)\n",
		"  name          b.test = 10.0.0.9\n",
		"  planned       table inet egressfw-n: ",
		" refused packets are logged\n",
		"  filter        uid 65528 at 127.0.0.1:3128, [::1]:3128, log "
		"/var/log/egressfilter/egressfw?.log: started\n",
		"  log           at most 320 MiB in 5 files; where they are full the oldest is dropped\n",
		"  back end      xt: as chains in the table \"filter\" of legacy xtables\n",
		"  ipv6          up\n",
		"  hosts file    /etc/hosts: written\n",
		"  sockets       3 ended, 1 could not be ended\n",
		"  capabilities  dropped, bounding set left\n",
		"  probe         blocked      tcp uid 1500 to 1.1.1.1:443 (ECONNREFUSED, 0.212 ms, "
		"counter +1, proof: "
		"log, unconfined: connected)\n",
		"udp uid 1500 to [2606::1]:53 (ENETUNREACH, not routed, 0.000 ms, counter +0, "
		"proof: none, "
		"unconfined: not connected)\n",
		"127.0.0.11:53 (timed out, 3000.000 ms",
		"  canary        blocked: 4 probes, 2 proven blocked by us, 1 not tried for want of a "
		"route, 1 inconclusive\n",
		"                only counters could be proof: somebody else has log group 9\n",
		"  difference    rule-missing: rule 3 of chain confined: wanted: accept, found: "
		"?[31m? nothing\n",
		"  warning       foreign-chain: table ip filter: chain OUTPUT at priority 0\n",
		"  note          addresses are pinned, not names: other names",
		"  note          there is no route to the IPv6 targets: over IPv6 nothing was "
		"proven\n",
		"  note          what was dropped is our own: the process that called this still "
		"holds CAP_NET_ADMIN\n",
		"  error         rules differ\n",
		"  state         the new rules stand; the confined users are closed in\n",
	};
	autofree char *text = text_of(&full);
	const char *rest = text;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		rest = strstr(rest, wanted[i]);
		ck_assert_msg(rest != NULL, "\"%s\" is missing or out of order in\n%s", wanted[i],
			      text);
	}
	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c < 0x7f));
}
END_TEST

START_TEST(what_is_not_known_is_not_said)
{
	autofree char *text = text_of(&empty), *json = json_of(&empty);

	ck_assert_str_eq(text, "egressfw remove\n");
	ck_assert_ptr_nonnull(strstr(json, "\"canary\": null"));
	ck_assert_ptr_nonnull(strstr(json, "\"findings\": null"));
	ck_assert_ptr_nonnull(strstr(json, "\"confined\": []"));
	ck_assert_ptr_nonnull(strstr(json, "\"exit_status\": 0"));
}
END_TEST

START_TEST(json_is_one_ascii_object)
{
	autofree char *json = json_of(&full);
	size_t length = strlen(json);

	ck_assert_int_eq(json[0], '{');
	ck_assert_str_eq(json + length - 3, "\n}\n");
	ck_assert_ptr_nonnull(strstr(json, "\"policy\": \"p??licy\\n.json\""));
	ck_assert_ptr_nonnull(strstr(json, "\"errno\": \"ECONNREFUSED\""));
	ck_assert_ptr_nonnull(strstr(json, "\"special\": \"loopback\""));
	ck_assert_ptr_nonnull(strstr(json, "\\u001B[31m? nothing"));
	for (const char *c = json; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c < 0x7f));
}
END_TEST

/*
 * case_C9: that an address pin is no name pin is said wherever something is pinned, and nowhere
 * else.
 */
START_TEST(case_C9_notes_follow_from_the_report)
{
	struct report report = { .command = "apply", .instance = "" };

	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 0);
	report.resolved = &resolved;
	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 2);
	ck_assert_ptr_nonnull(strstr(report.notes[0], "pinned, not names"));
	ck_assert_ptr_nonnull(strstr(report.notes[1], "allow_private"));
	report_free(&report);
	ck_assert_uint_eq(full.note_count, 6);
}
END_TEST

START_TEST(a_filter_without_nameservers_is_noted)
{
	struct filter_plan told = filter;
	struct report report = { .command = "apply", .instance = "", .filter = &told };

	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 1);
	ck_assert_ptr_nonnull(strstr(report.notes[0], "no nameserver that the filter could ask"));
	report_free(&report);
	told.nameservers = told.listen;
	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 0);
}
END_TEST

/* Where no route leads to any target of a family, what held on loopback must not pass for all. */
START_TEST(a_family_without_a_route_is_noted)
{
	struct probe_result tried[] = {
		{ .probe = { PROBE_TCP, PROBE_DEFAULT, 1500, { { FAMILY_IPV4, { 1 } }, 443 } },
		  .not_routed = true,
		  .outcome = OUTCOME_INCONCLUSIVE },
		{ .probe = { PROBE_UDP, PROBE_DEFAULT, 1500, { { FAMILY_IPV4, { 1 } }, 53 } },
		  .not_routed = true,
		  .outcome = OUTCOME_INCONCLUSIVE },
		{ .probe = { PROBE_TCP, PROBE_LOOPBACK, 1500, { { FAMILY_IPV4, { 127 } }, 53 } },
		  .outcome = OUTCOME_BLOCKED,
		  .proof = PROOF_LOG },
	};
	const struct probe_results all = { tried, 3 };
	struct report report = { .command = "apply", .instance = "", .results = &all };

	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 1);
	ck_assert_ptr_nonnull(strstr(report.notes[0], "no route to the IPv4 targets"));
	report_free(&report);
	/* One of them proven is enough, and a failure that has another reason is no lack of a route. */
	tried[1].outcome = OUTCOME_BLOCKED;
	tried[1].proof = PROOF_COUNTER;
	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 0);
	tried[1].proof = PROOF_NONE;
	tried[0].not_routed = tried[1].not_routed = false;
	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 0);
	tried[0].errnum = EHOSTUNREACH;
	report_add_standing_notes(&report);
	ck_assert_uint_eq(report.note_count, 1);
	ck_assert_ptr_nonnull(strstr(report.notes[0], "nobody answers at the IPv4 targets"));
	report_free(&report);
}
END_TEST

START_TEST(a_missing_table_confines_nobody)
{
	struct report report = { .command = "verify",
				 .instance = "",
				 .confined = &plan.confined,
				 .ruleset = &plan.ruleset,
				 .table_missing = true };
	autofree char *text = text_of(&report), *json = json_of(&report);

	ck_assert_str_eq(text, "egressfw verify\n"
			       "  confined      nobody; wanted: uid 1500, 100000-165535\n"
			       "  table         inet egressfw-n: missing\n");
	ck_assert_ptr_nonnull(strstr(json, "\"table\": null"));
	ck_assert_ptr_nonnull(strstr(json, "\"confined\": []"));
}
END_TEST

START_TEST(who_is_confined_is_whom_the_kernel_confines)
{
	struct rangeset standing = { 0 };
	struct report report = { .command = "verify",
				 .instance = "",
				 .confined = &plan.confined,
				 .standing = &standing };

	rangeset_add(&standing, 1501, 1501);
	autofree char *other = text_of(&report), *other_json = json_of(&report);
	ck_assert_ptr_nonnull(strstr(other, "confined      uid 1501; wanted: uid 1500, 100000-165535\n"));
	ck_assert_ptr_nonnull(strstr(other_json, "\"first\": 1501"));
	ck_assert_ptr_null(strstr(other_json, "1500"));
	report.altered = true;
	autofree char *none = text_of(&report), *none_json = json_of(&report);
	ck_assert_ptr_nonnull(strstr(
		none, "confined      unknown, for the rules were altered; wanted: uid 1500, 100000-165535\n"));
	ck_assert_ptr_nonnull(strstr(none_json, "\"confined\": []"));
	report.altered = false;
	report.standing = &plan.confined;
	autofree char *same = text_of(&report);
	ck_assert_ptr_nonnull(strstr(same, "confined      uid 1500, 100000-165535\n"));
	rangeset_free(&standing);
}
END_TEST

START_TEST(counts)
{
	struct report_counts counted = report_count(&plan.ruleset);
	size_t rules = 0;

	for (size_t i = 0; i < plan.ruleset.chain_count; i++)
		rules += plan.ruleset.chains[i].count;
	ck_assert_uint_eq(counted.sets, plan.ruleset.set_count);
	ck_assert_uint_eq(counted.rules, rules);
	/* Two ranges of users, two addresses of api.test, one of b.test, two prefixes. */
	ck_assert_uint_eq(counted.elements, 7);
	ck_assert(counted.log);
}
END_TEST

/* "sample full" and "sample empty" print what the schema is tried on. */
static int print_sample(const char *which)
{
	autofree char *json = NULL;

	if (!strcmp(which, "empty")) {
		json = json_of(&empty);
	} else {
		set_up();
		json = json_of(&full);
		tear_down();
	}
	fputs(json, stdout);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	TCase *cases;

	if (argc == 3 && !strcmp(argv[1], "sample"))
		return print_sample(argv[2]);
	cases = tcase_create("report");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, text_says_everything);
	tcase_add_test(cases, what_is_not_known_is_not_said);
	tcase_add_test(cases, json_is_one_ascii_object);
	tcase_add_test(cases, case_C9_notes_follow_from_the_report);
	tcase_add_test(cases, a_filter_without_nameservers_is_noted);
	tcase_add_test(cases, a_family_without_a_route_is_noted);
	tcase_add_test(cases, a_missing_table_confines_nobody);
	tcase_add_test(cases, who_is_confined_is_whom_the_kernel_confines);
	tcase_add_test(cases, counts);
	return suite_end("report", cases);
}
