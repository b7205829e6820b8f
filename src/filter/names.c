/* names.c: names to addresses within the event loop, remembered for as long as their servers say. */
#include "filter/names.h"

#include "base/memory.h"
#include "base/text.h"
#include "system/resolver_question.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	FAMILIES = 2,
	RETRY_MS = 300,
	TICK_MS = RETRY_MS / 4,
	BUCKETS = 1024,
	REMEMBERED_MAX = 1024,
	/*
	 * Each is looked after whenever one of them has news, and goes on to be asked for when
	 * nobody waits for it any more.
	 */
	OPEN_MAX = 2048,
	REMEMBER_S_MAX = 300, /* however long a server says */
};

/* One name, asked for or known. */
struct known_name {
	LIST_ENTRY(known_name) bucket;
	TAILQ_ENTRY(known_name) queue; /* of the open ones, or of the known ones, oldest first */
	LIST_HEAD(, name_wait) waits;
	struct share *share; /* of whoever asked, while it is open */
	struct question *questions[FAMILIES];
	bool told[FAMILIES]; /* the waits know that this family is done */
	bool open, stale;
	uint64_t until_ms;
	char name[HOST_TEXT_SIZE];
};

struct name_wait {
	LIST_ENTRY(name_wait) entry;
	struct known_name *known;
	struct names *names;
	struct event *wake;
};

struct names {
	struct asker *asker;
	struct event *readable, *tick;
	LIST_HEAD(, known_name) buckets[BUCKETS];
	TAILQ_HEAD(, known_name) open, remembered;
	size_t remembered_count, open_count;
};

static void forget(struct known_name *known)
{
	for (int i = 0; i < FAMILIES; i++)
		question_drop(known->questions[i]);
	LIST_REMOVE(known, bucket);
	free(known);
}

/* Nobody new may take it; whoever waits keeps it. */
static void retire(struct names *names, struct known_name *known)
{
	TAILQ_REMOVE(&names->remembered, known, queue);
	names->remembered_count--;
	known->stale = true;
	if (LIST_EMPTY(&known->waits))
		forget(known);
}

/* A family that stays silent is given up earlier once the other one was found. */
static bool is_over(const struct known_name *known, int family, uint64_t now)
{
	const struct question *question = known->questions[family];
	const struct question *other = known->questions[FAMILIES - 1 - family];

	return question_is_done(question) ||
	       (question_found(other)->count && question_age(question, now) >= QUESTION_PATIENCE);
}

/* For how long it may be used: what was not found, not at all. */
static uint64_t life_ms(const struct known_name *known)
{
	uint32_t seconds = REMEMBER_S_MAX;
	bool found = false;

	for (int i = 0; i < FAMILIES; i++) {
		const struct question *question = known->questions[i];

		if (!question_found(question)->count)
			continue;
		found = true;
		if (question_ttl(question) < seconds)
			seconds = question_ttl(question);
	}
	return found ? (uint64_t)seconds * 1000 : 0;
}

static void close_known(struct names *names, struct known_name *known, uint64_t now)
{
	TAILQ_REMOVE(&names->open, known, queue);
	names->open_count--;
	known->open = false;
	known->share->lookups--;
	share_less(known->share);
	known->share = NULL;
	known->until_ms = now + life_ms(known);
	TAILQ_INSERT_TAIL(&names->remembered, known, queue);
	names->remembered_count++;
	if (known->until_ms == now)
		retire(names, known);
	if (names->remembered_count > REMEMBERED_MAX)
		retire(names, TAILQ_FIRST(&names->remembered));
}

static void tell(struct known_name *known)
{
	struct name_wait *wait;

	LIST_FOREACH (wait, &known->waits, entry)
		event_active(wait->wake, EV_TIMEOUT, 0);
}

static void look_after(struct names *names)
{
	struct known_name *known, *next;
	uint64_t now = milliseconds_now();

	for (known = TAILQ_FIRST(&names->open); known; known = next) {
		bool over = true;

		next = TAILQ_NEXT(known, queue);
		for (int i = 0; i < FAMILIES; i++) {
			question_look_after(known->questions[i], now);
			if (!is_over(known, i, now)) {
				over = false;
			} else if (!known->told[i]) {
				known->told[i] = true;
				tell(known);
			}
		}
		if (over)
			close_known(names, known, now);
	}
	if (TAILQ_EMPTY(&names->open))
		event_del(names->tick);
}

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct names *names = context;

	(void)descriptor;
	(void)what;
	asker_wait(names->asker, 0);
	look_after(names);
}

