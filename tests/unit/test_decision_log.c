/* test_decision_log.c: the file of the decision log: torn, full, rotated, deleted. */
#include "filter/decision_log.h"

#include "base/memory.h"
#include "filter/log_open.h"
#include "scratch.h"
#include "suite.h"
#include "system/descriptor.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct record sample(void)
{
	return (struct record){
		.decision = { .verdict = VERDICT_ALLOW, .layer = LAYER_PROXY, .rule = "r", .reason = "why" },
		.method = "CONNECT",
		.host = "a.test",
		.port = 443,
		.has_uid = true,
		.uid = 1500,
	};
}

static struct decision_log *open_kept(const char *path, uint64_t size, unsigned files, enum log_full full)
{
	const struct log_keeping keeping = { size, files, full };
	struct decision_log *log;
	struct err err;

	ck_assert_msg(decision_log_open(path, &keeping, &log, &err), "%s", err.text);
	return log;
}

static struct decision_log *open_log(const char *path, uint64_t size)
{
	return open_kept(path, size, 1, LOG_FULL_DROP);
}

static struct buffer contents(const char *path)
{
	struct buffer text = { 0 };
	struct err err;
	bool present;

	ck_assert_msg(descriptor_read_file(path, 1 << 20, &text, &present, &err), "%s", err.text);
	ck_assert_msg(present, "%s", path);
	return text;
}

