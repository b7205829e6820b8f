/* run_environment.c: the variables that a program run as the confined user gets. */
#include "plan/run_environment.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PATH_DEFAULT "PATH=/usr/local/bin:/usr/bin:/bin"

struct variables {
	char **items; /* NULL behind the last */
	size_t count;
};

static size_t name_length(const char *variable)
{
	return strcspn(variable, "=");
}

/* Where a variable of the same name stands, or the count. */
static size_t find(const struct variables *variables, const char *variable)
{
	size_t length = name_length(variable), i = 0;

	while (i < variables->count && (name_length(variables->items[i]) != length ||
					strncmp(variables->items[i], variable, length)))
		i++;
	return i;
}

/* Takes ownership. */
static void put(struct variables *variables, char *variable)
{
	size_t place = find(variables, variable);

	if (place < variables->count) {
		free(variables->items[place]);
	} else {
		variables->items =
			memory_resize(variables->items, ++variables->count + 1, sizeof(char *));
		variables->items[variables->count] = NULL;
	}
	variables->items[place] = variable;
}

/* glob(7) of "*" and "?" alone, which is all that names of variables need. */
static bool matches_pattern(const char *name, const char *pattern)
{
	const char *star = NULL, *resume = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			resume = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			/* What the last star stood for was too short by one. */
			pattern = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool is_handed_on(const struct run_environment *from, const char *variable)
{
	static const char *const always[] = {
		"PATH", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "LC_*", "TZ",
	};
	autofree char *name = memory_format("%.*s", (int)name_length(variable), variable);
	bool matches = false;

	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && !matches; i++)
		matches = matches_pattern(name, always[i]);
	for (size_t i = 0; i < from->pattern_count && !matches; i++)
		matches = matches_pattern(name, from->patterns[i]);
	return matches;
}

char **run_environment_build(const struct run_environment *from)
{
	struct variables variables = { 0 };

	/* Of two of one name getenv(3) finds the first. */
	for (size_t i = 0; from->inherited && from->inherited[i]; i++) {
		const char *variable = from->inherited[i];

		if (strchr(variable, '=') && find(&variables, variable) == variables.count &&
		    is_handed_on(from, variable))
			put(&variables, memory_copy_string(variable));
	}
	if (find(&variables, PATH_DEFAULT) == variables.count)
		put(&variables, memory_copy_string(PATH_DEFAULT));
	put(&variables, memory_format("HOME=%s", from->home));
	put(&variables, memory_format("USER=%s", from->user));
	put(&variables, memory_format("LOGNAME=%s", from->user));
	put(&variables, memory_format("SHELL=%s", from->shell));
	for (size_t i = 0; i < from->setting_count; i++)
		put(&variables, memory_copy_string(from->settings[i]));
	return variables.items;
}

void run_environment_free(char **variables)
{
	for (size_t i = 0; variables && variables[i]; i++)
		free(variables[i]);
	free(variables);
}
