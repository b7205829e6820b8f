/* ruleset_expand.c: one rule with lists and sets as rules with one value each. */
#include "plan/ruleset_expand.h"

#include "plan/ruleset_parts.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

enum { STATEMENTS_MAX = 2 * RULE_STATEMENTS_MAX };

struct expansion {
	const struct ruleset *from;
	const struct xt_kernel *kernel;
	struct statement statements[STATEMENTS_MAX];
	size_t count;
	struct chain *chain;
	struct err *err;
};

static bool expand_from(struct expansion *expansion, size_t index);

/* The statement at the index takes this value, and the rest is gone through. */
static bool expand_with(struct expansion *expansion, size_t index,
			const struct statement *statement)
{
	struct statement kept = expansion->statements[index];
	bool good;

	expansion->statements[index] = *statement;
	good = expand_from(expansion, index + 1);
	expansion->statements[index] = kept;
	return good;
}

static bool refuse(struct expansion *expansion, const char *what)
{
	err_set(expansion->err, "chain %s: xtables cannot say %s", expansion->chain->name, what);
	return false;
}

/* A range; or each of its uids, where the kernel compares one alone. */
static bool expand_range(struct expansion *expansion, size_t index, const struct range *users)
{
	struct statement statement = user(users);

	if (!expansion->kernel->plain)
		return expand_with(expansion, index, &statement);
	if (users->last - users->first >= XT_UIDS_MAX) {
		err_set(expansion->err,
			"uids %" PRIu32 "-%" PRIu32 ": this kernel matches one uid at a time, and "
			"so many would be a rule each (limit %d); subordinate uids stand in "
			"/etc/subuid",
			users->first, users->last, XT_UIDS_MAX);
		return false;
	}
	for (uint32_t uid = users->first; uid <= users->last; uid++) {
		statement = user(&(struct range){ uid, uid });
		if (!expand_with(expansion, index, &statement))
			return false;
	}
	return true;
}

static bool expand_users(struct expansion *expansion, size_t index)
{
	const struct set *set =
		ruleset_find_set(expansion->from, expansion->statements[index].name);
	struct rangeset users;
	bool good = true;

	if (!set || set->type != SET_UID)
		return refuse(expansion, "a set of users that is not there");
	users = uid_ranges(&set->keys);
	for (size_t i = 0; i < users.count && good; i++)
		good = expand_range(expansion, index, &users.items[i]);
	rangeset_free(&users);
	return good;
}

/* The longest prefix that begins at the address and does not go beyond the last one. */
static struct prefix prefix_at(const struct address *first, const struct address *last)
{
	uint8_t length = 0;

	for (;; length++) {
		struct prefix prefix = prefix_of(first, length);
		struct address end = prefix_last(&prefix);

		if (!address_compare(&prefix.address, first) && address_compare(&end, last) <= 0)
			return prefix;
	}
}

static struct address address_of(const uint8_t *key, enum family family)
{
	struct address address = { .family = family };

	memcpy(address.bytes, key, address_width(family));
	return address;
}

static bool expand_interval(struct expansion *expansion, size_t index, struct address first,
			    const struct address *last)
{
	for (;;) {
		struct prefix prefix = prefix_at(&first, last);
		struct statement statement = destination(&prefix);

		if (!expand_with(expansion, index, &statement))
			return false;
		first = prefix_last(&prefix);
		if (!address_compare(&first, last))
			return true;
		key_increment(first.bytes, address_width(first.family));
	}
}

static bool expand_addresses(struct expansion *expansion, size_t index)
{
	const struct statement *statement = &expansion->statements[index];
	const struct set *set = ruleset_find_set(expansion->from, statement->name);
	enum family family = statement->family;

	if (!set || set->keys.width != address_width(family))
		return refuse(expansion, "a set of addresses that is not there");
	for (size_t i = 0; i < set->keys.count; i++) {
		struct address last = address_of(keyset_last(&set->keys, i), family);

		if (!expand_interval(expansion, index,
				     address_of(keyset_first(&set->keys, i), family), &last))
			return false;
	}
	return true;
}

static bool expand_ports(struct expansion *expansion, size_t index)
{
	const struct rangeset *ports = &expansion->statements[index].ports;
	struct statement statement = expansion->statements[index];

	for (size_t i = 0; i < ports->count; i++) {
		statement.ports = (struct rangeset){ &ports->items[i], 1 };
		if (!expand_with(expansion, index, &statement))
			return false;
	}
	return true;
}

static bool expand_bytes(struct expansion *expansion, size_t index)
{
	const struct statement *list = &expansion->statements[index];
	enum statement_kind kind = list->kind;
	uint8_t values[STATEMENT_VALUES_MAX], count = list->bytes.count;

	memcpy(values, list->bytes.values, count);
	for (uint8_t i = 0; i < count; i++) {
		struct statement statement = one_of(kind, &values[i], 1);

		if (!expand_with(expansion, index, &statement))
			return false;
	}
	return true;
}

