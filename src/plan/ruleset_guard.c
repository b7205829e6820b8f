/* ruleset_guard.c: the chain that holds the filter to what it promises. */
#include "plan/ruleset_parts.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "policy/literal.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. The filter decides by name and is no confined user; but whoever takes it
 * over must not have won the rest of this machine. So all that its uid sends goes to "guard", and
 * from there to exactly one end, like what a confined user sends. Open are
 *
 * - answers from the ports that it listens on. No SYN among them: without one nothing begins.
 * - its nameservers, on port 53. What goes to a resolver on loopback has passed nat by now, as in
 *   containers, where the engine's resolver stands on a port that changes; so the port is the one
 *   that the connection was begun with, and other ports of the same address stay closed.
 * - addresses and prefixes that the policy lists, lanes among them, on their ports.
 * - what allow_private lists, and ordinary addresses, on the ports that the policy has for names.
 *   Everything else on loopback, this host's own addresses included, is refused before these, and
 *   so is every special-purpose address.
 */

static const char *const private_sets[] = {
	[FAMILY_IPV4] = "private4", [FAMILY_IPV6] = "private6"
};
static const char *const special_sets[] = {
	[FAMILY_IPV4] = "special4", [FAMILY_IPV6] = "special6"
};
static const char *const name_sets[] = { [FAMILY_IPV4] = "names4", [FAMILY_IPV6] = "names6" };
static const enum set_type set_types[] = { [FAMILY_IPV4] = SET_IPV4, [FAMILY_IPV6] = SET_IPV6 };
enum { DNS_PORT = 53, PORT_LAST = 65535 };

static void add_ports(const struct destinations *list, struct rangeset *ports)
{
	for (size_t i = 0; i < list->count; i++) {
		struct rangeset more;

		if (list->items[i].kind == DESTINATION_PREFIX)
			continue;
		more = destination_ports(&list->items[i]);
		rangeset_add_all(ports, &more);
		rangeset_free(&more);
	}
}

/* The ports on which a name may be reached under the policy. */
static struct rangeset name_ports(const struct policy *policy)
{
	struct rangeset ports = { 0 };

	if (policy->mode == MODE_BLOCKLIST)
		rangeset_add(&ports, 1, PORT_LAST);
	if (policy->mode == MODE_ALLOWLIST)
		add_ports(&policy->allowed_hosts, &ports);
	if (policy->allow_model_endpoint)
		add_ports(&policy->model_endpoints, &ports);
	return ports;
}

/* Takes the keys over; a set without any is not added. */
static void add_set(struct ruleset *ruleset, const char *name, enum family family,
		    struct keyset keys)
{
	keyset_seal(&keys);
	if (keys.count)
		ruleset_add_set(ruleset, name, set_types[family], keys.interval)->keys = keys;
	else
		keyset_free(&keys);
}

void ruleset_add_guard_sets(struct ruleset *ruleset, const struct policy *policy,
			    const struct filter_plan *filter)
{
	struct rangeset ports = name_ports(policy);

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		struct keyset names = keyset_new(address_width(family), false),
			      private = keyset_new(address_width(family), true),
			      special = keyset_new(address_width(family), true);

		for (size_t i = 0; i < filter->nameservers.count; i++) {
			const struct address *server = &filter->nameservers.items[i].address;

			if (server->family == family && !literal_is_loopback(server))
				keyset_add(&names, server->bytes);
		}
		for (size_t i = 0; ports.count && i < policy->allow_private.count; i++) {
			const struct prefix *prefix = &policy->allow_private.items[i];
			struct address last = prefix_last(prefix);

			if (prefix->address.family == family)
				keyset_add_interval(&private, prefix->address.bytes, last.bytes);
		}
		if (ports.count)
			address_add_special(family, &special);
		add_set(ruleset, name_sets[family], family, names);
		add_set(ruleset, private_sets[family], family, private);
		add_set(ruleset, special_sets[family], family, special);
	}
	rangeset_free(&ports);
}

/* oifname "lo" ip saddr 127.0.0.1 tcp sport 3128 tcp flags & (syn | ack) != syn accept */
void ruleset_add_replies(struct chain *chain, const struct address_port *listen)
{
	struct range port = { listen->port, listen->port };
	struct prefix address = prefix_of(&listen->address, address_bits(listen->address.family));

	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), source(&address),
		 source_ports_in(&(struct rangeset){ &port, 1 }),
		 tcp_flags(true, TCP_SYN | TCP_ACK, TCP_SYN), plain(ACCEPT));
}

