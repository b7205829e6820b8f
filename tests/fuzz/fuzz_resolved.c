/* fuzz_resolved.c: any bytes as an answer: refused, or encoded the same again. */
#include "plan/resolved.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check(const struct resolved *resolved, const struct policy *policy)
{
	struct buffer bytes = { 0 };
	struct resolved again;
	struct err err;

	require(resolved->count == 2);
	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *name = &resolved->items[i];

		require((name->status == RESOLVE_FOUND) == (name->found.count > 0));
		for (size_t j = 0; j < name->found.count; j++)
			require(address_is_pinnable(policy, &name->found.items[j]));
	}
	resolved_encode(resolved, &bytes);
	require(resolved_decode(bytes.data, bytes.length, policy, &again, &err));
	for (size_t i = 0; i < resolved->count; i++)
		require(again.items[i].found.count == resolved->items[i].found.count &&
			again.items[i].refused.count == resolved->items[i].refused.count);
	resolved_free(&again);
	buffer_free(&bytes);
	if (!resolved_check(resolved, &err))
		require(strlen(err.text) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct destination hosts[] = {
		{ .kind = DESTINATION_NAME, .name = (char *)(uintptr_t) "a.test" },
		{ .kind = DESTINATION_NAME, .name = (char *)(uintptr_t) "b.test" },
	};
	static struct prefix private = { { FAMILY_IPV4, { 10 } }, 8 };
	const struct policy policy = {
		.mode = MODE_ALLOWLIST,
		.allowed_hosts = { hosts, 2 },
		.pin_hosts_max = 2,
		.allow_private = { &private, 1 },
	};
	struct resolved resolved;
	struct err err;

	if (resolved_decode(data, size, &policy, &resolved, &err)) {
		check(&resolved, &policy);
		resolved_free(&resolved);
	}
	return 0;
}
