/* test_log_summary.c: decision logs summed up, whatever stands in them. */
#include "suite.h"

#include "base/memory.h"
#include "plan/log_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct log_summary summary;

static void set_up(void)
{
	summary = (struct log_summary){ 0 };
}

static void tear_down(void)
{
	log_summary_free(&summary);
}

static void add(const char *line)
{
	log_summary_add(&summary, line, strlen(line));
}

static void add_decision(const char *host, const char *decision, const char *time)
{
	autofree char *line =
		memory_format("{\"time\":\"%s\",\"event\":\"decision\",\"host\":\"%s\",\"decision\":"
			      "\"%s\",\"bytes_up\":0,\"bytes_down\":0}",
			      time, host, decision);

	add(line);
}

static char *text_of(void (*print)(const struct log_summary *, struct buffer *))
{
	struct buffer text = { 0 };

	print(&summary, &text);
	return buffer_steal(&text);
}

START_TEST(lines_are_counted)
{
	autofree char *text = NULL;

	add_decision("a.test", "allow", "2026-11-30T08:47:01.086Z");
	add_decision("a.test", "allow", "2026-11-30T08:47:02.086Z");
	add_decision("b.test", "block", "2026-11-30T08:48:00.000Z");
	/* The end of a tunnel brings bytes, and is no second request. */
	add("{\"time\":\"2026-11-30T08:49:00Z+\",\"event\":\"end\",\"host\":\"a.test\",\"decision\":"
	    "\"allow\",\"bytes_up\":1500,\"bytes_down\":2500000}");
	/* A packet that the kernel refused has no event. */
	add("{\"time\":\"2026-11-30T08:49:01.000Z\",\"layer\":\"kernel\",\"host\":\"192.0.2.9\","
	    "\"decision\":\"block\",\"bytes_up\":60,\"bytes_down\":0}");
	/* What the log says of itself. */
	add("{\"time\":\"2026-11-30T08:49:01.000Z\",\"event\":\"rotated\"}");
	add("{\"time\":\"2026-11-30T08:49:01.000Z\",\"event\":\"check\",\"host\":\"\",\"decision\":"
	    "\"allow\",\"bytes_up\":0,\"bytes_down\":0}");
	add("");
	/* A request that could not be read. */
	add_decision("", "block", "2026-11-30T08:48:00.000Z");
	/* Allowed, and there is no such name; a server that says so itself has been reached. */
	add("{\"time\":\"2026-11-30T08:48:01.000Z\",\"event\":\"decision\",\"host\":\"c.test\","
	    "\"decision\":\"allow\",\"status\":502,\"bytes_up\":0,\"bytes_down\":0}");
	add("{\"time\":\"2026-11-30T08:48:02.000Z\",\"event\":\"decision\",\"host\":\"c.test\","
	    "\"decision\":\"allow\",\"status\":200,\"bytes_up\":0,\"bytes_down\":0}");
	add("{\"time\":\"2026-11-30T08:48:02.000Z\",\"event\":\"end\",\"host\":\"c.test\","
	    "\"decision\":\"allow\",\"status\":502,\"bytes_up\":0,\"bytes_down\":0}");
	/* One that is refused is refused, with whatever status. */
	add("{\"time\":\"2026-11-30T08:48:02.000Z\",\"event\":\"decision\",\"host\":\"b.test\","
	    "\"decision\":\"block\",\"status\":503,\"bytes_up\":0,\"bytes_down\":0}");
	ck_assert_uint_eq(summary.malformed, 0);
	ck_assert_uint_eq(summary.all.allowed, 3);
	ck_assert_uint_eq(summary.all.failed, 1);
	ck_assert_uint_eq(summary.all.refused, 4);
	text = text_of(log_summary_text);
	ck_assert_str_eq(
		text,
		"2026-11-30 08:47 to 2026-11-30 08:50 UTC\n\n"
		"host                                           allowed    failed   refused       sent   received\n"
		"a.test                                               2         0         0     1.5 kB     2.5 MB\n"
		"b.test                                               0         0         2        0 B        0 B\n"
		"c.test                                               1         1         0        0 B        0 B\n"
		"(names no host)                                      0         0         1        0 B        0 B\n"
		"192.0.2.9                                            0         0         1        0 B        0 B\n"
		"all                                                  3         1         4     1.5 kB     2.5 MB\n");
}
END_TEST

