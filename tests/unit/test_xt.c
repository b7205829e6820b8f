/*
 * test_xt.c: every ruleset that legacy xtables can hold, put into a table and read from it, is the
 * same; whatever else is in the table stays; and what is no table is refused.
 */
#include "ruleset_fixture.h"
#include "suite.h"

#include "kernel/xt_table.h"
#include "plan/judge.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_compare.h"
#include "plan/ruleset_lower.h"
#include "plan/ruleset_parts.h"

#include <linux/netfilter_ipv4/ip_tables.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct xt_kernel kernels[] = {
	{ .reject = true, .log = true, .connmark_2 = true, .conntrack = true },
	{ .reject = true, .log = true },
	{ .reject = false, .log = false },
	{ .plain = true },
};
static const enum table_family families[] = { TABLE_IP, TABLE_IP6 };

/* The table "filter" as a kernel has it at first: three policies, and an end. */
static struct xt_table new_table(enum table_family family)
{
	static const unsigned hooks[] = { NF_INET_LOCAL_IN, NF_INET_FORWARD, NF_INET_LOCAL_OUT };
	struct xt_info info = { .entries = 4 };
	struct buffer bytes = { 0 };
	struct xt_table table;
	struct err err;

	for (size_t i = 0; i < COUNT_OF(hooks); i++) {
		size_t start = bytes.length;

		info.valid_hooks |= 1U << hooks[i];
		info.hook_entry[hooks[i]] = info.underflow[hooks[i]] = (uint32_t)start;
		xt_entry_jump(family, &bytes);
		xt_entry_set_verdict(bytes.data + start, bytes.length - start, -NF_ACCEPT - 1);
	}
	xt_entry_head(family, "ERROR", &bytes);
	info.size = (uint32_t)bytes.length;
	ck_assert_msg(xt_table_parse(family, &info, bytes.data, bytes.length, &table, &err), "%s",
		      err.text);
	buffer_free(&bytes);
	return table;
}

/* The table with our chains replaced, read as the kernel would hand it out; frees the old one. */
static void put(struct xt_table *table, const char *name, const struct ruleset *ours,
		const struct xt_kernel *kernel)
{
	struct xt_replacement replacement;
	struct xt_table next;
	struct err err;

	ck_assert_msg(xt_table_replace(table, name, ours, kernel, &replacement, &err), "%s",
		      err.text);
	ck_assert_msg(xt_table_parse(table->family, &replacement.info, replacement.bytes.data,
				     replacement.bytes.length, &next, &err),
		      "%s", err.text);
	xt_replacement_free(&replacement);
	xt_table_free(table);
	*table = next;
}

static void assert_no_findings(const struct ruleset *wanted, const struct ruleset *found)
{
	struct findings findings = { 0 };

	ruleset_compare(wanted, found, &findings);
	for (size_t i = 0; i < findings.count; i++)
		ck_abort_msg("%s: %s: %s", finding_name(findings.items[i].kind),
			     findings.items[i].object, findings.items[i].detail);
	findings_free(&findings);
	ck_assert_str_eq(wanted->comment, found->comment);
	ck_assert_uint_eq(wanted->chain_count, found->chain_count);
}

/* As libiptc has them, which looks chains up by halves. */
static void assert_sorted(const struct xt_table *table)
{
	const char *before = "";

	for (uint32_t i = 0; i + 1 < table->info.entries; i++)
		if (table->entries[i].head) {
			ck_assert_str_lt(before, table->entries[i].chain);
			before = table->entries[i].chain;
		}
}

static void assert_same_bytes(const struct xt_table *one, const struct xt_table *other)
{
	ck_assert(!memcmp(&one->info, &other->info, sizeof(one->info)));
	ck_assert(!memcmp(one->bytes, other->bytes, one->info.size));
}

/* A policy that every one of these kernels can hold. */
static struct ruleset sample(const char *table, bool pins, bool one_user)
{
	struct fixture fixture;
	struct ruleset ruleset;

	fixture_init(&fixture, pins ? MODE_ALLOWLIST : MODE_NO_NETWORK);
	fixture.table = table;
	if (one_user)
		rangeset_remove(&fixture.confined, 100000, 165535);
	if (pins) {
		fixture_allow_name(&fixture, "a.test", "80,443");
		fixture_allow_name(&fixture, "b.test", "8000-8010");
		fixture_allow_prefix(&fixture, "198.51.100.64", 28, "443");
		fixture_allow_prefix(&fixture, "2001:db8:2::", 47, "443");
		fixture_resolve(&fixture, "a.test", "203.0.113.5 2001:db8:1::5 203.0.113.6");
		fixture_resolve(&fixture, "b.test", "203.0.113.9");
	}
	ruleset = fixture_ruleset(&fixture);
	fixture_free(&fixture);
	return ruleset;
}

