/* ruleset_hooks.c: the chains beside output: what was rerouted, what is forwarded, what comes in. */
#include "plan/ruleset_parts.h"

#include <netinet/in.h>

/*
 * What a confined user sent by loopback and is on its way out after all: neither mark is on it that
 * "confined" asks for or sets. The user first: everybody else's packet is done after one
 * comparison.
 */
static void add_rerouted(struct chain *chain, const struct rangeset *confined,
			 const struct openings *openings)
{
	/*
	 * meta skuid 1500 oifname != "lo" [ct mark and 0x40000000 == 0x00000000]
	 *	[ct mark and 0x20000000 == 0x00000000] counter drop
	 */
	if (openings->count && openings->answers)
		ADD_USER_RULES(chain, confined, negated(MATCH_OUT_LOOPBACK), negated(MATCH_CT_MARK),
			       negated(MATCH_CT_PUBLISHED), plain(COUNT), plain(DROP));
	else if (openings->count || openings->answers)
		ADD_USER_RULES(chain, confined, negated(MATCH_OUT_LOOPBACK),
			       negated(openings->count ? MATCH_CT_MARK : MATCH_CT_PUBLISHED),
			       plain(COUNT), plain(DROP));
	else
		ADD_USER_RULES(chain, confined, negated(MATCH_OUT_LOOPBACK), plain(COUNT),
			       plain(DROP));
}

/*
 * Strict: whatever leaves without an owner has to be on a marked connection here too. An owner that
 * is not confined may send what it likes.
 */
static void add_rerouted_ownerless(struct chain *chain, const struct openings *openings)
{
	/* meta skuid 0-4294967295 accept */
	ADD_RULE(chain, plain(MATCH_OWNED), plain(ACCEPT));
	/*
	 * oifname != "lo" ct mark and 0x40000000 == 0x00000000
	 *	[ct mark and 0x20000000 == 0x00000000] counter drop
	 */
	if (openings->answers)
		ADD_RULE(chain, negated(MATCH_OUT_LOOPBACK), negated(MATCH_CT_MARK),
			 negated(MATCH_CT_PUBLISHED), plain(COUNT), plain(DROP));
	else
		ADD_RULE(chain, negated(MATCH_OUT_LOOPBACK), negated(MATCH_CT_MARK), plain(COUNT),
			 plain(DROP));
}

/* The same for the filter: meta skuid 65528 oifname != "lo" ct mark and ... == 0 counter drop */
static void add_rerouted_filter(struct chain *chain, const struct filter_plan *filter)
{
	struct range uid = { filter->uid, filter->uid };

	ADD_RULE(chain, user(&uid), negated(MATCH_OUT_LOOPBACK), negated(MATCH_CT_MARK),
		 plain(COUNT), plain(DROP));
}

static void add_postrouting(struct ruleset *ruleset, const struct policy *policy,
			    const struct rangeset *confined, const struct openings *openings,
			    const struct filter_plan *filter)
{
	struct chain *chain;

	if (openings->count && !policy_tracks(policy))
		return; /* nothing tells what was let out */
	chain = add_base_chain(ruleset, CHAIN_POSTROUTING, HOOK_POSTROUTING, PRIORITY_POSTROUTING);
	add_rerouted(chain, confined, openings);
	if (filter && policy_tracks(policy))
		add_rerouted_filter(chain, filter);
	/*
	 * After every other table's output has taken this one's users for somebody else.
	 * meta skuid 1500 oifname "lo" meta l4proto udp ct direction original
	 *	ct mark set ct mark and 0xbfffffff
	 */
	if (policy_tracks(policy) && !policy->loopback_any)
		ADD_USER_RULES(chain, confined, plain(MATCH_OUT_LOOPBACK),
			       ONE_OF(MATCH_PROTOCOL, IPPROTO_UDP), negated(MATCH_CT_REPLY),
			       plain(CLEAR_CT_MARK));
	if (policy_is_strict(policy))
		add_rerouted_ownerless(chain, openings);
}

static void add_forward(struct ruleset *ruleset, const struct policy *policy)
{
	struct chain *chain = add_base_chain(ruleset, CHAIN_FORWARD, HOOK_FORWARD, PRIORITY_FILTER);

	/*
	 * Strict: what is forwarded has no owner that would be exempt: it may come by a route of
	 * the user's own making, or by a device that was made for one. counter drop; else: iifname
	 * "lo" counter drop
	 */
	if (policy_is_strict(policy))
		ADD_RULE(chain, plain(COUNT), plain(DROP));
	else
		ADD_RULE(chain, plain(MATCH_IN_LOOPBACK), plain(COUNT), plain(DROP));
}

/*
 * Also while nobody may answer yet: a connection that begins meanwhile is answered later on. By
 * loopback comes what this host sent.
 * tcp dport 8080 tcp flags & (fin | syn | rst | ack) == syn iifname != "lo"
 *	ct status and confirmed == 0 ct mark set ct mark or 0x20000000
 */
static void add_input(struct ruleset *ruleset, const struct policy *policy)
{
	struct chain *chain;

	if (!policy->published_ports.count)
		return;
	chain = add_base_chain(ruleset, CHAIN_INPUT, HOOK_INPUT, PRIORITY_FILTER);
	ADD_RULE(chain, ports_in(&policy->published_ports),
		 tcp_flags(false, TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK, TCP_SYN),
		 negated(MATCH_IN_LOOPBACK), plain(MATCH_CT_FIRST), plain(SET_CT_PUBLISHED));
}

void ruleset_add_hooks(struct ruleset *ruleset, const struct policy *policy,
		       const struct rangeset *confined, const struct openings *openings,
		       const struct filter_plan *filter)
{
	add_postrouting(ruleset, policy, confined, openings, filter);
	add_forward(ruleset, policy);
	add_input(ruleset, policy);
}
