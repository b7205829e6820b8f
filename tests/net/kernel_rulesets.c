/* kernel_rulesets.c: the rulesets that the kernel's tests commit, by name. */
#include "kernel_rulesets.h"

#include "../unit/ruleset_fixture.h"
#include "plan/ruleset_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "kernel_rulesets: %s: %s\n", what, why);
	exit(2);
}

/* Element `index` of a generated set: none touches the next. */
static void add_key(struct keyset *keys, size_t index)
{
	uint8_t first[16] = { 10, (uint8_t)(index >> 15), (uint8_t)(index >> 7),
			      (uint8_t)(index << 1) };
	uint8_t last[16];

	if (keys->width == 16) {
		memcpy(first, (const uint8_t[]){ 0x20, 0x01, 0x0d, 0xb8, 0xaa }, 5);
		memcpy(first + 5,
		       (const uint8_t[]){ (uint8_t)(index >> 15), (uint8_t)(index >> 7),
					  (uint8_t)(index << 1) },
		       3);
	}
	memcpy(last, first, sizeof(last));
	if (keys->width == 16)
		memset(last + 8, 0xff, 8);
	if (keys->interval)
		keyset_add_interval(keys, first, last);
	else
		keyset_add(keys, first);
}

static void generate(struct ruleset *ruleset, const char *kind, size_t count)
{
	char digest[65];
	bool any = false;

	for (size_t i = 0; i < ruleset->set_count; i++) {
		struct set *set = &ruleset->sets[i];

		/* The first list of ports has pin4, pin6 and net4, the last one net6. */
		if (set->type == SET_UID ||
		    (strcmp(kind, "all") != 0 && strncmp(set->name, kind, strlen(kind)) != 0))
			continue;
		keyset_free(&set->keys);
		for (size_t j = 0; j < count; j++)
			add_key(&set->keys, j);
		keyset_seal(&set->keys);
		any = true;
		if (strcmp(kind, "all") != 0)
			break;
	}
	if (!any)
		fail(kind, "no such set");
	ruleset_digest(ruleset, digest);
	memcpy(ruleset->comment, digest, sizeof(digest));
}

static struct ruleset from_policy(const char *path)
{
	static char text[1 << 20];
	struct resolved resolved = { 0 };
	struct rangeset confined = { 0 };
	struct policy policy;
	struct ruleset ruleset;
	struct err err;
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof(text), file) : 0;
	struct ruleset_request request = {
		.policy = &policy,
		.resolved = &resolved,
		.confined = &confined,
		.table = "egressfw",
		.log = true,
	};

	if (file)
		fclose(file);
	if (!policy_parse(text, length, &policy, &err))
		fail(path, err.text);
	for (size_t i = 0; i < policy.users.count; i++)
		rangeset_add(&confined, policy.users.items[i].range.first,
			     policy.users.items[i].range.last);
	if (!ruleset_build(&request, &ruleset, &err))
		fail(path, err.text);
	rangeset_free(&confined);
	policy_free(&policy);
	return ruleset;
}

struct ruleset kernel_ruleset(const char *name)
{
	const char *colon = strchr(name, ':');
	char kind[16];
	struct ruleset ruleset;

	if (strstr(name, ".json"))
		return from_policy(name);
	if (!colon)
		return fixture_named(name);
	if (colon - name >= (long)sizeof(kind))
		fail(name, "no such ruleset");
	memcpy(kind, name, (size_t)(colon - name));
	kind[colon - name] = '\0';
	ruleset = fixture_named("allowlist");
	generate(&ruleset, kind, strtoul(colon + 1, NULL, 10));
	return ruleset;
}