static struct ruleset lowered(const struct ruleset *inet, enum table_family family,
			      const struct xt_kernel *kernel)
{
	struct ruleset ruleset;
	struct err err;

	ck_assert_msg(ruleset_lower(inet, family, kernel, &ruleset, &err), "%s", err.text);
	return ruleset;
}

static void round_trip(const struct ruleset *inet, enum table_family family,
		       const struct xt_kernel *kernel)
{
	struct ruleset wanted = lowered(inet, family, kernel), found;
	struct xt_table before = new_table(family), table = new_table(family);

	put(&table, inet->table, &wanted, kernel);
	ck_assert(xt_table_read(&table, inet->table, kernel, &found));
	assert_no_findings(&wanted, &found);
	put(&table, inet->table, NULL, kernel);
	assert_same_bytes(&before, &table);
	ruleset_free(&wanted);
	ruleset_free(&found);
	xt_table_free(&before);
	xt_table_free(&table);
}

START_TEST(a_ruleset_is_read_as_it_was_put)
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++)
		for (size_t j = 0; j < COUNT_OF(families); j++)
			for (int pins = 0; pins < 2; pins++) {
				struct ruleset inet = sample("egressfw-nine-long", pins,
							     kernels[i].plain);

				round_trip(&inet, families[j], &kernels[i]);
				ruleset_free(&inet);
			}
}
END_TEST

/* Whatever is not refused says all that it said. */
START_TEST(every_fixture_is_held_or_refused)
{
	size_t held = 0;

	for (size_t i = 0; fixture_names[i]; i++) {
		struct ruleset inet = fixture_named(fixture_names[i]), ruleset;
		struct err err;

		for (size_t j = 0; j < COUNT_OF(families); j++) {
			if (!ruleset_lower(&inet, families[j], &kernels[0], &ruleset, &err))
				continue;
			held++;
			ruleset_free(&ruleset);
			round_trip(&inet, families[j], &kernels[0]);
		}
		ruleset_free(&inet);
	}
	ck_assert_uint_gt(held, 3);
}
END_TEST

enum { TCP_PURE_SYN = 0x02, TCP_SYN_ACK = 0x12, TCP_ACK_ALONE = 0x10 };

/* Divides the number of no choice, so that every choice meets every other. */
enum { PACKET_STEP = 11 };

/* Takes one of so many choices from the number. */
static unsigned pick(unsigned *number, unsigned count)
{
	unsigned choice = *number % count;

	*number /= count;
	return choice;
}

/* One of many packets, by a number that says what it is like; false: there is none of that number. */
static bool packet_of(unsigned number, struct packet *ret)
{
	static const uint32_t uids[] = { UINT32_MAX, 0, 1500, 1600, 165535 };
	static const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6, 253 };
	static const char *const addresses[] = { "127.0.0.1", "127.0.0.11", "203.0.113.5", "198.51.100.70",
						 "::1",	      "2001:db8:1::5", "fe80::1" };
	static const uint16_t ports[] = { 443, 53, 8080, 9005, 5000 }, sources[] = { 40000, 8080, 53 };
	static const uint8_t types[] = { 0, 3, 129, 135, 143 }; /* beside the ports */
	static const uint8_t flags[] = { TCP_PURE_SYN, TCP_SYN_ACK, TCP_ACK_ALONE };
	static const uint32_t marks[] = { 0, OWNED_MARK, PUBLISHED_MARK };
	unsigned which;
	bool ipv6;

	*ret = (struct packet){ .source_local = true };
	ret->uid = uids[pick(&number, COUNT_OF(uids))];
	ret->protocol = protocols[pick(&number, COUNT_OF(protocols))];
	ret->destination = fixture_address(addresses[pick(&number, COUNT_OF(addresses))]);
	which = pick(&number, COUNT_OF(ports));
	ret->destination_port = ports[which];
	ret->icmp_type = types[which];
	ret->source_port = sources[pick(&number, COUNT_OF(sources))];
	ret->tcp_flags = flags[pick(&number, COUNT_OF(flags))];
	ret->mark = marks[pick(&number, COUNT_OF(marks))];
	ipv6 = ret->destination.family == FAMILY_IPV6;
	ret->owned = ret->uid != UINT32_MAX;
	ret->source = fixture_address(ipv6 ? "::1" : "127.0.0.1");
	ret->out_loopback = number & 1;
	ret->destination_local = ret->out_loopback;
	ret->in_loopback = number >> 1 & 1;
	ret->reply = number >> 2 & 1;
	ret->first = number >> 3 & 1;
	/* What is not tracked is let out at a pin here, and not by nf_tables, which cannot mark it. */
	ret->tracked = true;
	return number < 16;
}