/* Counts the lines, each of which is an object. */
static unsigned lines_of(const char *path, const char *event)
{
	struct buffer text = contents(path);
	unsigned count = 0;
	char *saved, *line;

	ck_assert(!text.length || text.data[text.length - 1] == '\n');
	for (line = strtok_r((char *)buffer_string(&text), "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
		json_t *root = json_loads(line, 0, NULL);

		ck_assert_msg(json_is_object(root), "%s", line);
		count += !strcmp(json_string_value(json_object_get(root, "event")), event);
		json_decref(root);
	}
	buffer_free(&text);
	return count;
}

START_TEST(test_appended)
{
	autofree char *path = scratch_path("appended");
	mode_t mask = umask(0);
	struct record record = sample();
	struct decision_log *log = open_log(path, 1 << 20);
	struct stat status;

	ck_assert(decision_log_is_ready(log));
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	decision_log_close(log);
	log = open_log(path, 1 << 20);
	ck_assert(decision_log_write(log, RECORD_END, &record));
	ck_assert_uint_eq(decision_log_lost(log), 0);
	decision_log_close(log);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	ck_assert_uint_eq(lines_of(path, "end"), 1);
	/* What was claimed is given back, and others may not read it. */
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_le((uint64_t)status.st_blocks * 512, 64 * 1024);
	ck_assert_uint_eq(status.st_mode & 0777, 0640);
	umask(mask);
}
END_TEST

/* A query may be a secret: it is there only where nothing of the request went out. */
START_TEST(test_query)
{
	static const struct {
		enum verdict verdict;
		enum record_event event;
		const char *want, *file;
	} rows[] = {
		{ VERDICT_ALLOW, RECORD_DECISION, "\"path\":\"/a\",", "query0" },
		{ VERDICT_ALLOW, RECORD_END, "\"path\":\"/a\",", "query1" },
		{ VERDICT_BLOCK, RECORD_DECISION, "\"path\":\"/a?b=c\",", "query2" },
		{ VERDICT_BLOCK, RECORD_END, "\"path\":\"/a\",", "query3" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		autofree char *path = scratch_path(rows[i].file);
		struct decision_log *log = open_log(path, 1 << 20);
		struct record record = sample();
		struct buffer text;

		record.path = "/a";
		record.query = "b=c";
		record.decision.verdict = rows[i].verdict;
		ck_assert(decision_log_write(log, rows[i].event, &record));
		decision_log_close(log);
		text = contents(path);
		ck_assert_msg(strstr(buffer_string(&text), rows[i].want), "row %zu: %s", i, buffer_string(&text));
		buffer_free(&text);
	}
}
END_TEST

START_TEST(test_torn)
{
	static const char *const tails[] = { "{\"a\":1", "{" };

	for (size_t i = 0; i < COUNT_OF(tails); i++) {
		autofree char *path = scratch_path("torn"), *begins = memory_format("%s\n{\"time\":", tails[i]);
		struct record record = sample();
		struct decision_log *log;
		struct buffer text;

		scratch_put(path, tails[i]);
		log = open_log(path, 1 << 20);
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
		decision_log_close(log);
		text = contents(path);
		ck_assert_int_eq(strncmp(buffer_string(&text), begins, strlen(begins)), 0);
		ck_assert_ptr_null(strstr(buffer_string(&text), "\n\n"));
		buffer_free(&text);
	}
}
END_TEST

/* The last line of the old file, and the first one of the new, are lines of their own all the same. */
START_TEST(test_torn_and_rotated)
{
	autofree char *path = scratch_path("tail"), *old = scratch_path("tail.1");
	autofree char *tail = memory_format("{\"a\":\"%04000d", 0), *begins = memory_format("%s\n{\"time\":", tail);
	struct record record = sample();
	struct decision_log *log;
	struct buffer text;

	scratch_put(path, tail);
	log = open_log(path, 4096);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	decision_log_close(log);
	text = contents(old);
	ck_assert_int_eq(strncmp(buffer_string(&text), begins, strlen(begins)), 0);
	ck_assert_ptr_nonnull(strstr(buffer_string(&text) + strlen(begins), "\"event\":\"rotated\""));
	buffer_free(&text);
	text = contents(path);
	ck_assert_int_eq(text.data[0], '{');
	buffer_free(&text);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
}
END_TEST

/* Octets in front of the last line. */
static size_t before_last(const char *path)
{
	struct buffer text = contents(path);
	size_t length = text.length;

	while (length > 1 && text.data[length - 2] != '\n')
		length--;
	buffer_free(&text);
	return length - 1;
}

static bool has_claimed(const char *path)
{
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	return (uint64_t)status.st_blocks * 512 >= 64 * 1024;
}

START_TEST(test_rotated)
{
	autofree char *path = scratch_path("rotated"), *old = scratch_path("rotated.1");
	struct record record = sample();
	struct decision_log *log = open_log(path, 4096);
	bool claimed = has_claimed(path);
	unsigned total = 0;

	while (access(old, F_OK)) {
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
		total++;
	}
	ck_assert_uint_eq(lines_of(old, "decision"), total - 1);
	ck_assert_uint_eq(lines_of(old, "rotated"), 1);
	ck_assert_uint_le(before_last(old), 4096);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	ck_assert_uint_eq(lines_of(path, "rotated"), 0);
	ck_assert_uint_eq(lines_of(path, "dropped"), 0);
	/* There is room in the new one, and none is kept in the old. */
	ck_assert(decision_log_is_ready(log));
	ck_assert(has_claimed(path) == claimed && !has_claimed(old));
	/* The next one takes the place of the old one. */
	for (unsigned i = 0; i < total; i++)
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_uint_eq(lines_of(old, "decision"), total - 1);
	/* And says that it is gone. */
	ck_assert_uint_eq(lines_of(path, "dropped"), 1);
	decision_log_close(log);
}
END_TEST

/* Writes until the log has been put aside so often; the number of lines. */
static unsigned fill(struct decision_log *log, const char *path, unsigned times)
{
	struct record record = sample();
	struct stat before, after;
	unsigned total = 0;

	while (times) {
		ck_assert_int_eq(stat(path, &before), 0);
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
		total++;
		ck_assert_int_eq(stat(path, &after), 0);
		times -= after.st_size < before.st_size;
	}
	return total;
}

static unsigned decisions_of(const char *path, unsigned first, unsigned last)
{
	unsigned count = 0;

	for (unsigned number = first; number <= last; number++) {
		autofree char *file = memory_format("%s.%u", path, number);

		count += access(file, F_OK) ? 0 : lines_of(file, "decision");
	}
	return count;
}

/* The youngest older file is the first; no line is lost until there are as many as may be. */
START_TEST(test_several_files)
{
	autofree char *path = scratch_path("several"), *first = scratch_path("several.1"), *third = scratch_path("several.3"),
		      *fourth = scratch_path("several.4");
	struct decision_log *log;
	struct buffer text;
	unsigned total;

	scratch_put(path, "{\"event\":\"the first\"}\n");
	log = open_kept(path, 4096, 3, LOG_FULL_DROP);
	total = fill(log, path, 3);
	ck_assert_uint_eq(lines_of(path, "decision") + decisions_of(path, 1, 3), total);
	ck_assert_uint_eq(lines_of(third, "the first"), 1);
	ck_assert_uint_eq(lines_of(path, "dropped"), 0);
	ck_assert_int_ne(access(fourth, F_OK), 0);
	fill(log, path, 1);
	ck_assert_uint_eq(lines_of(third, "the first"), 0);
	ck_assert_uint_eq(lines_of(path, "dropped"), 1);
	fill(log, path, 1);
	text = contents(path);
	ck_assert_ptr_nonnull(strstr(buffer_string(&text), "\"files\":2}"));
	buffer_free(&text);
	ck_assert_uint_eq(lines_of(first, "dropped"), 1);
	ck_assert_uint_eq(lines_of(first, "rotated"), 1);
	ck_assert_int_ne(access(fourth, F_OK), 0);
	/* A gap is filled before anything goes. */
	ck_assert_int_eq(unlink(first), 0);
	total = decisions_of(path, 1, 3) + lines_of(path, "decision");
	total += fill(log, path, 1);
	ck_assert_uint_eq(lines_of(path, "decision") + decisions_of(path, 1, 3), total);
	decision_log_close(log);
}
END_TEST

/* Nothing goes: lines are refused, once with a word why, until somebody has made room. */
START_TEST(test_refusing)
{
	autofree char *path = scratch_path("kept"), *second = scratch_path("kept.2"), *away = scratch_path("away");
	struct record record = sample();
	struct decision_log *log = open_kept(path, 4096, 2, LOG_FULL_REFUSE);
	unsigned total = fill(log, path, 2);

	while (decision_log_write(log, RECORD_DECISION, &record))
		total++;
	ck_assert(!decision_log_write(log, RECORD_DECISION, &record));
	ck_assert(!decision_log_is_ready(log));
	ck_assert_uint_eq(decision_log_lost(log), 2);
	ck_assert_uint_eq(lines_of(path, "full"), 1);
	ck_assert_uint_eq(lines_of(path, "decision") + decisions_of(path, 1, 2), total);
	/* Opened anew it says so again, and drops nothing either. */
	decision_log_close(log);
	log = open_kept(path, 4096, 2, LOG_FULL_REFUSE);
	ck_assert(!decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_uint_eq(lines_of(path, "decision") + decisions_of(path, 1, 2), total);
	ck_assert_int_eq(rename(second, away), 0);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert(decision_log_is_ready(log));
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	ck_assert_uint_eq(lines_of(path, "dropped"), 0);
	decision_log_close(log);
}
END_TEST

/* Rotation that cannot be is no reason to lose a line without a word. */
START_TEST(test_rotation_fails)
{
	autofree char *path = scratch_path("stuck"), *old = scratch_path("stuck.1"), *within = scratch_path("stuck.1/x");
	struct record record = sample();
	struct decision_log *log = open_log(path, 4096);
	unsigned total = 0;

	/* A folder that is not empty cannot be replaced. */
	ck_assert_int_eq(mkdir(old, 0700), 0);
	scratch_put(within, "");
	while (decision_log_write(log, RECORD_DECISION, &record))
		total++;
	ck_assert_uint_gt(total, 5);
	ck_assert_uint_eq(decision_log_lost(log), 1);
	ck_assert(!decision_log_is_ready(log));
	ck_assert_uint_eq(lines_of(path, "decision"), total);
	unlink(within);
	rmdir(old);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert(decision_log_is_ready(log));
	decision_log_close(log);
	ck_assert_uint_eq(lines_of(old, "decision"), total);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
}
END_TEST

/* The last but one has nowhere to go: none takes its place. */
START_TEST(test_rotation_fails_behind)
{
	autofree char *path = scratch_path("behind"), *old = scratch_path("behind.1"), *oldest = scratch_path("behind.2");
	autofree char *within = scratch_path("behind.2/x");
	struct record record = sample();
	struct decision_log *log = open_kept(path, 4096, 2, LOG_FULL_DROP);
	unsigned total = 0;

	scratch_put(old, "{\"event\":\"the first\"}\n");
	ck_assert_int_eq(mkdir(oldest, 0700), 0);
	scratch_put(within, "");
	while (decision_log_write(log, RECORD_DECISION, &record))
		total++;
	ck_assert_uint_gt(total, 5);
	ck_assert_uint_eq(lines_of(path, "decision"), total);
	ck_assert_uint_eq(lines_of(old, "the first"), 1);
	decision_log_close(log);
}
END_TEST

/* There were more before: no further ones come. */
START_TEST(test_fewer_files)
{
	autofree char *path = scratch_path("fewer"), *third = scratch_path("fewer.3"), *fourth = scratch_path("fewer.4");
	struct decision_log *log = open_kept(path, 4096, 3, LOG_FULL_DROP);

	fill(log, path, 3);
	decision_log_close(log);
	log = open_kept(path, 4096, 1, LOG_FULL_DROP);
	fill(log, path, 1);
	ck_assert_int_eq(access(third, F_OK), 0);
	ck_assert_int_ne(access(fourth, F_OK), 0);
	ck_assert_uint_eq(lines_of(path, "dropped"), 1);
	decision_log_close(log);
}
END_TEST

static void limit(int resource, rlim_t most)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(resource, &limit), 0);
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	ck_assert_int_eq(setrlimit(resource, &limit), 0);
}

static void limit_size(rlim_t size)
{
	limit(RLIMIT_FSIZE, size);
	signal(SIGXFSZ, SIG_IGN);
}

/* The file that was put aside comes back, and what is written next goes there. */
START_TEST(test_no_descriptor)
{
	autofree char *path = scratch_path("none_left"), *old = scratch_path("none_left.1");
	struct record record = sample();
	struct decision_log *log = open_log(path, 4096);
	unsigned total = 0;

	limit(RLIMIT_NOFILE, 3);
	while (decision_log_write(log, RECORD_DECISION, &record))
		total++;
	ck_assert(!decision_log_write(log, RECORD_DECISION, &record));
	limit(RLIMIT_NOFILE, RLIM_INFINITY);
	ck_assert_uint_gt(total, 5);
	ck_assert_uint_eq(lines_of(path, "decision"), total);
	ck_assert_int_ne(access(old, F_OK), 0);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_uint_eq(lines_of(old, "decision"), total);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	decision_log_close(log);
}
END_TEST

/* A line that is longer than a file may be has a file of its own, and puts no empty one aside. */
START_TEST(test_long_line)
{
	autofree char *path = scratch_path("long"), *old = scratch_path("long.1");
	struct decision_log *log = open_log(path, 4096);
	struct record record = sample();
	char path_text[5000];

	memset(path_text, 'a', sizeof(path_text) - 1);
	path_text[sizeof(path_text) - 1] = '\0';
	record.path = path_text;
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_int_ne(access(old, F_OK), 0);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_uint_eq(lines_of(old, "decision"), 1);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	decision_log_close(log);
}
END_TEST

/* A device that is full, or a limit, in the middle of a line. */
START_TEST(test_full)
{
	autofree char *path = scratch_path("full");
	struct record record = sample();
	struct decision_log *log = open_log(path, 1 << 20);
	unsigned total = 0;

	/* What is appended to a file that was there goes to its end too. */
	decision_log_close(log);
	log = open_log(path, 1 << 20);
	limit_size(5000);
	while (decision_log_write(log, RECORD_DECISION, &record))
		total++;
	ck_assert_uint_gt(total, 5);
	ck_assert(!decision_log_is_ready(log));
	ck_assert_uint_eq(lines_of(path, "decision"), total);
	limit_size(RLIM_INFINITY);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert(decision_log_is_ready(log));
	decision_log_close(log);
	ck_assert_uint_eq(lines_of(path, "decision"), total + 1);
}
END_TEST

/* The first line of another turn of the event loop. */
static bool decide_next(struct decision_log *log, const struct record *record)
{
	decision_log_turn(log);
	return decision_log_write(log, RECORD_DECISION, record);
}

START_TEST(test_deleted)
{
	autofree char *path = scratch_path("deleted");
	struct record record = sample();
	struct decision_log *log = open_log(path, 1 << 20);

	ck_assert(decide_next(log, &record));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(decision_log_is_ready(log));
	ck_assert(decide_next(log, &record));
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	/* Where something else has the name, nothing is written. */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!decide_next(log, &record));
	ck_assert(!decision_log_is_ready(log));
	ck_assert_int_eq(rmdir(path), 0);
	scratch_put(path, "");
	ck_assert(!decide_next(log, &record));
	ck_assert_uint_eq(lines_of(path, "decision"), 0);
	ck_assert_uint_eq(decision_log_lost(log), 2);
	decision_log_close(log);
}
END_TEST

