/* log_summary_print.c: a summed up decision log as a table, and as a page with bars. */
#include "plan/log_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 44, BAR_HEIGHT = 120 };
#define LAST_SECOND INT64_C(253402300799) /* of the year 9999 */
#define DROPPED "older files had to make room, at least %" PRIu64 ": what they had is not in this"
#define FULL "the log was full, and everything was refused while it was"

static const char *malformed_words(const struct log_summary *summary)
{
	return summary->malformed == 1 ? "line is none of a decision log, and was"
				       : "lines are none of a decision log, and were";
}

const char *log_bytes_format(uint64_t bytes, char ret[SUMMARY_WORD_SIZE])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	uint64_t whole = bytes, rest = 0;
	size_t unit = 0;

	while (whole >= 1000 && unit + 1 < sizeof(units) / sizeof(*units)) {
		rest = whole % 1000 / 100;
		whole /= 1000;
		unit++;
	}
	if (unit)
		snprintf(ret, SUMMARY_WORD_SIZE, "%" PRIu64 ".%" PRIu64 " %s", whole, rest,
			 units[unit]);
	else
		snprintf(ret, SUMMARY_WORD_SIZE, "%" PRIu64 " B", whole);
	return ret;
}

/* From days since 1970-01-01, with March as first month of a year (see log_summary.c). */
const char *log_time_format(int64_t time, char ret[SUMMARY_WORD_SIZE])
{
	/* The end of the last stretch may be beyond what a date has room for. */
	int64_t seconds = time > LAST_SECOND ? LAST_SECOND : time;
	int64_t days = seconds / 86400 + 719468, within = seconds % 86400;
	int64_t era = days / 146097, of_era = days % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;

	month = month < 10 ? month + 3 : month - 9;
	year += era * 400 + (month <= 2);
	snprintf(ret, SUMMARY_WORD_SIZE,
		 "%04" PRId64 "-%02" PRId64 "-%02" PRId64 " %02" PRId64 ":%02" PRId64, year, month,
		 day, within / 3600, within / 60 % 60);
	return ret;
}

/* Printable ASCII; anything else could steer a terminal, or look like something else. */
static void print_name(const char *name, struct buffer *out)
{
	size_t length = 0;

	for (; *name && length < NAME_WIDTH; name++, length++)
		buffer_append_u8(out, *name < ' ' || *name > '~' ? '?' : (uint8_t)*name);
	if (*name)
		out->data[out->length - 1] = '>';
	for (; length < NAME_WIDTH; length++)
		buffer_append_u8(out, ' ');
}

static void print_row(const char *name, const struct log_count *count, struct buffer *out)
{
	char up[SUMMARY_WORD_SIZE], down[SUMMARY_WORD_SIZE];

	print_name(name, out);
	buffer_printf(out, " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %10s %10s\n", count->allowed,
		      count->failed, count->refused, log_bytes_format(count->bytes_up, up),
		      log_bytes_format(count->bytes_down, down));
}

static void print_period(const struct log_summary *summary, struct buffer *out)
{
	char from[SUMMARY_WORD_SIZE], to[SUMMARY_WORD_SIZE];
	int64_t end =
		summary->first + (int64_t)(log_summary_last_stretch(summary) + 1) * summary->width;

	if (summary->width)
		buffer_printf(out, "%s to %s UTC", log_time_format(summary->first, from),
			      log_time_format(end, to));
	else
		buffer_append_text(out, "nothing in the log");
}

void log_summary_text(const struct log_summary *summary, struct buffer *out)
{
	size_t top[SUMMARY_TOP], count;
	struct log_count rest;

	log_summary_top(summary, top, &count);
	rest = log_summary_rest(summary, top, count);
	print_period(summary, out);
	buffer_append_text(out, "\n\n");
	print_name("host", out);
	buffer_printf(out, " %9s %9s %9s %10s %10s\n", "allowed", "failed", "refused", "sent",
		      "received");
	for (size_t i = 0; i < count; i++)
		print_row(summary->hosts[top[i]].name, &summary->hosts[top[i]].count, out);
	if (log_count_is_any(&rest))
		print_row("all others", &rest, out);
	print_row("all", &summary->all, out);
	if (summary->malformed)
		buffer_printf(out, "\n%zu %s left out\n", summary->malformed,
			      malformed_words(summary));
	if (summary->dropped)
		buffer_printf(out, "\n" DROPPED "\n", summary->dropped);
	if (summary->full)
		buffer_append_text(out, "\n" FULL "\n");
}

static void escape(const char *text, struct buffer *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			buffer_append_text(out, "&lt;");
			break;
		case '>':
			buffer_append_text(out, "&gt;");
			break;
		case '&':
			buffer_append_text(out, "&amp;");
			break;
		case '"':
			buffer_append_text(out, "&quot;");
			break;
		case '\'':
			buffer_append_text(out, "&#39;");
			break;
		default:
			buffer_append_u8(out, *text < ' ' || *text > '~' ? '?' : (uint8_t)*text);
		}
}

