/* test_users.c: names become uids, subordinate ranges come along, and nothing is misread. */
#include "system/users.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"
#include "user_specs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct users_files files;

#define LONG_NAME "a-name-of-more-than-thirty-two-characters"
static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n"
			     "# comment:x:1:1:::\n"
			     "broken:x:15 00:1500:::\n"
			     "broken:x:-1500:1500:::\n"
			     "broken:x:4294967296:1500:::\n"
			     "+nis:::::::\n"
			     ":x:1777:1777:::\n"
			     "agent:x:1500:1600::/home/agent:/bin/sh\n"
			     "agent:x:1:1:::\n"
			     "short:x:1503:1503\n"
			     "later:x: 1510:1510:::\n"
			     "later:x:1511:1511:::\n"
			     " indented:x:1512:1512:::\n"
			     "indented:x:1513:1513:::\n"
			     "\ttabbed:x:1521:1521:::\n"
			     "tabbed:x:1522:1522:::\n"
			     "groupless:x:1523:staff:::\n"
			     "signed:x:+1514:1514:::\n"
			     "signed:x:1515:1515:::\n"
			     "clear:x:1516:1516:::\n"
			     "\tclear:x:+1517:1517:::\n"
			     "octal:x:01518:1518:::\n"
			     "dos:x:1519:1519:::\r\n"
			     "nobody-at-all:x:4294967295:4294967295:::\n" LONG_NAME
			     ":x:1501:4294967295:::\n"
			     "caller:x:900:900:::";

static void set_up(void)
{
	files = users_files_make(passwd);
}

static void tear_down(void)
{
	users_files_free(&files);
}

static const struct {
	const char *specs, *named, *subuid;
	const char *wanted; /* NULL: refused */
	const char *says;
} cases[] = {
	{ "agent", "", "", "1500", NULL },
	{ "1500", "", "", "1500", NULL },
	{ "", "agent", "", "1500", NULL },
	{ "short", "", "", "1503", NULL },
	{ LONG_NAME, "", "", "1501", NULL },
	{ "1500-1510,agent,1511", "", "", "1500-1511", NULL },
	{ "1500-1510", "agent", "", "1500-1510", NULL },
	{ "4294967294", "", "", "4294967294", NULL },
	{ "", "", "", NULL, "nobody is confined" },
	{ "1501", "agent", "", NULL, "--user" },
	{ "agent", "absent", "", NULL, "no user \"absent\"" },
	{ "1500,absent", "", "", NULL, "users[1]: there is no user \"absent\"" },
	{ "absent", "", "", NULL, "users[0]: there is no user \"absent\"" },
	{ "", "absent", "", NULL, "--user: there is no user \"absent\"" },
	/* What is a number to one C library and none to another: who is it? */
	{ "broken", "", "", NULL, "users[0]: line 3 of " },
	{ "", "broken", "", NULL, "--user: line 3 of " },
	{ "later", "", "", NULL, "is about the user \"later\"" },
	{ "indented", "", "", NULL, "is about the user \"indented\"" },
	{ "tabbed", "", "", NULL, "is about the user \"tabbed\"" },
	{ "groupless", "", "", NULL, "is about the user \"groupless\"" },
	{ "signed", "", "", NULL, "is about the user \"signed\"" },
	{ "clear", "", "", "1516", NULL },
	/* Of two lines about one name the first is meant, by subuid as well. */
	{ "1500", "", "agent:200000:10\n", "1500, 200000-200009", NULL },
	{ "1", "", "agent:200000:10\n", "1", NULL },
	{ "1516", "", "clear:200000:10\n", "1516, 200000-200009", NULL },
	{ "octal", "", "", "1518", NULL },
	{ "dos", "", "", "1519", NULL },
	{ "+nis", "", "", NULL, "is about the user \"+nis\"" },
	{ "agent", "", "later:200000:10\n", "1500, 200000-200009", NULL },
	{ "agen", "", "", NULL, "no user" },
	{ "agentx", "", "", NULL, "no user" },
	{ "root", "", "", NULL, "\"root\" is uid 0" },
	{ "nobody-at-all", "", "", NULL, "4294967294" },
	{ "0-1500", "", "", NULL, "root" },
	{ "1-4294967295", "", "", NULL, "4294967294" },
	{ "caller", "", "", NULL, "runs egressfw" },
	{ "800-1000", "", "", NULL, "runs egressfw" },
	/* Subordinate uids. */
	{ "agent", "", "agent:100000:65536\n", "1500, 100000-165535", NULL },
	{ "agent", "", "1500:100000:65536", "1500, 100000-165535", NULL },
	{ "", "agent", "agent:100000:65536\n", "1500, 100000-165535", NULL },
	{ "1499-1500", "agent", "agent:100000:65536\n", "1499-1500, 100000-165535", NULL },
	{ "1500", "", "agent:100000:65536\nother:1:5\n", "1500, 100000-165535", NULL },
	{ "1400-1600", "", "agent:100000:10\n1501:200000:1\n", "1400-1600, 100000-100009, 200000",
	  NULL },
	{ "agent", "", "agent:100000:10\nagent:300000:10\n", "1500, 100000-100009, 300000-300009",
	  NULL },
	{ "agent", "", "100003:500000:2\nagent:100000:10\n", "1500, 100000-100009, 500000-500001",
	  NULL },
	{ "agent", "", "agent:100000:0\n", "1500", NULL },
	{ "agent", "", "# agent:1:1\n01500:7:1\n:5:5\nother:0:99\nother:x\n", "1500", NULL },
	{ "agent", "", "agent:4294967290:5\n", "1500, 4294967290-4294967294", NULL },
	{ "agent", "", "\nagent:4294967290:6\n", NULL, "line 2 gives" },
	{ "agent", "", "agent:4294967290:4294967295\n", NULL, "line 1" },
	{ "agent", "", "agent:0:10\n", NULL, "root" },
	{ "agent", "", "agent:900:1\n", NULL, "runs egressfw" },
	{ "agent", "", "agent:100000\n", NULL, "line 1" },
	{ "agent", "", "agent:100000:10:1\n", NULL, "line 1" },
	{ "agent", "", "agent:0x10:10\n", NULL, "line 1" },
	{ "agent", "", "agent:0100000:10\n", NULL, "line 1" },
	{ "agent", "", "agent:100000:010\n", NULL, "line 1" },
	{ "agent", "", "agent:100000:07\n", NULL, "line 1" },
	{ "agent", "", "agent: 100000:10\n", NULL, "line 1" },
	{ "agent", "", "agent:100000:99999999999999999999999\n", NULL, "line 1" },
};

