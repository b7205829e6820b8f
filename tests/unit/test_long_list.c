/* test_long_list.c: a long list is cut out of a text exactly where it is one, and read the same. */
#include "policy/long_list.h"

#include "base/memory.h"
#include "policy/policy.h"

#include "suite.h"

#include <stdlib.h>
#include <string.h>

START_TEST(texts_are_cut_or_left)
{
	static const struct {
		const char *text, *rest; /* rest NULL: nothing is cut */
		size_t count;
	} rows[] = {
		{ "{\"k\":[\"a\"]}", "{\"k\":[]}", 1 },
		{ "{ \"k\" : [ \"a\" ,\r\n\t\"b\" ] }", "{ \"k\" : [] }", 2 },
		{ "{\"x\":\"k\",\"k\":[\"a\",\"\"]}", "{\"x\":\"k\",\"k\":[]}", 2 },
		{ "{\"\\\\\":1,\"k\":[\"a\"]}", "{\"\\\\\":1,\"k\":[]}", 1 },
		{ "{\"\\\"k\":[\"b\"],\"k\":[\"a\"]}", "{\"\\\"k\":[\"b\"],\"k\":[]}", 1 },
		{ "{\"x\":{\"k\":[\"b\"]},\"k\":[\"a\"]}", "{\"x\":{\"k\":[\"b\"]},\"k\":[]}", 1 },
		/* Only the first: a second one is the library's to refuse. */
		{ "{\"k\":[\"a\"],\"k\":[\"b\"]}", "{\"k\":[],\"k\":[\"b\"]}", 1 },
		/* Broken elsewhere, and as broken afterwards. */
		{ "{\"k\":[\"a\"]", "{\"k\":[]", 1 },
		{ "{\"k\":[\"a\"]]}", "{\"k\":[]]}", 1 },

		{ "", NULL, 0 },
		{ "[\"k\",[\"a\"]]", NULL, 0 },
		{ "{\"x\":{\"k\":[\"a\"]}}", NULL, 0 },
		{ "{\"x\":\"k\"}", NULL, 0 },
		{ "{\"kk\":[\"a\"]}", NULL, 0 },
		{ "{\"\\u006b\":[\"a\"]}", NULL, 0 },
		{ "{\"x\\\":\"k\":[\"a\"]}", NULL, 0 },
		{ "{\"k\":[]}", NULL, 0 },
		{ "{\"k\":\"a\"}", NULL, 0 },
		{ "{\"k\":[\"a\",]}", NULL, 0 },
		{ "{\"k\":[,\"a\"]}", NULL, 0 },
		{ "{\"k\":[\"a\" \"b\"]}", NULL, 0 },
		{ "{\"k\":[\"a\"", NULL, 0 },
		{ "{\"k\":[\"a", NULL, 0 },
		{ "{\"k\":[\"a\",1]}", NULL, 0 },
		{ "{\"k\":[\"a\\n\"]}", NULL, 0 },
		{ "{\"k\":[\"a\n\"]}", NULL, 0 },
		{ "{\"k\":[\"\xc3\xbc\"]}", NULL, 0 },
		{ "{\"k\":[\"\x7f\"]}", NULL, 0 },
		{ "{\"k\":[[\"a\"]]}", NULL, 0 },
		{ "{\"k\\", NULL, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct long_list list = { .count = 77 };
		struct buffer rest = { 0 };
		bool cut = long_list_cut(rows[i].text, strlen(rows[i].text), "k", 1, &list, &rest);

		ck_assert_msg(cut == (rows[i].rest != NULL), "%s", rows[i].text);
		if (!cut) {
			ck_assert_uint_eq(list.count, 77);
			continue;
		}
		ck_assert_str_eq(buffer_string(&rest), rows[i].rest);
		ck_assert_uint_eq(list.count, rows[i].count);
		buffer_free(&rest);
	}
}
END_TEST

START_TEST(entries_come_in_order_and_then_end)
{
	static const char text[] = "{\"k\": [\"a\" , \"\",\n\"b c\"]}";
	static const char *const entries[] = { "a", "", "b c" };
	char entry[LONG_LIST_ENTRY_SIZE] = "before";
	struct long_list list;
	struct buffer rest;

	ck_assert(!long_list_cut(text, strlen(text), "k", 4, &list, &rest));
	ck_assert(long_list_cut(text, strlen(text), "k", 3, &list, &rest));
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		ck_assert(long_list_next(&list, entry));
		ck_assert_str_eq(entry, entries[i]);
	}
	ck_assert(!long_list_next(&list, entry));
	ck_assert(!long_list_next(&list, entry));
	ck_assert_str_eq(entry, "b c");
	buffer_free(&rest);
}
END_TEST

