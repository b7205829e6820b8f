/* test_probe.c: what the canary tries under a policy, and what its results prove together. */
#include "plan/probe.h"

#include "base/memory.h"
#include "suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>


static struct range user[] = { { 1500, 1500 }, { 100000, 165535 } };

/* One line per probe: "1500 tcp default 1.1.1.1:443". */
static char *list(const struct probes *probes)
{
	struct buffer text = { 0 };

	for (size_t i = 0; i < probes->count; i++) {
		const struct probe *probe = &probes->items[i];
		char address[ADDRESS_TEXT_SIZE];

		buffer_printf(&text, "%" PRIu32 " %s %s %s %u\n", probe->uid,
			      probe_protocol_name(probe->protocol),
			      probe_origin_name(probe->origin),
			      address_format(&probe->target.address, address), probe->target.port);
	}
	return buffer_steal(&text);
}

static void expect(const struct policy *policy, const struct resolved *resolved, size_t users,
		   bool ipv6, const char *wanted)
{
	struct probes probes;
	autofree char *found = NULL;

	probes_build(policy, resolved, &(struct rangeset){ user, users }, ipv6, &probes);
	found = list(&probes);
	ck_assert_str_eq(found, wanted);
	probes_free(&probes);
}

START_TEST(defaults_for_the_first_of_every_range)
{
	const struct policy policy = { .mode = MODE_NO_NETWORK };

	expect(&policy, NULL, 1, true,
	       "1500 tcp default 1.1.1.1 443\n1500 udp default 1.1.1.1 53\n"
	       "1500 tcp default 2606:4700:4700::1111 443\n1500 udp default 2606:4700:4700::1111 "
	       "53\n"
	       "1500 tcp loopback 127.0.0.11 53\n1500 udp loopback 127.0.0.11 53\n"
	       "1500 tcp loopback ::1 53\n1500 udp loopback ::1 53\n");
	expect(&policy, NULL, 2, false,
	       "1500 tcp default 1.1.1.1 443\n1500 udp default 1.1.1.1 53\n"
	       "1500 tcp default 2606:4700:4700::1111 443\n1500 udp default 2606:4700:4700::1111 "
	       "53\n"
	       "1500 tcp loopback 127.0.0.11 53\n1500 udp loopback 127.0.0.11 53\n"
	       "100000 tcp default 1.1.1.1 443\n100000 udp default 1.1.1.1 53\n"
	       "100000 tcp default 2606:4700:4700::1111 443\n100000 udp default "
	       "2606:4700:4700::1111 53\n"
	       "100000 tcp loopback 127.0.0.11 53\n100000 udp loopback 127.0.0.11 53\n");
}
END_TEST

static struct destination prefix_to(const char *text, uint8_t length, uint16_t port)
{
	struct destination result = { .first_port = port, .last_port = port };
	struct prefix prefix = { .length = length };

	ck_assert(address_parse(text, &prefix.address));
	destination_set_prefix(&result, &prefix);
	return result;
}

START_TEST(allowed_defaults_are_replaced)
{
	struct address pinned = { FAMILY_IPV4, { 8, 8, 8, 8 } };
	struct resolved_name name = {
		(char *)(uintptr_t) "dns.test", RESOLVE_FOUND, { &pinned, 1 }, { 0 }
	};
	struct destination allowed[] = {
		prefix_to("1.1.1.0", 24, 443),
		{ .kind = DESTINATION_NAME, .name = name.name, .first_port = 443, .last_port = 443 },
		prefix_to("2000::", 3, 443),
	};
	struct policy policy = { .mode = MODE_ALLOWLIST, .allowed_hosts = { allowed, 3 } };
	struct resolved resolved = { &name, 1 };

	/* No IPv6 address is left for TCP; UDP is never allowed. */
	expect(&policy, &resolved, 1, false,
	       "1500 tcp default 9.9.9.9 443\n1500 udp default 9.9.9.9 53\n"
	       "1500 udp default 2606:4700:4700::1111 53\n"
	       "1500 tcp loopback 127.0.0.11 53\n1500 udp loopback 127.0.0.11 53\n");
	ck_assert(
		probe_target_is_allowed(&policy, &resolved, &(struct address_port){ pinned, 443 }));
	ck_assert(
		!probe_target_is_allowed(&policy, &resolved, &(struct address_port){ pinned, 80 }));
	ck_assert(!probe_target_is_allowed(&policy, NULL, &(struct address_port){ pinned, 443 }));
	/* The list of another mode says nothing; an open lane does, a closed one does not. */
	policy.mode = MODE_NO_NETWORK;
	ck_assert(!probe_target_is_allowed(&policy, &resolved,
					   &(struct address_port){ pinned, 443 }));
	policy.model_endpoints = policy.allowed_hosts;
	ck_assert(!probe_target_is_allowed(&policy, &resolved,
					   &(struct address_port){ pinned, 443 }));
	policy.allow_model_endpoint = true;
	ck_assert(
		probe_target_is_allowed(&policy, &resolved, &(struct address_port){ pinned, 443 }));
}
END_TEST

