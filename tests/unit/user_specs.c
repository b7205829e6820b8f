/* user_specs.c: users as a policy or --user names them, and the files that know them, for tests. */
#include "user_specs.h"

#include "base/memory.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user_specs specs_of(const char *text)
{
	struct user_specs specs = { 0 };
	autofree char *copy = memory_copy_string(text);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ",")) && *word) {
		struct user_spec spec = { 0 };

		specs.items = memory_resize(specs.items, specs.count + 1, sizeof(*specs.items));
		if (sscanf(word, "%u-%u", &spec.range.first, &spec.range.last) == 2)
			;
		else if (sscanf(word, "%u", &spec.range.first) == 1)
			spec.range.last = spec.range.first;
		else
			spec.name = memory_copy_string(word);
		specs.items[specs.count++] = spec;
	}
	return specs;
}

void specs_free(struct user_specs *specs)
{
	for (size_t i = 0; i < specs->count; i++)
		free(specs->items[i].name);
	free(specs->items);
}

struct users_files users_files_make(const char *passwd)
{
	struct users_files files = { scratch_path("passwd"), scratch_path("subuid") };

	scratch_put(files.passwd, passwd);
	scratch_put(files.subuid, "");
	return files;
}

void users_files_free(struct users_files *files)
{
	free((char *)files->passwd);
	free((char *)files->subuid);
}
