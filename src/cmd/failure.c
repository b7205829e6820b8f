/* failure.c: why a command could not do its work, and the one line that says so. */
#include "cmd/failure.h"

#include "base/memory.h"
#include "base/text.h"
#include "plan/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool failure_set(struct failure *failure, enum exit_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(failure->state, sizeof(failure->state), format, arguments);
	va_end(arguments);
	failure->status = status;
	return false;
}

void failure_say(const struct failure *failure, const struct options *options)
{
	autofree char *status = options->runs_program
					? memory_format(" (status %d)", failure->status)
					: memory_copy_string("");
	/* Of a command that never changes anything it goes without saying. */
	bool silent = options->changes_nothing && !strcmp(failure->state, NOTHING_CHANGED);
	autofree char *line = memory_format("egressfw%s%s: %s%s%s%s", *options->command ? " " : "",
					    options->command, failure->err.text, silent ? "" : "; ",
					    silent ? "" : failure->state, status);

	/*
	 * A path or a value may hold anything; it must neither steer a terminal nor end the line.
	 */
	for (char *byte = line; *byte; byte++)
		if ((unsigned char)*byte < ' ' || *byte == 0x7f)
			*byte = '?';
	fprintf(stderr, "%s\n", line);
}

int failure_exit_status(const struct failure *failure, const struct options *options)
{
	return options->runs_program && failure->status < EXIT_NOT_RUN ? EXIT_NOT_RUN
								       : failure->status;
}

static void print_report(const struct failure *failure, const struct options *options)
{
	const struct report report = {
		.command = options->command,
		.instance = options->instance,
		.exit_status = failure->status,
		.error = failure->err.text,
		.state = failure->state,
	};
	struct buffer text = { 0 };

	report_json(&report, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
}

static void print_member(const char *name, const char *value, struct buffer *out)
{
	buffer_printf(out, ",\n  \"%s\": ", name);
	text_print_json(value, out);
}

/* Not by jansson, which takes no string that is not UTF-8: a path may hold anything. */
static void print_object(const struct failure *failure, const struct options *options)
{
	struct buffer text = { 0 };

	buffer_append_text(&text, "{\n  \"command\": ");
	text_print_json(options->command, &text);
	buffer_printf(&text, ",\n  \"exit_status\": %d", (int)failure->status);
	print_member("error", failure->err.text, &text);
	print_member("state", failure->state, &text);
	buffer_append_text(&text, "\n}\n");
	fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
}

int failure_print(const struct failure *failure, const struct options *options)
{
	failure_say(failure, options);
	if (options->json && options->reports)
		print_report(failure, options);
	else if (options->json)
		print_object(failure, options);
	return failure->status;
}
