/* resolver_servers.c: which servers the resolver asks, and what has no influence on that. */
#include "resolver_test.h"

#include "base/memory.h"
#include "system/resolver.h"
#include "system/resolver_lookup.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* Only the absolute name is asked for, whatever resolv.conf would have others do with it. */
START_TEST(case_C4)
{
	retry_ms = NEVER_MS;
	world_serve_here(&world, "*.corp.test ANY 10.9.9.9 203.0.113.9 2001:db8::9\n"
				 "api.example.test A 203.0.113.5\n");
	file_write(world.resolv_conf, "search corp.test example.test\ndomain corp.test\n"
				      "options ndots:5 rotate use-vc timeout:30 attempts:9\n"
				      "nameserver 127.0.0.1\n");
	expect("api.example.test gone.example.test short",
	       "api.example.test: found 203.0.113.5, gone.example.test: NXDOMAIN, short: NXDOMAIN");
	ck_assert_uint_eq(world_asked(&world, "api.example.test A udp edns"), 1);
	ck_assert_uint_eq(world_asked(&world, "api.example.test AAAA udp edns"), 1);
	ck_assert_uint_eq(world_asked_like(&world, ""), 6);
}
END_TEST

/* Neither the environment nor the hosts file nor nsswitch.conf says where a name leads. */
START_TEST(case_A7)
{
	autofree char *aliases = memory_format("%s/aliases", world.directory);
	autofree char *hosts = memory_format("%s/hosts", world.directory);
	autofree char *switches = memory_format("%s/nsswitch.conf", world.directory);

	world_serve_here(&world, "*.corp.test ANY 10.9.9.9\nevil.test ANY 203.0.113.66\n"
				 "api ANY 203.0.113.4\napi.test A 203.0.113.5\n");
	retry_ms = NEVER_MS;
	file_write(aliases, "api evil.test\napi.test evil.test\n");
	file_write(hosts, "203.0.113.77 api.test api\n");
	file_write(switches, "hosts: files resolve\n");
	ck_assert_int_eq(mount(hosts, "/etc/hosts", NULL, MS_BIND, NULL), 0);
	/* A machine may have none. */
	if (!access("/etc/nsswitch.conf", F_OK))
		ck_assert_int_eq(mount(switches, "/etc/nsswitch.conf", NULL, MS_BIND, NULL), 0);
	setenv("RES_OPTIONS", "ndots:9 use-vc nosuch", 1);
	setenv("LOCALDOMAIN", "corp.test", 1);
	setenv("HOSTALIASES", aliases, 1);
	setenv("CARES_HOSTS", hosts, 1);
	expect("api api.test", "api: found 203.0.113.4, api.test: found 203.0.113.5");
	ck_assert_uint_eq(world_asked_like(&world, ""), 4);
	ck_assert_uint_eq(world_asked_like(&world, "api A udp"), 1);
	umount("/etc/hosts");
	umount("/etc/nsswitch.conf");
	unlink(aliases);
	unlink(hosts);
	unlink(switches);
}
END_TEST

START_TEST(case_C7)
{
	static const struct {
		const char *resolv_conf, *want;
	} cases[] = {
		{ "nameserver fe80::1%3\nnameserver 127.0.0.1\n", "found 203.0.113.5" },
		{ "nameserver fe80::1\nnameserver 127.0.0.1\n", "found 203.0.113.5" },
		{ "nameserver fe80::1%nosuch0\nnameserver 127.0.0.1\n", "found 203.0.113.5" },
		{ "search .\nnameserver 127.0.0.1\n", "found 203.0.113.5" },
		{ "; comment\n# comment\n;nameserver 192.0.2.9\nnameserver 127.0.0.1 ; local\n",
		  "found 203.0.113.5" },
		{ "nameserver\nnameserver x\nnameserver 1.2.3\nnameserver\t127.0.0.1",
		  "found 203.0.113.5" },
		{ "nameserver 127.0.0.5\nnameserver 127.0.0.6\nnameserver 127.0.0.7\nnameserver "
		  "127.0.0.1\n",
		  "found 203.0.113.5" },
		{ "nameserver ::1\n", "found 203.0.113.5" },
		{ "nameserver 192.0.2.1\nnameserver 2001:db8::53\nnameserver ::1\n",
		  "found 203.0.113.5" },
		{ "", "no nameserver" },
		{ "search corp.test\n", "no nameserver" },
		{ "nameserver 127.0.0.5\n", "unreachable" },
		{ "nameserver 192.0.2.1\nnameserver 2001:db8::53\n", "unreachable" },
		{ "nameserver fe80::1\n", "no nameserver" },
		{ "nameserver example.com\n", "no nameserver" },
	};
	autofree char *want = memory_format("api.test: %s", cases[_i].want);
	autofree char *text = NULL;
	unsigned ms;

	world_serve(&world, "api.test A 203.0.113.5\n",
		    (const char *const[]){ "127.0.0.1:53", "[::1]:53", NULL });
	file_write(world.resolv_conf, cases[_i].resolv_conf);
	text = resolve("api.test", 60000, &ms);
	ck_assert_str_eq(text, want);
	/* What is not there costs no waiting at all. */
	ck_assert_uint_lt(ms, 1000);
}
END_TEST