/* The policy forbids whatever a text might become that was not escaped. */
static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<title>egressfw: decisions</title>\n<style>\n"
	"body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; "
	"padding: 0 1rem; color: #222; background: #fff }\n"
	"table { border-collapse: collapse; width: 100% }\n"
	"th, td { padding: .2rem .5rem; text-align: right; border-bottom: 1px solid #ddd }\n"
	"th:first-child, td:first-child { text-align: left; word-break: break-all }\n"
	"td.bar { width: 30%; text-align: left }\n"
	"i { display: inline-block; height: .8em; background: #2a7d4f }\n"
	"i.failed, b.failed { background: #d9a21b }\n"
	"i.no, b.no { background: #b3402a }\n"
	".time { display: flex; align-items: flex-end; height: 130px; border-bottom: 1px solid "
	"#222 }\n"
	".time span { flex: 1; margin: 0 1px; display: flex; flex-direction: column; "
	"justify-content: flex-end }\n"
	"b { display: block; background: #2a7d4f }\n"
	".ends { display: flex; justify-content: space-between; color: #555 }\n"
	"</style>\n</head>\n<body>\n";

/* A width of 0 for nothing, else at least one. */
static unsigned share(uint64_t part, uint64_t whole, unsigned most)
{
	unsigned width = whole ? (unsigned)((double)part / (double)whole * most + 0.5) : 0;

	return part && !width ? 1 : width;
}

static void html_row(const char *name, const struct log_count *count, uint64_t most,
		     struct buffer *out)
{
	char up[SUMMARY_WORD_SIZE], down[SUMMARY_WORD_SIZE];

	buffer_append_text(out, "<tr><td>");
	escape(name, out);
	buffer_printf(
		out,
		"</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64
		"</td><td>%s</td><td>%s</td>"
		"<td class=\"bar\"><i style=\"width:%u%%\"></i><i class=\"failed\" "
		"style=\"width:%u%%\"></i><i class=\"no\" style=\"width:%u%%\"></i></td></tr>\n",
		count->allowed, count->failed, count->refused,
		log_bytes_format(count->bytes_up, up), log_bytes_format(count->bytes_down, down),
		share(count->allowed, most, 99), share(count->failed, most, 99),
		share(count->refused, most, 99));
}

static void html_hosts(const struct log_summary *summary, struct buffer *out)
{
	size_t top[SUMMARY_TOP], count;
	struct log_count rest;
	uint64_t most;

	log_summary_top(summary, top, &count);
	rest = log_summary_rest(summary, top, count);
	most = count ? log_count_total(&summary->hosts[top[0]].count) : 0;
	most = log_count_total(&rest) > most ? log_count_total(&rest) : most;
	buffer_append_text(
		out,
		"<h2>Hosts</h2>\n<table>\n<tr><th>host</th><th>allowed</th>"
		"<th>failed</th><th>refused</th><th>sent</th><th>received</th><th></th></tr>\n");
	for (size_t i = 0; i < count; i++)
		html_row(summary->hosts[top[i]].name, &summary->hosts[top[i]].count, most, out);
	if (log_count_is_any(&rest))
		html_row("all others", &rest, most, out);
	html_row("all", &summary->all, log_count_total(&summary->all), out);
	buffer_append_text(out, "</table>\n");
}

static void html_times(const struct log_summary *summary, struct buffer *out)
{
	size_t last = log_summary_last_stretch(summary);
	char from[SUMMARY_WORD_SIZE], to[SUMMARY_WORD_SIZE];
	uint64_t most = 0;

	for (size_t i = 0; i <= last; i++)
		if (log_count_total(&summary->stretches[i]) > most)
			most = log_count_total(&summary->stretches[i]);
	buffer_append_text(out, "<h2>Over time</h2>\n<div class=\"time\">\n");
	for (size_t i = 0; i <= last; i++) {
		const struct log_count *count = &summary->stretches[i];

		buffer_printf(out,
			      "<span title=\"%s: %" PRIu64 " allowed, %" PRIu64 " failed, %" PRIu64
			      " refused\"><b class=\"no\" style=\"height:%upx\"></b>"
			      "<b class=\"failed\" style=\"height:%upx\"></b><b "
			      "style=\"height:%upx\"></b>"
			      "</span>\n",
			      log_time_format(summary->first + (int64_t)i * summary->width, from),
			      count->allowed, count->failed, count->refused,
			      share(count->refused, most, BAR_HEIGHT),
			      share(count->failed, most, BAR_HEIGHT),
			      share(count->allowed, most, BAR_HEIGHT));
	}
	buffer_printf(out, "</div>\n<div class=\"ends\"><span>%s</span><span>%s</span></div>\n",
		      log_time_format(summary->first, from),
		      log_time_format(summary->first + (int64_t)(last + 1) * summary->width, to));
}

void log_summary_html(const struct log_summary *summary, struct buffer *out)
{
	buffer_append_text(out, page_head);
	buffer_append_text(out, "<h1>egressfw: decisions</h1>\n<p>");
	print_period(summary, out);
	buffer_printf(out,
		      ": %" PRIu64 " allowed, %" PRIu64 " allowed and failed, %" PRIu64
		      " refused.</p>\n",
		      summary->all.allowed, summary->all.failed, summary->all.refused);
	if (summary->width)
		html_times(summary, out);
	html_hosts(summary, out);
	if (summary->malformed)
		buffer_printf(out, "<p>%zu %s left out.</p>\n", summary->malformed,
			      malformed_words(summary));
	if (summary->dropped)
		buffer_printf(out, "<p>" DROPPED ".</p>\n", summary->dropped);
	if (summary->full)
		buffer_append_text(out, "<p>" FULL ".</p>\n");
	buffer_append_text(out, "</body>\n</html>\n");
}
