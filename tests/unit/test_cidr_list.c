/* test_cidr_list.c: a policy as a list of IPv4 prefixes: merged exactly, or refused; every difference is said. */
#include "plan/cidr_list.h"

#include "base/memory.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>


static struct policy parse(const char *text)
{
	struct policy policy;
	struct err err;

	if (!policy_parse(text, strlen(text), &policy, &err))
		ck_abort_msg("%s: %s", text, err.text);
	return policy;
}

static struct policy allowlist(const char *entries)
{
	char *text = memory_format("{\"network_mode\": \"allowlist\", \"users\": [1500], "
				   "\"allowed_hosts\": [%s]}",
				   entries);
	struct policy policy = parse(text);

	free(text);
	return policy;
}

/* "a.test 203.0.113.5 2001:db8::1;b.test ...", names sorted; an address behind "-" was refused. */
static struct resolved answers(const char *text)
{
	struct resolved resolved = { 0 };
	char *copy = memory_copy_string(text), *outer, *inner;

	for (char *name = strtok_r(copy, ";", &outer); name; name = strtok_r(NULL, ";", &outer)) {
		char *word = strtok_r(name, " ", &inner);
		struct resolved_name *item;

		resolved.items = memory_resize(resolved.items, resolved.count + 1,
					       sizeof(*resolved.items));
		item = &resolved.items[resolved.count++];
		*item = (struct resolved_name){ .name = memory_copy_string(word) };
		while ((word = strtok_r(NULL, " ", &inner))) {
			struct addresses *all = *word == '-' ? &item->refused : &item->found;

			all->items = memory_resize(all->items, all->count + 1, sizeof(*all->items));
			ck_assert(address_parse(word + (*word == '-'), &all->items[all->count++]));
		}
	}
	free(copy);
	return resolved;
}

static const struct {
	const char *entries, *answers, *list;
} merged[] = {
	{ "\"203.0.113.5\"", "", "203.0.113.5/32" },
	{ "\"203.0.113.5\", \"203.0.113.5:8080\"", "", "203.0.113.5/32" },
	{ "\"203.0.113.4\", \"203.0.113.5\"", "", "203.0.113.4/31" },
	/* Beside each other, and yet no prefix. */
	{ "\"203.0.113.5\", \"203.0.113.6\"", "", "203.0.113.5/32,203.0.113.6/32" },
	{ "\"203.0.113.5\", \"203.0.113.6\", \"203.0.113.7\"", "", "203.0.113.5/32,203.0.113.6/31" },
	{ "\"198.51.100.128/25\", \"198.51.100.0/25\"", "", "198.51.100.0/24" },
	{ "\"198.51.100.0/24\", \"198.51.100.7\", \"198.51.100.64/26\"", "", "198.51.100.0/24" },
	{ "\"10.0.0.0/8\", \"11.0.0.0/8\", \"12.0.0.0/6\", \"8.0.0.0/7\"", "", "8.0.0.0/5" },
	{ "\"255.255.255.254\", \"255.255.255.255\"", "", "255.255.255.254/31" },
	{ "\"128.0.0.0/1\"", "", "128.0.0.0/1" },
	{ "\"0.0.0.0/1\", \"128.0.0.0/1\"", "", "0.0.0.0/0" },
	{ "\"a.test\", \"203.0.113.4\"", "a.test 203.0.113.5", "203.0.113.4/31" },
	{ "\"a.test\", \"b.test:22\"", "a.test 203.0.113.5 2001:db8::1;b.test -10.0.0.1 203.0.113.9",
	  "203.0.113.5/32,203.0.113.9/32" },
	{ "\"1.0.0.1\",\"1.0.0.3\",\"1.0.0.5\",\"1.0.0.7\",\"1.0.0.9\",\"1.0.1.1\",\"1.0.1.3\",\"1.0.1.5\","
	  "\"1.0.1.7\",\"1.0.1.9\"",
	  "",
	  "1.0.0.1/32,1.0.0.3/32,1.0.0.5/32,1.0.0.7/32,1.0.0.9/32,1.0.1.1/32,1.0.1.3/32,1.0.1.5/32,1.0.1.7/32,"
	  "1.0.1.9/32" },
};

