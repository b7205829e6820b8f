/* print_ruleset.c: prints a ruleset of the fixtures as nft text, or the fixtures' names. */
#include "../unit/ruleset_fixture.h"

#include "plan/ruleset_print.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct buffer text = { 0 };
	struct ruleset ruleset;

	if (argc != 2) {
		for (size_t i = 0; fixture_names[i]; i++)
			puts(fixture_names[i]);
		return 0;
	}
	ruleset = fixture_named(argv[1]);
	ruleset_print(&ruleset, &text);
	fputs(buffer_string(&text), stdout);
	buffer_free(&text);
	ruleset_free(&ruleset);
	return 0;
}
