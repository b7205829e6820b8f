/* resolver_lookup.c: from names to addresses, many at once. */
#include "system/resolver_lookup.h"

#include "base/memory.h"
#include "system/resolver_question.h"

#include <stdint.h>
#include <stdlib.h>

enum { FAMILIES = 2, PROGRESS_MS = 250 };

/* One name under way. */
struct lookup {
	struct resolved_name *result;
	struct question *questions[FAMILIES];
};

struct lookups {
	const struct policy *policy;
	struct asker *asker;
	struct lookup *active;
	size_t active_count;
};

static void lookup_start(struct lookups *lookups, struct resolved_name *result)
{
	struct lookup *lookup = &lookups->active[lookups->active_count++];

	lookup->result = result;
	for (int i = 0; i < FAMILIES; i++)
		lookup->questions[i] = question_start(lookups->asker, result->name, (enum family)i);
}

/* A family that stays silent is given up earlier once the other one was found. */
static bool lookup_is_done(const struct lookup *lookup, uint64_t now)
{
	for (int i = 0; i < FAMILIES; i++) {
		const struct question *question = lookup->questions[i];
		const struct question *other = lookup->questions[FAMILIES - 1 - i];

		if (!question_is_done(question) &&
		    !(question_found(other)->count &&
		      question_age(question, now) >= QUESTION_PATIENCE))
			return false;
	}
	return true;
}

static void addresses_add(struct addresses *addresses, const struct address *address)
{
	addresses->items =
		memory_resize(addresses->items, addresses->count + 1, sizeof(*addresses->items));
	addresses->items[addresses->count++] = *address;
}

static int compare_addresses(const void *one, const void *other)
{
	return address_compare(one, other);
}

static void addresses_seal(struct addresses *addresses)
{
	size_t kept = 0;

	if (addresses->count)
		qsort(addresses->items, addresses->count, sizeof(*addresses->items),
		      compare_addresses);
	for (size_t i = 0; i < addresses->count; i++)
		if (!kept || address_compare(&addresses->items[kept - 1], &addresses->items[i]))
			addresses->items[kept++] = addresses->items[i];
	addresses->count = kept;
}

static void lookup_finish(const struct lookup *lookup, const struct policy *policy)
{
	struct resolved_name *result = lookup->result;

	/* The least of all statuses, so that the questions decide. */
	result->status = RESOLVE_NXDOMAIN;
	for (int i = 0; i < FAMILIES; i++) {
		struct question *question = lookup->questions[i];
		const struct addresses *found = question_found(question);

		for (size_t j = 0; j < found->count; j++)
			addresses_add(address_is_pinnable(policy, &found->items[j])
					      ? &result->found
					      : &result->refused,
				      &found->items[j]);
		result->status = status_weightier(result->status, question_status(question));
		question_drop(question);
	}
	addresses_seal(&result->found);
	addresses_seal(&result->refused);
	if (result->status == RESOLVE_FOUND && !result->found.count)
		result->status = RESOLVE_SPECIAL;
}

/* Takes the lookups that are done, or with `all` every one, off the list; returns how many. */
static size_t sweep(struct lookups *lookups, uint64_t now, bool all)
{
	size_t kept = 0, swept;

	for (size_t i = 0; i < lookups->active_count; i++)
		if (all || lookup_is_done(&lookups->active[i], now))
			lookup_finish(&lookups->active[i], lookups->policy);
		else
			lookups->active[kept++] = lookups->active[i];
	swept = lookups->active_count - kept;
	lookups->active_count = kept;
	return swept;
}

static void look_after(const struct lookups *lookups, uint64_t now)
{
	for (size_t i = 0; i < lookups->active_count; i++)
		for (int j = 0; j < FAMILIES; j++)
			question_look_after(lookups->active[i].questions[j], now);
}

/* Names that were not begun when the time is over keep the status that they have. */
static void run(struct lookups *lookups, const struct lookup_settings *settings,
		struct resolved *resolved)
{
	uint64_t now = milliseconds_now(), end = now + settings->timeout_ms;
	uint64_t next_progress = now, next_look = now;
	unsigned tick_ms = settings->retry_ms / 4 + 1;
	size_t started = 0, open = resolved->count, swept;

	while (open && now < end) {
		while (started < resolved->count && lookups->active_count < settings->names_max)
			lookup_start(lookups, &resolved->items[started++]);
		if (now >= next_progress && settings->progress) {
			settings->progress(settings->context, open);
			next_progress = now + PROGRESS_MS;
		}
		swept = sweep(lookups, now, false);
		open -= swept;
		/* Where some are done others may begin before anybody waits. */
		if (!swept)
			asker_wait(lookups->asker,
				   end - now < tick_ms ? (unsigned)(end - now) : tick_ms);
		now = milliseconds_now();
		if (now >= next_look) {
			look_after(lookups, now);
			next_look = now + tick_ms;
		}
	}
	sweep(lookups, now, true);
}

bool lookup_names(const struct policy *policy, const char *const *names, size_t count,
		  const struct nameservers *servers, const struct lookup_settings *settings,
		  struct resolved *ret, struct err *err)
{
	struct lookups lookups = { .policy = policy };
	struct resolved resolved = { .count = count };

	if (!asker_open(servers, settings->retry_ms, &lookups.asker, err))
		return false;
	lookups.active = memory_allocate(settings->names_max, sizeof(*lookups.active));
	resolved.items = memory_allocate(count, sizeof(*resolved.items));
	for (size_t i = 0; i < count; i++) {
		resolved.items[i].name = memory_copy_string(names[i]);
		resolved.items[i].status = servers->count ? RESOLVE_TIMEOUT : RESOLVE_NO_SERVER;
	}
	run(&lookups, settings, &resolved);
	asker_close(lookups.asker);
	free(lookups.active);
	*ret = resolved;
	return true;
}
