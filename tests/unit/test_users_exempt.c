/* test_users_exempt.c: who is confined where a policy names those who are not, and whom to probe as. */
#include "system/users.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"
#include "user_specs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *map_path;
static struct users_files files;

static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n"
			     "toor:x:0:0:root:/root:/bin/sh\n"
			     "daemon:x:1:1:::\n"
			     "www-data:x:33:33:::\n"
			     "backup:x:34:34:::\n"
			     "broken:x:5x:5:::\n"
			     "agent:x:1500:1500:::\n"
			     "other:x:1501:1501:::\n"
			     "nobody:x:65534:65534:::\n"
			     "last:x:4294967295:0:::\n";

static void set_up(void)
{
	files = users_files_make(passwd);
	map_path = scratch_path("uid_map");
	scratch_put(map_path, "0 0 4294967295\n");
}

static void tear_down(void)
{
	users_files_free(&files);
	free(map_path);
}

static char *print(const struct rangeset *uids)
{
	struct buffer text = { 0 };

	rangeset_print(uids, &text);
	return buffer_steal(&text);
}

static const struct {
	const char *exempt, *named, *subuid;
	const char *confined; /* NULL: refused */
	const char *sentence; /* what the refusal has in it */
} rows[] = {
	{ "33", "", "", "1-32, 34-4294967294", NULL },
	{ "www-data", "", "", "1-32, 34-4294967294", NULL },
	{ "www-data,backup,1-9", "", "", "10-32, 35-4294967294", NULL },
	{ "4294967294", "", "", "1-4294967293", NULL },
	{ "toor", "", "", "1-4294967294", NULL },
	{ "33", "agent", "", "1-32, 34-4294967294", NULL },
	{ "33", "1500-2000", "", "1-32, 34-4294967294", NULL },
	/* An exempt user's subordinate uids are confined, root's too. */
	{ "other", "", "other:100000:65536\nroot:200000:9\n", "1-1500, 1502-4294967294", NULL },
	/* Only who is exempt may become who is exempt. */
	{ "other,100000-165535", "", "other:100000:65536\n",
	  "1-1500, 1502-99999, 165536-4294967294", NULL },
	{ "other,100000-165535", "", "1501:100000:65536\n",
	  "1-1500, 1502-99999, 165536-4294967294", NULL },
	{ "33", "", "agent:100000:65536\n# a comment\n\n", "1-32, 34-4294967294", NULL },
	{ "33", "", "agent:34:5\n", "1-32, 34-4294967294", NULL },
	{ "33", "", "agent:33:0\n", "1-32, 34-4294967294", NULL },
	{ "30-40", "", "agent:35:0\n", "1-29, 41-4294967294", NULL },
	{ "33", "", "other:100000:9\nagent:30:4\n", NULL,
	  "line 2 gives uids 30 to 33 to a confined user, and one of them is exempt" },
	{ "33", "", "agent:0:1\n", NULL, "gives uids 0 to 0 to a confined user" },
	{ "33", "", "unknown:33:1\n", NULL, "gives uids 33 to 33 to a confined user" },
	{ "33", "", "agent:1:4294967295\n", NULL, "gives uids 1 to 4294967295" },
	{ "33", "", "agent:033:1\n", NULL, "line 1 may be about a confined user" },
	{ "33", "", "agent:1\n", NULL, "line 1 may be about a confined user" },
	{ "33", "", "agent:x:1\n", NULL, "line 1 may be about a confined user" },
	{ "broken", "", "", NULL, "exempt_users[0]: line 6 of " },
	{ "33", "broken", "", NULL, "--user: line 6 of " },
	{ "33", "", "broken:33:1\n", NULL, "gives uids 33 to 33 to a confined user" },
	{ "absent", "", "", NULL, "exempt_users[0]: there is no user \"absent\" in" },
	{ "last", "", "", NULL, "exempt_users[0]: the last uid that there can be is 4294967294" },
	{ "33", "absent", "", NULL, "--user: there is no user \"absent\" in" },
	{ "33", "www-data", "", NULL, "--user: names a user whom exempt_users lets go free" },
	{ "33", "30-40", "", NULL, "--user: names a user whom exempt_users lets go free" },
	{ "33", "root", "", NULL, "--user: names a user whom exempt_users lets go free" },
	{ "1-4294967294", "", "", NULL, "nobody is confined" },
};

