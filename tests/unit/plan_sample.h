/* plan_sample.h: one plan with something of everything, for the tests that take a plan apart. */
#ifndef EGRESSFW_TESTS_PLAN_SAMPLE_H
#define EGRESSFW_TESTS_PLAN_SAMPLE_H

#include "base/memory.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sample_policy_text[] =
	"{\"network_mode\":\"allowlist\",\"users\":[1500,\"100000-165535\"],"
	"\"allowed_hosts\":[\"api.test\",\"198.51.100.0/24\",\"[2001:db8:5::/"
	"48]:8000-8010\",\"b.test:*\"],"
	"\"allow_private\":[\"10.0.0.0/8\"]}";

/* Samples are also made where no test of Check runs, hence no assertion of its. */
static void sample_require(bool good, const char *reason)
{
	if (good)
		return;
	fprintf(stderr, "the sample plan cannot be made: %s\n", reason);
	abort();
}

static struct address sample_address(const char *text)
{
	struct address result;

	sample_require(address_parse(text, &result), text);
	return result;
}

static void sample_addresses(struct addresses *ret, const char *const *texts, size_t count)
{
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (; ret->count < count; ret->count++)
		ret->items[ret->count] = sample_address(texts[ret->count]);
}

/* api.test has three addresses of which one is refused, b.test one. */
static struct resolved sample_resolved(void)
{
	static const char *const api[] = { "203.0.113.5", "2001:db8::5" },
				 *const b[] = { "10.0.0.9" }, *const refused[] = { "127.0.0.1" };
	struct resolved resolved = { memory_allocate(2, sizeof(*resolved.items)), 2 };

	resolved.items[0].name = memory_copy_string("api.test");
	resolved.items[1].name = memory_copy_string("b.test");
	sample_addresses(&resolved.items[0].found, api, 2);
	sample_addresses(&resolved.items[0].refused, refused, 1);
	sample_addresses(&resolved.items[1].found, b, 1);
	return resolved;
}

static void sample_plan(const char *instance, struct policy *ret_policy,
			struct resolved *ret_resolved, struct plan *ret)
{
	static struct range confined[] = { { 1500, 1500 }, { 100000, 165535 } };
	const struct rangeset users = { confined, 2 };
	struct plan_request request = {
		.policy = ret_policy,
		.resolved = ret_resolved,
		.confined = &users,
		.instance = instance,
		.log = true,
		.ipv6 = true,
		.hosts = true,
		.hosts_file = "/etc/hosts",
	};
	struct err err = { "" };

	sample_require(
		policy_parse(sample_policy_text, strlen(sample_policy_text), ret_policy, &err),
		err.text);
	*ret_resolved = sample_resolved();
	sample_require(plan_build(&request, ret, &err), err.text);
}

#endif