/* Keeps the narrower of two destinations that stand side by side; false: nothing is in both. */
static bool merge_destinations(struct statement *statements, size_t *count)
{
	for (size_t i = 1; i < *count; i++) {
		struct prefix *one = &statements[i - 1].prefix, *other = &statements[i].prefix;

		if (statements[i].kind != MATCH_DESTINATION ||
		    statements[i - 1].kind != MATCH_DESTINATION)
			continue;
		if (prefix_contains(one, &other->address) && other->length >= one->length)
			*one = *other;
		else if (!prefix_contains(other, &one->address))
			return false;
		memmove(&statements[i], &statements[i + 1], (*count - i - 1) * sizeof(*statements));
		--*count;
		i--;
	}
	return true;
}

static bool asks_for_tcp(enum statement_kind kind)
{
	return kind == MATCH_PORTS || kind == MATCH_SOURCE_PORTS || kind == MATCH_TCP_FLAGS;
}

/* Sorted, "meta l4proto tcp" stands right before a match that implies it: then that is enough. */
static void leave_out_tcp(struct statement *statements, size_t *count)
{
	for (size_t i = 1; i < *count; i++) {
		const struct statement *before = &statements[i - 1];

		if (before->kind != MATCH_PROTOCOL || before->bytes.values[0] != IPPROTO_TCP ||
		    !asks_for_tcp(statements[i].kind))
			continue;
		memmove(&statements[i - 1], &statements[i], (*count - i) * sizeof(*statements));
		--*count;
		return;
	}
}

static bool emit(struct expansion *expansion)
{
	struct statement statements[STATEMENTS_MAX];
	size_t count = expansion->count;
	struct rule *rule;

	if (expansion->chain->count > XT_RULES_MAX) {
		err_set(expansion->err,
			"chain %s: more than %d rules: xtables have no sets, so that each address "
			"is a rule for each of its port ranges",
			expansion->chain->name, XT_RULES_MAX);
		return false;
	}
	memcpy(statements, expansion->statements, count * sizeof(*statements));
	statements_sort(statements, count);
	if (!merge_destinations(statements, &count))
		return true;
	leave_out_tcp(statements, &count);
	rule = chain_add_rule(expansion->chain, statements, count);
	for (size_t i = 0; i < count; i++)
		rule->statements[i].ports = rangeset_copy(&statements[i].ports);
	return true;
}

static bool expand_from(struct expansion *expansion, size_t index)
{
	if (index == expansion->count)
		return emit(expansion);
	switch (expansion->statements[index].kind) {
	case MATCH_USER_IN:
		return expand_users(expansion, index);
	case MATCH_USER:
		return expand_range(expansion, index,
				    &(struct range){ expansion->statements[index].users.first,
						     expansion->statements[index].users.last });
	case MATCH_DESTINATION_IN:
		return expand_addresses(expansion, index);
	case MATCH_PORTS:
	case MATCH_SOURCE_PORTS:
		return expand_ports(expansion, index);
	case MATCH_PROTOCOL:
	case MATCH_ICMP_TYPE:
	case MATCH_ICMPV6_TYPE:
		return expand_bytes(expansion, index);
	case MATCH_DESTINATION_LOCAL:
	case MATCH_SOURCE_LOCAL:
	case MATCH_TCP_FLAGS:
	case MATCH_CT_MARK:
	case MATCH_OWNED:
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
	case LOG:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
	case MATCH_IN_LOOPBACK:
	case MATCH_CT_PUBLISHED:
	case SET_CT_PUBLISHED:
		if (expansion->kernel->plain)
			return refuse(expansion, "one of its statements on this kernel");
		break;
	case MATCH_CT_REPLY:
	case MATCH_CT_FIRST:
		if (!expansion->kernel->conntrack)
			return refuse(expansion, "what needs the match conntrack, on this kernel");
		break;
	case MATCH_OUT_LOOPBACK:
	case MATCH_DESTINATION:
	case MATCH_SOURCE:
	case ACCEPT:
	case DROP:
	case GOTO:
		break;
	case MATCH_IP_PROTOCOL:
	case MATCH_GROUP_REPORT:
	case MATCH_CT_ORIGINAL_PORTS:
	case COUNT:
	case FOREIGN:
	case STATEMENT_KINDS:
		return refuse(expansion, "one of its statements");
	}
	return expand_from(expansion, index + 1);
}

bool ruleset_expand(const struct ruleset *from, const struct xt_kernel *kernel,
		    const struct statement *statements, size_t count, struct chain *chain,
		    struct err *err)
{
	struct expansion expansion = {
		.from = from, .kernel = kernel, .count = count, .chain = chain, .err = err
	};

	memcpy(expansion.statements, statements, count * sizeof(*statements));
	return expand_from(&expansion, 0);
}