START_TEST(all_but_the_exempt_are_confined)
{
	struct user_specs exempt = specs_of(rows[_i].exempt), named = specs_of(rows[_i].named);
	struct rangeset confined = { 0 };
	struct err err = { "" };
	bool good, cannot;

	scratch_put(files.subuid, rows[_i].subuid);
	good = users_all_but(&exempt, &named, &files, &confined, &cannot, &err);
	if (rows[_i].confined) {
		autofree char *text = print(&confined);

		ck_assert_msg(good, "%s", err.text);
		ck_assert_str_eq(text, rows[_i].confined);
	} else {
		ck_assert(!good);
		ck_assert_msg(strstr(err.text, rows[_i].sentence), "%s", err.text);
		ck_assert_msg(cannot == (strstr(err.text, "line ") && !strstr(err.text, " gives ")), "%s", err.text);
		ck_assert_ptr_null(confined.items);
	}
	rangeset_free(&confined);
	specs_free(&exempt);
	specs_free(&named);
}
END_TEST

static const struct {
	const char *confined, *map, *probed;
} chosen[] = {
	{ "1500", "0 0 4294967295\n", "1500" },
	{ "1500,100000-165535", "0 0 4294967295\n", "1500, 100000" },
	/* Somebody who is there, and rather a person than a service. */
	{ "1-32,34-4294967294", "0 0 4294967295\n", "1, 1500" },
	{ "2-32,34-999", "0 0 4294967295\n", "2, 34" },
	{ "1501-4294967294", "0 0 4294967295\n", "1501" },
	{ "1502-4294967294", "0 0 4294967295\n", "65534" },
	/* Nobody can become whom this user namespace does not have. */
	{ "1-32,34-4294967294", "0 100000 1500\n", "1, 34" },
	{ "1500,70000-80000", "0 0 1\n1 100000 65535\n", "1500" },
	{ "60000-70000", "         0          0 65534\n 66000 5 10\n", "60000, 66000" },
	{ "70000-80000", "0 0 65536\n", "" },
	{ "70000-80000", "0 0 65536\n70000 1 0\n", "" },
	{ "70000-80000", "", "70000" },
};

START_TEST(each_range_has_somebody_to_probe_as)
{
	struct user_specs specs = specs_of(chosen[_i].confined);
	struct rangeset confined = { 0 }, probed = { 0 };
	struct err err = { "" };

	scratch_put(map_path, chosen[_i].map);
	for (size_t i = 0; i < specs.count; i++)
		rangeset_add(&confined, specs.items[i].range.first, specs.items[i].range.last);
	ck_assert_msg(users_representatives(&confined, &files, map_path, &probed, &err), "%s",
		      err.text);
	{
		autofree char *text = print(&probed);

		ck_assert_str_eq(text, chosen[_i].probed);
	}
	rangeset_free(&probed);
	rangeset_free(&confined);
	specs_free(&specs);
}
END_TEST

START_TEST(a_user_namespace_has_the_ids_of_its_map)
{
	scratch_put(map_path, "0 1600 1\n1 200000 2000\n");
	ck_assert(users_is_here(0, map_path));
	ck_assert(users_is_here(2000, map_path));
	ck_assert(!users_is_here(2001, map_path));
	scratch_put(map_path, "");
	ck_assert(users_is_here(2001, map_path));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("users");

	tcase_add_unchecked_fixture(tests, scratch_make, scratch_remove);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, all_but_the_exempt_are_confined, 0,
			    sizeof(rows) / sizeof(*rows));
	tcase_add_loop_test(tests, each_range_has_somebody_to_probe_as, 0,
			    sizeof(chosen) / sizeof(*chosen));
	tcase_add_test(tests, a_user_namespace_has_the_ids_of_its_map);
	return suite_end("users_exempt", tests);
}
