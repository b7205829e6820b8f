/* log_line.c: records of the decision log as lines; pure. */
#include "filter/log_line.h"

#include "base/text.h"

#include <assert.h>
#include <netinet/in.h>
#include <string.h>

/* Longer ones are cut, with the mark behind: a line has a bound that no client can move. */
enum { LOG_TEXT_MAX = 16 * 1024 };

/*
 * Days since 1970 to a date of the proleptic Gregorian calendar, in eras of 400 years from March
 * on.
 */
static void date_of(uint64_t days, unsigned *ret_year, unsigned *ret_month, unsigned *ret_day)
{
	uint64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * of_year + 2) / 153;

	*ret_day = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
	*ret_month = (unsigned)(month < 10 ? month + 3 : month - 9);
	*ret_year = (unsigned)(year + era * 400 + (*ret_month <= 2 ? 1 : 0));
}

/* By hand: thirty members for every request, each through printf, take longer than to judge it. */
static void put_digits(uint64_t value, int count, char *at)
{
	while (count--) {
		at[count] = (char)('0' + value % 10);
		value /= 10;
	}
}

const char *log_time_format(uint64_t wall_ms, char ret[LOG_TIME_SIZE])
{
	static const char form[] = "0000-00-00T00:00:00.000Z";
	uint64_t seconds = wall_ms / 1000, of_day = seconds % 86400;
	unsigned year, month, day;

	static_assert(sizeof(form) <= LOG_TIME_SIZE, "a moment has room");
	memcpy(ret, form, sizeof(form));
	date_of(seconds / 86400, &year, &month, &day);
	put_digits(year, 4, ret);
	put_digits(month, 2, ret + 5);
	put_digits(day, 2, ret + 8);
	put_digits(of_day / 3600, 2, ret + 11);
	put_digits(of_day / 60 % 60, 2, ret + 14);
	put_digits(of_day % 60, 2, ret + 17);
	put_digits(wall_ms % 1000, 3, ret + 20);
	return ret;
}

static void print_name(const char *name, struct buffer *out)
{
	size_t length = strlen(name);
	uint8_t *at = buffer_reserve(out, length + 4);

	memcpy(at, ",\"", 2);
	memcpy(at + 2, name, length);
	memcpy(at + 2 + length, "\":", 2);
	out->length += length + 4;
}

static void print_text(const char *name, const char *text, struct buffer *out)
{
	char cut[LOG_TEXT_MAX + 1];

	print_name(name, out);
	if (!text) {
		buffer_append_text(out, "null");
		return;
	}
	if (strlen(text) <= LOG_TEXT_MAX) {
		text_print_json(text, out);
		return;
	}
	memcpy(cut, text, LOG_TEXT_MAX - 3);
	strcpy(cut + LOG_TEXT_MAX - 3, "...");
	text_print_json(cut, out);
}

static void print_number(const char *name, uint64_t value, struct buffer *out)
{
	print_name(name, out);
	buffer_append_decimal(out, value);
}

static void print_number_or_null(const char *name, bool present, uint64_t value, struct buffer *out)
{
	if (present)
		print_number(name, value, out);
	else
		print_text(name, NULL, out);
}

static const char *event_name(enum record_event event)
{
	static const char *const names[] = {
		[RECORD_DECISION] = "decision",
		[RECORD_END] = "end",
		[RECORD_CHECK] = "check",
	};

	return names[event];
}

/*
 * Query strings hold secrets; what is blocked went nowhere, and the query may be why. What is
 * blocked at its end was on its way.
 */
static void print_path(enum record_event event, const struct record *record, struct buffer *out)
{
	struct buffer path = { 0 };

	if (!record->path || !record->query || event == RECORD_END ||
	    record->decision.verdict != VERDICT_BLOCK) {
		print_text("path", record->path, out);
		return;
	}
	buffer_printf(&path, "%s?%s", record->path, record->query);
	print_text("path", buffer_string(&path), out);
	buffer_free(&path);
}

void log_line_print(enum record_event event, const struct record *record, struct log_moment moment,
		    struct buffer *out)
{
	char text[LOG_TIME_SIZE], address[ADDRESS_TEXT_SIZE];

	buffer_append_text(out, "{\"time\":\"");
	buffer_append_text(out, log_time_format(moment.wall_ms, text));
	buffer_append_u8(out, '"');
	print_text("event", event_name(event), out);
	print_text("layer", layer_name(record->decision.layer), out);
	print_text("method", record->method, out);
	print_text("host", record->host, out);
	print_number("port", record->port, out);
	print_path(event, record, out);
	print_text("decision", verdict_name(record->decision.verdict), out);
	print_text("rule", record->decision.rule, out);
	print_text("reason", record->decision.reason, out);
	print_number_or_null("status", record->status != 0, record->status, out);
	print_number_or_null("uid", record->has_uid, record->uid, out);
	print_text("dest_ip",
		   record->has_address ? address_format(&record->address, address) : NULL, out);
	print_number("bytes_up", record->bytes_up, out);
	print_number("bytes_down", record->bytes_down, out);
	print_number("duration_ms",
		     moment.steady_ms > record->began_ms ? moment.steady_ms - record->began_ms : 0,
		     out);
	print_number("protocol", IPPROTO_TCP, out);
	print_text("source_ip", address_format(&record->peer.address, address), out);
	print_number("source_port", record->peer.port, out);
	buffer_append_text(out, ",\"interface\":\"lo\"}\n");
}

static void print_remark(const char *event, const char *reason, struct log_moment moment,
			 struct buffer *out)
{
	char text[LOG_TIME_SIZE];

	buffer_printf(out, "{\"time\":\"%s\",\"event\":\"%s\",\"reason\":\"%s\"",
		      log_time_format(moment.wall_ms, text), event, reason);
}

void log_line_print_rotated(struct log_moment moment, struct buffer *out)
{
	print_remark("rotated", "the file has reached its size; the log goes on in a new one",
		     moment, out);
	buffer_append_text(out, "}\n");
}

void log_line_print_dropped(struct log_moment moment, uint64_t files, struct buffer *out)
{
	print_remark("dropped",
		     "the oldest file had to make room; how many since the filter was started",
		     moment, out);
	print_number("files", files, out);
	buffer_append_text(out, "}\n");
}

void log_line_print_full(struct log_moment moment, struct buffer *out)
{
	print_remark("full",
		     "all files have reached their size; everything is refused until one is moved "
		     "away",
		     moment, out);
	buffer_append_text(out, "}\n");
}
