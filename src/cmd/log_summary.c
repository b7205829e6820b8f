/* log_summary.c: egressfw log --summary, --html: decision logs summed up. */
#include "cmd/log_summary.h"

#include "base/memory.h"
#include "cmd/log_set.h"
#include "plan/log_summary.h"
#include "system/privilege.h"

#include <dirent.h>
#include <errno.h>
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

/* "egressfilter", and "egressfilter-UID". */
static int is_log_directory(const struct dirent *entry)
{
	static const char name[] = FILTER_LOG_NAME;

	return !strncmp(entry->d_name, name, sizeof(name) - 1);
}

/*
 * One that is gone has left its log where it was, by whichever user. Not by glob(3), with which the
 * name service switch would come into the static program.
 */
static void refuse(const char *table, struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandir(FILTER_LOG_PARENT, &entries, is_log_directory, alphasort);
	bool found = false;

	err_set(err, "no filter is applied whose log could be read: name a file, ");
	for (int i = 0; i < count; i++) {
		autofree char *log =
			memory_format(FILTER_LOG_PARENT "/%s/%s.log", entries[i]->d_name, table);

		if (!access(log, F_OK)) {
			err_append(err, "%s %s, ", found ? "or" : "as", log);
			found = true;
		}
		free(entries[i]);
	}
	free(entries);
	if (!found)
		err_append(err,
			   "which is by default %s/%s.log, or of another --filter-user in %s-UID, ",
			   FILTER_LOG_DIRECTORY, table, FILTER_LOG_DIRECTORY);
	err_append(err, "or \"-\"");
}

/* The log of the filter that is applied. */
static bool find_applied(struct session *session, char **ret, struct failure *failure)
{
	char table[RULESET_NAME_SIZE];
	struct plan plan;
	bool present;

	if (!session_open_state(session, false, failure) ||
	    !session_read_plan(session, &plan, &present, failure)) {
		err_append(&failure->err, "; name a file, or \"-\", or run this as root");
		return false;
	}
	if (present && plan.filtered)
		*ret = memory_copy_string(plan.filter.log);
	if (present)
		plan_free(&plan);
	if (*ret)
		return true;
	plan_table_name(session->options->instance, table);
	refuse(table, &failure->err);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

static bool open_named(const struct options *options, struct log_set *set, struct failure *failure)
{
	for (int i = 0; i < options->argument_count; i++)
		if (!log_set_add(set, options->arguments[i], &failure->err))
			return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	return true;
}

static bool open_applied(struct session *session, struct log_set *set, struct failure *failure)
{
	autofree char *path = NULL;

	return find_applied(session, &path, failure) &&
	       (log_set_add_whole(set, path, &failure->err) ||
		failure_set(failure, EXIT_USAGE, NOTHING_CHANGED));
}

/* Files are opened as whoever we are; what is in them is read without any privilege. */
static bool sum_up(const struct log_set *set, struct log_summary *summary, struct failure *failure)
{
	autofree struct lines *lines = memory_allocate(1, sizeof(*lines));
	bool left;

	lines->summary = summary;
	if (!privilege_drop(&left, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	for (size_t i = 0; i < set->count; i++)
		if (!read_lines(set->items[i].descriptor, set->items[i].path, lines, &failure->err))
			return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	return true;
}

int log_summary_run(const struct options *options)
{
	struct session session = { .options = options };
	struct log_summary summary = { 0 };
	struct failure failure;
	struct buffer text = { 0 };
	struct log_set set = { 0 };
	int status = EXIT_DONE;

	if (options->html && options->json) {
		err_set(&failure.err, "--html and --json are two forms of the same: one of them");
		failure_set(&failure, EXIT_USAGE, NOTHING_CHANGED);
		return failure_print(&failure, options);
	}
	if ((options->argument_count ? open_named(options, &set, &failure)
				     : open_applied(&session, &set, &failure)) &&
	    sum_up(&set, &summary, &failure)) {
		if (options->html)
			log_summary_html(&summary, &text);
		else if (options->json)
			log_summary_json(&summary, &text);
		else
			log_summary_text(&summary, &text);
		fwrite(text.data, 1, text.length, stdout);
	} else {
		status = failure_print(&failure, options);
	}
	log_set_free(&set);
	log_summary_free(&summary);
	buffer_free(&text);
	session_end(&session);
	return status;
}
