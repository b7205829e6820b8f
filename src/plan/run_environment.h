/* run_environment.h: the variables that a program run as the confined user gets. */
#ifndef EGRESSFW_PLAN_RUN_ENVIRONMENT_H
#define EGRESSFW_PLAN_RUN_ENVIRONMENT_H

#include <stddef.h>

struct run_environment {
	const char *const *inherited; /* "NAME=VALUE", up to a NULL; may be NULL */
	const char *const *patterns;  /* names that are handed on, with * and ? */
	size_t pattern_count;
	const char *const
		*settings; /* "NAME=VALUE" that stand above all else; the last one counts */
	size_t setting_count;
	const char *user, *home, *shell;
};

/*
 * What a caller has in its environment, secrets of an entry point among it, is not handed on, but
 * for PATH, TERM, COLORTERM, NO_COLOR, LANG, LANGUAGE, LC_*, TZ and what the patterns name. HOME,
 * USER, LOGNAME and SHELL are the user's; PATH has a default. Each name comes once.
 */
char **run_environment_build(const struct run_environment *from);
void run_environment_free(char **variables);

#endif
