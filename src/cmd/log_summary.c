/* log_summary.c: egressfw log --summary, --html: decision logs summed up for people. */
#include "cmd/log_summary.h"

#include "base/memory.h"
#include "plan/log_summary.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };

/* Lines out of pieces; what of a line does not fit is left out, and the line with it. */
struct lines {
	struct log_summary *summary;
	char held[SUMMARY_LINE_MAX + 1];
	size_t length; /* may be more than is held */
};

static void take(struct lines *lines, const char *piece, size_t length)
{
	if (lines->length < sizeof(lines->held)) {
		size_t room = sizeof(lines->held) - lines->length;

		memcpy(lines->held + lines->length, piece, length < room ? length : room);
	}
	lines->length += length;
}

static void end_line(struct lines *lines)
{
	log_summary_add(lines->summary, lines->held,
			lines->length < sizeof(lines->held) ? lines->length : sizeof(lines->held));
	lines->length = 0;
}

static bool read_lines(int descriptor, const char *name, struct lines *lines, struct err *err)
{
	autofree char *chunk = memory_allocate(CHUNK, 1);

	for (;;) {
		ssize_t got = read(descriptor, chunk, CHUNK);
		const char *at = chunk, *end;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_set_errno(err, errno, "%s: cannot be read", name);
			return false;
		}
		if (!got)
			break;
		while ((end = memchr(at, '\n', (size_t)(chunk + got - at)))) {
			take(lines, at, (size_t)(end - at));
			end_line(lines);
			at = end + 1;
		}
		take(lines, at, (size_t)(chunk + got - at));
	}
	if (lines->length)
		end_line(lines);
	return true;
}

static int open_one(const char *path)
{
	return strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
				 : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

/* The log of the filter that is applied. */
static bool find_applied(struct session *session, char **ret, struct failure *failure)
{
	struct plan plan;
	bool present;

	if (!session_open_state(session, false, failure) ||
	    !session_read_plan(session, &plan, &present, failure))
		return false;
	if (present && plan.filtered)
		*ret = memory_copy_string(plan.filter.log);
	if (present)
		plan_free(&plan);
	if (*ret)
		return true;
	err_set(&failure->err,
		"no filter is applied whose log could be read: name a file, or \"-\"");
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

/* Files are opened as whoever we are; what is in them is read without any privilege. */
static bool sum_up(char **paths, int count, struct log_summary *summary, struct failure *failure)
{
	autofree int *descriptors = memory_allocate((size_t)count, sizeof(*descriptors));
	autofree struct lines *lines = memory_allocate(1, sizeof(*lines));
	bool good = true, left;

	lines->summary = summary;
	for (int i = 0; i < count; i++) {
		descriptors[i] = good ? open_one(paths[i]) : -1;
		if (good && descriptors[i] < 0) {
			err_set_errno(&failure->err, errno, "%s: cannot be opened", paths[i]);
			good = failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
		}
	}
	if (good && !privilege_drop(&left, &failure->err))
		good = failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	for (int i = 0; i < count; i++) {
		if (good && !read_lines(descriptors[i], paths[i], lines, &failure->err))
			good = failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
		descriptor_close(&descriptors[i]);
	}
	return good;
}

int log_summary_run(const struct options *options)
{
	struct session session = { .options = options };
	struct log_summary summary = { 0 };
	struct failure failure;
	struct buffer text = { 0 };
	autofree char *applied = NULL;
	int status = EXIT_DONE;
	bool named = options->argument_count;

	if ((named || find_applied(&session, &applied, &failure)) &&
	    sum_up(named ? options->arguments : &applied, named ? options->argument_count : 1,
		   &summary, &failure)) {
		if (options->html)
			log_summary_html(&summary, &text);
		else
			log_summary_text(&summary, &text);
		fwrite(text.data, 1, text.length, stdout);
	} else {
		status = failure_print(&failure, options);
	}
	log_summary_free(&summary);
	buffer_free(&text);
	session_end(&session);
	return status;
}
