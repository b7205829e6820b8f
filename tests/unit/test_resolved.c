/* test_resolved.c: names of a policy, and the answer about them as untrusted bytes. */
#include "plan/resolved.h"

#include "base/memory.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>


static char *text_of(const char *constant)
{
	return (char *)(uintptr_t)constant;
}

static struct destination name(const char *text)
{
	return (struct destination){ .kind = DESTINATION_NAME, .name = text_of(text) };
}

static struct address address(const char *text)
{
	struct address result;

	ck_assert(address_parse(text, &result));
	return result;
}

static struct destination hosts[4], lanes[2];
static struct policy policy;

static void set_up(void)
{
	hosts[0] = name("b.test");
	hosts[1] = name("a.test");
	hosts[2] = (struct destination){ .kind = DESTINATION_PREFIX };
	hosts[3] = name("b.test");
	lanes[0] = name("lane.test");
	lanes[1] = name("a.test");
	policy = (struct policy){
		.mode = MODE_ALLOWLIST,
		.allowed_hosts = { hosts, 4 },
		.model_endpoints = { lanes, 2 },
		.allow_model_endpoint = true,
		.pin_hosts_max = 3,
		.pin_addresses_max = 16,
	};
}

static char *names_of(const struct policy *of)
{
	struct buffer text = { 0 };
	const char **names;
	struct err err;
	size_t count;

	ck_assert(policy_names(of, &names, &count, &err));
	for (size_t i = 0; i < count; i++)
		buffer_printf(&text, "%s ", names[i]);
	free(names);
	return buffer_steal(&text);
}

static void expect_names(const char *wanted)
{
	autofree char *found = names_of(&policy);

	ck_assert_str_eq(found, wanted);
}

START_TEST(names_are_sorted_and_stand_once)
{
	expect_names("a.test b.test lane.test ");
	policy.allow_model_endpoint = false;
	expect_names("a.test b.test ");
	policy.mode = MODE_NO_NETWORK;
	expect_names("");
	policy.allow_model_endpoint = true;
	expect_names("a.test lane.test ");
}
END_TEST

START_TEST(too_many_names_are_an_error)
{
	const char **names = NULL;
	struct err err;
	size_t count = 99;

	policy.pin_hosts_max = 2;
	ck_assert(!policy_names(&policy, &names, &count, &err));
	ck_assert_str_eq(err.text, "the policy names 3 hosts, pin_limits.hosts allows 2");
	ck_assert_ptr_null(names);
	ck_assert_uint_eq(count, 99);
}
END_TEST

/* case_C2: what a name may resolve to. */
static const struct {
	const char *address;
	bool pinnable;
} case_C2[] = {
	{ "203.0.113.5", true },
	{ "2001:db8::1", true },
	{ "1.1.1.1", true },
	{ "127.0.0.1", false },
	{ "0.0.0.0", false },
	{ "100.64.0.1", false },
	{ "169.254.169.254", false },
	{ "224.0.0.1", false },
	{ "255.255.255.255", false },
	{ "::", false },
	{ "::1", false },
	{ "fe80::1", false },
	{ "fc00::1", false },
	{ "::ffff:169.254.169.254", false },
	{ "64:ff9b::a9fe:a9fe", false },
	{ "2002:a9fe:a9fe::1", false },
	{ "64:ff9b::cb00:7105", true },
	/* Within allow_private, and beside it. */
	{ "10.0.0.5", true },
	{ "10.1.0.5", false },
	{ "192.168.0.1", false },
};

START_TEST(case_C2_special_addresses)
{
	struct prefix private = { { FAMILY_IPV4, { 10, 0, 0, 0 } }, 16 };
	struct address tried = address(case_C2[_i].address);

	policy.allow_private = (struct prefixes){ &private, 1 };
	ck_assert_int_eq(address_is_pinnable(&policy, &tried), case_C2[_i].pinnable);
}
END_TEST

/* An answer by hand: names and their fields. */
static void put_name(struct buffer *out, const char *text, enum resolve_status status)
{
	buffer_append_u8(out, (uint8_t)strlen(text));
	buffer_append_text(out, text);
	buffer_append_u8(out, (uint8_t)status);
}

