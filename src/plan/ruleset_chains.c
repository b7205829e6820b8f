/* ruleset_chains.c: the chains that confine: what is let out, what is refused, and how. */
#include "plan/ruleset_parts.h"

#include <netinet/in.h>

/*
 * Theory of operation. Every packet that this host sends passes "output". One that a confined
 * user's socket owns goes to "confined", and from there to exactly one end: accepted, or refused.
 * One that somebody else's socket owns is accepted, and its connection marked. What has no owner
 * (a closed socket's last data, a kernel's own answer) goes to "ownerless" and passes only on a
 * marked TCP connection, or as a kernel's own report: a confined user can leave no data behind
 * that travels after close(). "postrouting" and "forward" catch packets whose route changed after
 * they were judged as loopback traffic.
 *
 * While the confined users are few ranges, rules compare them one after another: to look a packet's
 * user up in an interval set costs everybody twice as much. The set says who is confined in any
 * case, to whoever reads the table.
 *
 * Strict (everybody is confined but the exempt users) is the same the other way round: "confined" is
 * for every uid but theirs. What has no owner then is somebody confined's in case of doubt: an error
 * passes on a connection that is marked, no echo is answered, and of the reports of groups only
 * those that neighbour discovery cannot do without.
 *
 * With `ownerless: pass` nothing is marked and nobody's connections are tracked: "confined" and
 * what it leads to is all there is.
 *
 * What somebody outside began at a published port has a mark of its own, which "input" sets by the
 * connection's first packet and nothing else: connection tracking also takes up connections in
 * their middle, and may see as inbound what a confined user began. On a marked connection a
 * server's answers pass, and what it leaves behind when it closes; never what begins something.
 *
 * The mark is one bit for all instances. Where two tables stand side by side the other one takes
 * our confined users for everybody else and marks their connections; "refuse" takes that back, and
 * "postrouting" what it did to a datagram on loopback.
 */

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

static const struct prefix loopback4 = { { FAMILY_IPV4, { 127 } }, 8 };
static const struct prefix loopback6 = { { FAMILY_IPV6, { [15] = 1 } }, 128 };
static const struct prefix solicited_nodes = {
	{ FAMILY_IPV6, { 0xff, 0x02, [11] = 0x01, 0xff } }, 104
};
/* Container engines' resolver; what arrives for it is rewritten to a port that only they know. */
static const struct prefix engine_resolver = { { FAMILY_IPV4, { 127, 0, 0, 11 } }, 32 };

static void add_output(struct ruleset *ruleset, const struct policy *policy,
		       const struct rangeset *confined)
{
	struct chain *chain = add_base_chain(ruleset, CHAIN_OUTPUT, HOOK_OUTPUT, PRIORITY_FILTER);

	/* meta skuid 1500 goto confined */
	ADD_USER_RULES(chain, confined, go_to(CHAIN_CONFINED));
	if (!policy_tracks(policy))
		return;
	/*
	 * Nearly every packet of everybody else ends here, for the sake of speed alone: the rules
	 * below accept each of these too, none of them changes a mark that is set, and none counts.
	 * So nothing is open by it that was not: a listener that a confined user inherited, and its
	 * SYN-ACK, are accepted and mark nothing here as there, and a connection that has no mark
	 * does not get one by it.
	 * meta skuid 0-4294967295 ct mark and 0x40000000 == 0x40000000 accept
	 */
	ADD_RULE(chain, plain(MATCH_OWNED), plain(MATCH_CT_MARK), plain(ACCEPT));
	/* oifname "lo" meta skuid 0-4294967295 accept */
	if (policy->loopback_any)
		ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), plain(MATCH_OWNED), plain(ACCEPT));
	/*
	 * A listener's SYN-ACK marks nothing: a confined user may have inherited the listener.
	 * meta skuid 0-4294967295 tcp flags & (syn | ack) == (syn | ack) accept
	 */
	ADD_RULE(chain, plain(MATCH_OWNED), tcp_flags(false, TCP_SYN | TCP_ACK, TCP_SYN | TCP_ACK),
		 plain(ACCEPT));
	/*
	 * With a list, the mark on loopback says that somebody else began it: to answer a confined
	 * user does not set it.
	 * oifname "lo" ct direction reply accept
	 */
	if (!policy->loopback_any)
		ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), plain(MATCH_CT_REPLY), plain(ACCEPT));
	/* meta skuid 0-4294967295 ct mark set ct mark or 0x40000000 accept */
	ADD_RULE(chain, plain(MATCH_OWNED), plain(SET_CT_MARK), plain(ACCEPT));
	/*
	 * What is not tracked cannot be marked, so the rule before does not match it.
	 * meta skuid 0-4294967295 accept
	 */
	ADD_RULE(chain, plain(MATCH_OWNED), plain(ACCEPT));
	/* goto ownerless */
	ADD_RULE(chain, go_to(CHAIN_OWNERLESS));
}

