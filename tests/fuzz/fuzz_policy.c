/* fuzz_policy.c: any policy, any target: a safe sentence, or a value that prints as itself. */
#include "policy/decide.h"

#include "base/memory.h"
#include "policy/long_list.h"

#include <jansson.h>
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

/* A text and what is left of it without its long list are JSON, or neither is. */
static void try_list(const char *text, size_t length)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
	char entry[LONG_LIST_ENTRY_SIZE];
	struct long_list list;
	struct buffer rest;
	json_t *whole, *cut;
	const json_t *array;

	if (!long_list_cut(text, length, "allowed_hosts", 1, &list, &rest))
		return;
	whole = json_loadb(text, length, flags, NULL);
	cut = json_loadb((const char *)rest.data, rest.length, flags, NULL);
	require(!whole == !cut);
	array = json_object_get(whole, "allowed_hosts");
	require(!whole || json_array_size(array) == list.count);
	for (size_t i = 0; whole && i < json_array_size(array); i++)
		require(long_list_next(&list, entry) &&
			!strcmp(entry, json_string_value(json_array_get(array, i))));
	require(!whole || !long_list_next(&list, entry));
	json_decref(whole);
	json_decref(cut);
	buffer_free(&rest);
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
	try_list((const char *)data, length);
	if (!policy_parse((const char *)data, length, &policy, &err)) {
		require_sentence(&err);
		return 0;
	}
	require_same_print(&policy);
	try_target(&policy, target);
	policy_free(&policy);
	return 0;
}