static struct known_name *find(struct names *names, const char *name)
{
	struct known_name *known;
	uint64_t now = milliseconds_now();

	LIST_FOREACH (known, &names->buckets[text_hash(name) % BUCKETS], bucket)
		if (!known->stale && !strcmp(known->name, name))
			break;
	if (known && !known->open && known->until_ms <= now) {
		retire(names, known);
		return NULL;
	}
	return known;
}

static struct known_name *ask(struct names *names, struct share *share, const char *name)
{
	static const struct timeval tick = { .tv_usec = TICK_MS * 1000 };
	struct known_name *known = memory_allocate(1, sizeof(*known));

	snprintf(known->name, sizeof(known->name), "%s", name);
	LIST_INIT(&known->waits);
	known->open = true;
	known->share = share;
	share->lookups++;
	for (int i = 0; i < FAMILIES; i++)
		known->questions[i] = question_start(names->asker, name, (enum family)i);
	LIST_INSERT_HEAD(&names->buckets[text_hash(name) % BUCKETS], known, bucket);
	if (TAILQ_EMPTY(&names->open))
		event_add(names->tick, &tick);
	TAILQ_INSERT_TAIL(&names->open, known, queue);
	names->open_count++;
	return known;
}

struct name_wait *names_wait(struct names *names, struct share *share, const char *name,
			     struct event *wake)
{
	struct known_name *known = find(names, name);
	struct name_wait *wait;

	if (!known && !share_may(share->lookups, names->open_count, OPEN_MAX))
		return NULL;
	wait = memory_allocate(1, sizeof(*wait));
	wait->known = known ? known : ask(names, share, name);
	wait->names = names;
	wait->wake = wake;
	LIST_INSERT_HEAD(&wait->known->waits, wait, entry);
	event_active(wake, EV_TIMEOUT, 0);
	return wait;
}

void names_drop(struct name_wait *wait)
{
	struct known_name *known = wait->known;

	LIST_REMOVE(wait, entry);
	free(wait);
	if (known->stale && LIST_EMPTY(&known->waits))
		forget(known);
}

bool names_known(const struct name_wait *wait, enum family family, const struct addresses **ret)
{
	*ret = question_found(wait->known->questions[family]);
	return is_over(wait->known, (int)family, milliseconds_now());
}

enum resolve_status names_status(const struct name_wait *wait)
{
	struct question *const *questions = wait->known->questions;

	return status_weightier(
		status_weightier(RESOLVE_NXDOMAIN, question_status(questions[FAMILY_IPV4])),
		question_status(questions[FAMILY_IPV6]));
}

bool names_open(struct event_base *base, const struct address_ports *servers, struct names **ret,
		struct err *err)
{
	struct names *names = memory_allocate(1, sizeof(*names));
	struct nameservers asked = { .count = 0 };

	for (size_t i = 0; i < servers->count && i < NAMESERVERS_MAX; i++)
		asked.items[asked.count++] = (struct nameserver){
			.address = servers->items[i].address,
			.port = servers->items[i].port,
		};
	if (!asker_open(&asked, RETRY_MS, &names->asker, err)) {
		free(names);
		return false;
	}
	TAILQ_INIT(&names->open);
	TAILQ_INIT(&names->remembered);
	names->readable = event_new(base, asker_descriptor(names->asker), EV_READ | EV_PERSIST,
				    on_readable, names);
	names->tick = event_new(base, -1, EV_PERSIST, on_readable, names);
	if (!names->readable || !names->tick || event_add(names->readable, NULL))
		memory_exhausted();
	*ret = names;
	return true;
}

void names_close(struct names *names)
{
	struct known_name *known;

	while ((known = TAILQ_FIRST(&names->open)))
		close_known(names, known, 0);
	while ((known = TAILQ_FIRST(&names->remembered)))
		retire(names, known);
	event_free(names->readable);
	event_free(names->tick);
	asker_close(names->asker);
	free(names);
}