/* One rule for each of its sets: ip daddr @pin4_1 tcp dport { 80, 443 } ... counter accept */
static void add_opening(struct chain *chain, const struct opening *opening, bool track)
{
	for (enum opening_part part = 0; part < OPENING_PARTS; part++) {
		struct statement reach, ports;

		if (!opening->sets[part][0])
			continue;
		reach = destination_in(opening_family(part), opening->sets[part]);
		ports = ports_in(&opening->ports);
		if (track)
			ADD_RULE(chain, reach, ports, plain(SET_CT_MARK), plain(COUNT),
				 plain(ACCEPT));
		else
			ADD_RULE(chain, reach, ports, plain(COUNT), plain(ACCEPT));
	}
}

/*
 * The port besides the mark: another instance marks for its own. Not a pure SYN, which would be a
 * simultaneous open.
 * tcp sport 8080 tcp flags & (syn | ack) != syn ct direction reply
 *	ct mark and 0x20000000 == 0x20000000 counter accept
 */
static void add_answers(struct chain *chain, const struct policy *policy)
{
	ADD_RULE(chain, source_ports_in(&policy->published_ports),
		 tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(MATCH_CT_REPLY),
		 plain(MATCH_CT_PUBLISHED), plain(COUNT), plain(ACCEPT));
}

static void add_confined(struct ruleset *ruleset, const struct policy *policy,
			 const struct openings *openings)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_CONFINED);

	/*
	 * By interface and address: what was routed to lo may have got an outside address by nat.
	 * oifname "lo" ip daddr 127.0.0.0/8 goto loopback
	 */
	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), destination(&loopback4), go_to(CHAIN_LOOPBACK));
	/*
	 * Over IPv6 anybody may send from an address that is not this host's; the kernel's answer
	 * (an echo reply, an error), or a service's, would carry the data there.
	 * oifname "lo" ip6 daddr ::1 ip6 saddr ::1 goto loopback
	 */
	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), destination(&loopback6), source(&loopback6),
		 go_to(CHAIN_LOOPBACK));
	/* oifname "lo" fib daddr type local fib saddr type local goto loopback */
	if (policy->own_addresses)
		ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), plain(MATCH_DESTINATION_LOCAL),
			 plain(MATCH_SOURCE_LOCAL), go_to(CHAIN_LOOPBACK));
	if (openings->answers)
		add_answers(chain, policy);
	for (size_t i = 0; i < openings->count; i++)
		add_opening(chain, &openings->items[i], policy_tracks(policy));
	/* goto refuse */
	ADD_RULE(chain, go_to(CHAIN_REFUSE));
}

/*
 * Loopback as a list of ports: for what a confined user begins; answers of its servers pass. The
 * direction alone does not make an answer: conntrack goes by addresses and ports, so a confined
 * user could open an entry from an unlisted port to a listed one, leave the unlisted one to
 * somebody's service, and reach it as the "answer".
 */
static void add_loopback_ports(struct chain *chain, const struct policy *policy)
{
	/* ICMP reaches the kernel alone here: meta l4proto { icmp, ipv6-icmp } accept */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_ICMP, IPPROTO_ICMPV6), plain(ACCEPT));
	/* meta l4proto { tcp, udp } th dport { 8080, 9000-9010 } ct direction original accept */
	if (policy->loopback_ports.count)
		ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP),
			 ports_in(&policy->loopback_ports), negated(MATCH_CT_REPLY),
			 plain(ACCEPT));
	/*
	 * Not a pure SYN, which begins something: a simultaneous open.
	 * tcp flags & (syn | ack) != syn ct direction reply accept
	 */
	ADD_RULE(chain, tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(MATCH_CT_REPLY),
		 plain(ACCEPT));
	/*
	 * UDP tells no beginning from an answer; the mark tells that somebody else began it.
	 * meta l4proto udp ct direction reply ct mark and 0x40000000 == 0x40000000 accept
	 */
	if (policy_tracks(policy))
		ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_UDP), plain(MATCH_CT_REPLY),
			 plain(MATCH_CT_MARK), plain(ACCEPT));
	/* goto refuse */
	ADD_RULE(chain, go_to(CHAIN_REFUSE));
}

