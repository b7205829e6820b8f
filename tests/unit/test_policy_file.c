/* test_policy_file.c: a policy is read whole, and only from where nobody else may write it. */
#include "system/policy_file.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"
#include "policy/policy.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path;

static void set_up(void)
{
	int descriptor;

	path = scratch_path("policy-XXXXXX");
	descriptor = mkostemp(path, O_CLOEXEC);
	ck_assert_int_eq(write(descriptor, "{\0}", 3), 3);
	ck_assert_int_eq(close(descriptor), 0);
}

static void tear_down(void)
{
	free(path);
}

static void expect(const char *name, bool privileged, const char *says)
{
	struct buffer text = { 0 };
	struct err err = { "" };
	bool good = policy_file_read(name, privileged, &text, &err);

	if (!says) {
		ck_assert_msg(good, "%s", err.text);
		ck_assert_uint_eq(text.length, 3);
		ck_assert(!memcmp(text.data, "{\0}", 3));
		buffer_free(&text);
		return;
	}
	ck_assert(!good);
	ck_assert_ptr_null(text.data);
	ck_assert_msg(strstr(err.text, says) && !strncmp(err.text, name, strlen(name)), "%s",
		      err.text);
}

START_TEST(modes)
{
	static const struct {
		mode_t mode;
		const char *says;
	} cases[] = {
		{ 0600, NULL },	       { 0444, NULL },	      { 0644, NULL },
		{ 0620, "its group" }, { 0602, "everybody" }, { 0666, "everybody" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(chmod(path, cases[i].mode), 0);
		expect(path, true, cases[i].says);
		expect(path, false, NULL);
	}
}
END_TEST

START_TEST(owners)
{
	if (geteuid() || chown(path, 1500, 1500))
		return;
	expect(path, true, "owned by uid 1500");
	expect(path, false, NULL);
}
END_TEST

START_TEST(kinds)
{
	expect("/nonexistent/policy.json", true, "No such file");
	expect("/tmp", true, "is a directory");
	expect("/tmp", false, "is a directory");
	expect("/dev/null", true, "is not a regular file");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect(path, true, "is not a regular file");
	unlink(path);
	ck_assert_int_eq(symlink("/nonexistent", path), 0);
	expect(path, true, "No such file");
}
END_TEST

START_TEST(standard_input)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
	close(descriptor);
	expect("-", true, NULL);
}
END_TEST

START_TEST(size)
{
	struct buffer text = { 0 };
	struct err err = { "" };

	ck_assert_int_eq(truncate(path, POLICY_TEXT_MAX), 0);
	ck_assert(policy_file_read(path, true, &text, &err));
	ck_assert_uint_eq(text.length, POLICY_TEXT_MAX);
	buffer_free(&text);
	ck_assert_int_eq(truncate(path, POLICY_TEXT_MAX + 1), 0);
	expect(path, true, "is larger than 16777216 bytes");
	expect("/dev/zero", false, "is larger than 16777216 bytes");
}
END_TEST

int main(void)
{
	const struct suite_fixture fixture = { .begin = scratch_make, .end = scratch_remove, .set_up = set_up, .tear_down = tear_down };
	const TTest *const tests[] = {
		modes,
		owners,
		kinds,
		standard_input,
		size,
	};

	return suite_run_in("policy_file", &fixture, tests, COUNT_OF(tests));
}