static void put_addresses(struct buffer *out, int count, const char *const *texts)
{
	buffer_append_u32(out, (uint32_t)count);
	for (int i = 0; i < count; i++) {
		struct address item = address(texts[i]);

		buffer_append_u8(out, (uint8_t)item.family);
		buffer_append(out, item.bytes, address_width(item.family));
	}
}

/* What a.test has; b.test and lane.test have 203.0.113.1. */
struct answer {
	enum resolve_status status;
	int found_count;
	const char *found[3];
	int refused_count;
	const char *refused[2];
};

static struct buffer answer_bytes(const struct answer *answer)
{
	static const char *const other[] = { "203.0.113.1" };
	struct buffer bytes = { 0 };

	buffer_append_text(&bytes, "EFR1");
	buffer_append_u32(&bytes, 3);
	put_name(&bytes, "a.test", answer->status);
	put_addresses(&bytes, answer->found_count, answer->found);
	put_addresses(&bytes, answer->refused_count, answer->refused);
	put_name(&bytes, "b.test", RESOLVE_FOUND);
	put_addresses(&bytes, 1, other);
	put_addresses(&bytes, 0, NULL);
	put_name(&bytes, "lane.test", RESOLVE_FOUND);
	put_addresses(&bytes, 1, other);
	put_addresses(&bytes, 0, NULL);
	return bytes;
}

static const struct {
	struct answer answer;
	enum resolve_status status; /* as decoded */
	size_t found, refused;
} good[] = {
	{ { RESOLVE_FOUND, 3, { "203.0.113.5", "203.0.113.6", "2001:db8::1" }, 0, { 0 } },
	  RESOLVE_FOUND,
	  3,
	  0 },
	{ { RESOLVE_NXDOMAIN, 0, { 0 }, 0, { 0 } }, RESOLVE_NXDOMAIN, 0, 0 },
	{ { RESOLVE_SPECIAL, 0, { 0 }, 1, { "127.0.0.1" } }, RESOLVE_SPECIAL, 0, 1 },
	/* case_C2: a mixed answer keeps the good one. */
	{ { RESOLVE_FOUND, 1, { "203.0.113.5" }, 1, { "10.0.0.5" } }, RESOLVE_FOUND, 1, 1 },
	/* What the child should have sorted out is sorted out here. */
	{ { RESOLVE_FOUND, 2, { "127.0.0.1", "203.0.113.5" }, 1, { "::1" } }, RESOLVE_FOUND, 1, 2 },
	{ { RESOLVE_FOUND, 2, { "10.0.0.5", "127.0.0.1" }, 0, { 0 } }, RESOLVE_SPECIAL, 0, 2 },
};

START_TEST(valid_answers_are_taken)
{
	struct buffer bytes = answer_bytes(&good[_i].answer), again = { 0 };
	struct resolved resolved, second;
	struct err err;

	ck_assert_msg(resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err), "%s",
		      err.text);
	ck_assert_uint_eq(resolved.count, 3);
	ck_assert_ptr_eq(resolved_find(&resolved, "a.test"), &resolved.items[0]);
	ck_assert_ptr_null(resolved_find(&resolved, "c.test"));
	ck_assert_int_eq(resolved.items[0].status, good[_i].status);
	ck_assert_uint_eq(resolved.items[0].found.count, good[_i].found);
	ck_assert_uint_eq(resolved.items[0].refused.count, good[_i].refused);
	for (size_t i = 1; i < resolved.items[0].refused.count; i++)
		ck_assert_int_lt(address_compare(&resolved.items[0].refused.items[i - 1],
						 &resolved.items[0].refused.items[i]),
				 0);
	resolved_encode(&resolved, &again);
	ck_assert(resolved_decode(again.data, again.length, &policy, &second, &err));
	ck_assert_int_eq(resolved_check(&second, &err), good[_i].status == RESOLVE_FOUND);
	/* Cut anywhere, it is no answer. */
	for (size_t length = 0; length < again.length; length++) {
		struct resolved none;

		ck_assert(!resolved_decode(again.data, length, &policy, &none, &err));
	}
	resolved_free(&second);
	resolved_free(&resolved);
	buffer_free(&again);
	buffer_free(&bytes);
}
END_TEST