/*
 * nft lists this port as a port only where the protocol is one.
 * oifname "lo" ip daddr 127.0.0.11 meta l4proto tcp ct original proto-dst 53 accept
 */
static void add_loopback_nameserver(struct chain *chain, const struct address *server)
{
	struct range port = { DNS_PORT, DNS_PORT };
	struct prefix address = prefix_of(server, address_bits(server->family));
	static const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP };

	for (size_t i = 0; i < sizeof(protocols); i++)
		ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), destination(&address),
			 one_of(MATCH_PROTOCOL, &protocols[i], 1),
			 original_ports_in(&(struct rangeset){ &port, 1 }), plain(ACCEPT));
}

/* MATCH... [ct mark set ct mark or 0x40000000] counter accept */
static void add_way_out(struct chain *chain, const struct statement *matches, size_t count,
			bool track)
{
	struct statement statements[RULE_STATEMENTS_MAX];

	for (size_t i = 0; i < count; i++)
		statements[i] = matches[i];
	if (track)
		statements[count++] = plain(SET_CT_MARK);
	statements[count++] = plain(COUNT);
	statements[count++] = plain(ACCEPT);
	chain_add_rule(chain, statements, count);
}
#define ADD_WAY_OUT(chain, track, ...)                                                             \
	add_way_out(chain, (const struct statement[]){ __VA_ARGS__ },                              \
		    sizeof((const struct statement[]){ __VA_ARGS__ }) / sizeof(struct statement),  \
		    track)

static void add_nameservers(struct ruleset *ruleset, struct chain *chain,
			    const struct filter_plan *filter, bool track)
{
	struct range port = { DNS_PORT, DNS_PORT };

	for (size_t i = 0; i < filter->nameservers.count; i++)
		if (literal_is_loopback(&filter->nameservers.items[i].address))
			add_loopback_nameserver(chain, &filter->nameservers.items[i].address);
	/* ip daddr @names4 meta l4proto { tcp, udp } th dport 53 ... counter accept */
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++)
		if (ruleset_find_set(ruleset, name_sets[family]))
			ADD_WAY_OUT(chain, track, destination_in(family, name_sets[family]),
				    ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP),
				    ports_in(&(struct rangeset){ &port, 1 }));
}

/* What a name may turn out to be. */
static void add_names(struct ruleset *ruleset, struct chain *chain, const struct policy *policy)
{
	struct rangeset ports = name_ports(policy);

	/* ip daddr @private4 tcp dport { 80, 443 } ... counter accept */
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++)
		if (ruleset_find_set(ruleset, private_sets[family]))
			ADD_WAY_OUT(chain, policy_tracks(policy),
				    destination_in(family, private_sets[family]), ports_in(&ports));
	/* oifname "lo" goto refuse */
	ADD_RULE(chain, plain(MATCH_OUT_LOOPBACK), go_to(CHAIN_REFUSE));
	/* ip daddr @special4 goto refuse */
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++)
		if (ruleset_find_set(ruleset, special_sets[family]))
			ADD_RULE(chain, destination_in(family, special_sets[family]),
				 go_to(CHAIN_REFUSE));
	/* tcp dport { 80, 443 } ... counter accept */
	if (ports.count)
		ADD_WAY_OUT(chain, policy_tracks(policy), ports_in(&ports));
	rangeset_free(&ports);
}

void ruleset_add_guard(struct ruleset *ruleset, const struct policy *policy,
		       const struct filter_plan *filter, const struct openings *openings)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_GUARD);

	for (size_t i = 0; i < filter->listen.count; i++)
		ruleset_add_replies(chain, &filter->listen.items[i]);
	add_nameservers(ruleset, chain, filter, policy_tracks(policy));
	for (size_t i = 0; i < openings->count; i++)
		add_opening_rules(chain, &openings->items[i], policy_tracks(policy));
	add_names(ruleset, chain, policy);
	/* goto refuse */
	ADD_RULE(chain, go_to(CHAIN_REFUSE));
}

uint32_t ruleset_filter_uid(const struct ruleset *ruleset)
{
	const struct chain *output = ruleset_find_chain(ruleset, CHAIN_OUTPUT);

	for (size_t i = 0; output && i < output->count; i++) {
		const struct rule *rule = &output->rules[i];

		if (rule->count == 2 && rule->statements[0].kind == MATCH_USER &&
		    rule->statements[1].kind == GOTO &&
		    !strcmp(rule->statements[1].name, CHAIN_GUARD))
			return rule->statements[0].users.first;
	}
	return 0;
}
