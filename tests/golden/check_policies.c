/* check_policies.c: what becomes of each policy file that is named: its normal form, or the
 * message. */
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(const char *path, struct buffer *ret)
{
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file)
		return false;
	do {
		length = fread(buffer_reserve(ret, 4096), 1, 4096, file);
		ret->length += length;
	} while (length);
	return fclose(file) == 0;
}

/* Writes NAME.out for a policy that is taken, NAME.err for one that is refused, into the directory.
 */
static bool check_file(const char *directory, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct buffer text = { 0 }, result = { 0 }, target = { 0 };
	struct policy policy;
	struct err err;
	FILE *file;
	bool taken;

	if (!read_file(path, &text))
		return false;
	taken = policy_parse(buffer_string(&text), text.length, &policy, &err);
	if (taken) {
		policy_print(&policy, &result);
		policy_free(&policy);
	} else {
		buffer_printf(&result, "%s\n", err.text);
	}
	buffer_printf(&target, "%s/%.*s.%s", directory, (int)strcspn(name, "."), name,
		      taken ? "out" : "err");
	file = fopen(buffer_string(&target), "we");
	if (!file || fwrite(result.data, 1, result.length, file) != result.length || fclose(file))
		return false;
	buffer_free(&text);
	buffer_free(&result);
	buffer_free(&target);
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: check_policies DIRECTORY POLICY...\n");
		return EXIT_FAILURE;
	}
	for (int i = 2; i < argc; i++)
		if (!check_file(argv[1], argv[i])) {
			fprintf(stderr, "check_policies: cannot read or write for %s\n", argv[i]);
			return EXIT_FAILURE;
		}
	return EXIT_SUCCESS;
}
