/* ruleset_clients.c: who may use the filter, and who may not be it. */
#include "plan/ruleset_build.h"
#include "plan/ruleset_parts.h"

#include "base/memory.h"

#include <string.h>

/*
 * Theory of operation. What the filter reaches is for the users of its policy. Anybody else on this
 * machine who could connect to it would have that too, and somebody whom another instance confines,
 * and to whom that leaves loopback, would have it beside what his own policy allows. An accept in
 * another table does not matter here: a packet has to be accepted in each.
 *
 * Wherever it seems to leave: what somebody's nat has redirected there has the interface of before.
 *
 * Not by the first packet alone: a connection from before these rules, while the filter was running
 * already, is refused with the rest. So is what its user would do with the filter's answers. A
 * packet without an owner is what a closed socket leaves behind, which must go on for the filter to
 * learn that it is closed; or a kernel's own socket, as of SMC, which begins with a SYN.
 */

void ruleset_lead_from(struct chain *output, const struct address_port *listen, const char *to)
{
	struct range port = { listen->port, listen->port };
	struct prefix address = prefix_of(&listen->address, address_bits(listen->address.family));

	/* ip daddr 127.0.0.1 tcp dport 3128 goto clients */
	ADD_RULE(output, destination(&address), ports_in(&(struct rangeset){ &port, 1 }),
		 go_to(to));
}

void ruleset_lead_to_clients(struct chain *output, const struct filter_plan *filter)
{
	for (size_t i = 0; i < filter->listen.count; i++)
		ruleset_lead_from(output, &filter->listen.items[i], CHAIN_CLIENTS);
}

bool rule_leads_to(const struct rule *rule, const char *chain)
{
	const struct statement *last = &rule->statements[rule->count - 1];

	return last->kind == GOTO && !strcmp(last->name, chain);
}

/* Reads what ruleset_lead_from() makes. */
static bool is_place(const struct rule *rule, struct address_port *ret)
{
	const struct statement *to = NULL, *ports = NULL;

	if (!rule_leads_to(rule, CHAIN_CLIENTS))
		return false;
	for (size_t i = 0; i < rule->count; i++)
		if (rule->statements[i].kind == MATCH_DESTINATION)
			to = &rule->statements[i];
		else if (rule->statements[i].kind == MATCH_PORTS)
			ports = &rule->statements[i];
	if (!to || to->prefix.length != address_bits(to->prefix.address.family) || !ports ||
	    ports->ports.count != 1 || ports->ports.items[0].first != ports->ports.items[0].last)
		return false;
	*ret = (struct address_port){ to->prefix.address, (uint16_t)ports->ports.items[0].first };
	return true;
}

void ruleset_filter_places(const struct ruleset *ruleset, struct address_ports *ret)
{
	const struct chain *output = ruleset_find_chain(ruleset, CHAIN_OUTPUT);
	struct address_ports places = { 0 };
	struct address_port place;

	for (size_t i = 0; output && i < output->count; i++) {
		if (!is_place(&output->rules[i], &place))
			continue;
		places.items = memory_resize(places.items, places.count + 1, sizeof(*places.items));
		places.items[places.count++] = place;
	}
	*ret = places;
}

void ruleset_add_clients(struct ruleset *ruleset, const char *name, const struct rangeset *confined)
{
	struct chain *chain = ruleset_add_chain(ruleset, name);

	/* meta skuid 1500 goto confined */
	ADD_USER_RULES(chain, confined, go_to(CHAIN_CONFINED));
	/* meta skuid 0 accept */
	ADD_RULE(chain, user(&(struct range){ 0, 0 }), plain(ACCEPT));
	/* meta skuid 0-4294967295 goto refuse */
	ADD_RULE(chain, plain(MATCH_OWNED), go_to(CHAIN_REFUSE));
	/* tcp flags & (syn | ack) == syn goto refuse */
	ADD_RULE(chain, tcp_flags(false, TCP_SYN | TCP_ACK, TCP_SYN), go_to(CHAIN_REFUSE));
	/* accept */
	ADD_RULE(chain, plain(ACCEPT));
}

/*
 * Nor may a confined user be the filter, where that has ended: root, and other users of the policy,
 * would tell it where they want to go, and believe what it serves.
 * ip saddr 127.0.0.1 tcp sport 3128 goto refuse
 */
void ruleset_refuse_impostors(struct chain *chain, const struct filter_plan *filter)
{
	for (size_t i = 0; i < filter->listen.count; i++) {
		const struct address_port *listen = &filter->listen.items[i];
		struct prefix prefix =
			prefix_of(&listen->address, address_bits(listen->address.family));
		struct range range = { listen->port, listen->port };

		ADD_RULE(chain, source(&prefix), source_ports_in(&(struct rangeset){ &range, 1 }),
			 go_to(CHAIN_REFUSE));
	}
}