/* What the lowered form leaves out: a datagram that the mark alone makes an answer. */
static bool may_be_refused(const struct packet *packet)
{
	return packet->protocol == IPPROTO_UDP && packet->out_loopback && packet->reply && packet->mark;
}

static void assert_same_judgement(const struct ruleset *inet, const struct ruleset *narrow, enum hook hook,
				  const struct packet *packet, unsigned number, const char *name)
{
	uint32_t marks[2];
	const struct chain *chain;
	size_t rule;
	enum judgement wanted = judge(inet, hook, packet, &marks[0], &chain, &rule);
	enum judgement found = judge(narrow, hook, packet, &marks[1], &chain, &rule);

	if (may_be_refused(packet) && found == JUDGED_PROHIBITED)
		return;
	/* The assertions of Check are too slow for so many. */
	if (wanted != found || marks[0] != marks[1])
		ck_abort_msg("%s: packet %u, hook %s: %s with mark %x, not %s with %x", name, number,
			     hook_name(hook), judgement_name(found), marks[1], judgement_name(wanted),
			     marks[0]);
}

/* Whoever looks at a packet, the verdict is the same. */
START_TEST(the_lowered_form_does_the_same)
{
	static const enum hook hooks[] = { HOOK_OUTPUT, HOOK_INPUT, HOOK_FORWARD };

	for (size_t i = 0; fixture_names[i]; i++) {
		struct ruleset inet = fixture_named(fixture_names[i]), narrow[2] = { { 0 }, { 0 } };
		struct packet packet;
		struct err err;

		if (inet.family == TABLE_INET && ruleset_lower(&inet, TABLE_IP, &kernels[0], &narrow[0], &err) &&
		    ruleset_lower(&inet, TABLE_IP6, &kernels[0], &narrow[1], &err))
			for (unsigned number = 0; packet_of(number, &packet); number += PACKET_STEP)
				/* Only what is sent has an owner. */
				for (size_t j = 0; j < (packet.owned ? 1 : COUNT_OF(hooks)); j++)
					assert_same_judgement(&inet, &narrow[packet.destination.family], hooks[j],
							      &packet, number, fixture_names[i]);
		for (size_t j = 0; j < 2; j++)
			ruleset_free(&narrow[j]);
		ruleset_free(&inet);
	}
}
END_TEST

/* Policies for one user that gVisor can hold: without a list, with one, with an empty one. */
static struct ruleset plain_sample(const char *loopback_ports)
{
	struct fixture fixture;
	struct ruleset ruleset;

	fixture_init(&fixture, MODE_ALLOWLIST);
	rangeset_remove(&fixture.confined, 100000, 165535);
	fixture_allow_prefix(&fixture, "198.51.100.64", 28, "443");
	fixture_allow_prefix(&fixture, "2001:db8:1::", 48, "443");
	if (loopback_ports) {
		fixture.policy.loopback_any = false;
		if (*loopback_ports)
			fixture.policy.loopback_ports = fixture_ports(loopback_ports);
	}
	ruleset = fixture_ruleset(&fixture);
	fixture_free(&fixture);
	return ruleset;
}

/* Whether gVisor lets out what belongs to an answer besides, or refuses an answer. */
static bool is_about_answers(const struct packet *packet)
{
	return packet->out_loopback && packet->reply;
}

/*
 * Of what has an owner the same is let out. Answers alone are judged otherwise, and then a confined
 * user's goes to a listed port.
 */
START_TEST(the_plain_form_does_the_same)
{
	static const char *const lists[] = { NULL, "8080,9000-9010", "" };

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		struct ruleset inet = plain_sample(lists[i]), narrow[2];
		struct packet packet;

		for (size_t j = 0; j < COUNT_OF(families); j++)
			narrow[j == 1 ? FAMILY_IPV6 : FAMILY_IPV4] = lowered(&inet, families[j], &kernels[3]);
		for (unsigned number = 0; packet_of(number, &packet); number += PACKET_STEP) {
			bool listed = packet.destination_port == 8080 || packet.destination_port == 9005;
			const struct chain *chain;
			bool wanted, found;
			uint32_t mark;
			size_t rule;

			if (!packet.owned)
				continue;
			wanted = judge(&inet, HOOK_OUTPUT, &packet, &mark, &chain, &rule) == JUDGED_ACCEPT;
			found = judge(&narrow[packet.destination.family], HOOK_OUTPUT, &packet, &mark, &chain,
				      &rule) == JUDGED_ACCEPT;
			if (wanted != found && !(is_about_answers(&packet) && lists[i] && (listed || !found)))
				ck_abort_msg("list %s: packet %u: %s", lists[i] ? lists[i] : "none", number,
					     found ? "accepted" : "refused");
		}
		for (size_t j = 0; j < COUNT_OF(families); j++)
			ruleset_free(&narrow[j]);
		ruleset_free(&inet);
	}
}
END_TEST