static void add_loopback(struct ruleset *ruleset, const struct policy *policy)
{
	struct range resolver_ports[] = { { 53, 53 }, { 853, 853 }, { 5353, 5353 } };
	const struct rangeset resolvers = { resolver_ports, 3 };
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_LOOPBACK);

	/* ip daddr 127.0.0.11 goto refuse */
	ADD_RULE(chain, destination(&engine_resolver), go_to(CHAIN_REFUSE));
	/* meta l4proto { tcp, udp } th dport { 53, 853, 5353 } goto refuse */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP), ports_in(&resolvers),
		 go_to(CHAIN_REFUSE));
	if (policy->loopback_any)
		ADD_RULE(chain, plain(ACCEPT)); /* accept */
	else
		add_loopback_ports(chain, policy);
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
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMP_TYPE, UNREACHABLE4, TIME_EXCEEDED4, PARAMETER_PROBLEM4),
		 plain(MATCH_CT_MARK), plain(ACCEPT));
	/* icmpv6 type { destination-unreachable, packet-too-big, ... } ct mark and ... accept */
	ADD_RULE(chain,
		 ONE_OF(MATCH_ICMPV6_TYPE, UNREACHABLE6, TOO_BIG6, TIME_EXCEEDED6,
			PARAMETER_PROBLEM6),
		 plain(MATCH_CT_MARK), plain(ACCEPT));
}

static void add_ownerless(struct ruleset *ruleset, const struct policy *policy,
			  const struct openings *openings)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_OWNERLESS);

	/*
	 * By address too: a rule of nat may have turned a connection on loopback outward, and it goes
	 * on when its socket is closed.
	 * oifname "lo" fib daddr type local accept
	 */
	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), plain(MATCH_DESTINATION_LOCAL), plain(ACCEPT));
	/*
	 * Not a pure SYN, which would begin another connection with the marked one's ports.
	 * tcp flags & (syn | ack) != syn ct mark and 0x40000000 == 0x40000000 accept
	 */
	ADD_RULE(chain, tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(MATCH_CT_MARK),
		 plain(ACCEPT));
	if (openings->answers)
		add_answers(chain, policy);
	if (policy_is_strict(policy))
		add_kernels_own_strict(chain);
	else
		add_kernels_own(chain);
	/* counter drop */
	ADD_RULE(chain, plain(COUNT), plain(DROP));
}

static void add_refuse(struct ruleset *ruleset, const struct policy *policy, bool log)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_REFUSE);

	/* A rule of its own: untracked packets end it here, and must be refused all the same. */
	/* ct mark set ct mark and 0xbfffffff */
	if (policy_tracks(policy))
		ADD_RULE(chain, plain(CLEAR_CT_MARK));
	/* log group 9 prefix "egressfw " */
	if (log)
		ADD_RULE(chain, plain(LOG));
	/*
	 * What refuses goes to the packet's source, and the error has the packet in it: over IPv6
	 * that may be anybody's address. A reset to it ends in "ownerless", where there is one.
	 * fib saddr type != local counter drop
	 */
	if (!policy_tracks(policy))
		ADD_RULE(chain, negated(MATCH_SOURCE_LOCAL), plain(COUNT), plain(DROP));
	/* meta l4proto tcp counter reject with tcp reset */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP), plain(COUNT), plain(REJECT_RESET));
	if (policy_tracks(policy))
		ADD_RULE(chain, negated(MATCH_SOURCE_LOCAL), plain(COUNT), plain(DROP));
	/* counter reject with icmpx admin-prohibited */
	ADD_RULE(chain, plain(COUNT), plain(REJECT_PROHIBITED));
}

void ruleset_add_chains(struct ruleset *ruleset, const struct policy *policy, bool log,
			const struct rangeset *confined, const struct openings *openings)
{
	add_output(ruleset, policy, confined);
	add_confined(ruleset, policy, openings);
	add_loopback(ruleset, policy);
	if (policy_tracks(policy))
		add_ownerless(ruleset, policy, openings);
	add_refuse(ruleset, policy, log);
	ruleset_add_hooks(ruleset, policy, confined, openings);
}