enum { C7_FILES = 15 };

START_TEST(case_C7_no_file)
{
	unlink(world.resolv_conf);
	expect("api.test", "api.test: no nameserver");
	file_write(world.resolv_conf, "");
}
END_TEST

/* The zone of a link-local server is used, as a number and as a name. */
START_TEST(case_C7_zone)
{
	autofree char *numbered = NULL;

	ck_assert_int_eq(system("ip addr add fe80::53/64 dev lo nodad"), 0);
	world_serve(&world, "api.test A 203.0.113.5\n",
		    (const char *const[]){ "[fe80::53%lo]:53", NULL });
	file_write(world.resolv_conf, "nameserver fe80::53%lo\n");
	expect("api.test", "api.test: found 203.0.113.5");
	numbered = memory_format("nameserver fe80::53%%%u\n", if_nametoindex("lo"));
	file_write(world.resolv_conf, numbered);
	expect("api.test", "api.test: found 203.0.113.5");
	ck_assert_int_eq(system("ip addr del fe80::53/64 dev lo"), 0);
}
END_TEST

/* The first server is silent, lame or absent; the second one knows. */
START_TEST(bad_server_then_good)
{
	static const char *const first[] = {
		"* ANY drop=all",
		"* ANY rcode=SERVFAIL",
		"* ANY rcode=REFUSED",
		"* ANY rcode=NOTIMP",
		"* ANY 192.0.2.1 2001:db8::2 malformed=count",
		"",
	};
	struct world other;
	unsigned ms;
	char *text;

	world_begin(&other);
	if (*first[_i])
		world_serve(&other, first[_i], (const char *const[]){ "127.0.0.2:53", NULL });
	world_serve_here(&world,
			 "a.test A 203.0.113.5\nb.test A 203.0.113.6\nc.test ANY rcode=SERVFAIL\n");
	file_write(world.resolv_conf, "nameserver 127.0.0.2\nnameserver 127.0.0.1\n");
	text = resolve("a.test b.test", 60000, &ms);
	ck_assert_str_eq(text, "a.test: found 203.0.113.5, b.test: found 203.0.113.6");
	ck_assert_uint_lt(ms, 25 * TEST_RETRY_MS);
	free(text);
	/* Names that are nowhere are not found any slower than after three tries. */
	text = resolve("a.test d.test", 60000, &ms);
	ck_assert_str_eq(text, "a.test: found 203.0.113.5, d.test: NXDOMAIN");
	ck_assert_uint_lt(ms, 25 * TEST_RETRY_MS);
	free(text);
	world_end(&other);
}
END_TEST

/* Who says no is not waited for. */
START_TEST(next_server_at_once)
{
	static const char *const first[] = { "* ANY rcode=SERVFAIL", "* ANY malformed=query", "" };
	struct policy policy = policy_of("a.test");
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = 1500,
		.retry_ms = 60000,
	};
	struct resolved resolved;
	struct world other;
	struct err err;

	world_begin(&other);
	if (*first[_i])
		world_serve(&other, first[_i], (const char *const[]){ "127.0.0.2:53", NULL });
	world_serve_here(&world, "a.test ANY 203.0.113.5\n");
	file_write(world.resolv_conf, "nameserver 127.0.0.2\nnameserver 127.0.0.1\n");
	ck_assert(resolver_run(&policy, &settings, &resolved, &err));
	ck_assert_int_eq(resolved.items[0].status, RESOLVE_FOUND);
	resolved_free(&resolved);
	policy_done(&policy);
	world_end(&other);
}
END_TEST

/* The first server is slow and knows the name: what the second one does not know is nothing. */
START_TEST(slow_private_server)
{
	struct world other;

	world_begin(&other);
	world_serve(&other, "in.test A 203.0.113.5 delay=120\nin.test AAAA delay=120\n",
		    (const char *const[]){ "127.0.0.2:53", NULL });
	world_serve_here(&world, "");
	file_write(world.resolv_conf, "nameserver 127.0.0.2\nnameserver 127.0.0.1\n");
	expect("in.test", "in.test: found 203.0.113.5");
	ck_assert_uint_ge(world_asked_like(&world, "in.test A "), 1);
	world_end(&other);
}
END_TEST

/* Lost questions are asked again, an answer that comes late counts. */
START_TEST(lost_and_late)
{
	world_serve_here(&world, "lost.test A 203.0.113.5 drop=2\nlost.test AAAA drop=1\n"
				 "late.test ANY 203.0.113.6 2001:db8::6 delay=200\n");
	expect("late.test lost.test",
	       "late.test: found 203.0.113.6 2001:db8::6, lost.test: found 203.0.113.5");
	ck_assert_uint_ge(world_asked_like(&world, "lost.test A "), 3);
}
END_TEST