START_TEST(prefixes_are_merged_exactly)
{
	struct policy policy = allowlist(merged[_i].entries);
	struct resolved resolved = answers(merged[_i].answers);
	struct buffer text = { 0 };
	struct cidr_list list;
	struct err err;

	ck_assert(cidr_list_can_express(&policy, &err));
	ck_assert(cidr_list_has_addresses(&resolved, &err));
	ck_assert(cidr_list_build(&policy, &resolved, &list, &err));
	cidr_list_print(&list, &text);
	ck_assert_str_eq(buffer_string(&text), merged[_i].list);
	buffer_free(&text);
	cidr_list_free(&list);
	resolved_free(&resolved);
	policy_free(&policy);
}
END_TEST

static const struct {
	const char *policy, *says;
} refused[] = {
	{ "{\"network_mode\": \"public\"}", "network_mode \"public\" is no list: the platform's own switch "
					    "for the network has to be on" },
	{ "{\"network_mode\": \"no-network\"}",
	  "network_mode \"no-network\" leaves the list empty, which some platforms take for no limit: their "
	  "own switch for the network has to be off" },
	{ "{\"network_mode\": \"no-network\", \"model_endpoints\": [\"https://m.test/\"], "
	  "\"allow_model_endpoint\": false}",
	  "network_mode \"no-network\" leaves the list empty, which some platforms take for no limit: their "
	  "own switch for the network has to be off" },
	{ "{\"network_mode\": \"blocklist\", \"blocked_urls\": [\"a.test\"]}",
	  "network_mode \"blocklist\" names what is closed, and a list of prefixes what is open" },
	{ "{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"a.test\", \"*.b.test:443\", \"2001:db8::/32\"]}",
	  "allowed_hosts[1]: the wildcard \"*.b.test:443\" stands for no certain addresses; allowed_hosts[2]: "
	  "\"2001:db8::/32\" is IPv6, and a list of prefixes is IPv4 only" },
	{ "{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"a.test\"], \"enforcement\": \"filter\", "
	  "\"model_endpoints\": [\"https://[2001:db8::1]/\"]}",
	  "enforcement \"filter\" decides by names, and a list of prefixes by addresses; model_endpoints[0]: "
	  "\"https://[2001:db8::1]\" is IPv6, and a list of prefixes is IPv4 only" },
	/* Alone it would be a list which a platform may take for an empty one. */
	{ "{\"network_mode\": \"no-network\", \"model_endpoints\": [\"http://127.0.0.1:8080\"]}",
	  "model_endpoints[0]: \"http://127.0.0.1:8080\" is on the sandbox's own loopback, which no list opens "
	  "or closes" },
	{ "{\"network_mode\": \"no-network\", \"model_endpoints\": [\"https://m.test\", \"http://[::1]:8080\"]}",
	  "model_endpoints[1]: \"http://[::1]:8080\" is on the sandbox's own loopback, which no list opens or "
	  "closes" },
	{ "{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"*.a.test\", \"*.b.test\", \"*.c.test\", "
	  "\"*.d.test\", \"*.e.test\", \"*.f.test\", \"*.g.test\", \"*.h.test\", \"*.i.test\", \"*.j.test\"]}",
	  "; and 2 more" },
	{ "{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"*.a.test\", \"*.b.test\", \"*.c.test\", \"*.d.test\", \"*.e.test\", "
	  "\"*.f.test\", \"*.g.test\", \"*.h.test\"]}",
	  "; allowed_hosts[7]: the wildcard \"*.h.test\" stands for no certain addresses" },
	{ "{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"*.a.test\", \"*.b.test\", \"*.c.test\", \"*.d.test\", \"*.e.test\", "
	  "\"*.f.test\", \"*.g.test\", \"*.h.test\", \"*.i.test\"]}",
	  "; allowed_hosts[7]: the wildcard \"*.h.test\" stands for no certain addresses; and 1 more" },
};