static const char *const malformed[] = {
	"x",
	"[]",
	"{}",
	"\"a\"",
	"{\"host\":\"a\"",
	"{\"host\":\"a\",\"decision\":\"allow\"}",
	"{\"host\":\"a\",\"host\":\"b\",\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01Z\"}",
	"{\"host\":1,\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"decision\":true,\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"2026-13-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"1969-12-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"2026-11-30 08:47:01.0Z\"}",
	"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"2026-11-30T08:47\"}",
	"{\"host\":\"a\",\"decision\":\"allow\",\"time\":12}",
	"{\"host\":\"a\",\"decision\":\"allowed\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"event\":5,\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"event\":null,\"decision\":\"block\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"event\":\"other\",\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"host\":\"a\",\"event\":\"full\",\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
	"{\"event\":\"other\",\"time\":\"2026-11-30T08:47:01.0Z\"}",
};

START_TEST(what_is_no_line_is_left_out)
{
	add(malformed[_i]);
	ck_assert_uint_eq(summary.malformed, 1);
	ck_assert_uint_eq(summary.all.allowed, 0);
	ck_assert_uint_eq(summary.host_count, 0);
}
END_TEST

/* More than can be counted is the most, and not little again. */
START_TEST(sums_have_an_end)
{
	static const char line[] = "{\"time\":\"9999-12-31T23:59:59.0Z\",\"event\":\"end\",\"host\":\"h%d.test\","
				   "\"decision\":\"allow\",\"bytes_up\":9223372036854775807,\"bytes_down\":1}";
	struct log_count rest;
	size_t top[SUMMARY_TOP], count;
	autofree char *text = NULL;

	add_decision("a.test", "allow", "1970-01-01T00:00:00.0Z");
	for (int i = 0; i < 30; i++) {
		autofree char *one = memory_format(line, i);

		add(one);
	}
	ck_assert_uint_eq(summary.all.bytes_up, UINT64_MAX);
	ck_assert_uint_eq(summary.all.bytes_down, 30);
	log_summary_top(&summary, top, &count);
	rest = log_summary_rest(&summary, top, count);
	ck_assert_uint_eq(rest.bytes_up, UINT64_MAX);
	ck_assert_uint_eq(rest.bytes_down, 31 - SUMMARY_TOP);
	ck_assert_uint_eq(rest.allowed, 0);
	text = text_of(log_summary_json);
	ck_assert_msg(strstr(text, "\"to\": \"9999-12-31T23:59:00Z\"") != NULL, "%s", text);
}
END_TEST

START_TEST(long_lines_are_left_out)
{
	autofree char *line = memory_allocate(SUMMARY_LINE_MAX + 2, 1);

	static const char text[] =
		"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"2026-11-30T08:47:01.0Z\"}";

	memset(line, ' ', SUMMARY_LINE_MAX + 1);
	memcpy(line, text, sizeof(text) - 1);
	log_summary_add(&summary, line, SUMMARY_LINE_MAX);
	ck_assert_uint_eq(summary.all.allowed, 1);
	log_summary_add(&summary, line, SUMMARY_LINE_MAX + 1);
	ck_assert_uint_eq(summary.all.allowed, 1);
	ck_assert_uint_eq(summary.malformed, 1);
}
END_TEST

START_TEST(hosts_are_bounded_and_nothing_is_lost)
{
	size_t top[SUMMARY_TOP], count;
	char name[32];

	for (size_t i = 0; i < SUMMARY_HOSTS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "h%zu.test", i);
		add_decision(name, "allow", "2026-11-30T08:47:01.0Z");
	}
	add_decision("h7.test", "block", "2026-11-30T08:47:01.0Z");
	ck_assert_uint_eq(summary.host_count, SUMMARY_HOSTS_MAX);
	ck_assert_uint_eq(summary.others.allowed, 100);
	ck_assert_uint_eq(summary.all.allowed, SUMMARY_HOSTS_MAX + 100);
	log_summary_top(&summary, top, &count);
	ck_assert_uint_eq(count, SUMMARY_TOP);
	ck_assert_str_eq(summary.hosts[top[0]].name, "h7.test");
	ck_assert_str_eq(summary.hosts[top[1]].name, "h0.test");
}
END_TEST

/* In whatever order they come, and however far apart. */
START_TEST(times_find_their_place)
{
	static const char *const times[] = {
		"2026-11-30T08:47:01.0Z", "2026-11-30T08:47:59.0Z", "2026-11-30T07:00:00.0Z",
		"2026-11-30T09:59:00.0Z", "2026-12-24T23:59:60.0Z", "1970-01-01T00:00:00.0Z",
		"9999-12-31T23:59:59.0Z", "2024-02-29T12:00:00.0Z",
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNT_OF(times); i++) {
		add_decision("a.test", i & 1 ? "block" : "allow", times[i]);
		sum = 0;
		for (size_t j = 0; j < SUMMARY_STRETCHES; j++)
			sum += summary.stretches[j].allowed + summary.stretches[j].refused;
		ck_assert_uint_eq(sum, i + 1);
		ck_assert_int_eq(summary.first % summary.width, 0);
	}
	ck_assert_uint_eq(summary.malformed, 0);
}
END_TEST

