/* test_identity.c: exactly one user results, with the groups and the home that the files give it. */
#include "system/identity.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "scratch.h"
#include "suite.h"
#include "user_specs.h"

#include <stdio.h>
#include <string.h>

static char *passwd_path, *group_path;
static struct identity_files files;

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "rooted:x:0:7::/:/bin/sh\n"
			     "broken:x:15 00:1500:::\n"
			     ":x:1777:1777:::\n"
			     "agent:x:1500:1600:An Agent:/home/agent:/bin/bash\n"
			     "alias:x:1500:1700::/home/alias:/bin/zsh\n"
			     "short:x:1503:1503\n"
			     "bare:x:1504:1504:::\n"
			     "last:x:1505:4294967295::/:/bin/sh\n"
			     "nobody-at-all:x:4294967295:1:::";

static const char group[] = "root:x:0:short\n"
			    "agent:x:1600:\n"
			    "helpers:x:4000:other,agent,agent\n"
			    "early:x:12:agent\n"
			    "again:x:4000:agent\n"
			    "agents:x:4001:agentx,xagent, agent,\n"
			    "odd:x:-1:agent\n"
			    "odder:x:4294967295:agent\n"
			    "torn:x:4002\n"
			    "unended:x:4003:alias,agent";

static void set_up(void)
{
	passwd_path = scratch_path("passwd");
	group_path = scratch_path("group");
	files = (struct identity_files){ passwd_path, group_path };
	scratch_put(passwd_path, passwd);
	scratch_put(group_path, group);
}

static void tear_down(void)
{
	free(passwd_path);
	free(group_path);
}

static const struct {
	const char *specs, *named;
	const char *wanted; /* "uid gid groups name home shell", or a part of the error after "!" */
} rows[] = {
	{ "agent", "", "1500 1600 12,1600,4000,4003 agent /home/agent /bin/bash" },
	{ "1500", "", "1500 1600 12,1600,4000,4003 agent /home/agent /bin/bash" },
	{ "1500-1500", "", "1500 1600 12,1600,4000,4003 agent /home/agent /bin/bash" },
	{ "alias", "", "1500 1700 1700,4003 alias /home/alias /bin/zsh" },
	{ "short", "", "1503 1503 0,1503 short / /bin/sh" },
	{ "bare", "", "1504 1504 1504 bare / /bin/sh" },
	{ "4242", "", "4242 4242 4242 4242 / /bin/sh" },
	/* --user says which of several. */
	{ "agent,bare", "bare", "1504 1504 1504 bare / /bin/sh" },
	{ "1000-2000", "agent", "1500 1600 12,1600,4000,4003 agent /home/agent /bin/bash" },
	{ "", "bare", "1504 1504 1504 bare / /bin/sh" },
	/* Several that are one; an entry that was asked for by name comes first. */
	{ "agent,1500", "", "1500 1600 12,1600,4000,4003 agent /home/agent /bin/bash" },
	{ "1500,alias", "", "1500 1700 1700,4003 alias /home/alias /bin/zsh" },
	{ "alias,agent", "", "1500 1700 1700,4003 alias /home/alias /bin/zsh" },
	{ "", "", "!say which with --user" },
	{ "agent,bare", "", "!uids 1500 and 1504 are two users" },
	{ "agent", "bare,agent", "!uids 1504 and 1500 are two users" },
	{ "1500-1501", "", "!1500-1501 is not one user" },
	{ "agent,2000-2001", "", "!2000-2001 is not one user" },
	{ "nosuch", "", "!there is no user \"nosuch\" in " },
	{ "broken", "", "!there is no user \"broken\" in " },
	{ "root", "", "!\"root\" is uid 0" },
	{ "rooted", "", "!\"rooted\" is uid 0" },
	{ "0", "", "!\"root\" is uid 0" },
	{ "last", "", "!\"last\" is uid 1505, gid 4294967295" },
	{ "nobody-at-all", "", "!is uid 4294967295" },
};

static void print(const struct identity *identity, struct buffer *out)
{
	buffer_printf(out, "%u %u ", (unsigned)identity->uid, (unsigned)identity->gid);
	for (size_t i = 0; i < identity->group_count; i++)
		buffer_printf(out, "%s%u", i ? "," : "", (unsigned)identity->groups[i]);
	buffer_printf(out, " %s %s %s", identity->name, identity->home, identity->shell);
}

START_TEST(one_user)
{
	struct user_specs specs = specs_of(rows[_i].specs), named = specs_of(rows[_i].named);
	const char *wanted = rows[_i].wanted;
	struct identity identity = { 0 };
	struct buffer text = { 0 };
	struct err err = { "" };
	bool cannot = true;
	bool good = identity_choose(&specs, &named, &files, &identity, &cannot, &err);

	/* What is wrong is what was asked for. */
	ck_assert(!cannot);
	if (*wanted == '!') {
		ck_assert_msg(!good, "%s, --user %s is taken", rows[_i].specs, rows[_i].named);
		ck_assert_msg(strstr(err.text, wanted + 1), "wanted %s, found %s", wanted + 1, err.text);
		ck_assert_ptr_null(identity.name);
	} else {
		ck_assert_msg(good, "%s", err.text);
		print(&identity, &text);
		ck_assert_str_eq(buffer_string(&text), wanted);
	}
	buffer_free(&text);
	identity_free(&identity);
	specs_free(&specs);
	specs_free(&named);
}
END_TEST

START_TEST(missing_files_have_no_entries)
{
	static const struct identity_files missing = { "/nonexistent/passwd", "/nonexistent/group" };
	static const struct identity_files odd = { "/nonexistent/passwd", "/dev/null" };
	struct user_specs specs = specs_of("1500"), none = { 0 };
	struct identity identity;
	struct err err = { "" };
	bool cannot;

	ck_assert(identity_choose(&specs, &none, &missing, &identity, &cannot, &err));
	ck_assert_uint_eq(identity.gid, 1500);
	ck_assert_uint_eq(identity.group_count, 1);
	identity_free(&identity);
	ck_assert(!identity_choose(&specs, &none, &odd, &identity, &cannot, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/null"));
	ck_assert(cannot);
	specs_free(&specs);
}
END_TEST

START_TEST(more_groups_than_there_can_be)
{
	struct user_specs specs = specs_of("agent"), none = { 0 };
	struct buffer text = { 0 };
	struct identity identity;
	struct err err = { "" };
	bool cannot;

	for (unsigned gid = 1; gid <= 65535; gid++)
		buffer_printf(&text, "g%u:x:%u:agent\n", gid, gid == 1600 ? 70000 : gid);
	scratch_put(group_path, buffer_string(&text));
	ck_assert(identity_choose(&specs, &none, &files, &identity, &cannot, &err));
	ck_assert_uint_eq(identity.group_count, 65536);
	identity_free(&identity);
	buffer_append_text(&text, "one-more:x:70001:agent\n");
	scratch_put(group_path, buffer_string(&text));
	ck_assert(!identity_choose(&specs, &none, &files, &identity, &cannot, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "65536 groups"));
	ck_assert(cannot);
	buffer_free(&text);
	specs_free(&specs);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("identity");

	tcase_add_unchecked_fixture(tests, scratch_make, scratch_remove);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, one_user, 0, COUNT_OF(rows));
	tcase_add_test(tests, missing_files_have_no_entries);
	tcase_add_test(tests, more_groups_than_there_can_be);
	return suite_end("identity", tests);
}