/* What was renamed is somebody else's, and what was emptied is as long as it is. */
START_TEST(test_taken_away)
{
	autofree char *path = scratch_path("taken"), *away = scratch_path("taken.away"), *other = scratch_path("taken.other");
	struct record record = sample();
	struct decision_log *log = open_log(path, 1 << 20);

	ck_assert(decide_next(log, &record));
	ck_assert_int_eq(rename(path, away), 0);
	ck_assert(decide_next(log, &record));
	ck_assert_uint_eq(lines_of(away, "decision"), 1);
	ck_assert(!has_claimed(away));
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	/* Without any line, by being told. */
	ck_assert_int_eq(rename(path, away), 0);
	ck_assert(decision_log_reopen(log));
	ck_assert_uint_eq(lines_of(path, "decision"), 0);
	ck_assert(decide_next(log, &record));
	ck_assert(decision_log_reopen(log));
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert(decide_next(log, &record));
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
	/* Also in the turn in which it was emptied: what is given back is behind the end that it has. */
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert(decision_log_write(log, RECORD_DECISION, &record));
	ck_assert_int_eq(rename(path, away), 0);
	ck_assert(decision_log_reopen(log));
	ck_assert_uint_eq(lines_of(away, "decision"), 1);
	ck_assert(!has_claimed(away));
	ck_assert(decide_next(log, &record));
	/* Another file at the path is left alone, and the line of an end still has a place. */
	ck_assert_int_eq(rename(path, other), 0);
	scratch_put(path, "");
	ck_assert(!decide_next(log, &record));
	ck_assert_ptr_nonnull(strstr(decision_log_trouble(log), "File exists; another file has its name"));
	ck_assert(decision_log_write(log, RECORD_END, &record));
	ck_assert_uint_eq(lines_of(other, "end"), 1);
	ck_assert(!decision_log_reopen(log));
	ck_assert(!decision_log_is_ready(log));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(decide_next(log, &record));
	ck_assert_str_eq(decision_log_trouble(log), "");
	decision_log_close(log);
	ck_assert_uint_eq(lines_of(path, "decision"), 1);
}
END_TEST

