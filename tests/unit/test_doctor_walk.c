/* test_doctor_walk.c: sockets among files: what many files of one directory hide, and what they do not. */
#include "system/doctor_walk.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOMEBODY = 65500, BRANCH_MAX = 8 };

static void make_directory(const char *name)
{
	autofree char *path = scratch_path(name);

	ck_assert(!mkdir(path, 0700));
}

static void make_socket(const char *name)
{
	autofree char *path = scratch_path(name);

	ck_assert(!mknod(path, S_IFSOCK | 0600, 0));
}

static void make_files(const char *directory, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		autofree char *name = memory_format("%s/%u", directory, i);
		autofree char *path = scratch_path(name);

		scratch_put(path, "");
	}
}

static void note(void *context, const char *path)
{
	buffer_printf(context, "%s;", path);
}

struct found {
	struct buffer sockets;
	struct doctor_walk walk;
};

/* Below the directory `name`; the paths in *ret begin with that. */
static void look(const char *name, uid_t last, struct found *ret)
{
	autofree char *path = scratch_path(name);
	const char *const roots[] = { path, "/nowhere", NULL };

	*ret = (struct found){ .walk = { .last = last,
					 .branch_max = BRANCH_MAX,
					 .timeout_ms = 60000,
					 .take = note,
					 .context = &ret->sockets } };
	doctor_walk(&ret->walk, roots);
}

static void release(struct found *found)
{
	buffer_free(&found->sockets);
	buffer_free(&found->walk.unseen);
}

static bool has(struct buffer *text, const char *name)
{
	autofree char *path = scratch_path(name);

	return strstr(buffer_string(text), path);
}

START_TEST(sockets_of_all_levels)
{
	struct found found;

	make_directory("all");
	make_directory("all/one");
	make_directory("all/one/two");
	make_socket("all/top");
	make_socket("all/one/two/deep");
	make_files("all/one", 3);
	look("all", SOMEBODY, &found);
	ck_assert(has(&found.sockets, "all/top;"));
	ck_assert(has(&found.sockets, "all/one/two/deep;"));
	ck_assert_uint_eq(found.walk.unseen_count, 0);
	release(&found);
}
END_TEST

START_TEST(one_directory_hides_no_other)
{
	struct found found;

	make_directory("many");
	make_directory("many/full");
	make_directory("many/full/below");
	make_files("many/full/below", BRANCH_MAX);
	make_directory("many/other");
	make_socket("many/other/socket");
	look("many", SOMEBODY, &found);
	ck_assert(has(&found.sockets, "many/other/socket;"));
	ck_assert_uint_eq(found.walk.unseen_count, 1);
	ck_assert(has(&found.walk.unseen, "many/full the first 8"));
	release(&found);
}
END_TEST

START_TEST(as_many_as_may_be)
{
	struct found found;

	make_directory("just");
	make_directory("just/full");
	make_files("just/full", BRANCH_MAX - 1);
	make_socket("just/full/socket");
	look("just", SOMEBODY, &found);
	ck_assert(has(&found.sockets, "just/full/socket;"));
	ck_assert_uint_eq(found.walk.unseen_count, 0);
	release(&found);
}
END_TEST

START_TEST(many_at_the_top)
{
	struct found found;

	make_directory("top");
	make_files("top", BRANCH_MAX + 1);
	look("top", SOMEBODY, &found);
	ck_assert_uint_eq(found.walk.unseen_count, 1);
	ck_assert(has(&found.walk.unseen, "top the first 8"));
	release(&found);
}
END_TEST

START_TEST(the_users_own_come_last)
{
	autofree char *given = NULL;
	struct found found;
	const char *text;

	if (getuid())
		return;
	make_directory("order");
	for (char name[] = "order/a"; name[6] < 'e'; name[6]++) {
		autofree char *socket = memory_format("%s/socket", name);

		make_directory(name);
		make_socket(socket);
	}
	given = scratch_path("order/b");
	ck_assert(!chown(given, SOMEBODY, 0));
	look("order", SOMEBODY, &found);
	text = buffer_string(&found.sockets);
	ck_assert_ptr_nonnull(strstr(text, "order/b/socket;"));
	ck_assert_str_eq(strstr(text, "order/b/socket;"), "order/b/socket;");
	release(&found);
}
END_TEST

/* A link leads elsewhere, and a socket is what it is called. */
START_TEST(links_are_not_followed)
{
	autofree char *link = NULL, *target = NULL;
	struct found found;

	make_directory("links");
	make_directory("target");
	make_socket("target/socket");
	link = scratch_path("links/link");
	target = scratch_path("target");
	ck_assert(!symlink(target, link));
	look("links", SOMEBODY, &found);
	ck_assert_uint_eq(found.sockets.length, 0);
	release(&found);
}
END_TEST

int main(void)
{
	const struct suite_fixture fixture = { .begin = scratch_make, .end = scratch_remove };
	const TTest *const tests[] = {
		sockets_of_all_levels,
		one_directory_hides_no_other,
		as_many_as_may_be,
		many_at_the_top,
		the_users_own_come_last,
		links_are_not_followed,
	};

	return suite_run_in("doctor_walk", &fixture, tests, COUNT_OF(tests));
}
