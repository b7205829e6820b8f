/* ruleset_chains.c: the chains that confine: what is let out, what is refused, and how. */
#include "plan/ruleset_parts.h"

#include "policy/literal.h"

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
 * Strict (everybody is confined but the exempt users) is the same the other way round: "confined"
 * is for every uid but theirs. What has no owner then is somebody confined's in case of doubt: an
 * error passes on a connection that is marked, no echo is answered, and of the reports of groups
 * only those that neighbour discovery cannot do without.
 *
 * With `ownerless: pass` nothing is marked and nobody's connections are tracked: "confined" and
 * what it leads to is all there is.
 *
 * What somebody outside began at a published port has a mark of its own, which "input" sets by the
 * connection's first packet and nothing else: connection tracking also takes up connections in
 * their middle, and may see as inbound what a confined user began. On a marked connection a
 * server's answers pass, and what it leaves behind when it closes; never what begins something.
 *
 * Where a filter decides, the confined users have loopback alone, and the filter's uid goes to a
 * chain of its own, "guard" (ruleset_guard.c). What is sent to where the filter listens goes to
 * "clients" before anything else (ruleset_clients.c).
 *
 * The mark is one bit for all instances. Where two tables stand side by side the other one takes
 * our confined users for everybody else and marks their connections; "refuse" takes that back, and
 * "postrouting" what it did to a datagram on loopback.
 */

static const struct prefix loopback4 = { { FAMILY_IPV4, { 127 } }, 8 };
static const struct prefix loopback6 = { { FAMILY_IPV6, { [15] = 1 } }, 128 };
/* Container engines' resolver; what arrives for it is rewritten to a port that only they know. */
static const struct prefix engine_resolver = { { FAMILY_IPV4, { 127, 0, 0, 11 } }, 32 };

static void add_output(struct ruleset *ruleset, const struct policy *policy,
		       const struct rangeset *confined, const struct filter_plan *filter)
{
	struct chain *chain = add_base_chain(ruleset, CHAIN_OUTPUT, HOOK_OUTPUT, PRIORITY_FILTER);

	if (filter)
		ruleset_lead_to_clients(chain, filter);
	/* meta skuid 1500 goto confined */
	ADD_USER_RULES(chain, confined, go_to(CHAIN_CONFINED));
	/* meta skuid 65528 goto guard */
	if (filter)
		ADD_RULE(chain, user(&(struct range){ filter->uid, filter->uid }),
			 go_to(CHAIN_GUARD));
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

void add_opening_rules(struct chain *chain, const struct opening *opening, bool track)
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
		ruleset_add_answers(chain, policy);
	for (size_t i = 0; i < openings->count; i++)
		add_opening_rules(chain, &openings->items[i], policy_tracks(policy));
	/* goto refuse */
	ADD_RULE(chain, go_to(CHAIN_REFUSE));
}

/* ip daddr 127.0.0.1 tcp dport 3128 ct direction original accept */
static void add_loopback_port(struct chain *chain, const struct address *address, uint16_t port)
{
	struct prefix prefix = prefix_of(address, address_bits(address->family));
	struct range range = { port, port };

	ADD_RULE(chain, destination(&prefix), ports_in(&(struct rangeset){ &range, 1 }),
		 negated(MATCH_CT_REPLY), plain(ACCEPT));
}

/* A lane on loopback is reached directly: no_proxy says so to programs. */
static void add_loopback_lane(struct chain *chain, const struct destination *lane)
{
	struct prefix prefix;

	if (lane->kind != DESTINATION_PREFIX)
		return;
	prefix = destination_prefix(lane);
	if (literal_is_loopback(&prefix.address))
		add_loopback_port(chain, &prefix.address, lane->first_port);
}

/* What stays open on loopback whatever the list says. */
static void add_always_open(struct chain *chain, const struct policy *policy,
			    const struct filter_plan *filter)
{
	for (size_t i = 0; filter && i < filter->listen.count; i++)
		add_loopback_port(chain, &filter->listen.items[i].address,
				  filter->listen.items[i].port);
	for (size_t i = 0; policy->allow_model_endpoint && i < policy->model_endpoints.count; i++)
		add_loopback_lane(chain, &policy->model_endpoints.items[i]);
}

/*
 * Loopback as a list of ports: for what a confined user begins; answers of its servers pass. The
 * direction alone does not make an answer: conntrack goes by addresses and ports, so a confined
 * user could open an entry from an unlisted port to a listed one, leave the unlisted one to
 * somebody's service, and reach it as the "answer".
 */
static void add_loopback_ports(struct chain *chain, const struct policy *policy,
			       const struct filter_plan *filter)
{
	/* ICMP reaches the kernel alone here: meta l4proto { icmp, ipv6-icmp } accept */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_ICMP, IPPROTO_ICMPV6), plain(ACCEPT));
	/* meta l4proto { tcp, udp } th dport { 8080, 9000-9010 } ct direction original accept */
	if (policy->loopback_ports.count)
		ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP),
			 ports_in(&policy->loopback_ports), negated(MATCH_CT_REPLY), plain(ACCEPT));
	add_always_open(chain, policy, filter);
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

static void add_loopback(struct ruleset *ruleset, const struct policy *policy,
			 const struct filter_plan *filter)
{
	struct range resolver_ports[] = { { 53, 53 }, { 853, 853 }, { 5353, 5353 } };
	const struct rangeset resolvers = { resolver_ports, 3 }, nameserver = { resolver_ports, 1 };
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_LOOPBACK);

	/* ip daddr 127.0.0.11 goto refuse */
	ADD_RULE(chain, destination(&engine_resolver), go_to(CHAIN_REFUSE));
	/* meta l4proto { tcp, udp } th dport { 53, 853, 5353 } goto refuse */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP), ports_in(&resolvers),
		 go_to(CHAIN_REFUSE));
	/*
	 * Nor may a confined user be one: where everybody may bind port 53, as in many containers,
	 * or the resolver has ended, it would tell the filter and the next apply what names lead
	 * to. ip saddr 127.0.0.11 goto refuse
	 */
	ADD_RULE(chain, source(&engine_resolver), go_to(CHAIN_REFUSE));
	/* meta l4proto { tcp, udp } th sport 53 goto refuse */
	ADD_RULE(chain, ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP),
		 source_ports_in(&nameserver), go_to(CHAIN_REFUSE));
	if (filter)
		ruleset_refuse_impostors(chain, filter);
	if (policy->loopback_any)
		ADD_RULE(chain, plain(ACCEPT)); /* accept */
	else
		add_loopback_ports(chain, policy, filter);
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
			const struct rangeset *confined, const struct openings *openings,
			const struct filter_plan *filter)
{
	const struct openings answers = { .answers = openings->answers },
			      *theirs = filter ? &answers : openings;

	add_output(ruleset, policy, confined, filter);
	add_confined(ruleset, policy, theirs);
	add_loopback(ruleset, policy, filter);
	if (filter) {
		ruleset_add_clients(ruleset, CHAIN_CLIENTS, confined);
		ruleset_add_guard(ruleset, policy, filter, openings);
	}
	if (policy_tracks(policy))
		ruleset_add_ownerless(ruleset, policy, theirs);
	add_refuse(ruleset, policy, log);
	ruleset_add_hooks(ruleset, policy, confined, theirs, filter);
}
