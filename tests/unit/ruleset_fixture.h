/* ruleset_fixture.h: policies for the ruleset tests, built by hand, and their rulesets by name. */
#ifndef EGRESSFW_TESTS_RULESET_FIXTURE_H
#define EGRESSFW_TESTS_RULESET_FIXTURE_H

#include "plan/filter_plan.h"
#include "plan/resolved.h"
#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

struct fixture {
	struct policy policy;
	struct resolved resolved; /* names are added in order, so add them sorted */
	struct rangeset confined; /* 1500 and 100000-165535 */
	const char *table;
	bool log;
	bool deny_all; /* build without resolved names */
	bool filtered;
	struct filter_plan filter;
};

void fixture_init(struct fixture *fixture, enum network_mode mode);
void fixture_free(struct fixture *fixture);

/* Ports of a destination are "80,443" or one range, "8000-8010", as in a policy. */
void fixture_allow_name(struct fixture *fixture, const char *name, const char *ports);
void fixture_allow_prefix(struct fixture *fixture, const char *address, unsigned length,
			  const char *ports);
void fixture_add_lane(struct fixture *fixture, const char *name, const char *ports);
/* `*.NAME` */
void fixture_allow_wildcard(struct fixture *fixture, const char *name, const char *ports);
void fixture_add_lane_at(struct fixture *fixture, const char *address, const char *ports);

/* The filter as uid 65528, at 127.0.0.1:3128 and [::1]:3128, with nameservers separated by spaces. */
void fixture_filter(struct fixture *fixture, const char *nameservers);
void fixture_allow_private(struct fixture *fixture, const char *address, unsigned length);

/* Addresses are separated by spaces. */
void fixture_resolve(struct fixture *fixture, const char *name, const char *addresses);

struct rangeset fixture_ports(const char *text);
struct address fixture_address(const char *text);

/* Builds, and ends the test where that fails. */
struct ruleset fixture_ruleset(const struct fixture *fixture);

/* The rulesets that have a golden text, by the name of its file; the last name is NULL. */
extern const char *const fixture_names[];
struct ruleset fixture_named(const char *name);

#endif
