/* test_state.c: the state directory is only ours, its files are whole, and the lock is one. */
#include "system/state.h"

#include "base/memory.h"
#include "scratch.h"
#include "suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *top, *directory;

static char *inside(const char *name)
{
	return memory_format("%s/%s", directory, name);
}

static void set_up(void)
{
	top = scratch_path("XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	directory = memory_format("%s/run", top);
}

static void tear_down(void)
{
	free(directory);
	free(top);
}

static struct state *open_state(const char *instance)
{
	struct state *state = NULL;
	struct err err = { "" };
	bool absent = true;

	ck_assert_msg(state_open(directory, instance, true, &state, &absent, &err), "%s", err.text);
	ck_assert(!absent);
	return state;
}

static void refuse_open(const char *path, bool create, bool wanted_absent, const char *says)
{
	struct state *state = NULL;
	struct err err = { "" };
	bool absent = !wanted_absent;

	ck_assert(!state_open(path, "", create, &state, &absent, &err));
	ck_assert_int_eq(absent, wanted_absent);
	ck_assert_ptr_null(state);
	ck_assert_msg(strstr(err.text, says) && strstr(err.text, path), "%s", err.text);
}

START_TEST(directory_is_made_for_us_alone)
{
	struct stat status;

	refuse_open(directory, false, true, "cannot be opened");
	umask(0);
	state_close(open_state(""));
	ck_assert_int_eq(stat(directory, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0700);
	state_close(open_state(""));
	state_close(NULL);
}
END_TEST

START_TEST(directories_that_are_not_ours_are_refused)
{
	autofree char *elsewhere = memory_format("%s/none/run", top);

	refuse_open(elsewhere, true, true, "cannot be made");
	ck_assert_int_eq(symlink(top, directory), 0);
	refuse_open(directory, true, false, "not a directory, or a link");
	refuse_open(directory, false, false, "not a directory, or a link");
	unlink(directory);
	close(open(directory, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	refuse_open(directory, true, false, "not a directory");
	unlink(directory);
	ck_assert_int_eq(mkdir(directory, 0700), 0);
	ck_assert_int_eq(chmod(directory, 0720), 0);
	refuse_open(directory, true, false, "others may write");
	ck_assert_int_eq(chmod(directory, 01702), 0);
	refuse_open(directory, true, false, "others may write");
	ck_assert_int_eq(chmod(directory, 0700), 0);
	if (!geteuid() && !chown(directory, 1500, 0)) {
		refuse_open(directory, true, false, "owned by uid 1500");
		refuse_open(directory, false, false, "owned by uid 1500");
	}
}
END_TEST

START_TEST(instances_are_names)
{
	static const char *const bad[] = { "../x", "a/b", ".", "-a", "a b" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct state *state = NULL;
		struct err err = { "" };
		bool absent;

		ck_assert(!state_open(directory, bad[i], true, &state, &absent, &err));
		ck_assert(!absent);
	}
}
END_TEST

START_TEST(instances_with_a_plan_are_listed)
{
	static const char *const others[] = { "egressfw-b.plan.new", "egressfw-b.hosts", "egressfw--a.plan",
					      "egressfw-.plan",      "egressfwx.plan",   "egressf.plan",
					      ".plan",               "egressfw-c.plans", "plan" };
	static const char *const wanted[] = { "", "a", "a-2" };
	struct state_instances found = { 0 };
	struct err err = { "" };

	ck_assert(!state_instances(directory, &found, &err));
	ck_assert_msg(strstr(err.text, directory), "%s", err.text);
	for (size_t i = COUNT_OF(wanted); i; i--) {
		struct state *state = open_state(wanted[i - 1]);

		ck_assert(state_write(state, STATE_PLAN, "x", 1, &err));
		state_close(state);
	}
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		autofree char *path = inside(others[i]);

		ck_assert_int_eq(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	}
	ck_assert(state_instances(directory, &found, &err));
	ck_assert_uint_eq(found.count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		ck_assert_str_eq(found.items[i], wanted[i]);
	state_instances_free(&found);
	ck_assert_uint_eq(found.count, 0);
}
END_TEST

START_TEST(files_come_back_as_written)
{
	struct state *state = open_state(""), *other = open_state("a");
	autofree char *path = inside("egressfw.plan"), *left = inside("egressfw.plan.new");
	struct buffer bytes = { 0 };
	struct err err = { "" };
	struct stat status;
	bool present = true;

	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(!present && bytes.length == 0);
	/* What a killed run left behind is not followed. */
	ck_assert_int_eq(symlink("target", left), 0);
	ck_assert(state_write(state, STATE_PLAN, "one\0two", 7, &err));
	ck_assert(state_write(other, STATE_PLAN, "x", 1, &err));
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(present && bytes.length == 7 && !memcmp(bytes.data, "one\0two", 7));
	buffer_free(&bytes);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0600);
	ck_assert_int_ne(lstat(left, &status), 0);
	ck_assert(state_write(state, STATE_PLAN, "", 0, &err));
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(present && bytes.length == 0);
	buffer_free(&bytes);
	ck_assert(state_delete(state, STATE_PLAN, &err));
	ck_assert(state_delete(state, STATE_PLAN, &err));
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(!present);
	ck_assert(state_read(other, STATE_PLAN, &bytes, &present, &err));
	ck_assert(present);
	buffer_free(&bytes);
	state_close(state);
	state_close(other);
}
END_TEST

static void refuse_plan(struct state *state, const char *says)
{
	struct buffer bytes = { 0 };
	struct err err = { "" };
	bool present;

	ck_assert(!state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert_msg(strstr(err.text, says) != NULL, "%s", err.text);
}

/* Nothing is read from it: what is wrong can be put right. */
START_TEST(a_lock_that_is_not_ours_is_refused)
{
	struct state *state = open_state("");
	autofree char *path = inside("lock");
	struct err err = { "" };

	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert(!state_lock(state, 0, &err));
	ck_assert_msg(strstr(err.text, "/lock: may be written by others (mode 0666): chmod 0600 it"), "%s",
		      err.text);
	ck_assert_int_eq(chmod(path, 0600), 0);
	if (!geteuid() && !chown(path, 1500, 0)) {
		ck_assert(!state_lock(state, 0, &err));
		ck_assert_msg(strstr(err.text, "and not by uid 0: chown it"), "%s", err.text);
	}
	state_close(state);
}
END_TEST

START_TEST(files_that_are_not_ours_are_refused)
{
	struct state *state = open_state("");
	autofree char *path = inside("egressfw.plan"), *target = inside("target");
	struct buffer bytes = { 0 };
	struct err err = { "" };
	bool present;

	close(open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	ck_assert_int_eq(symlink("target", path), 0);
	refuse_plan(state, "egressfw.plan: is a link, and none is followed here: delete it");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	refuse_plan(state, "egressfw.plan: is not a regular file, which alone is kept here: delete it");
	unlink(path);
	ck_assert_int_eq(rename(target, path), 0);
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	buffer_free(&bytes);
	ck_assert_int_eq(chmod(path, 0622), 0);
	refuse_plan(state, "egressfw.plan: may be written by others (mode 0622): delete it, and apply again; or, "
			   "if none of them can have reached it, chmod go-w it");
	ck_assert_int_eq(chmod(path, 0600), 0);
	if (!geteuid() && !chown(path, 1500, 0))
		refuse_plan(state, "egressfw.plan: is owned by uid 1500, who may have written it, and not by "
				   "uid 0: delete it, and apply again");
	state_close(state);
}
END_TEST

START_TEST(a_directory_is_in_nobodys_way)
{
	struct state *state = open_state("");
	autofree char *path = inside("egressfw.plan"), *within = inside("egressfw.plan/within");
	autofree char *beside = inside("egressfw.plan.new");
	struct buffer bytes = { 0 };
	struct err err = { "" };
	bool present = true;

	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(!present);
	ck_assert(state_delete(state, STATE_PLAN, &err));
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(mkdir(beside, 0700), 0);
	ck_assert(state_write(state, STATE_PLAN, "plan", 4, &err));
	ck_assert(state_read(state, STATE_PLAN, &bytes, &present, &err));
	ck_assert(present);
	buffer_free(&bytes);
	/* What somebody keeps there is not ours to delete. */
	ck_assert(state_delete(state, STATE_PLAN, &err));
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(mkdir(within, 0700), 0);
	ck_assert(!state_delete(state, STATE_PLAN, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "cannot be deleted"));
	ck_assert(!state_write(state, STATE_PLAN, "plan", 4, &err));
	ck_assert_int_eq(rmdir(within), 0);
	state_close(state);
}
END_TEST

START_TEST(one_holds_the_lock)
{
	struct state *state = open_state(""), *other = open_state("a");
	struct timespec before, after;
	struct err err = { "" };
	autofree char *name = NULL;

	ck_assert(state_lock(state, 0, &err));
	ck_assert(state_lock(state, 0, &err));
	clock_gettime(CLOCK_MONOTONIC, &before);
	ck_assert(!state_lock(other, 150, &err));
	clock_gettime(CLOCK_MONOTONIC, &after);
	name = memory_format("/lock: is held by process %d (", (int)getpid());
	ck_assert_msg(strstr(err.text, name) != NULL, "%s", err.text);
	ck_assert_int_ge((after.tv_sec - before.tv_sec) * 1000 +
				 (after.tv_nsec - before.tv_nsec) / 1000000,
			 149);
	state_close(state);
	ck_assert(state_lock(other, 0, &err));
	state_close(other);
}
END_TEST

START_TEST(a_lock_is_waited_for)
{
	struct state *state = open_state("");
	struct err err = { "" };
	pid_t holder;

	state_close(state);
	holder = fork();
	if (holder == 0) {
		state = open_state("");
		if (!state_lock(state, 0, &err))
			_exit(1);
		usleep(300000);
		_exit(0);
	}
	usleep(100000);
	state = open_state("");
	ck_assert_msg(state_lock(state, 5000, &err), "%s", err.text);
	ck_assert_int_eq(waitpid(holder, NULL, 0), holder);
	state_close(state);
}
END_TEST

START_TEST(a_lent_directory_is_given_back)
{
	struct state *state = open_state("");
	struct err err = { "" };
	struct stat status;

	ck_assert(state_lock(state, 0, &err));
	ck_assert(state_is_lent(state));
	state_give_back(state);
	ck_assert_int_ne(lstat(directory, &status), 0);
	state = open_state("");
	ck_assert(state_lock(state, 0, &err));
	ck_assert(state_write(state, STATE_PLAN, "x", 1, &err));
	ck_assert(!state_is_lent(state));
	state_give_back(state);
	ck_assert_int_eq(lstat(directory, &status), 0);
	state = open_state("");
	ck_assert(state_delete(state, STATE_PLAN, &err));
	ck_assert(state_lock(state, 0, &err));
	ck_assert(!state_is_lent(state));
	state_give_back(state);
	ck_assert_int_eq(lstat(directory, &status), 0);
	state_give_back(NULL);
}
END_TEST

/* Who was waiting meanwhile has the lock that others find, and a directory that is there. */
START_TEST(a_lock_that_was_given_back_is_none)
{
	autofree char *lock = inside("lock"), *plan = inside("egressfw.plan");
	struct state *lender = open_state(""), *early = open_state(""), *other = open_state("a");
	struct err err = { "" };
	struct stat status;
	int waits[2];
	pid_t waiter;
	char octet;

	ck_assert(state_lock(lender, 0, &err));
	ck_assert_int_eq(pipe(waits), 0);
	waiter = fork();
	if (waiter == 0) {
		bool good;

		/* The parent's stays, which is what is waited for. */
		state_close(lender);
		good = !state_lock(early, 0, &err) && write(waits[1], "w", 1) == 1 &&
		       state_lock(early, 5000, &err) && state_write(early, STATE_PLAN, "x", 1, &err) &&
		       !state_lock(other, 0, &err);

		state_close(early);
		_exit(!good || !state_lock(other, 0, &err));
	}
	ck_assert_int_eq(read(waits[0], &octet, 1), 1);
	usleep(100000);
	state_give_back(lender);
	ck_assert_int_eq(waitpid(waiter, &waits[0], 0), waiter);
	ck_assert_int_eq(waits[0], 0);
	ck_assert_int_eq(lstat(lock, &status), 0);
	ck_assert_int_eq(lstat(plan, &status), 0);
	/* Who had only opened the directory. */
	ck_assert(state_lock(early, 0, &err));
	ck_assert(!state_is_lent(early));
	state_close(early);
	state_close(other);
}
END_TEST

int main(void)
{
	const struct suite_fixture fixture = { .begin = scratch_make, .end = scratch_remove, .set_up = set_up, .tear_down = tear_down };
	const TTest *const tests[] = {
		directory_is_made_for_us_alone,
		directories_that_are_not_ours_are_refused,
		instances_are_names,
		instances_with_a_plan_are_listed,
		files_come_back_as_written,
		files_that_are_not_ours_are_refused,
		a_lock_that_is_not_ours_is_refused,
		a_directory_is_in_nobodys_way,
		one_holds_the_lock,
		a_lock_is_waited_for,
		a_lent_directory_is_given_back,
		a_lock_that_was_given_back_is_none,
	};

	return suite_run_in("state", &fixture, tests, COUNT_OF(tests));
}
