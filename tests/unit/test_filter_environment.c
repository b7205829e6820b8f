/* test_filter_environment.c: the variables that lead to the filter, and their shell form. */
#include "suite.h"

#include "plan/filter_environment.h"
#include "plan/run_environment.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct address_port at(const char *text)
{
	struct address_port listen;
	struct err err;

	ck_assert(address_port_parse(text, &listen, &err));
	return listen;
}

static char *shell_of(char *const *variables)
{
	struct buffer text = { 0 };

	environment_print_shell(variables, &text);
	return buffer_steal(&text);
}

START_TEST(a_shell_is_told_all)
{
	struct address_port items[] = { at("127.0.0.1:3128"), at("[::1]:3128") };
	char **variables = filter_environment(&(struct address_ports){ items, 2 });
	autofree char *text = shell_of(variables);

	ck_assert_str_eq(
		text,
		"export http_proxy='http://127.0.0.1:3128'\n"
		"export https_proxy='http://127.0.0.1:3128'\n"
		"export all_proxy='http://127.0.0.1:3128'\n"
		"export HTTP_PROXY='http://127.0.0.1:3128'\n"
		"export HTTPS_PROXY='http://127.0.0.1:3128'\n"
		"export ALL_PROXY='http://127.0.0.1:3128'\n"
		"export no_proxy='localhost,127.0.0.1,::1'\n"
		"export NO_PROXY='localhost,127.0.0.1,::1'\n"
		"export NODE_USE_ENV_PROXY='1'\n"
		"export JAVA_TOOL_OPTIONS='-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 "
		"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 "
		"-Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1]'\n");
	run_environment_free(variables);
}
END_TEST

START_TEST(an_address_of_ipv6_has_its_brackets)
{
	struct address_port item = at("[::1]:8118");
	char **variables = filter_environment(&(struct address_ports){ &item, 1 });

	ck_assert_str_eq(variables[0], "http_proxy=http://[::1]:8118");
	run_environment_free(variables);
}
END_TEST

START_TEST(quotation_is_safe)
{
	char *variables[] = {
		(char[]){ "A=it's $(HOME) `x` \"\\ \n" }, (char[]){ "=x" }, (char[]){ "9=x" },
		(char[]){ "A-B=x" },			  (char[]){ "_a9=" },	   NULL,
	};
	autofree char *text = shell_of(variables);

	ck_assert_str_eq(text, "export A='it'\\''s $(HOME) `x` \"\\ \n'\nexport _a9=''\n");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_shell_is_told_all,
		an_address_of_ipv6_has_its_brackets,
		quotation_is_safe,
	};

	return suite_run("filter environment", tests, COUNT_OF(tests));
}
