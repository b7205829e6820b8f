/* diagnosis_text.c: the table of answers, aligned, for people. */
#include "doctor/diagnosis.h"

#include <inttypes.h>
#include <string.h>

static const char *const colours[] = {
	[CHECK_PASS] = "\033[32m",
	[CHECK_WARN] = "\033[33m",
	[CHECK_FAIL] = "\033[31m",
	[CHECK_UNKNOWN] = "\033[35m",
};
_Static_assert(sizeof(colours) / sizeof(*colours) == CHECK_STATUSES, "one colour per status");

/* Paths and names may hold anything; control characters could steer a terminal. */
static void print_safely(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		uint8_t byte = (uint8_t)*text;

		buffer_append_u8(out, byte < ' ' || byte >= 0x7f ? '?' : byte);
	}
}

static size_t name_width(const struct diagnosis *diagnosis)
{
	size_t width = 0;

	for (size_t i = 0; i < diagnosis->count; i++) {
		size_t length = strlen(check_name(diagnosis->rows[i].check));

		if (length > width)
			width = length;
	}
	return width;
}

static void print_row(const struct diagnosis_row *row, size_t width, bool colour,
		      struct buffer *out)
{
	enum check_status status = row->result.status;

	buffer_printf(out, "  %s%-7s%s  %-*s  ", colour ? colours[status] : "",
		      check_status_name(status), colour ? "\033[0m" : "", (int)width,
		      check_name(row->check));
	print_safely(out, row->result.finding);
	buffer_append_text(out, "\n");
	if (row->result.advice) {
		buffer_printf(out, "  %-7s  %-*s  -> ", "", (int)width, "");
		print_safely(out, row->result.advice);
		buffer_append_text(out, "\n");
	}
}

static void print_heading(const struct diagnosis *diagnosis, const struct diagnosis_row *row,
			  struct buffer *out)
{
	const struct diagnosis_user *user;

	if (row->check < CHECK_FIRST_CHANNEL) {
		buffer_append_text(out, "Enforcement\n");
		return;
	}
	user = &diagnosis->users[row->user];
	buffer_append_text(out, "\nResidual channels for ");
	if (user->name) {
		print_safely(out, user->name);
		buffer_printf(out, " (uid %" PRIu32 ")\n", user->uid);
	} else {
		buffer_printf(out, "uid %" PRIu32 "\n", user->uid);
	}
}

void diagnosis_text(const struct diagnosis *diagnosis, bool colour, struct buffer *out)
{
	size_t width = name_width(diagnosis);

	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct diagnosis_row *row = &diagnosis->rows[i];
		bool channel = row->check >= CHECK_FIRST_CHANNEL;

		if (!i || (channel && (diagnosis->rows[i - 1].check < CHECK_FIRST_CHANNEL ||
				       diagnosis->rows[i - 1].user != row->user)))
			print_heading(diagnosis, row, out);
		print_row(row, width, colour, out);
	}
	if (diagnosis->note)
		buffer_printf(out, "\n%s\n", diagnosis->note);
	buffer_printf(
		out, "\n%zu pass, %zu warn, %zu fail, %zu unknown\n",
		diagnosis_count(diagnosis, CHECK_PASS), diagnosis_count(diagnosis, CHECK_WARN),
		diagnosis_count(diagnosis, CHECK_FAIL), diagnosis_count(diagnosis, CHECK_UNKNOWN));
}