static const struct answer bad[] = {
	{ RESOLVE_FOUND, 0, { 0 }, 0, { 0 } },                /* found nothing */
	{ RESOLVE_NXDOMAIN, 1, { "203.0.113.5" }, 0, { 0 } }, /* contradicts itself */
	{ RESOLVE_TIMEOUT, 0, { 0 }, 1, { "127.0.0.1" } },
	{ RESOLVE_SPECIAL, 0, { 0 }, 0, { 0 } },
	{ RESOLVE_SPECIAL, 1, { "203.0.113.5" }, 1, { "127.0.0.1" } },
	{ RESOLVE_FOUND, 2, { "203.0.113.6", "203.0.113.5" }, 0, { 0 } }, /* not sorted */
	{ RESOLVE_FOUND, 2, { "203.0.113.5", "203.0.113.5" }, 0, { 0 } }, /* twice */
	{ RESOLVE_FOUND, 2, { "2001:db8::1", "203.0.113.5" }, 0, { 0 } },
	{ RESOLVE_FOUND, 1, { "203.0.113.5" }, 1, { "203.0.113.5" } }, /* both */
	{ RESOLVE_STATUSES, 0, { 0 }, 0, { 0 } },
};

START_TEST(contradictions_are_refused)
{
	struct buffer bytes = answer_bytes(&bad[_i]);
	struct resolved resolved;
	struct err err;

	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "\"a.test\""));
	buffer_free(&bytes);
}
END_TEST

START_TEST(other_names_or_bytes_are_refused)
{
	struct buffer bytes = answer_bytes(&good[0].answer);
	struct resolved resolved;
	struct err err;

	buffer_append_u8(&bytes, 0);
	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	ck_assert_str_eq(err.text, "the resolver's answer has 1 bytes too many");
	bytes.length--;
	bytes.data[9] = 'x'; /* "x.test" */
	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	bytes.data[9] = 'a';
	bytes.data[7] = 2; /* names */
	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	ck_assert_str_eq(err.text, "the resolver answered for 2 names, 3 were asked for");
	bytes.data[7] = 3;
	memset(bytes.data + 16, 0xff, 4); /* addresses */
	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	bytes.data[0] = 'X';
	ck_assert(!resolved_decode(bytes.data, bytes.length, &policy, &resolved, &err));
	buffer_free(&bytes);
}
END_TEST

START_TEST(failures_are_named)
{
	struct address loopback = address("127.0.0.1");
	struct resolved_name items[12];
	struct err err;

	for (int i = 0; i < 12; i++)
		items[i] = (struct resolved_name){ .name = text_of("x.test"),
						   .status = RESOLVE_TIMEOUT };
	items[1].status = RESOLVE_FOUND;
	items[0] = (struct resolved_name){ .name = text_of("a.test"),
					   .status = RESOLVE_SPECIAL,
					   .refused = { &loopback, 1 } };
	ck_assert(!resolved_check(&(struct resolved){ items, 3 }, &err));
	ck_assert_str_eq(
		err.text,
		"2 of 3 names could not be pinned: a.test (only special-purpose addresses: "
		"127.0.0.1 is loopback; \"allow_private\" of the policy would take it in), x.test "
		"(timeout)");
	ck_assert(!resolved_check(&(struct resolved){ items, 12 }, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "11 of 12 names"));
	ck_assert_ptr_nonnull(strstr(err.text, " and 3 more"));
	ck_assert(resolved_check(&(struct resolved){ items + 1, 1 }, &err));
	ck_assert(resolved_check(&(struct resolved){ NULL, 0 }, &err));
}
END_TEST

START_TEST(statuses_have_names)
{
	for (int i = 0; i < RESOLVE_STATUSES; i++)
		ck_assert_ptr_nonnull(resolve_status_name(i));
	ck_assert_str_eq(resolve_status_name(RESOLVE_NXDOMAIN), "NXDOMAIN");
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("resolved");

	tcase_add_checked_fixture(cases, set_up, NULL);
	tcase_add_test(cases, names_are_sorted_and_stand_once);
	tcase_add_test(cases, too_many_names_are_an_error);
	tcase_add_loop_test(cases, case_C2_special_addresses, 0, COUNT_OF(case_C2));
	tcase_add_loop_test(cases, valid_answers_are_taken, 0, COUNT_OF(good));
	tcase_add_loop_test(cases, contradictions_are_refused, 0, COUNT_OF(bad));
	tcase_add_test(cases, other_names_or_bytes_are_refused);
	tcase_add_test(cases, failures_are_named);
	tcase_add_test(cases, statuses_have_names);
	return suite_end("resolved", cases);
}
