/* resolver_test.c: the resolver against scripted DNS servers, in a network namespace of its own. */
#include "resolver_test.h"

#include "base/memory.h"
#include "system/resolver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_SKIPPED = 77 };

struct world world;
unsigned retry_ms = TEST_RETRY_MS;

static unsigned milliseconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - start->tv_sec) * 1000 +
			  (now.tv_nsec - start->tv_nsec) / 1000000);
}

char *resolve(const char *names, unsigned timeout_ms, unsigned *ret_ms)
{
	struct policy policy = policy_of(names);
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = timeout_ms,
		.retry_ms = retry_ms,
	};
	struct resolved resolved;
	struct timespec start;
	struct err err;
	char *text;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (resolver_run(&policy, &settings, &resolved, &err)) {
		text = resolved_text(&resolved);
		resolved_free(&resolved);
	} else {
		text = memory_format("error: %s", err.text);
	}
	if (ret_ms)
		*ret_ms = milliseconds_since(&start);
	policy_done(&policy);
	return text;
}

void expect(const char *names, const char *want)
{
	autofree char *text = resolve(names, TEST_TIMEOUT_MS, NULL);

	ck_assert_str_eq(text, want);
}

static void begin(void)
{
	world_begin(&world);
}

static void end(void)
{
	world_end(&world);
}

int main(void)
{
	Suite *suite = suite_create("resolver");
	TCase *cases[] = { answers_cases(), servers_cases(), process_cases() };
	SRunner *runner;
	int failed;

	if (!world_enter()) {
		fprintf(stderr, "SKIP: no network namespace of our own can be made: %s\n",
			strerror(errno));
		return getenv("EGRESSFW_TESTS_MUST_RUN") ? EXIT_FAILURE : EXIT_SKIPPED;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tcase_add_checked_fixture(cases[i], begin, end);
		tcase_set_timeout(cases[i], 60);
		suite_add_tcase(suite, cases[i]);
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
