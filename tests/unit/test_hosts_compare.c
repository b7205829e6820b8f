/* test_hosts_compare.c: what a hosts file lacks of our block, and what stands against it. */
#include "hosts_sample.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *findings;
} compared[] = {
	{ BEGIN PINS END, "" },
	{ "", "hosts-missing " },
	{ "10.0.0.9 api.test\n", "hosts-missing hosts-conflict " },
	{ BEGIN PINS END "10.0.0.9 API.test.\n", "hosts-conflict " },
	{ BEGIN "203.0.113.5 api.test # egressfw\n203.0.113.9 b.test # egressfw\n" END,
	  "hosts-line-missing " },
	{ BEGIN PINS "198.51.100.1 old.test # egressfw\n" END, "hosts-line-extra " },
	{ BEGIN PINS "203.0.113.9 b.test # egressfw\n" END, "hosts-line-extra " },
	{ BEGIN PINS "4.4.4.4 x\n" END, "hosts-line-extra " },
	{ BEGIN PINS, "hosts-line-missing " },
	{ BEGIN PINS END END, "hosts-line-extra " },
	{ BEGIN "203.0.113.66 api.test # egressfw\n2001:db8::5 api.test # egressfw\n203.0.113.9 "
		"b.test # egressfw\n" END,
	  "hosts-line-missing hosts-line-extra " },
	/* The other names of a line that was commented out belong to the block. */
	{ "#0.0.0.9 b.test c\n" BEGIN "# egressfw was 1 10.0.0.9 b.test c\n" PINS END,
	  "hosts-line-missing " },
	/* No resolver sees what a comment says. */
	{ BEGIN "#03.0.113.5 api.test # egressfw\n2001:db8::5 api.test # egressfw\n203.0.113.9 "
		"b.test # egressfw\n" END,
	  "hosts-line-extra hosts-line-missing " },
};

static char *finding_names(const struct findings *findings)
{
	struct buffer names = { 0 };

	for (size_t i = 0; i < findings->count; i++)
		buffer_printf(&names, "%s ", finding_name(findings->items[i].kind));
	return buffer_steal(&names);
}

START_TEST(differences_are_found)
{
	struct findings findings = { 0 };
	autofree char *names = NULL;

	hosts_text_compare(compared[_i].text, strlen(compared[_i].text), &block, "", &findings);
	names = finding_names(&findings);
	ck_assert_str_eq(names, compared[_i].findings);
	findings_free(&findings);
}
END_TEST

START_TEST(an_empty_block_wants_no_line_of_ours)
{
	struct findings findings = { 0 };

	hosts_text_compare("127.0.0.1 localhost\n", 20, &nothing, "", &findings);
	ck_assert_uint_eq(findings.count, 0);
	hosts_text_compare(BEGIN END, strlen(BEGIN END), &nothing, "", &findings);
	ck_assert_uint_eq(findings.count, 1);
	hosts_text_compare(BEGIN PINS END, strlen(BEGIN PINS END), &nothing, "", &findings);
	ck_assert_uint_ge(findings_count_differences(&findings), 4);
	findings_free(&findings);
}
END_TEST

START_TEST(findings_are_fit_for_a_terminal)
{
	static const char hostile[] = "10.0.0.9 api.test \x1b[2Jx\n";
	struct findings findings = { 0 };

	hosts_text_compare(hostile, strlen(hostile), &block, "", &findings);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.items[1].object, "hosts line \"10.0.0.9 api.test ?[2Jx\"");
	findings_free(&findings);
}
END_TEST

static const struct {
	const char *text;
	size_t length;
	bool parses;
} parsed[] = {
	{ "", 0, true },
	{ "\n \t\n# x\n   # y\n", 13, true },
	{ "127.0.0.1 a\n", 12, true },
	{ "127.0.0.1 a", 11, true },
	{ "::1\ta b\r\n", 9, true },
	{ "fe80::1%eth0 a\n", 15, true },
	{ "10.0.0.1%eth0 a\n", 16, false },
	{ "127.0.0.1\n", 10, false },
	{ "127.0.0.1 # a\n", 14, false },
	{ "127.1 a\n", 8, false },
	{ "a 127.0.0.1\n", 12, false },
	{ "127.0.0.1 a\0b\n", 14, false },
	{ "127.0.0.1 a # \0\n", 16, true },
};

START_TEST(what_parses)
{
	ck_assert_int_eq(hosts_text_parses(parsed[_i].text, parsed[_i].length), parsed[_i].parses);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("hosts_compare");

	tcase_add_loop_test(cases, differences_are_found, 0, COUNT_OF(compared));
	tcase_add_test(cases, an_empty_block_wants_no_line_of_ours);
	tcase_add_test(cases, findings_are_fit_for_a_terminal);
	tcase_add_loop_test(cases, what_parses, 0, COUNT_OF(parsed));
	return suite_end("hosts_compare", cases);
}
