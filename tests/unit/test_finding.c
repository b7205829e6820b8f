/* test_finding.c: findings have stable names, are counted, and warnings are no differences. */
#include "suite.h"
#include "plan/finding.h"

#include "base/memory.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(names_are_stable_and_differ)
{
	for (int i = 0; i < FINDING_KINDS; i++) {
		const char *name = finding_name(i);

		ck_assert_ptr_nonnull(name);
		ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(finding_name(j), name);
	}
	ck_assert_str_eq(finding_name(FINDING_RULE_MISSING), "rule-missing");
	ck_assert_str_eq(finding_name(FINDING_HOSTS_CONFLICT), "hosts-conflict");
}
END_TEST

START_TEST(only_warnings_are_no_differences)
{
	struct findings findings = { 0 };
	size_t warnings = 0;

	for (int i = 0; i < FINDING_KINDS; i++) {
		findings_add(&findings, i, memory_copy_string("o"), memory_copy_string("d"));
		warnings += finding_is_warning(i);
	}
	ck_assert_uint_eq(findings.count, FINDING_KINDS);
	ck_assert_uint_eq(warnings, 6);
	ck_assert_uint_eq(findings_count_differences(&findings), FINDING_KINDS - 6);
	ck_assert(finding_is_warning(FINDING_FOREIGN_CHAIN));
	ck_assert(!finding_is_warning(FINDING_HOSTS_CONFLICT));
	for (size_t i = 0; i < findings.count; i++)
		ck_assert_int_eq(findings.items[i].kind, (int)i);
	findings_free(&findings);
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names_are_stable_and_differ,
		only_warnings_are_no_differences,
	};

	return suite_run("finding", tests, COUNT_OF(tests));
}