START_TEST(closing_users_are_known)
{
	struct ruleset standing = sample("egressfw", true, false),
		       deny_all = sample("egressfw", false, false), first, ruleset, found;
	struct rangeset closing = { 0 }, users;
	struct xt_table table = new_table(TABLE_IP);

	rangeset_add(&closing, 1600, 1601);
	ruleset_close(&standing, &deny_all, &closing, &first);
	ruleset = lowered(&first, TABLE_IP, &kernels[0]);
	put(&table, "egressfw", &ruleset, &kernels[0]);
	ck_assert(xt_table_read(&table, "egressfw", &kernels[0], &found));
	assert_no_findings(&ruleset, &found);
	users = ruleset_confined(&found);
	ck_assert(rangeset_contains(&users, 1600) && rangeset_contains(&users, 1601) &&
		  rangeset_contains(&users, 1500) && rangeset_contains(&users, 165535));
	ck_assert(!rangeset_contains(&users, 1602));
	rangeset_free(&users);
	rangeset_free(&closing);
	ruleset_free(&standing);
	ruleset_free(&deny_all);
	ruleset_free(&first);
	ruleset_free(&ruleset);
	ruleset_free(&found);
	xt_table_free(&table);
}
END_TEST

/* Chains of others before and behind ours, that jump to each other; ours come and go. */
START_TEST(others_stay)
{
	const struct xt_kernel *kernel = &kernels[0];
	struct ruleset none = sample("egressfw", false, false),
		       pins = sample("egressfw", true, false), low = sample("aaa", false, false),
		       high = sample("zzz", true, false), other = sample("egressfw-2", true, false);
	const struct ruleset *theirs[] = { &low, &high, &other };
	struct xt_table table = new_table(TABLE_IP), before = new_table(TABLE_IP);

	for (size_t i = 0; i < COUNT_OF(theirs); i++) {
		struct ruleset ruleset = lowered(theirs[i], TABLE_IP, kernel);

		put(&table, theirs[i]->table, &ruleset, kernel);
		put(&before, theirs[i]->table, &ruleset, kernel);
		ruleset_free(&ruleset);
	}
	for (int turn = 0; turn < 3; turn++) {
		struct ruleset ours = lowered(turn == 1 ? &pins : &none, TABLE_IP, kernel);
		struct ruleset wanted = lowered(&other, TABLE_IP, kernel), found;

		put(&table, "egressfw", &ours, kernel);
		assert_sorted(&table);
		/* Before its jump stand others of ours alone. */
		ck_assert(xt_table_read(&table, other.table, kernel, &found));
		assert_no_findings(&wanted, &found);
		ruleset_free(&wanted);
		ruleset_free(&found);
		ruleset_free(&ours);
	}
	put(&table, "egressfw", NULL, kernel);
	assert_same_bytes(&before, &table);
	ruleset_free(&none);
	ruleset_free(&pins);
	ruleset_free(&low);
	ruleset_free(&high);
	ruleset_free(&other);
	xt_table_free(&table);
	xt_table_free(&before);
}
END_TEST

/* A foreign jump before ours counts where something is sent, and is not taken for ours. */
START_TEST(our_jump_has_to_be_the_first)
{
	const struct xt_kernel *kernel = &kernels[0];
	struct ruleset ours = sample("egressfw", false, false), theirs = sample("aaa", false, false);
	struct ruleset wanted = lowered(&ours, TABLE_IP, kernel), before = lowered(&theirs, TABLE_IP, kernel), found;
	struct xt_table table = new_table(TABLE_IP);
	struct findings findings = { 0 };

	put(&table, "egressfw", &wanted, kernel);
	put(&table, "aaa", &before, kernel);
	ck_assert(xt_table_read(&table, "egressfw", kernel, &found));
	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_int_eq(findings.items[0].kind, FINDING_TABLE_COMMENT);
	ck_assert_int_eq(findings.items[1].kind, FINDING_CHAIN_PRIORITY);
	ck_assert_str_eq(findings.items[1].object, "chain output");
	findings_free(&findings);
	ruleset_free(&found);
	ruleset_free(&ours);
	ruleset_free(&theirs);
	ruleset_free(&wanted);
	ruleset_free(&before);
	xt_table_free(&table);
}
END_TEST

