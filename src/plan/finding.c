/* finding.c: differences between what was planned and what is there. */
#include "plan/finding.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static const char *const names[] = {
	[FINDING_TABLE_MISSING] = "table-missing",
	[FINDING_TABLE_FLAGS] = "table-flags",
	[FINDING_TABLE_COMMENT] = "table-comment",
	[FINDING_SET_MISSING] = "set-missing",
	[FINDING_SET_EXTRA] = "set-extra",
	[FINDING_SET_CHANGED] = "set-changed",
	[FINDING_ELEMENT_MISSING] = "element-missing",
	[FINDING_ELEMENT_EXTRA] = "element-extra",
	[FINDING_CHAIN_MISSING] = "chain-missing",
	[FINDING_CHAIN_EXTRA] = "chain-extra",
	[FINDING_CHAIN_HOOK] = "chain-hook",
	[FINDING_CHAIN_PRIORITY] = "chain-priority",
	[FINDING_CHAIN_POLICY] = "chain-policy",
	[FINDING_RULE_MISSING] = "rule-missing",
	[FINDING_RULE_EXTRA] = "rule-extra",
	[FINDING_RULE_CHANGED] = "rule-changed",
	[FINDING_RULE_MOVED] = "rule-moved",
	[FINDING_HOSTS_MISSING] = "hosts-missing",
	[FINDING_HOSTS_LINE_MISSING] = "hosts-line-missing",
	[FINDING_HOSTS_LINE_EXTRA] = "hosts-line-extra",
	[FINDING_HOSTS_CONFLICT] = "hosts-conflict",
	[FINDING_PLAN_MISSING] = "plan-missing",
	[FINDING_FILTER_STOPPED] = "filter-stopped",
	[FINDING_FILTER_SILENT] = "filter-silent",
	[FINDING_FILTER_LOG] = "filter-log",
	[FINDING_FILTER_SETTINGS] = "filter-settings",
	[FINDING_HOSTS_SHARED] = "hosts-shared",
	[FINDING_FOREIGN_CHAIN] = "foreign-chain",
	[FINDING_OTHER_INSTANCE] = "other-instance",
	[FINDING_STATE_MISSING] = "state-missing",
	[FINDING_FILTER_UNASKED] = "filter-unasked",
	[FINDING_FILTER_NAMESERVERS] = "filter-nameservers",
	[FINDING_USER_CHANGED] = "user-changed",
};
static_assert(sizeof(names) / sizeof(*names) == FINDING_KINDS, "every kind of finding has a name");

const char *finding_name(enum finding_kind kind)
{
	return names[kind];
}

bool finding_is_warning(enum finding_kind kind)
{
	return kind == FINDING_HOSTS_SHARED || kind == FINDING_FOREIGN_CHAIN ||
	       kind == FINDING_OTHER_INSTANCE || kind == FINDING_STATE_MISSING ||
	       kind == FINDING_FILTER_UNASKED || kind == FINDING_FILTER_NAMESERVERS;
}

void findings_add(struct findings *findings, enum finding_kind kind, char *object, char *detail)
{
	/* Room doubles at powers of two, so that no capacity has to be kept. */
	if ((findings->count & (findings->count - 1)) == 0)
		findings->items =
			memory_resize(findings->items, findings->count ? findings->count * 2 : 1,
				      sizeof(*findings->items));
	findings->items[findings->count++] = (struct finding){ kind, object, detail };
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->items[i].object);
		free(findings->items[i].detail);
	}
	free(findings->items);
	*findings = (struct findings){ 0 };
}

size_t findings_count_differences(const struct findings *findings)
{
	size_t differences = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (!finding_is_warning(findings->items[i].kind))
			differences++;
	return differences;
}