START_TEST(what_cannot_be_said_is_refused)
{
	struct policy policy = parse(refused[_i].policy);
	size_t length = strlen(refused[_i].says);
	struct err err;

	ck_assert(!cidr_list_can_express(&policy, &err));
	ck_assert_uint_ge(strlen(err.text), length);
	ck_assert_str_eq(err.text + strlen(err.text) - length, refused[_i].says);
	policy_free(&policy);
}
END_TEST

START_TEST(lanes_alone_are_a_list)
{
	struct policy policy = parse("{\"network_mode\": \"no-network\", \"model_endpoints\": "
				     "[\"https://m.test/v1\", \"http://203.0.113.9:8080\"]}");
	struct resolved resolved = answers("m.test 203.0.113.8");
	struct cidr_list list;
	struct buffer text = { 0 };
	struct err err;

	ck_assert(cidr_list_can_express(&policy, &err));
	ck_assert(cidr_list_build(&policy, &resolved, &list, &err));
	cidr_list_print(&list, &text);
	ck_assert_str_eq(buffer_string(&text), "203.0.113.8/31");
	ck_assert_str_eq(list.notes[0], "wider: every port and protocol is open, and not only TCP to these "
					"ports: m.test (443), 203.0.113.9 (8080)");
	buffer_free(&text);
	cidr_list_free(&list);
	resolved_free(&resolved);
	policy_free(&policy);
}
END_TEST

START_TEST(closed_lanes_are_left_out)
{
	struct policy policy = parse("{\"network_mode\": \"allowlist\", \"allowed_hosts\": [\"203.0.113.1\"], "
				     "\"model_endpoints\": [\"https://[2001:db8::1]/\", \"https://203.0.113.9\"], "
				     "\"allow_model_endpoint\": false}");
	struct resolved resolved = { 0 };
	struct cidr_list list;
	struct err err;

	ck_assert(cidr_list_can_express(&policy, &err));
	ck_assert(cidr_list_build(&policy, &resolved, &list, &err));
	ck_assert_uint_eq(list.count, 1);
	/* Nobody is confined by name, there are no names and no special fields: the ports alone are said. */
	ck_assert_uint_eq(list.note_count, 1);
	cidr_list_free(&list);
	policy_free(&policy);
}
END_TEST

START_TEST(a_name_without_ipv4_is_refused)
{
	struct resolved resolved = answers("a.test 2001:db8::1;b.test 203.0.113.1;c.test 2001:db8::3");
	struct err err;

	ck_assert(!cidr_list_has_addresses(&resolved, &err));
	ck_assert_str_eq(err.text, "a.test has no IPv4 address, and a list of prefixes is IPv4 only; c.test has "
				   "no IPv4 address, and a list of prefixes is IPv4 only");
	resolved_free(&resolved);
}
END_TEST

START_TEST(more_than_ten_are_refused)
{
	struct policy policy = allowlist("\"a.test\", \"198.51.100.0/24\"");
	struct resolved resolved = answers("a.test 203.0.113.1 203.0.113.3 203.0.113.5 203.0.113.7 203.0.113.9 "
					   "203.0.113.11 203.0.113.13 203.0.113.15 203.0.113.17 203.0.113.19");
	struct cidr_list list = { .count = 77 };
	struct err err;

	ck_assert(!cidr_list_build(&policy, &resolved, &list, &err));
	ck_assert_str_eq(err.text,
			 "11 prefixes are needed, and a list has at most 10: a.test 10, 198.51.100.0/24 1");
	ck_assert_uint_eq(list.count, 77);
	resolved_free(&resolved);
	policy_free(&policy);
}
END_TEST