/* A chain of somebody else's whose name ends as one of ours does. */
START_TEST(a_namesake_is_not_ours)
{
	const struct xt_kernel *kernel = &kernels[0];
	struct ruleset inet = sample("egressfw", false, false), ours = lowered(&inet, TABLE_IP, kernel), found;
	struct ruleset theirs = { .family = TABLE_IP, .table = "egressed" };
	struct xt_table table = new_table(TABLE_IP);
	struct findings findings = { 0 };
	size_t theirs_at = 0, ours_at = 0;

	ruleset_add_chain(&theirs, CHAIN_REFUSE);
	put(&table, "egressed", &theirs, kernel);
	put(&table, "egressfw", &ours, kernel);
	for (uint32_t i = 0; i < table.info.entries; i++) {
		if (!strcmp(table.entries[i].chain, "egressed/" CHAIN_REFUSE))
			theirs_at = i + 1;
		if (!strcmp(table.entries[i].chain, "egressfw/" CHAIN_REFUSE))
			ours_at = i + 1;
	}
	ck_assert(theirs_at && ours_at);
	for (uint32_t i = 0; i < table.info.entries; i++) {
		const struct xt_entry *entry = &table.entries[i];

		if (entry->jumps && entry->target == ours_at)
			xt_entry_set_verdict(table.bytes + entry->offset, entry->length,
					     (int32_t)table.entries[theirs_at].offset);
		if (entry->jumps && entry->target == ours_at)
			table.entries[i].target = theirs_at;
	}
	ck_assert(xt_table_read(&table, "egressfw", kernel, &found));
	ruleset_compare(&ours, &found, &findings);
	ck_assert_uint_gt(findings.count, 0);
	findings_free(&findings);
	ruleset_free(&found);
	ruleset_free(&inet);
	ruleset_free(&ours);
	ruleset_free(&theirs);
	xt_table_free(&table);
}
END_TEST

/* What was refused are the packets of the refuse chain that came to a verdict which refuses. */
START_TEST(refusals_are_counted)
{
	static const struct xt_counters one = { .pcnt = 1, .bcnt = 40 };

	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		struct ruleset inet = sample("egressfw", true, true), ours = lowered(&inet, TABLE_IP, &kernels[i]);
		const struct chain *refuse = ruleset_find_chain(&ours, CHAIN_REFUSE);
		struct xt_table table = new_table(TABLE_IP);
		size_t refusing = 0;

		for (size_t j = 0; j < refuse->count; j++) {
			enum statement_kind last = refuse->rules[j].statements[refuse->rules[j].count - 1].kind;

			refusing += last == DROP || last == REJECT_RESET || last == REJECT_PROHIBITED;
		}
		ck_assert_uint_gt(refusing, 0);
		put(&table, "egressfw", &ours, &kernels[i]);
		for (uint32_t j = 0; j < table.info.entries; j++)
			memcpy(table.bytes + table.entries[j].offset + offsetof(struct ipt_entry, counters), &one,
			       sizeof(one));
		ck_assert_uint_eq(xt_table_count(&table, "egressfw", CHAIN_REFUSE), refusing);
		ck_assert_uint_eq(xt_table_count(&table, "egressfw-2", CHAIN_REFUSE), 0);
		ruleset_free(&inet);
		ruleset_free(&ours);
		xt_table_free(&table);
	}
}
END_TEST

/* Without the chain that has it in its name, nothing is whole. */
START_TEST(no_digest_is_no_right_one)
{
	struct ruleset inet = sample("egressfw", true, false), ours = lowered(&inet, TABLE_IP, &kernels[0]), found;
	struct xt_table table = new_table(TABLE_IP);

	ours.comment[0] = '\0';
	put(&table, "egressfw", &ours, &kernels[0]);
	ck_assert(xt_table_read(&table, "egressfw", &kernels[0], &found));
	ck_assert_str_eq(found.comment, "");
	ruleset_free(&found);
	ruleset_free(&inet);
	ruleset_free(&ours);
	xt_table_free(&table);
}
END_TEST

