/* resolver_question.c: one family of one name, asked of the servers until one answers. */
#include "system/resolver_ask.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

uint64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

enum resolve_status status_weightier(enum resolve_status one, enum resolve_status other)
{
	static const int weights[] = {
		[RESOLVE_FOUND] = 9,     [RESOLVE_NO_ADDRESS] = 1,  [RESOLVE_NXDOMAIN] = 0,
		[RESOLVE_NO_SERVER] = 2, [RESOLVE_UNREACHABLE] = 3, [RESOLVE_TIMEOUT] = 4,
		[RESOLVE_MALFORMED] = 5, [RESOLVE_REFUSED] = 6,     [RESOLVE_SERVFAIL] = 7,
		[RESOLVE_SPECIAL] = 8,
	};

	static_assert(sizeof(weights) / sizeof(*weights) == RESOLVE_STATUSES,
		      "a status has no weight");
	return weights[other] > weights[one] ? other : one;
}

static void conclude(struct question *question, enum resolve_status status)
{
	question->status = status;
	question->done = true;
}

static bool has_server_left(const struct question *question)
{
	return question->asked < question->asker->server_count;
}

/* Asks the next server, and the one behind it if that one has been silent. */
static void ask_next(struct question *question)
{
	unsigned round = question->round;
	size_t server;

	do {
		server = question->asked++;
		ask_server(question, server);
	} while (question->asker->silent[server] && has_server_left(question) && !question->done &&
		 question->round == round);
}

static void begin_round(struct question *question)
{
	question->round++;
	question->asked = 0;
	question->waiting = 0;
	question->denied = false;
	question->failure = RESOLVE_NO_SERVER;
	ask_next(question);
}

/* Whether another server can still say something else. */
static void conclude_if_last(struct question *question)
{
	if (!question->waiting && !question->done && !has_server_left(question))
		conclude(question, question_status(question));
}

static void failed(struct question *question, enum resolve_status status)
{
	question->failure = status_weightier(question->failure, status);
	if (has_server_left(question))
		ask_next(question);
	conclude_if_last(question);
}

static void denied(struct question *question, size_t server, enum resolve_status status)
{
	if (server == 0) {
		conclude(question, status);
		return;
	}
	question->denial = question->denied ? status_weightier(question->denial, status) : status;
	question->denied = true;
	if (!question->waiting)
		conclude(question, question->denial);
}

static void follow_alias(struct question *question, const struct dns_answer *answer)
{
	question->aliases += answer->aliases;
	question->ttl = answer->ttl < question->ttl ? answer->ttl : question->ttl;
	if (question->aliases > DNS_ALIASES_MAX) {
		conclude(question, RESOLVE_MALFORMED);
		return;
	}
	question->name = answer->target;
	begin_round(question);
}

static void judge_answer(const struct ask *ask, struct dns_answer *answer)
{
	struct question *question = ask->question;

	switch (answer->status) {
	case RESOLVE_FOUND:
		if (answer->unfinished) {
			follow_alias(question, answer);
			break;
		}
		question->found = answer->found;
		question->ttl = answer->ttl < question->ttl ? answer->ttl : question->ttl;
		answer->found = (struct addresses){ 0 };
		conclude(question, RESOLVE_FOUND);
		break;
	case RESOLVE_NXDOMAIN:
	case RESOLVE_NO_ADDRESS:
		denied(question, ask->server, answer->status);
		break;
	case RESOLVE_SERVFAIL:
	case RESOLVE_REFUSED:
	case RESOLVE_MALFORMED:
	case RESOLVE_TIMEOUT:
	case RESOLVE_SPECIAL:
	case RESOLVE_NO_SERVER:
	case RESOLVE_UNREACHABLE:
	case RESOLVE_STATUSES:
		if (ask->edns && answer->refuses_edns) {
			question->asker->plain[ask->server] = true;
			ask_server(question, ask->server);
			break;
		}
		failed(question, answer->status);
		break;
	}
}

void question_take(const struct ask *ask, enum transport_outcome outcome, const uint8_t *bytes,
		   size_t length)
{
	struct question *question = ask->question;
	struct dns_answer answer;

	switch (outcome) {
	case TRANSPORT_TIMEOUT:
		failed(question, RESOLVE_TIMEOUT);
		break;
	case TRANSPORT_UNREACHABLE:
		failed(question, RESOLVE_UNREACHABLE);
		break;
	case TRANSPORT_ANSWER:
		dns_answer_read(bytes, length, &question->name, question->family, &answer);
		judge_answer(ask, &answer);
		free(answer.found.items);
		break;
	}
}

struct question *question_start(struct asker *asker, const char *name, enum family family)
{
	struct question *question = memory_allocate(1, sizeof(*question));

	question->asker = asker;
	question->family = family;
	question->begun_ms = milliseconds_now();
	question->ttl = UINT32_MAX;
	if (!dns_name_from_text(name, &question->name))
		conclude(question, RESOLVE_MALFORMED);
	else if (!asker->server_count)
		conclude(question, RESOLVE_NO_SERVER);
	else
		begin_round(question);
	return question;
}

void question_look_after(struct question *question, uint64_t now_ms)
{
	struct asker *asker = question->asker;

	if (question->done)
		return;
	if (question->denied) {
		if (question_age(question, now_ms) >= QUESTION_PATIENCE)
			conclude(question, question->denial);
	} else if (has_server_left(question) && now_ms - question->asked_ms >= asker->retry_ms) {
		asker->silent[question->asked - 1] = true;
		ask_next(question);
	}
}

bool question_is_done(const struct question *question)
{
	return question->done;
}

uint64_t question_age(const struct question *question, uint64_t now_ms)
{
	return (now_ms - question->begun_ms) / question->asker->retry_ms;
}

enum resolve_status question_status(const struct question *question)
{
	if (question->done)
		return question->status;
	if (question->denied)
		return question->denial;
	/* While a server has not said anything, silence is the least that there is to report. */
	return question->waiting ? status_weightier(question->failure, RESOLVE_TIMEOUT)
				 : question->failure;
}

const struct addresses *question_found(const struct question *question)
{
	return &question->found;
}

uint32_t question_ttl(const struct question *question)
{
	return question->ttl;
}

void question_drop(struct question *question)
{
	question->dropped = true;
	question_free_if_dropped(question);
}
