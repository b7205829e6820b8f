/* ruleset_ownerless.c: what may leave although no socket owns it, and what a server may answer. */
#include "plan/ruleset_parts.h"

#include <netinet/in.h>

enum { ECHO_REPLY4 = 0, UNREACHABLE4 = 3, TIME_EXCEEDED4 = 11, PARAMETER_PROBLEM4 = 12 };
enum {
	UNREACHABLE6 = 1,
	TOO_BIG6 = 2,
	TIME_EXCEEDED6 = 3,
	PARAMETER_PROBLEM6 = 4,
	ECHO_REPLY6 = 129,
	MLD_REPORT = 131,
	ROUTER_SOLICIT = 133,
	NEIGHBOR_SOLICIT = 135,
	NEIGHBOR_ADVERT = 136,
	MLD2_REPORT = 143,
};

static const struct prefix solicited_nodes = { { FAMILY_IPV6, { 0xff, 0x02, [11] = 0x01, 0xff } },
					       104 };

/*
 * The port besides the mark: another instance marks for its own. Not a pure SYN, which would be a
 * simultaneous open.
 * tcp sport 8080 tcp flags & (syn | ack) != syn ct direction reply
 *	ct mark and 0x20000000 == 0x20000000 counter accept
 */
void ruleset_add_answers(struct chain *chain, const struct policy *policy)
{
	ADD_RULE(chain, source_ports_in(&policy->published_ports),
		 tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(MATCH_CT_REPLY),
		 plain(MATCH_CT_PUBLISHED), plain(COUNT), plain(ACCEPT));
}

/* What a kernel says of itself, and carries nothing of a user's. */
static void add_kernels_own(struct chain *chain)
{
	/* icmpv6 type { mld-listener-report, nd-router-solicit, ... } accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMPV6_TYPE, MLD_REPORT, ROUTER_SOLICIT, NEIGHBOR_SOLICIT,
			NEIGHBOR_ADVERT, MLD2_REPORT),
		 plain(ACCEPT));
	/* ip protocol igmp accept */
	ADD_RULE(chain, ONE_OF(MATCH_IP_PROTOCOL, IPPROTO_IGMP), plain(ACCEPT));
	/* icmp type { echo-reply, destination-unreachable, ..., parameter-problem } accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMP_TYPE, ECHO_REPLY4, UNREACHABLE4, TIME_EXCEEDED4,
			PARAMETER_PROBLEM4),
		 plain(ACCEPT));
	/* icmpv6 type { destination-unreachable, packet-too-big, ..., echo-reply } accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMPV6_TYPE, UNREACHABLE6, TOO_BIG6, TIME_EXCEEDED6,
			PARAMETER_PROBLEM6, ECHO_REPLY6),
		 plain(ACCEPT));
}

/*
 * A group's address is a user's word: one joins it, and the kernel reports that. The groups of
 * solicited nodes have to be reported all the same, for a switch that forwards multicast by reports
 * to let neighbours find this host. What is left to a user is the last three bytes of such a group,
 * on the link. A record with sources would carry more, and a report with another group among them
 * is not sent; so a host that is in other groups answers queries with nothing.
 */
static void add_kernels_own_strict(struct chain *chain)
{
	/* icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMPV6_TYPE, ROUTER_SOLICIT, NEIGHBOR_SOLICIT, NEIGHBOR_ADVERT),
		 plain(ACCEPT));
	/* ip6 daddr ff02::1:ff00:0/104 icmpv6 type mld-listener-report accept */
	ADD_RULE(chain, destination(&solicited_nodes), ONE_OF(MATCH_ICMPV6_TYPE, MLD_REPORT),
		 plain(ACCEPT));
	/* icmpv6 type mld2-listener-report @th,48,16 1 @th,72,128 0xff0200... accept */
	for (uint8_t records = 1; records <= GROUP_RECORDS_MAX; records++)
		ADD_RULE(chain, group_report(records), plain(ACCEPT));
	/*
	 * icmp type { destination-unreachable, time-exceeded, parameter-problem }
	 *	ct mark and 0x40000000 == 0x40000000 accept
	 */
	ADD_RULE(chain, ONE_OF(MATCH_ICMP_TYPE, UNREACHABLE4, TIME_EXCEEDED4, PARAMETER_PROBLEM4),
		 plain(MATCH_CT_MARK), plain(ACCEPT));
	/* icmpv6 type { destination-unreachable, packet-too-big, ... } ct mark and ... accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMPV6_TYPE, UNREACHABLE6, TOO_BIG6, TIME_EXCEEDED6,
			PARAMETER_PROBLEM6),
		 plain(MATCH_CT_MARK), plain(ACCEPT));
}

void ruleset_add_ownerless(struct ruleset *ruleset, const struct policy *policy,
			   const struct openings *openings)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_OWNERLESS);

	/*
	 * By address too: a rule of nat may have turned a connection on loopback outward, and it
	 * goes on when its socket is closed. oifname "lo" fib daddr type local accept
	 */
	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), plain(MATCH_DESTINATION_LOCAL), plain(ACCEPT));
	/*
	 * Not a pure SYN, which would begin another connection with the marked one's ports.
	 * tcp flags & (syn | ack) != syn ct mark and 0x40000000 == 0x40000000 accept
	 */
	ADD_RULE(chain, tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(MATCH_CT_MARK),
		 plain(ACCEPT));
	if (openings->answers)
		ruleset_add_answers(chain, policy);
	if (policy_is_strict(policy))
		add_kernels_own_strict(chain);
	else
		add_kernels_own(chain);
	/* counter drop */
	ADD_RULE(chain, plain(COUNT), plain(DROP));
}