/* Nothing is sent to the kernel that it could not take; what stands may be taken out all the same. */
START_TEST(a_table_may_be_too_large)
{
	const struct xt_kernel *plain = &kernels[3];
	struct fixture fixture;
	struct ruleset large, small = sample("egressfw", false, true), theirs, ours;
	struct xt_table table = new_table(TABLE_IP);
	struct xt_replacement replacement;
	struct err err;

	fixture_init(&fixture, MODE_ALLOWLIST);
	rangeset_remove(&fixture.confined, 100000, 165535);
	for (int i = 0; i < 40; i++) {
		char address[sizeof("198.51.100.40")];

		snprintf(address, sizeof(address), "198.51.100.%d", 2 * i);
		fixture_allow_prefix(&fixture, address, 32, "443");
	}
	fixture.table = "zzz";
	large = fixture_ruleset(&fixture);
	theirs = lowered(&large, TABLE_IP, plain);
	ours = lowered(&small, TABLE_IP, plain);
	ck_assert(!xt_table_replace(&table, "zzz", &theirs, plain, &replacement, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "name fewer addresses"));
	put(&table, "egressfw", &ours, plain);
	put(&table, "zzz", &theirs, &kernels[0]);
	ck_assert_uint_gt(table.info.size, XT_PLAIN_SIZE_MAX);
	ck_assert(!xt_table_replace(&table, "egressfw", &ours, plain, &replacement, &err));
	put(&table, "egressfw", NULL, plain);
	fixture_free(&fixture);
	ruleset_free(&large);
	ruleset_free(&small);
	ruleset_free(&theirs);
	ruleset_free(&ours);
	xt_table_free(&table);
}
END_TEST

/* Whether a change of the byte can mean anything: to heads and the digest's chain no packet comes. */
static bool means_something(const struct xt_table *table, const struct xt_entry *entry, size_t at)
{
	size_t header = xt_header_size(table->family);
	struct xt_entry_view view;

	if (entry->head || (entry > table->entries && strchr(entry[-1].chain, '#')) ||
	    (at >= header - 32 && at < header))
		return false;
	ck_assert(xt_entry_view(table->bytes + entry->offset, entry->length, table->family, &view));
	/* Others' policies; and what is behind the offset of a jump. */
	if (view.standard && view.verdict == -NF_ACCEPT - 1)
		return false;
	return !entry->jumps || at < entry->length - 4;
}

/* A bit of any byte of our entries is a difference. */
START_TEST(every_change_is_a_finding)
{
	const struct xt_kernel *kernel = &kernels[0];
	struct ruleset inet = sample("egressfw", true, false),
		       wanted = lowered(&inet, TABLE_IP6, kernel);
	struct xt_table table = new_table(TABLE_IP6);

	put(&table, "egressfw", &wanted, kernel);
	for (uint32_t i = 0; i < table.info.entries; i++) {
		const struct xt_entry *entry = &table.entries[i];

		for (size_t at = 0; at < entry->length; at++) {
			struct xt_table changed;
			struct ruleset found = { 0 };
			struct findings findings = { 0 };
			struct err err;

			if (!means_something(&table, entry, at))
				continue;
			table.bytes[entry->offset + at] ^= 1;
			if (xt_table_parse(TABLE_IP6, &table.info, table.bytes, table.info.size,
					   &changed, &err)) {
				char digest[65];

				xt_table_read(&changed, "egressfw", kernel, &found);
				ruleset_compare(&wanted, &found, &findings);
				ck_assert_msg(findings.count, "entry %u, byte %zu", i, at);
				ruleset_digest(&found, digest);
				ck_assert_msg(strcmp(digest, found.comment) != 0, "entry %u, byte %zu: whole", i, at);
				xt_table_free(&changed);
			}
			table.bytes[entry->offset + at] ^= 1;
			ruleset_free(&found);
			findings_free(&findings);
		}
	}
	ruleset_free(&inet);
	ruleset_free(&wanted);
	xt_table_free(&table);
}
END_TEST

