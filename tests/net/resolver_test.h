/* resolver_test.h: what the resolver's tests against scripted servers share. */
#ifndef EGRESSFW_TESTS_NET_RESOLVER_TEST_H
#define EGRESSFW_TESTS_NET_RESOLVER_TEST_H

#include "resolver_world.h"

#include <check.h>

/* The world of the test that runs; begun and ended around each. */
extern struct world world;

/* Short retries, so that silence is a matter of two seconds. */
enum { TEST_RETRY_MS = 40, TEST_TIMEOUT_MS = 3000 };

/* The first retransmission in resolve() and expect(); a test that counts questions sets it high. */
extern unsigned retry_ms;
enum { NEVER_MS = 60000 };

/* Resolves the names, separated by blanks, and gives back resolved_text(); *ret_ms may be NULL. */
char *resolve(const char *names, unsigned timeout_ms, unsigned *ret_ms);

/* Resolves and compares. */
void expect(const char *names, const char *want);

TCase *answers_cases(void);
TCase *servers_cases(void);
TCase *process_cases(void);

#endif
