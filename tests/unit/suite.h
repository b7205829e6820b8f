/* suite.h: runs one Check suite and gives main() its exit status. */
#ifndef EGRESSFW_TESTS_SUITE_H
#define EGRESSFW_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Functions that may be NULL: before and after all tests of a program, and before and after each. */
struct suite_fixture {
	void (*begin)(void), (*end)(void), (*set_up)(void), (*tear_down)(void);
};

/* Runs the tests of a case, for those that add them by themselves; the exit status. */
static inline int suite_end(const char *name, TCase *cases)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, cases);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int suite_run_in(const char *name, const struct suite_fixture *fixture,
			       const TTest *const *tests, int count)
{
	TCase *cases = tcase_create(name);

	tcase_set_timeout(cases, 60);
	tcase_add_unchecked_fixture(cases, fixture->begin, fixture->end);
	tcase_add_checked_fixture(cases, fixture->set_up, fixture->tear_down);
	for (int i = 0; i < count; i++)
		tcase_add_test(cases, tests[i]);
	return suite_end(name, cases);
}

static inline int suite_run(const char *name, const TTest *const *tests, int count)
{
	return suite_run_in(name, &(struct suite_fixture){ NULL, NULL, NULL, NULL }, tests, count);
}

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(*(array))))

#endif
