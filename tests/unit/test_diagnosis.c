/* test_diagnosis.c: the table of answers, its verdict and its two forms; "sample" prints one as JSON. */
#include "doctor/diagnosis.h"

#include "base/memory.h"
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void add(struct diagnosis *diagnosis, enum check check, enum check_status status)
{
	struct check_result result = { 0 };

	switch (status) {
	case CHECK_PASS:
		check_pass(&result, "it is %s", "so");
		break;
	case CHECK_WARN:
		check_warn(&result, "look at it", "it is %d", 2);
		break;
	case CHECK_FAIL:
		check_fail(&result, "do it", "it is not");
		break;
	case CHECK_UNKNOWN:
	case CHECK_STATUSES:
		check_unknown(&result, NULL, "who knows");
		break;
	}
	diagnosis_add(diagnosis, check, &result);
}

START_TEST(names_are_stable)
{
	for (enum check i = 0; i < CHECKS; i++) {
		const char *prefix = i < CHECK_FIRST_CHANNEL ? "enforcement." : "channel.";

		ck_assert_msg(!strncmp(check_name(i), prefix, strlen(prefix)), "%s", check_name(i));
		ck_assert_uint_eq(strspn(check_name(i), "abcdefghijklmnopqrstuvwxyz0123456789-."),
				  strlen(check_name(i)));
		for (enum check j = 0; j < i; j++)
			ck_assert_str_ne(check_name(i), check_name(j));
	}
}
END_TEST

START_TEST(verdicts)
{
	static const struct {
		enum check_status rows[3], verdict;
	} cases[] = {
		{ { CHECK_PASS, CHECK_PASS, CHECK_PASS }, CHECK_PASS },
		{ { CHECK_PASS, CHECK_WARN, CHECK_PASS }, CHECK_WARN },
		{ { CHECK_WARN, CHECK_UNKNOWN, CHECK_PASS }, CHECK_UNKNOWN },
		{ { CHECK_FAIL, CHECK_UNKNOWN, CHECK_WARN }, CHECK_FAIL },
		{ { CHECK_UNKNOWN, CHECK_PASS, CHECK_FAIL }, CHECK_FAIL },
	};
	struct diagnosis empty = { 0 };

	ck_assert(diagnosis_verdict(&empty) == CHECK_PASS);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct diagnosis diagnosis = { 0 };

		for (size_t j = 0; j < 3; j++)
			add(&diagnosis, (enum check)j, cases[i].rows[j]);
		ck_assert(diagnosis_verdict(&diagnosis) == cases[i].verdict);
		diagnosis_free(&diagnosis);
	}
}
END_TEST

static void fill(struct diagnosis *diagnosis)
{
	diagnosis->instance = "n";
	add(diagnosis, CHECK_NF_TABLES, CHECK_PASS);
	add(diagnosis, CHECK_CALLER, CHECK_WARN);
	diagnosis_add_user(diagnosis, 1500, "agent");
	add(diagnosis, CHECK_NSCD, CHECK_FAIL);
	diagnosis_add_user(diagnosis, 1600, NULL);
	add(diagnosis, CHECK_NSCD, CHECK_UNKNOWN);
}

START_TEST(text_is_aligned)
{
	static const char wanted[] = "Enforcement\n"
				     "  pass     enforcement.nf-tables  it is so\n"
				     "  warn     enforcement.caller     it is 2\n"
				     "                                  -> look at it\n"
				     "\n"
				     "Residual channels for agent (uid 1500)\n"
				     "  fail     channel.nscd           it is not\n"
				     "                                  -> do it\n"
				     "\n"
				     "Residual channels for uid 1600\n"
				     "  unknown  channel.nscd           who knows\n"
				     "\n"
				     "1 pass, 1 warn, 1 fail, 1 unknown\n";
	struct diagnosis diagnosis = { 0 };
	struct buffer text = { 0 };

	fill(&diagnosis);
	diagnosis_text(&diagnosis, false, &text);
	ck_assert_str_eq(buffer_string(&text), wanted);
	text.length = 0;
	diagnosis_text(&diagnosis, true, &text);
	ck_assert_ptr_nonnull(strstr(buffer_string(&text), "\033[31mfail   \033[0m"));
	buffer_free(&text);
	diagnosis_free(&diagnosis);
}
END_TEST

START_TEST(text_cannot_steer_a_terminal)
{
	struct diagnosis diagnosis = { 0 };
	struct check_result result = { 0 };
	struct buffer text = { 0 };

	diagnosis_add_user(&diagnosis, 1500, "a\033[2J");
	check_warn(&result, "b\nc", "socket /tmp/\033]0;x\007\x80");
	diagnosis_add(&diagnosis, CHECK_NSCD, &result);
	diagnosis_text(&diagnosis, false, &text);
	for (const char *at = buffer_string(&text); *at; at++)
		ck_assert(*at == '\n' || (*at >= ' ' && *at <= '~'));
	ck_assert_ptr_null(strstr(buffer_string(&text), "b\nc"));
	text.length = 0;
	diagnosis_json(&diagnosis, 0, &text);
	for (const char *at = buffer_string(&text); *at; at++)
		ck_assert(*at == '\n' || (*at >= ' ' && *at <= '~'));
	buffer_free(&text);
	diagnosis_free(&diagnosis);
}
END_TEST

START_TEST(json_has_every_row)
{
	struct diagnosis diagnosis = { 0 };
	struct buffer text = { 0 };
	json_t *object, *checks;

	fill(&diagnosis);
	diagnosis_json(&diagnosis, 1, &text);
	object = json_loads(buffer_string(&text), 0, NULL);
	ck_assert_ptr_nonnull(object);
	checks = json_object_get(object, "checks");
	ck_assert_uint_eq(json_array_size(checks), 4);
	ck_assert(json_is_null(json_object_get(json_array_get(checks, 0), "user")));
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(checks, 3), "user")), 1600);
	ck_assert_str_eq(json_string_value(json_object_get(object, "verdict")), "fail");
	ck_assert_int_eq(json_integer_value(json_object_get(object, "exit_status")), 1);
	json_decref(object);
	buffer_free(&text);
	diagnosis_free(&diagnosis);
}
END_TEST

/* For tests of the schema and of the manual page. */
static int print_sample(void)
{
	struct diagnosis diagnosis = { .note = "said to people" };
	struct buffer text = { 0 };

	fill(&diagnosis);
	diagnosis_json(&diagnosis, 1, &text);
	fputs(buffer_string(&text), stdout);
	buffer_free(&text);
	diagnosis_free(&diagnosis);
	return 0;
}

static int print_names(void)
{
	for (enum check i = 0; i < CHECKS; i++)
		puts(check_name(i));
	return 0;
}

int main(int argc, char **argv)
{
	const TTest *const tests[] = { names_are_stable,
				       verdicts,
				       text_is_aligned,
				       text_cannot_steer_a_terminal,
				       json_has_every_row };

	if (argc > 1 && !strcmp(argv[1], "sample"))
		return print_sample();
	if (argc > 1 && !strcmp(argv[1], "names"))
		return print_names();
	return suite_run("diagnosis", tests, COUNT_OF(tests));
}
