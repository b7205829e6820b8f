/* fuzz_policy.c: any policy, any target: a safe sentence, or a value that prints as itself. */
#include "policy/decide.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* A sentence is one line that steers no terminal. */
static void require_sentence(const struct err *err)
{
	require(err->text[0]);
	for (const char *at = err->text; *at; at++)
		require(*at >= 0x20 && *at < 0x7f);
}

static void require_same_print(const struct policy *policy)
{
	struct buffer printed = { 0 }, again = { 0 };
	struct policy second;
	struct err err;

	policy_print(policy, &printed);
	require(policy_parse(buffer_string(&printed), printed.length, &second, &err));
	policy_print(&second, &again);
	require(!strcmp(buffer_string(&printed), buffer_string(&again)));
	policy_free(&second);
	buffer_free(&printed);
	buffer_free(&again);
}

static void try_target(const struct policy *policy, const char *text)
{
	struct decision decision;
	struct target target;
	struct err err;

	if (!target_parse(text, &target, &err)) {
		require_sentence(&err);
		return;
	}
	decide(policy, &target, &decision);
	require(decision.rule[0] && decision.reason[0]);
	require(decision.verdict != VERDICT_INSPECT ||
		(policy->mode == MODE_BLOCKLIST && !target.path));
	require(decision.verdict != VERDICT_ALLOW || policy->mode != MODE_ALLOWLIST ||
		strcmp(decision.rule, "default"));
	target_free(&target);
}

static void try_path(const char *text)
{
	struct err err;
	char *path, *again;

	if (!path_canonical(text, &path, &err)) {
		require_sentence(&err);
		return;
	}
	require(path[0] == '/' && !strstr(path, "//") && !strstr(path, "/../") &&
		!strstr(path, "/./"));
	require(path_canonical(path, &again, &err));
	require(!strcmp(path, again));
	free(path);
	free(again);
}

/* The input is a policy, then a NUL byte, then a target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : size;
	size_t rest = nul ? size - length - 1 : 0;
	autofree char *target = memory_format("%.*s", (int)rest, nul ? (const char *)nul + 1 : "");
	struct policy policy;
	struct err err;

	try_path(target);
	if (!policy_parse((const char *)data, length, &policy, &err)) {
		require_sentence(&err);
		return 0;
	}
	require_same_print(&policy);
	try_target(&policy, target);
	policy_free(&policy);
	return 0;
}