static struct buffer said;

static void hear(const char *text)
{
	buffer_printf(&said, "%s\n", text);
}

/* Why it cannot be written is kept as long as that is so, and said once, and so is its end. */
START_TEST(test_said)
{
	autofree char *path = scratch_path("said");
	autofree char *wanted = memory_format("%s: the decision log cannot be written: No space left on device; make room "
					      "there; until then every request is refused\n%s: the decision log is written again\n",
					      path, path);
	struct record record = sample();
	struct decision_log *log = open_log(path, 1 << 20);

	decision_log_tell(log, hear);
	/* Twice within a minute is once. */
	for (unsigned times = 0; times < 2; times++) {
		limit_size(5000);
		while (decision_log_write(log, RECORD_DECISION, &record))
			;
		ck_assert(!decision_log_write(log, RECORD_DECISION, &record));
		ck_assert_ptr_nonnull(strstr(decision_log_trouble(log), times ? ": File too large" : ": No space left on device"));
		limit_size(RLIM_INFINITY);
		ck_assert(decision_log_write(log, RECORD_DECISION, &record));
		ck_assert_str_eq(decision_log_trouble(log), "");
	}
	ck_assert_str_eq(buffer_string(&said), wanted);
	buffer_free(&said);
	decision_log_close(log);
}
END_TEST

