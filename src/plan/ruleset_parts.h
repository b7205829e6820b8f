/* ruleset_parts.h: what the builders of rulesets share: statements by the word, and the chains. */
#ifndef EGRESSFW_PLAN_RULESET_PARTS_H
#define EGRESSFW_PLAN_RULESET_PARTS_H

#include "plan/filter_plan.h"
#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Names of sets and chains that more than one file needs. */
#define SET_CONFINED "confined"
#define SET_CLOSING "closing"
#define CHAIN_OUTPUT "output"
#define CHAIN_CONFINED "confined"
#define CHAIN_LOOPBACK "loopback"
#define CHAIN_OWNERLESS "ownerless"
#define CHAIN_REFUSE "refuse"
#define CHAIN_GUARD "guard"
#define CHAIN_CLIENTS "clients"
#define CHAIN_SHUT "shut"
#define CHAIN_HELD "held"
#define CHAIN_INPUT "input"
#define CHAIN_POSTROUTING "postrouting"
#define CHAIN_FORWARD "forward"
#define CHAIN_CLOSING "closing"
#define CHAIN_CLOSING_LOOPBACK "closing_loopback"
#define CHAIN_CLOSING_REFUSE "closing_refuse"

/* After nat (-100), so that the final address is judged, and after other filters. */
enum { PRIORITY_FILTER = 100, PRIORITY_POSTROUTING = 300 };

enum { TCP_FIN = 0x01, TCP_SYN = 0x02, TCP_RST = 0x04, TCP_ACK = 0x10 };

/* The statements that need no more than their kind. */
struct statement plain(enum statement_kind kind);
struct statement negated(enum statement_kind kind);

struct statement user_in(const char *set);
struct statement user(const struct range *users);
struct statement go_to(const char *chain);
struct statement destination(const struct prefix *prefix);
struct statement source(const struct prefix *prefix);
struct statement destination_in(enum family family, const char *set);
struct statement tcp_flags(bool negate, uint8_t mask, uint8_t value);
struct statement group_report(uint8_t records);
/* Copies the list. */
struct statement ports_in(const struct rangeset *ports);
struct statement source_ports_in(const struct rangeset *ports);
struct statement original_ports_in(const struct rangeset *ports);
/* MATCH_PROTOCOL, MATCH_*_TYPE, MATCH_IP_PROTOCOL; values ascending. */
struct statement one_of(enum statement_kind kind, const uint8_t *values, uint8_t count);

/* Adds a rule of the statements that follow. */
#define ADD_RULE(chain, ...)                                                                       \
	chain_add_rule(chain, (const struct statement[]){ __VA_ARGS__ },                           \
		       sizeof((const struct statement[]){ __VA_ARGS__ }) /                         \
			       sizeof(struct statement))
#define ONE_OF(kind, ...)                                                                          \
	one_of(kind, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/*
 * Adds rules for the confined users, in front of the statements `rest`: meta skuid 1500 ..., meta
 * skuid 100000-165535 ...; or, where they are many ranges, meta skuid @confined ...
 */
void add_user_rules(struct chain *chain, const struct rangeset *confined,
		    const struct statement *rest, size_t count);

#define ADD_USER_RULES(chain, confined, ...)                                                       \
	add_user_rules(chain, confined, (const struct statement[]){ __VA_ARGS__ },                 \
		       sizeof((const struct statement[]){ __VA_ARGS__ }) /                         \
			       sizeof(struct statement))

struct chain *add_base_chain(struct ruleset *ruleset, const char *name, enum hook hook,
			     int32_t priority);

/* Uids as keys, which the caller seals; and the keys of a sealed interval set as uids. */
void add_uid_ranges(struct keyset *keys, const struct rangeset *users);
struct rangeset uid_ranges(const struct keyset *keys);

/* Destinations with one list of ports; which of the four sets there are for them, by name. */
enum opening_part { OPENING_PIN4, OPENING_PIN6, OPENING_NET4, OPENING_NET6, OPENING_PARTS };

struct opening {
	struct rangeset ports;
	char sets[OPENING_PARTS][RULESET_NAME_SIZE]; /* "" where there is no such set */
};

struct openings {
	struct opening *items;
	size_t count;
	bool answers; /* servers answer on the published ports */
};

static inline enum family opening_family(enum opening_part part)
{
	return part == OPENING_PIN4 || part == OPENING_NET4 ? FAMILY_IPV4 : FAMILY_IPV6;
}

/* One rule for each of its sets: ip daddr @pin4_1 tcp dport { 80, 443 } ... counter accept */
void add_opening_rules(struct chain *chain, const struct opening *opening, bool track);

/*
 * Adds all chains, in their order, for the confined users, who are the set "confined" already, and
 * the sets of the openings. With a filter (else NULL) these are the filter's alone.
 */
void ruleset_add_chains(struct ruleset *ruleset, const struct policy *policy, bool log,
			const struct rangeset *confined, const struct openings *openings,
			const struct filter_plan *filter);

/* The rule for what the filter answers from there. */
void ruleset_add_replies(struct chain *chain, const struct address_port *listen);

/* The sets that the filter's chain needs besides the openings'; the chain. */
void ruleset_add_guard_sets(struct ruleset *ruleset, const struct policy *policy,
			    const struct filter_plan *filter);
void ruleset_add_guard(struct ruleset *ruleset, const struct policy *policy,
		       const struct filter_plan *filter, const struct openings *openings);

/*
 * The chain for what is sent to where the filter listens, for root and these users; the rules of
 * "output" that lead there, and one to such a chain of another name.
 */
void ruleset_add_clients(struct ruleset *ruleset, const char *name,
			 const struct rangeset *confined);
void ruleset_lead_to_clients(struct chain *output, const struct filter_plan *filter);
void ruleset_lead_from(struct chain *output, const struct address_port *listen, const char *to);
bool rule_leads_to(const struct rule *rule, const char *chain);

/* Rules for what a confined user sends on loopback: not from where the filter listens. */
void ruleset_refuse_impostors(struct chain *chain, const struct filter_plan *filter);

/* The chain for packets that have no owner. */
void ruleset_add_ownerless(struct ruleset *ruleset, const struct policy *policy,
			   const struct openings *openings);

/* The rule for answers from published ports. */
void ruleset_add_answers(struct chain *chain, const struct policy *policy);

/* Those of them that stand at other hooks than output. */
void ruleset_add_hooks(struct ruleset *ruleset, const struct policy *policy,
		       const struct rangeset *confined, const struct openings *openings,
		       const struct filter_plan *filter);

/* Whether connections are marked, so that packets without an owner can be told apart. */
static inline bool policy_tracks(const struct policy *policy)
{
	return policy->ownerless == OWNERLESS_DROP;
}

/* Whether everybody is confined but the exempt users. */
static inline bool policy_is_strict(const struct policy *policy)
{
	return policy->exempt_users.count > 0;
}

/* The digest becomes the comment. */
void ruleset_sign(struct ruleset *ruleset);

#endif
