/* test_run_environment.c: what a program gets of its caller's variables, and what it gets besides. */
#include "plan/run_environment.h"

#include "base/buffer.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 12 };

static const struct {
	const char *name;
	const char *inherited[WORDS_MAX];
	const char *patterns[WORDS_MAX], *settings[WORDS_MAX];
	const char *wanted; /* sorted, with blanks between */
} rows[] = {
	{ "nothing is inherited", { NULL }, { NULL }, { NULL },
	  "HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SHELL=/bin/sh USER=agent" },
	{ "what is handed on by itself",
	  { "PATH=/bin", "TERM=dumb", "COLORTERM=x", "NO_COLOR=", "LANG=C", "LANGUAGE=de", "LC_TIME=C", "TZ=UTC" },
	  { NULL }, { NULL },
	  "COLORTERM=x HOME=/home/agent LANG=C LANGUAGE=de LC_TIME=C LOGNAME=agent NO_COLOR= PATH=/bin "
	  "SHELL=/bin/sh TERM=dumb TZ=UTC USER=agent" },
	{ "what is not, however much it looks like it",
	  { "SECRET=x", "PATHS=x", "XPATH=x", "LC=x", "TERMINAL=x", "path=x", "HOME=/root", "USER=root", "SHELL=/bin/x",
	    "LOGNAME=root", "=x" },
	  { NULL }, { NULL },
	  "HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SHELL=/bin/sh USER=agent" },
	{ "patterns", { "AWS_KEY=1", "AWS=2", "NPM_1=3", "NPM_12=4", "PATH=/bin" }, { "AWS_*", "NPM_?" }, { NULL },
	  "AWS_KEY=1 HOME=/home/agent LOGNAME=agent NPM_1=3 PATH=/bin SHELL=/bin/sh USER=agent" },
	{ "stars that take more than they first seem to", { "ABAB=1", "AXBXAB=2", "AB=3", "ABA=4", "XAB=5" }, { "A*B*AB" },
	  { NULL },
	  "ABAB=1 AXBXAB=2 HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SHELL=/bin/sh USER=agent" },
	{ "no name, no pattern, no end of one", { "A=1", "AA=2", "B[A]=3", "BA=4" }, { "", "A?", "?*?*?*?", "B[A]", "AAA*" },
	  { NULL },
	  "AA=2 B[A]=3 HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SHELL=/bin/sh USER=agent" },
	{ "all, but the user's own stay the user's", { "A=1", "HOME=/root", "USER=root", "NO_EQUALS", "=odd" },
	  { "*" }, { NULL },
	  "=odd A=1 HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SHELL=/bin/sh USER=agent" },
	{ "a pattern is over names, not over values", { "A=SECRET", "SECRET=A" }, { "SECRET*" }, { NULL },
	  "HOME=/home/agent LOGNAME=agent PATH=/usr/local/bin:/usr/bin:/bin SECRET=A SHELL=/bin/sh USER=agent" },
	{ "settings stand above all, and the last one counts", { "PATH=/bin", "A=0" }, { "A" },
	  { "A=1", "HOME=/tmp", "PATH=", "A=2", "B=c=d", "LD_PRELOAD=x" },
	  "A=2 B=c=d HOME=/tmp LD_PRELOAD=x LOGNAME=agent PATH= SHELL=/bin/sh USER=agent" },
	{ "of two of one name the first is inherited", { "PATH=/first", "PATH=/second", "LANG=", "LANG=C" }, { NULL },
	  { NULL }, "HOME=/home/agent LANG= LOGNAME=agent PATH=/first SHELL=/bin/sh USER=agent" },
};

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static size_t count_words(const char *const *words)
{
	size_t count = 0;

	while (count < WORDS_MAX && words[count])
		count++;
	return count;
}

START_TEST(variables)
{
	const struct run_environment from = {
		.inherited = rows[_i].inherited,
		.patterns = rows[_i].patterns,
		.pattern_count = count_words(rows[_i].patterns),
		.settings = rows[_i].settings,
		.setting_count = count_words(rows[_i].settings),
		.user = "agent",
		.home = "/home/agent",
		.shell = "/bin/sh",
	};
	char **found = run_environment_build(&from);
	struct buffer text = { 0 };
	size_t count = 0;

	while (found[count])
		count++;
	qsort(found, count, sizeof(*found), compare);
	for (size_t i = 0; i < count; i++)
		buffer_printf(&text, "%s%s", i ? " " : "", found[i]);
	ck_assert_msg(!strcmp(buffer_string(&text), rows[_i].wanted), "%s: wanted %s, found %s", rows[_i].name,
		      rows[_i].wanted, buffer_string(&text));
	buffer_free(&text);
	run_environment_free(found);
}
END_TEST

START_TEST(no_environment_at_all)
{
	const struct run_environment from = { .user = "1", .home = "/", .shell = "/bin/sh" };
	char **found = run_environment_build(&from);

	ck_assert_str_eq(found[0], "PATH=/usr/local/bin:/usr/bin:/bin");
	run_environment_free(found);
	run_environment_free(NULL);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("run_environment");

	tcase_add_loop_test(tests, variables, 0, COUNT_OF(rows));
	tcase_add_test(tests, no_environment_at_all);
	return suite_end("run_environment", tests);
}