START_TEST(confined)
{
	struct user_specs specs = specs_of(cases[_i].specs), named = specs_of(cases[_i].named);
	struct rangeset uids = { 0 };
	struct buffer text = { 0 };
	struct err err = { "" };
	bool cannot = true;
	bool good;

	scratch_put(files.subuid, cases[_i].subuid);
	good = users_confined(&specs, &named, 900, &files, &uids, &cannot, &err);
	if (cases[_i].wanted) {
		ck_assert_msg(good, "%s", err.text);
		rangeset_print(&uids, &text);
		ck_assert_str_eq(buffer_string(&text), cases[_i].wanted);
		ck_assert_str_eq(err.text, "");
	} else {
		ck_assert(!good);
		ck_assert_ptr_null(uids.items);
		ck_assert_msg(strstr(err.text, cases[_i].says) != NULL, "%s", err.text);
		/* A line that cannot be read is the machine's fault, all else was asked for. */
		ck_assert_msg(cannot == (strstr(err.text, "line ") && !strstr(err.text, " gives ")), "%s", err.text);
	}
	buffer_free(&text);
	rangeset_free(&uids);
	specs_free(&specs);
	specs_free(&named);
}
END_TEST

/* As many as a large site has: what is looked up for each line is not searched for from the start. */
START_TEST(many_users)
{
	enum { USERS = 30000 };
	struct buffer many_passwd = { 0 }, many_subuid = { 0 };
	struct user_specs specs = specs_of("u29999,u7"), none = { 0 };
	struct rangeset uids = { 0 };
	struct buffer text = { 0 };
	struct err err = { "" };
	bool cannot = true;

	for (int i = 0; i < USERS; i++) {
		buffer_printf(&many_passwd, "u%d:x:%d:%d:::\n", i, 5000 + i, 5000 + i);
		buffer_printf(&many_subuid, "u%d:%d:10\n", i, 1000000 + 10 * i);
	}
	scratch_put(files.passwd, buffer_string(&many_passwd));
	scratch_put(files.subuid, buffer_string(&many_subuid));
	ck_assert_msg(users_confined(&specs, &none, 900, &files, &uids, &cannot, &err), "%s", err.text);
	rangeset_print(&uids, &text);
	ck_assert_str_eq(buffer_string(&text),
			 "5007, 34999, 1000070-1000079, 1299990-1299999");
	buffer_free(&text);
	buffer_free(&many_passwd);
	buffer_free(&many_subuid);
	rangeset_free(&uids);
	specs_free(&specs);
}
END_TEST

START_TEST(gid_of_a_uid)
{
	ck_assert_uint_eq(users_gid(1500, &files), 1600);
	ck_assert_uint_eq(users_gid(1501, &files), 1501);
	ck_assert_uint_eq(users_gid(1502, &files), 1502);
	ck_assert_uint_eq(users_gid(1777, &files), 1777);
}
END_TEST

START_TEST(missing_files_have_no_entries)
{
	static const struct users_files missing = { "/nonexistent/passwd", "/nonexistent/subuid" };
	static const struct users_files odd = { "/dev/null", "/dev/null" };
	struct user_specs none = { 0 }, specs = specs_of("1500");
	struct rangeset uids = { 0 };
	struct err err = { "" };
	bool cannot = true;

	ck_assert(users_confined(&specs, &none, 900, &missing, &uids, &cannot, &err));
	ck_assert_uint_eq(uids.count, 1);
	rangeset_free(&uids);
	ck_assert_uint_eq(users_gid(1500, &missing), 1500);
	ck_assert(!cannot);
	ck_assert(!users_confined(&specs, &none, 900, &odd, &uids, &cannot, &err));
	ck_assert(cannot);
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/null"));
	specs_free(&specs);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("users");

	tcase_add_unchecked_fixture(tests, scratch_make, scratch_remove);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, confined, 0, COUNT_OF(cases));
	tcase_add_test(tests, many_users);
	tcase_add_test(tests, gid_of_a_uid);
	tcase_add_test(tests, missing_files_have_no_entries);
	return suite_end("users", tests);
}