START_TEST(days_are_those_of_the_calendar)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01 00:00" },
		{ 951782400, "2000-02-29 00:00" },
		{ 951868800, "2000-03-01 00:00" },
		{ 1709208000, "2024-02-29 12:00" },
		{ 1798761599, "2026-12-31 23:59" },
		{ 4107542400, "2100-03-01 00:00" },
		{ 253402300799, "9999-12-31 23:59" },
	};
	char word[SUMMARY_WORD_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct log_summary one = { 0 };
		autofree char *line = memory_format(
			"{\"host\":\"a\",\"decision\":\"allow\",\"time\":\"%.10sT%s:00.0Z\"}",
			rows[i].text, rows[i].text + 11);

		ck_assert_str_eq(log_time_format(rows[i].seconds, word), rows[i].text);
		log_summary_add(&one, line, strlen(line));
		ck_assert_int_eq(one.first, rows[i].seconds / 60 * 60);
		log_summary_free(&one);
	}
	ck_assert_str_eq(log_bytes_format(999, word), "999 B");
	ck_assert_str_eq(log_bytes_format(1000, word), "1.0 kB");
	ck_assert_str_eq(log_bytes_format(1999999, word), "1.9 MB");
	ck_assert_str_eq(log_bytes_format(UINT64_MAX, word), "18.4 EB");
}
END_TEST

START_TEST(what_is_printed_is_only_text)
{
	autofree char *text = NULL, *page = NULL, *json = NULL;

	add_decision("<script>alert(1)</script>\\u001b[31m\\u00e4&\\\"'\\u007f", "allow",
		     "2026-11-30T08:47:01.0Z");
	ck_assert_uint_eq(summary.malformed, 0);
	text = text_of(log_summary_text);
	page = text_of(log_summary_html);
	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
	json = text_of(log_summary_json);
	for (const char *c = json; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
	ck_assert_ptr_nonnull(strstr(json, "</script>\\u001B[31m\\u00E4&\\\"'\\u007f\""));
	ck_assert_ptr_null(strstr(page, "<script"));
	ck_assert_ptr_nonnull(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;?[31m??&amp;&quot;&#39;?"));
	ck_assert_ptr_null(strstr(page, "http:"));
	ck_assert_ptr_null(strstr(page, "src="));
	ck_assert_ptr_nonnull(strstr(page, "default-src 'none'"));
}
END_TEST

/* Each of the three has its share of a bar, by its colour. */
START_TEST(bars_have_three_parts)
{
	autofree char *page = NULL;

	add_decision("a.test", "allow", "2026-11-30T08:47:01.0Z");
	add_decision("a.test", "allow\",\"status\":504,\"reason\":\"", "2026-11-30T08:47:01.0Z");
	add_decision("a.test", "block", "2026-11-30T08:47:01.0Z");
	page = text_of(log_summary_html);
	ck_assert_msg(strstr(page, "1 allowed, 1 allowed and failed, 1 refused.") != NULL, "%s", page);
	ck_assert_msg(strstr(page, "<td>a.test</td><td>1</td><td>1</td><td>1</td><td>0 B</td><td>0 B</td>"
				   "<td class=\"bar\"><i style=\"width:33%\"></i><i class=\"failed\" style=\"width:33%\"></i>"
				   "<i class=\"no\" style=\"width:33%\"></i></td>") != NULL,
		      "%s", page);
	ck_assert_msg(strstr(page, ": 1 allowed, 1 failed, 1 refused\"><b class=\"no\" style=\"height:40px\"></b>"
				   "<b class=\"failed\" style=\"height:40px\"></b><b style=\"height:40px\"></b>") != NULL,
		      "%s", page);
}
END_TEST

START_TEST(an_empty_log_is_no_error)
{
	autofree char *text = text_of(log_summary_text), *page = text_of(log_summary_html);

	ck_assert_ptr_nonnull(strstr(text, "nothing in the log"));
	ck_assert_ptr_nonnull(strstr(page, "nothing in the log"));
	ck_assert_ptr_nonnull(strstr(page, "</html>"));
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("log summary");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, lines_are_counted);
	tcase_add_loop_test(cases, what_is_no_line_is_left_out, 0, COUNT_OF(malformed));
	tcase_add_test(cases, long_lines_are_left_out);
	tcase_add_test(cases, sums_have_an_end);
	tcase_add_test(cases, hosts_are_bounded_and_nothing_is_lost);
	tcase_add_test(cases, times_find_their_place);
	tcase_add_test(cases, days_are_those_of_the_calendar);
	tcase_add_test(cases, what_is_printed_is_only_text);
	tcase_add_test(cases, bars_have_three_parts);
	tcase_add_test(cases, an_empty_log_is_no_error);
	return suite_end("log summary", cases);
}