/* How many each needs is said of the first eight. */
START_TEST(the_largest_are_not_all_counted)
{
	static const char eight[] = "\"1.0.0.1\",\"1.0.0.3\",\"1.0.0.5\",\"1.0.0.7\",\"1.0.0.9\",\"1.0.1.1\","
				    "\"1.0.1.3\",\"a.test\"";
	static const struct {
		const char *more, *says;
	} ends[] = {
		{ "", " 1.0.1.3 1, a.test 4" },
		{ ",\"1.0.1.7\"", " a.test 4, and 1 entries more" },
		{ ",\"1.0.1.7\",\"1.0.1.9\"", " a.test 4, and 2 entries more" },
	};
	struct resolved resolved = answers("a.test 203.0.113.1 203.0.113.3 203.0.113.5 203.0.113.7");

	for (int i = 0; i < COUNT_OF(ends); i++) {
		char *entries = memory_format("%s%s", eight, ends[i].more);
		struct policy policy = allowlist(entries);
		size_t length = strlen(ends[i].says);
		struct cidr_list list;
		struct err err;

		ck_assert(!cidr_list_build(&policy, &resolved, &list, &err));
		ck_assert_uint_ge(strlen(err.text), length);
		ck_assert_str_eq(err.text + strlen(err.text) - length, ends[i].says);
		policy_free(&policy);
		free(entries);
	}
	resolved_free(&resolved);
}
END_TEST

START_TEST(exempt_users_are_a_note)
{
	struct policy policy = parse("{\"network_mode\": \"allowlist\", \"exempt_users\": [1500], "
				     "\"allowed_hosts\": [\"203.0.113.1\"]}");
	struct resolved resolved = { 0 };
	struct cidr_list list;
	struct err err;

	ck_assert(cidr_list_build(&policy, &resolved, &list, &err));
	ck_assert_uint_eq(list.note_count, 2);
	ck_assert_str_eq(list.notes[1], "narrower: the list holds for everybody in the sandbox, root too, "
					"whatever exempt_users says");
	cidr_list_free(&list);
	policy_free(&policy);
}
END_TEST

START_TEST(every_difference_is_a_note)
{
	static const char *const notes[] = {
		"wider: every port and protocol is open, and not only TCP to these ports: a.test (80, 443), "
		"b.test (1-65535), 203.0.113.0/24 (8000-8010)",
		"narrower: the list holds for everybody in the sandbox, root too, whatever users says",
		"narrower: no resolver is in the list; names are found inside only by lines in its hosts file "
		"(--json prints them)",
		"narrower: IPv6 addresses are left out: a.test (2001:db8::1), b.test (2001:db8::2)",
		"left out, as apply does, are special-purpose addresses: b.test (10.0.0.1)",
		"not in the list, so that the platform decides: loopback, own_addresses, published_ports, "
		"ownerless",
	};
	struct policy policy = parse("{\"network_mode\": \"allowlist\", \"users\": [1500], \"allowed_hosts\": "
				     "[\"a.test\", \"b.test:*\", \"203.0.113.0/24:8000-8010\"], \"loopback\": [8080], "
				     "\"own_addresses\": true, \"published_ports\": [80], \"ownerless\": \"pass\"}");
	struct resolved resolved = answers("a.test 198.51.100.1 2001:db8::1;b.test 198.51.100.2 2001:db8::2 -10.0.0.1");
	struct buffer hosts = { 0 };
	struct cidr_list list;
	struct err err;

	ck_assert(cidr_list_build(&policy, &resolved, &list, &err));
	ck_assert_uint_eq(list.note_count, COUNT_OF(notes));
	for (int i = 0; i < COUNT_OF(notes); i++)
		ck_assert_str_eq(list.notes[i], notes[i]);
	cidr_list_print_hosts(&resolved, &hosts);
	ck_assert_str_eq(buffer_string(&hosts), "198.51.100.1 a.test\n198.51.100.2 b.test\n");
	buffer_free(&hosts);
	cidr_list_free(&list);
	resolved_free(&resolved);
	policy_free(&policy);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("cidr_list");

	tcase_add_loop_test(tests, prefixes_are_merged_exactly, 0, COUNT_OF(merged));
	tcase_add_loop_test(tests, what_cannot_be_said_is_refused, 0, COUNT_OF(refused));
	tcase_add_test(tests, lanes_alone_are_a_list);
	tcase_add_test(tests, closed_lanes_are_left_out);
	tcase_add_test(tests, a_name_without_ipv4_is_refused);
	tcase_add_test(tests, more_than_ten_are_refused);
	tcase_add_test(tests, the_largest_are_not_all_counted);
	tcase_add_test(tests, exempt_users_are_a_note);
	tcase_add_test(tests, every_difference_is_a_note);
	return suite_end("cidr_list", tests);
}