START_TEST(named_targets_stand_alone)
{
	struct address_port targets[] = {
		{ { FAMILY_IPV4, { 203, 0, 113, 1 } }, 443 },
		{ { FAMILY_IPV4, { 203, 0, 113, 1 } }, 80 },
	};
	const struct policy policy = { .mode = MODE_NO_NETWORK, .canary = { targets, 2 } };
	struct probes probes;
	autofree char *found = NULL;

	expect(&policy, NULL, 1, false,
	       "1500 tcp named 203.0.113.1 443\n1500 udp named 203.0.113.1 53\n"
	       "1500 tcp named 203.0.113.1 80\n"
	       "1500 tcp loopback 127.0.0.11 53\n1500 udp loopback 127.0.0.11 53\n");
	probes_build_named(&policy.canary, &(struct rangeset){ user, 2 }, &probes);
	found = list(&probes);
	ck_assert_str_eq(found,
			 "1500 tcp named 203.0.113.1 443\n1500 tcp named 203.0.113.1 80\n"
			 "100000 tcp named 203.0.113.1 443\n100000 tcp named 203.0.113.1 80\n");
	probes_free(&probes);
}
END_TEST

#define BLOCKED(from, by)                                                                          \
	{                                                                                          \
		.probe.origin = PROBE_##from, .outcome = OUTCOME_BLOCKED, .proof = PROOF_##by      \
	}
#define OPEN(from)                                                                                 \
	{                                                                                          \
		.probe.origin = PROBE_##from, .outcome = OUTCOME_OPEN                              \
	}
#define UNKNOWN(from)                                                                              \
	{                                                                                          \
		.probe.origin = PROBE_##from, .outcome = OUTCOME_INCONCLUSIVE                      \
	}

static struct {
	size_t count;
	struct probe_result results[3];
	enum probe_outcome verdict;
} verdicts[] = {
	{ 0, { { .errnum = 0 } }, OUTCOME_INCONCLUSIVE },
	{ 1, { BLOCKED(DEFAULT, LOG) }, OUTCOME_BLOCKED },
	{ 1, { BLOCKED(DEFAULT, COUNTER) }, OUTCOME_BLOCKED },
	{ 1, { BLOCKED(DEFAULT, NONE) }, OUTCOME_INCONCLUSIVE },
	{ 2, { UNKNOWN(DEFAULT), BLOCKED(LOOPBACK, LOG) }, OUTCOME_BLOCKED },
	{ 2, { UNKNOWN(DEFAULT), UNKNOWN(LOOPBACK) }, OUTCOME_INCONCLUSIVE },
	{ 2, { UNKNOWN(NAMED), BLOCKED(LOOPBACK, LOG) }, OUTCOME_INCONCLUSIVE },
	{ 2, { BLOCKED(NAMED, NONE), BLOCKED(LOOPBACK, LOG) }, OUTCOME_INCONCLUSIVE },
	{ 2, { BLOCKED(NAMED, COUNTER), BLOCKED(LOOPBACK, LOG) }, OUTCOME_BLOCKED },
	{ 3, { BLOCKED(NAMED, LOG), UNKNOWN(NAMED), OPEN(LOOPBACK) }, OUTCOME_OPEN },
	{ 3, { OPEN(DEFAULT), BLOCKED(DEFAULT, LOG), BLOCKED(DEFAULT, LOG) }, OUTCOME_OPEN },
};

START_TEST(verdict_is_the_worst)
{
	const struct probe_results results = { verdicts[_i].results, verdicts[_i].count };

	ck_assert_int_eq(probe_results_verdict(&results), verdicts[_i].verdict);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("probe");

	tcase_add_test(cases, defaults_for_the_first_of_every_range);
	tcase_add_test(cases, allowed_defaults_are_replaced);
	tcase_add_test(cases, named_targets_stand_alone);
	tcase_add_loop_test(cases, verdict_is_the_worst, 0, COUNT_OF(verdicts));
	return suite_end("probe", cases);
}