START_TEST(test_refused)
{
	autofree char *folder = scratch_path("folder"), *link = scratch_path("link"), *none = scratch_path("none/log");
	autofree char *fifo = scratch_path("fifo"), *common = scratch_path("common"), *theirs = scratch_path("theirs");
	autofree char *group = scratch_path("group"), *others = scratch_path("others");
	autofree char *shared = scratch_path("shared"), *within = scratch_path("shared/log");
	const struct {
		const char *path, *says;
	} rows[] = {
		{ "/dev/full", "must be a regular file" },
		{ "/dev/null", "must be a regular file" },
		{ folder, "cannot be opened" },
		{ link, "cannot be opened" },
		{ none, "cannot be opened" },
		{ fifo, "must be a regular file" },
		{ common, "mode 0666" },
		{ group, "mode 0620" },
		{ others, "mode 0602" },
		{ within, "the folder of the log must belong to" },
		{ theirs, "uid 1501's" },
	};
	size_t rows_count = COUNT_OF(rows);

	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(symlink("/dev/null", link), 0);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	scratch_put(common, "");
	ck_assert_int_eq(chmod(common, 0666), 0);
	scratch_put(group, "");
	ck_assert_int_eq(chmod(group, 0620), 0);
	scratch_put(others, "");
	ck_assert_int_eq(chmod(others, 0602), 0);
	ck_assert_int_eq(mkdir(shared, 0700), 0);
	ck_assert_int_eq(chmod(shared, 01777), 0);
	scratch_put(theirs, "");
	/* Only root can give files away, and then still open them. */
	rows_count -= chown(theirs, 1501, 1501) != 0;
	for (size_t i = 0; i < rows_count; i++) {
		const struct log_keeping keeping = { 1 << 20, 1, LOG_FULL_DROP };
		struct decision_log *log;
		struct err err;

		/* Looked at before anything is started, it is the same, and nothing is made. */
		ck_assert_msg(!log_check(rows[i].path, &err), "%s", rows[i].path);
		ck_assert_msg(!decision_log_open(rows[i].path, &keeping, &log, &err), "%s", rows[i].path);
		ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "%s", err.text);
	}
}
END_TEST

START_TEST(test_checked)
{
	autofree char *path = scratch_path("checked");
	struct err err;

	ck_assert_msg(log_check(path, &err), "%s", err.text);
	ck_assert_int_ne(access(path, F_OK), 0);
	/* The folder of everything is root's. */
	ck_assert_msg(geteuid() || log_check("/egressfilter-has-no-such-log", &err), "%s", err.text);
	scratch_put(path, "");
	ck_assert_msg(log_check(path, &err), "%s", err.text);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_appended, test_query, test_torn, test_torn_and_rotated, test_rotated, test_rotation_fails,
				 test_rotation_fails_behind, test_fewer_files, test_no_descriptor, test_long_line,
				 test_checked, test_several_files, test_refusing, test_full, test_deleted, test_taken_away,
				 test_said, test_refused };
	int status;

	scratch_make();
	status = suite_run("decision_log", tests, COUNT_OF(tests));
	scratch_remove();
	return status;
}