START_TEST(what_is_no_table_is_refused)
{
	struct ruleset inet = sample("egressfw", true, false),
		       ours = lowered(&inet, TABLE_IP, &kernels[0]);
	struct xt_table table = new_table(TABLE_IP), cut;
	struct buffer longer = { 0 };
	struct xt_info info;
	struct err err;

	put(&table, "egressfw", &ours, &kernels[0]);
	for (uint32_t size = 0; size < table.info.size; size++) {
		info = table.info;
		info.size = size;
		ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, size, &cut, &err));
	}
	info = table.info;
	info.entries--;
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, info.size, &cut, &err));
	info = table.info;
	info.hook_entry[NF_INET_LOCAL_OUT] += 8;
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, info.size, &cut, &err));
	info = table.info;
	info.underflow[NF_INET_LOCAL_OUT] = info.hook_entry[NF_INET_LOCAL_IN];
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, info.size, &cut, &err));
	info.entries = 0;
	info.size = 0;
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, 0, &cut, &err));
	info.valid_hooks = 0;
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, 0, &cut, &err));
	/* Without the error that ends it. */
	info = table.info;
	info.entries--;
	info.size = (uint32_t)table.entries[info.entries].offset;
	ck_assert(!xt_table_parse(TABLE_IP, &info, table.bytes, info.size, &cut, &err));
	/* With one more that is not counted. */
	info = table.info;
	buffer_append(&longer, table.bytes, info.size);
	xt_entry_head(TABLE_IP, "ERROR", &longer);
	info.size = (uint32_t)longer.length;
	ck_assert(!xt_table_parse(TABLE_IP, &info, longer.data, longer.length, &cut, &err));
	info.entries++;
	ck_assert_msg(xt_table_parse(TABLE_IP, &info, longer.data, longer.length, &cut, &err), "%s", err.text);
	xt_table_free(&cut);
	buffer_free(&longer);
	/* A jump into the middle of an entry. */
	for (uint32_t i = 0; i < table.info.entries; i++)
		if (table.entries[i].jumps) {
			const struct xt_entry *entry = &table.entries[i], *target = &table.entries[entry->target];

			xt_entry_set_verdict(table.bytes + entry->offset, entry->length, (int32_t)target->offset + 8);
			ck_assert(!xt_table_parse(TABLE_IP, &table.info, table.bytes, table.info.size, &cut, &err));
			xt_entry_set_verdict(table.bytes + entry->offset, entry->length, (int32_t)target->offset);
		}
	ruleset_free(&inet);
	ruleset_free(&ours);
	xt_table_free(&table);
}
END_TEST

/* A rule of somebody else that leads into our chains must not lead anywhere else without them. */
START_TEST(who_leads_to_us_keeps_us)
{
	const struct xt_kernel *kernel = &kernels[0];
	struct ruleset inet = sample("egressfw", false, false), ours = lowered(&inet, TABLE_IP, kernel),
		       theirs = { .family = TABLE_IP, .table = "other" };
	struct xt_table table = new_table(TABLE_IP);
	struct xt_replacement replacement;
	struct chain *chain = ruleset_add_chain(&theirs, "output");
	const struct statement to_us[] = { { .kind = GOTO, .name = "x" } };
	struct err err;

	/* Of the name "egressfw" and "other" alike: the same chain is theirs, then ours. */
	chain->base = true;
	chain_add_rule(chain, to_us, 1);
	ruleset_add_chain(&theirs, "x");
	put(&table, "other", &theirs, kernel);
	ck_assert(!xt_table_replace(&table, "other/x", NULL, kernel, &replacement, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "other/x"));
	ruleset_free(&inet);
	ruleset_free(&ours);
	ruleset_free(&theirs);
	xt_table_free(&table);
}
END_TEST

START_TEST(what_xtables_lack_is_refused_by_name)
{
	struct range one[] = { { 80, 80 } };
	struct user_spec users[] = { { .name = (char *)"root" } };
	struct policy policy = { .loopback_any = true };
	struct err err;

	ck_assert(xt_can_express(&policy, "nine-long", &kernels[0], &err));
	ck_assert(!xt_can_express(&policy, "ten-longer", &kernels[0], &err));
	ck_assert_ptr_nonnull(strstr(err.text, "--name"));
	policy.own_addresses = true;
	ck_assert(xt_can_express(&policy, "", &kernels[0], &err));
	ck_assert(!xt_can_express(&policy, "", &kernels[3], &err));
	ck_assert_ptr_nonnull(strstr(err.text, "own_addresses"));
	policy.own_addresses = false;
	policy.loopback_any = false;
	ck_assert(xt_can_express(&policy, "", &kernels[0], &err));
	ck_assert(xt_can_express(&policy, "", &kernels[3], &err));
	ck_assert(!xt_can_express(&policy, "", &kernels[1], &err));
	ck_assert_ptr_nonnull(strstr(err.text, "loopback"));
	ck_assert_ptr_nonnull(strstr(err.text, "xt_conntrack"));
	policy.loopback_any = true;
	policy.published_ports = (struct rangeset){ one, 1 };
	ck_assert(xt_can_express(&policy, "", &kernels[0], &err));
	for (size_t i = 1; i < COUNT_OF(kernels); i++) {
		ck_assert(!xt_can_express(&policy, "", &kernels[i], &err));
		ck_assert_ptr_nonnull(strstr(err.text, "published_ports"));
	}
	policy.published_ports = (struct rangeset){ 0 };
	policy.exempt_users = (struct user_specs){ users, 1 };
	ck_assert(xt_can_express(&policy, "", &kernels[0], &err));
	ck_assert(!xt_can_express(&policy, "", &kernels[3], &err));
	ck_assert_ptr_nonnull(strstr(err.text, "exempt_users"));
}
END_TEST

