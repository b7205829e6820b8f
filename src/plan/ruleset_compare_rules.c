/* ruleset_compare_rules.c: the rules of one chain, as a person would say what was done to them. */
#include "plan/ruleset_compare_rules.h"

#include "base/memory.h"
#include "plan/ruleset_print.h"

#include <stdlib.h>

/*
 * Theory of operation. A longest common subsequence pins down the rules that stayed as they were,
 * so that an inserted rule is one finding and not a cascade. Of what is left, equal rules were
 * moved. What then lies between the same two rules that stayed was changed, pair by pair; the rest
 * is missing or extra.
 */
struct comparison {
	const struct chain *wanted, *found;
	enum table_family family;
	/* Index of the rule on the other side that a rule stayed as, or one of the marks below. */
	size_t *partner_of_wanted, *partner_of_found;
	struct findings *findings;
};

/* In place of a partner. */
#define NO_PARTNER SIZE_MAX
#define MOVED (SIZE_MAX - 1)

/* Cells of the subsequence's table beyond which rules are only compared place by place. */
enum { CELLS_MAX = 1 << 22 };

static bool same(const struct comparison *comparison, size_t wanted, size_t found)
{
	return rule_equal(&comparison->wanted->rules[wanted], &comparison->found->rules[found]);
}

static void pair(struct comparison *comparison, size_t wanted, size_t found)
{
	comparison->partner_of_wanted[wanted] = found;
	comparison->partner_of_found[found] = wanted;
}

/* The part of two chains that is between their common beginning and their common end. */
struct part {
	size_t first;         /* in both */
	size_t wanted, found; /* how many */
};

static struct part pair_both_ends(struct comparison *comparison)
{
	struct part part = { 0, comparison->wanted->count, comparison->found->count };

	while (part.wanted && part.found && same(comparison, part.first, part.first)) {
		pair(comparison, part.first, part.first);
		part.first++;
		part.wanted--;
		part.found--;
	}
	while (part.wanted && part.found &&
	       same(comparison, part.first + part.wanted - 1, part.first + part.found - 1)) {
		part.wanted--;
		part.found--;
		pair(comparison, part.first + part.wanted, part.first + part.found);
	}
	return part;
}

/* lengths[i][j]: of the longest common subsequence from wanted rule i and found rule j on. */
static void pair_subsequence(struct comparison *comparison, const struct part *part)
{
	size_t columns = part->found + 1, i = 0, j = 0;
	uint32_t *lengths = memory_allocate((part->wanted + 1) * columns, sizeof(*lengths));

	for (size_t row = part->wanted; row-- > 0;)
		for (size_t column = part->found; column-- > 0;) {
			uint32_t *cell = &lengths[row * columns + column];

			if (same(comparison, part->first + row, part->first + column))
				*cell = cell[columns + 1] + 1;
			else
				*cell = cell[columns] > cell[1] ? cell[columns] : cell[1];
		}
	while (i < part->wanted && j < part->found) {
		const uint32_t *cell = &lengths[i * columns + j];

		if (same(comparison, part->first + i, part->first + j))
			pair(comparison, part->first + i++, part->first + j++);
		else if (cell[columns] >= cell[1])
			i++;
		else
			j++;
	}
	free(lengths);
}

static void pair_by_place(struct comparison *comparison, const struct part *part)
{
	for (size_t i = part->first;
	     i < part->first + part->wanted && i < part->first + part->found; i++)
		if (same(comparison, i, i))
			pair(comparison, i, i);
}

static char *name_of_rule(const struct comparison *comparison, size_t index)
{
	return memory_format("rule %zu of chain %s", index + 1, comparison->wanted->name);
}

/* "wanted: RULE, found: RULE", with only what there is. */
static char *describe(const struct comparison *comparison, const struct rule *wanted,
		      const struct rule *found)
{
	struct buffer text = { 0 };

	if (wanted) {
		buffer_append_text(&text, "wanted: ");
		rule_print(wanted, comparison->family, &text);
	}
	if (found) {
		buffer_append_text(&text, wanted ? ", found: " : "found: ");
		rule_print(found, comparison->family, &text);
	}
	return buffer_steal(&text);
}

static void find_moved(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->wanted->count; i++) {
		struct buffer text = { 0 };
		size_t j = 0;

		if (comparison->partner_of_wanted[i] != NO_PARTNER)
			continue;
		while (j < comparison->found->count &&
		       (comparison->partner_of_found[j] != NO_PARTNER || !same(comparison, i, j)))
			j++;
		if (j == comparison->found->count)
			continue;
		comparison->partner_of_wanted[i] = MOVED;
		comparison->partner_of_found[j] = MOVED;
		buffer_printf(&text, "wanted: rule %zu, found: rule %zu: ", i + 1, j + 1);
		rule_print(&comparison->wanted->rules[i], comparison->family, &text);
		findings_add(comparison->findings, FINDING_RULE_MOVED, name_of_rule(comparison, i),
			     buffer_steal(&text));
	}
}

/* One gap: the wanted and the found rules between two that stayed, or the chain's ends. */
static void report_gap(struct comparison *comparison, size_t *wanted, size_t *found)
{
	const struct chain *left = comparison->wanted, *right = comparison->found;

	for (;;) {
		const struct rule *one, *other;

		while (*wanted < left->count && comparison->partner_of_wanted[*wanted] == MOVED)
			++*wanted;
		while (*found < right->count && comparison->partner_of_found[*found] == MOVED)
			++*found;
		one = *wanted < left->count && comparison->partner_of_wanted[*wanted] == NO_PARTNER
			      ? &left->rules[*wanted]
			      : NULL;
		other = *found < right->count && comparison->partner_of_found[*found] == NO_PARTNER
				? &right->rules[*found]
				: NULL;
		if (!one && !other)
			return;
		findings_add(comparison->findings,
			     one && other ? FINDING_RULE_CHANGED
			     : one        ? FINDING_RULE_MISSING
					  : FINDING_RULE_EXTRA,
			     name_of_rule(comparison, one ? *wanted : *found),
			     describe(comparison, one, other));
		*wanted += one != NULL;
		*found += other != NULL;
	}
}

static void report_gaps(struct comparison *comparison)
{
	size_t wanted = 0, found = 0;

	do {
		report_gap(comparison, &wanted, &found);
		/* Both stand before a rule that stayed, or at the end. */
		wanted++;
		found++;
	} while (wanted <= comparison->wanted->count && found <= comparison->found->count);
}

static size_t *no_partners(size_t count)
{
	size_t *partners = memory_allocate(count, sizeof(*partners));

	for (size_t i = 0; i < count; i++)
		partners[i] = NO_PARTNER;
	return partners;
}

void compare_rules(const struct chain *wanted, const struct chain *found, enum table_family family,
		   struct findings *findings)
{
	struct comparison comparison = {
		.wanted = wanted,
		.found = found,
		.family = family,
		.findings = findings,
		.partner_of_wanted = no_partners(wanted->count),
		.partner_of_found = no_partners(found->count),
	};
	struct part part = pair_both_ends(&comparison);

	if (part.wanted && part.found && part.wanted < CELLS_MAX / part.found)
		pair_subsequence(&comparison, &part);
	else
		pair_by_place(&comparison, &part);
	find_moved(&comparison);
	report_gaps(&comparison);
	free(comparison.partner_of_wanted);
	free(comparison.partner_of_found);
}
