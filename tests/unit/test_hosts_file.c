/* test_hosts_file.c: the block goes into a real file and out of it again, on the same inode. */
#include "system/hosts_file.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"
#include "system/descriptor.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOREIGN "127.0.0.1 localhost\n10.0.0.9 api.test other.test\n# kept"
static char *path, *directory;
static struct state *state;

static struct hosts_entry entries[] = {
	{ { FAMILY_IPV4, { 203, 0, 113, 5 } }, (char *)(uintptr_t) "api.test" },
	{ { FAMILY_IPV4, { 203, 0, 113, 6 } }, (char *)(uintptr_t) "b.test" },
};
static const struct hosts_block both = { entries, 2 }, second = { entries + 1, 1 }, none = { 0 };

static void put(const char *text)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static char *get(void)
{
	struct buffer text = { 0 };
	struct err err;
	bool present;

	ck_assert(descriptor_read_file(path, 1 << 20, &text, &present, &err));
	return buffer_steal(&text);
}

static void set_up(void)
{
	struct err err;
	bool absent;

	path = scratch_path("hosts-XXXXXX");
	directory = scratch_path("state-XXXXXX");
	ck_assert_int_eq(close(mkostemp(path, O_CLOEXEC)), 0);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert(state_open(directory, "", true, &state, &absent, &err));
	put(FOREIGN);
}

static void tear_down(void)
{
	state_close(state);
	free(directory);
	free(path);
}

static void update(const struct hosts_block *block, struct state *with, bool wanted_changed)
{
	struct err err = { "" };
	bool changed = !wanted_changed;

	ck_assert_msg(hosts_file_update(path, block, "", with, &changed, &err), "%s", err.text);
	ck_assert_int_eq(changed, wanted_changed);
}

static size_t differences(const struct hosts_block *block)
{
	struct findings findings = { 0 };
	struct err err = { "" };
	size_t count;

	ck_assert(hosts_file_compare(path, block, "", &findings, &err));
	count = findings_count_differences(&findings);
	findings_free(&findings);
	return count;
}

START_TEST(in_and_out_on_one_inode)
{
	struct stat before, after;
	struct err err;
	char *text;

	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert(hosts_file_check(path, &err));
	ck_assert_uint_gt(differences(&both), 0);
	update(&both, state, true);
	ck_assert_uint_eq(differences(&both), 0);
	ck_assert_uint_gt(differences(&second), 0);
	ck_assert_uint_gt(differences(&none), 0);
	update(&both, state, false);
	text = get();
	ck_assert_ptr_nonnull(strstr(text, "\n#0.0.0.9 api.test other.test\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n203.0.113.5 api.test"));
	ck_assert_ptr_null(strstr(text, "rewrite"));
	free(text);
	update(&second, NULL, true);
	ck_assert_uint_eq(differences(&second), 0);
	update(&none, state, true);
	text = get();
	ck_assert_str_eq(text, FOREIGN);
	free(text);
	update(&none, state, false);
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_uint_eq(before.st_mode, after.st_mode);
}
END_TEST

START_TEST(the_state_knows_what_was_written)
{
	struct buffer written;
	struct err err;
	bool present;
	char *text;

	update(&second, state, true);
	ck_assert(state_read(state, STATE_HOSTS, &written, &present, &err));
	ck_assert(present);
	ck_assert_ptr_nonnull(strstr(buffer_string(&written), "203.0.113.6 b.test"));
	buffer_free(&written);
	/* An engine that strips comments and joins our lines to its own. */
	put("127.0.0.1 localhost\n203.0.113.6 b.test\n");
	update(&none, state, true);
	text = get();
	ck_assert_str_eq(text, "127.0.0.1 localhost\n");
	free(text);
	ck_assert(state_read(state, STATE_HOSTS, &written, &present, &err));
	ck_assert(!present);
}
END_TEST

START_TEST(torn_writes_are_repaired)
{
	struct err err = { "" };
	bool repaired = false;
	char *text;

	put(FOREIGN "\n# egressfw rewrite 0: 00000");
	ck_assert(hosts_file_repair(path, &repaired, &err));
	ck_assert(repaired);
	text = get();
	ck_assert_str_eq(text, FOREIGN "\n");
	free(text);
	ck_assert(hosts_file_repair(path, &repaired, &err));
	ck_assert(!repaired);
	put(FOREIGN "\n# egressfw rewrite 0: 00000");
	update(&second, state, true);
	text = get();
	ck_assert_ptr_null(strstr(text, "rewrite"));
	ck_assert_uint_eq(differences(&second), 0);
	free(text);
}
END_TEST

START_TEST(a_missing_file_has_no_lines)
{
	struct err err = { "" };
	struct stat status;

	unlink(path);
	ck_assert_uint_eq(differences(&none), 0);
	update(&none, state, false);
	ck_assert_int_ne(stat(path, &status), 0);
	umask(077);
	ck_assert(hosts_file_check(path, &err));
	update(&second, state, true);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0644);
	ck_assert_uint_eq(differences(&second), 0);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
	static const char *const paths[] = { "/tmp", "/dev/null", "/nonexistent/hosts" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct err err = { "" };
		bool changed;

		ck_assert(!hosts_file_check(paths[i], &err));
		ck_assert_msg(!strncmp(err.text, paths[i], strlen(paths[i])), "%s", err.text);
		ck_assert(!hosts_file_update(paths[i], &second, "", NULL, &changed, &err));
	}
}
END_TEST

int main(void)
{
	const struct suite_fixture fixture = { .begin = scratch_make, .end = scratch_remove, .set_up = set_up, .tear_down = tear_down };
	const TTest *const tests[] = {
		in_and_out_on_one_inode,
		the_state_knows_what_was_written,
		torn_writes_are_repaired,
		a_missing_file_has_no_lines,
		what_is_no_file_is_refused,
	};

	return suite_run_in("hosts_file", &fixture, tests, COUNT_OF(tests));
}