/* Whatever no entry says is no entry: each of these would leave a part of the rule out. */
START_TEST(what_has_no_form_is_refused)
{
	struct range port[] = { { 80, 80 }, { 443, 443 } };
	const struct rangeset one = { port, 1 }, two = { port, 2 };
	const struct statement tcp = ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP), drop = plain(DROP),
			       icmp = ONE_OF(MATCH_PROTOCOL, IPPROTO_ICMP), to_one = { .kind = MATCH_PORTS, .ports = one },
			       to_two = { .kind = MATCH_PORTS, .ports = two }, from_two = { .kind = MATCH_SOURCE_PORTS, .ports = two },
			       to_ipv6 = { .kind = MATCH_DESTINATION, .prefix = { .address = { .family = FAMILY_IPV6 }, .length = 3 } },
			       from_ipv6 = { .kind = MATCH_SOURCE, .prefix = { .address = { .family = FAMILY_IPV6 }, .length = 3 } };
	const struct {
		bool good;
		struct statement statements[3];
		size_t count;
	} rows[] = {
		{ true, { tcp, to_one, drop }, 3 },
		{ true, { to_one, drop }, 2 },
		{ false, { tcp, to_two, drop }, 3 },
		{ false, { tcp, from_two, drop }, 3 },
		{ false, { icmp, to_one, drop }, 3 },
		{ false, { tcp, icmp, drop }, 3 },
		{ false, { tcp, ONE_OF(MATCH_ICMP_TYPE, 8), drop }, 3 },
		{ false, { icmp, tcp_flags(false, TCP_SYN, TCP_SYN), drop }, 3 },
		{ true, { ONE_OF(MATCH_ICMP_TYPE, 8), drop }, 2 },
		{ false, { ONE_OF(MATCH_ICMP_TYPE, 0, 8), drop }, 2 },
		{ false, { ONE_OF(MATCH_PROTOCOL, IPPROTO_TCP, IPPROTO_UDP), drop }, 2 },
		{ false, { tcp, drop, plain(ACCEPT) }, 3 },
		{ false, { tcp, to_one }, 2 },
		{ false, { to_ipv6, drop }, 2 },
		{ false, { from_ipv6, drop }, 2 },
		{ false, { user_in(SET_CONFINED), drop }, 2 },
		{ false, { negated(MATCH_OUT_LOOPBACK), drop }, 2 },
		{ false, { negated(MATCH_CT_MARK), drop }, 2 },
		{ false, { negated(MATCH_CT_PUBLISHED), drop }, 2 },
		{ false, { negated(MATCH_OWNED), drop }, 2 },
		{ true, { negated(MATCH_IN_LOOPBACK), drop }, 2 },
		{ false, { plain(COUNT), drop }, 2 },
		{ false, { plain(FOREIGN), drop }, 2 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct rule rule = { .statements = (struct statement *)rows[i].statements, .count = rows[i].count };
		struct buffer bytes = { 0 };
		const char *jump;
		struct err err;

		ck_assert_msg(xt_entry_encode(&rule, TABLE_IP, &kernels[0], &bytes, &jump, &err) == rows[i].good,
			      "row %zu", i);
		ck_assert(!bytes.length == !rows[i].good);
		buffer_free(&bytes);
	}
}
END_TEST

START_TEST(uids_that_would_be_too_many_rules_are_refused)
{
	struct ruleset inet = sample("egressfw", false, false), ruleset;
	struct err err;

	ck_assert(!ruleset_lower(&inet, TABLE_IP, &kernels[3], &ruleset, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "100000-165535"));
	ruleset_free(&inet);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_ruleset_is_read_as_it_was_put,
		every_fixture_is_held_or_refused,
		the_lowered_form_does_the_same,
		the_plain_form_does_the_same,
		closing_users_are_known,
		others_stay,
		our_jump_has_to_be_the_first,
		a_namesake_is_not_ours,
		refusals_are_counted,
		no_digest_is_no_right_one,
		a_table_may_be_too_large,
		every_change_is_a_finding,
		what_is_no_table_is_refused,
		who_leads_to_us_keeps_us,
		what_xtables_lack_is_refused_by_name,
		what_has_no_form_is_refused,
		uids_that_would_be_too_many_rules_are_refused,
	};

	return suite_run("xt", tests, COUNT_OF(tests));
}
