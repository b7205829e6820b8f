/* state_instances.c: of which instances a state directory keeps a plan. */
#include "system/state.h"

#include "base/memory.h"
#include "plan/plan.h"
#include "system/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* NULL where the name is none of a plan. What comes back is the caller's. */
static char *instance_of(const char *name)
{
	static const char suffix[] = ".plan";
	size_t length = strlen(name), tail = sizeof(suffix) - 1, base;
	char table[RULESET_NAME_SIZE];
	autofree char *instance = NULL;

	plan_table_name("", table);
	base = strlen(table);
	if (length < base + tail || strncmp(name, table, base) ||
	    strcmp(name + length - tail, suffix))
		return NULL;
	if (length == base + tail)
		return memory_copy_string("");
	instance = memory_format("%.*s", (int)(length - tail - base), name + base);
	return *instance == '-' && plan_instance_is_valid(instance + 1)
		       ? memory_copy_string(instance + 1)
		       : NULL;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

bool state_instances(const char *directory, struct state_instances *ret, struct err *err)
{
	int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
	struct state_instances found = { 0 };
	const struct dirent *entry;

	if (!entries) {
		err_set_errno(err, errno, "%s: cannot be read", directory);
		descriptor_close(&descriptor);
		return false;
	}
	while ((entry = readdir(entries))) {
		char *instance = instance_of(entry->d_name);

		if (!instance)
			continue;
		found.items = memory_resize(found.items, found.count + 1, sizeof(*found.items));
		found.items[found.count++] = instance;
	}
	closedir(entries);
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare);
	*ret = found;
	return true;
}

void state_instances_free(struct state_instances *instances)
{
	for (size_t i = 0; i < instances->count; i++)
		free(instances->items[i]);
	free(instances->items);
	*instances = (struct state_instances){ 0 };
}