/* None of them is asked for twice unless it was lost, which is not to be. */
static void many(size_t count, unsigned in_flight, const char *script)
{
	struct policy policy = policy_of_many("n", "test", count);
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = 20000,
		.in_flight_max = in_flight,
		.retry_ms = NEVER_MS,
	};
	struct resolved resolved;
	struct err err;

	world_serve_here(&world, script);
	ck_assert(resolver_run(&policy, &settings, &resolved, &err));
	ck_assert_uint_eq(resolved.count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(resolved.items[i].status == RESOLVE_FOUND &&
				      resolved.items[i].found.count == 2,
			      "%s: %s", resolved.items[i].name,
			      resolve_status_name(resolved.items[i].status));
	resolved_free(&resolved);
	policy_done(&policy);
}

START_TEST(thousand_names)
{
	many(1000, 0, "*.test ANY 203.0.113.5 2001:db8::5\n");
	ck_assert_uint_eq(world_asked_like(&world, ""), 2000);
}
END_TEST

START_TEST(thousand_names_at_once)
{
	many(1000, 1000, "*.test ANY 203.0.113.5 2001:db8::5 delay=20\n");
}
END_TEST

START_TEST(thousand_names_over_tcp)
{
	many(1000, 0, "*.test ANY 203.0.113.5 2001:db8::5 truncate\n");
}
END_TEST

/* The same without a process of its own, for the sanitizers; answers that come late too. */
START_TEST(in_this_process)
{
	static const char *const names[] = { "a.test",    "alias.test", "bad.test",
					     "late.test", "lost.test",  "plain.test" };
	const char servers_text[] = "nameserver 127.0.0.9\nnameserver 127.0.0.1\n";
	struct lookup_settings settings = { .timeout_ms = 1500,
					    .names_max = 3,
					    .retry_ms = TEST_RETRY_MS };
	struct policy policy = policy_of("");
	struct nameservers servers;
	struct resolved resolved;
	struct err err;
	char *text;

	world_serve_here(&world,
			 "a.test ANY 203.0.113.5 10.0.0.1\nalias.test CNAME late.test bare\n"
			 "bad.test ANY 203.0.113.5 malformed=width\n"
			 "late.test ANY 203.0.113.6 delay=130\nlost.test ANY drop=all\n"
			 "plain.test ANY 203.0.113.7 no-edns truncate\n");
	nameservers_parse(servers_text, strlen(servers_text), &servers);
	ck_assert(lookup_names(&policy, names, 6, &servers, &settings, &resolved, &err));
	text = resolved_text(&resolved);
	ck_assert_str_eq(text,
			 "a.test: found 203.0.113.5 - 10.0.0.1, alias.test: found 203.0.113.6, "
			 "bad.test: malformed answer, late.test: found 203.0.113.6, "
			 "lost.test: timeout, plain.test: found 203.0.113.7");
	free(text);
	resolved_free(&resolved);
	policy_done(&policy);
}
END_TEST

/* Silence ends with the time that is given, for all names together. */
START_TEST(silence_is_bounded)
{
	unsigned ms;
	char *text;

	world_serve_here(&world, "good.test A 203.0.113.5\n* ANY drop=all\n");
	text = resolve("a.test b.test good.test", 300, &ms);
	ck_assert_str_eq(text, "a.test: timeout, b.test: timeout, good.test: found 203.0.113.5");
	ck_assert_uint_ge(ms, 300);
	ck_assert_uint_lt(ms, 1000);
	free(text);
	/* And it is not waited out in full: five tries are enough. */
	text = resolve("a.test", 60000, &ms);
	ck_assert_str_eq(text, "a.test: timeout");
	ck_assert_uint_lt(ms, 40 * TEST_RETRY_MS);
	free(text);
}
END_TEST

TCase *servers_cases(void)
{
	TCase *cases = tcase_create("servers");

	tcase_add_test(cases, case_C4);
	tcase_add_test(cases, case_A7);
	tcase_add_loop_test(cases, case_C7, 0, C7_FILES);
	tcase_add_test(cases, case_C7_no_file);
	tcase_add_test(cases, case_C7_zone);
	tcase_add_loop_test(cases, bad_server_then_good, 0, 6);
	tcase_add_loop_test(cases, next_server_at_once, 0, 3);
	tcase_add_test(cases, slow_private_server);
	tcase_add_test(cases, lost_and_late);
	tcase_add_test(cases, thousand_names);
	tcase_add_test(cases, thousand_names_at_once);
	tcase_add_test(cases, thousand_names_over_tcp);
	tcase_add_test(cases, in_this_process);
	tcase_add_test(cases, silence_is_bounded);
	return cases;
}