START_TEST(an_entry_may_be_so_long_and_no_longer)
{
	for (int length = LONG_LIST_ENTRY_SIZE - 2; length <= LONG_LIST_ENTRY_SIZE + 1; length++) {
		autofree char *text = memory_format("{\"k\":[\"%0*d\"]}", length, 0);
		char entry[LONG_LIST_ENTRY_SIZE];
		struct long_list list;
		struct buffer rest;
		bool cut = long_list_cut(text, strlen(text), "k", 1, &list, &rest);

		ck_assert_msg(cut == (length < LONG_LIST_ENTRY_SIZE), "%d", length);
		if (!cut)
			continue;
		ck_assert(long_list_next(&list, entry));
		ck_assert_uint_eq(strlen(entry), (size_t)length);
		buffer_free(&rest);
	}
}
END_TEST

/*
 * A policy with many addresses; `odd` is one more entry in the middle. An escape in the last entry,
 * another spelling of the same, has the library read it all.
 */
static char *long_policy(const char *odd, bool escaped, const char *more)
{
	struct buffer out = { 0 };

	buffer_printf(&out, "{\"users\": [1500], \"network_mode\": \"allowlist\"%s,\n", more);
	buffer_append_text(&out, "\"allowed_hosts\": [");
	for (int i = 0; i < 600; i++) {
		if (i == 300 && odd)
			buffer_printf(&out, "%s,\n", odd);
		buffer_printf(&out, "\"198.51.%d.%d\", ", 100 + i / 250, i % 250);
	}
	buffer_printf(&out, "\"a.example.co%s\"]}", escaped ? "\\u006d" : "m");
	return buffer_steal(&out);
}

START_TEST(policies_read_the_same_both_ways)
{
	static const struct {
		const char *odd, *more;
		const char *sentence; /* NULL: it is valid */
	} rows[] = {
		{ NULL, "", NULL },
		{ "\"*.example.org\"", "", NULL },
		{ "\"192.0.2.0/24:1-99\"", "", NULL },
		{ "\"192.0.2.1/24\"", "", "allowed_hosts[300]: \"192.0.2.1/24\" has host bits set" },
		{ "\"198.51.100.7\"", "",
		  "allowed_hosts[300]: \"198.51.100.7\" is the same as allowed_hosts[7]; remove one" },
		{ "\"198.51.102.7\"", "",
		  "allowed_hosts[508]: \"198.51.102.7\" is the same as allowed_hosts[300]" },
		{ "\"\"", "", "allowed_hosts[300]: " },
		{ "17", "", "allowed_hosts[300]: expected a host, wildcard, address or prefix" },
		{ "\"192.0.2.1\"]", "", "line 3, column 16: the text is not JSON, near \",\"" },
		{ NULL, ", \"users\": [7]", "line 1, column " },
		{ NULL, ", \"nonsense\": 1", "unknown field \"nonsense\"" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct buffer printed[2] = { { 0 } };
		struct err err[2] = { { { 0 } } };

		for (int way = 0; way < 2; way++) {
			autofree char *text = long_policy(rows[i].odd, way == 1, rows[i].more);
			struct policy policy;
			bool good = policy_parse(text, strlen(text), &policy, &err[way]);

			ck_assert_msg(good == !rows[i].sentence, "row %zu: %s", i, err[way].text);
			if (!good)
				continue;
			policy_print(&policy, &printed[way]);
			policy_free(&policy);
		}
		ck_assert_str_eq(err[0].text, err[1].text);
		if (rows[i].sentence)
			ck_assert_msg(strstr(err[0].text, rows[i].sentence) == err[0].text, "%s",
				      err[0].text);
		ck_assert_str_eq(buffer_string(&printed[0]), buffer_string(&printed[1]));
		for (int way = 0; way < 2; way++)
			buffer_free(&printed[way]);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		texts_are_cut_or_left,
		entries_come_in_order_and_then_end,
		an_entry_may_be_so_long_and_no_longer,
		policies_read_the_same_both_ways,
	};

	return suite_run("long list", tests, COUNT_OF(tests));
}
