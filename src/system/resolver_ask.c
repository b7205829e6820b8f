/* resolver_ask.c: one question on its way to one server, and back exactly once. */
#include "system/resolver_ask.h"

#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

/* A number that can be guessed would let anybody answer: rather no resolver at all. */
static uint16_t random_id(void)
{
	uint16_t id;

	if (getentropy(&id, sizeof(id)) < 0)
		abort();
	return id;
}

void ask_server(struct question *question, size_t server)
{
	struct asker *asker = question->asker;
	struct ask *ask = memory_allocate(1, sizeof(*ask));
	struct buffer message __attribute__((cleanup(buffer_free))) = { 0 };

	*ask = (struct ask){
		.question = question,
		.round = question->round,
		.server = server,
		.edns = !asker->plain[server],
	};
	question->waiting++;
	question->travelling++;
	question->asked_ms = milliseconds_now();
	dns_question_write(random_id(), &question->name, question->family, ask->edns, &message);
	transport_send(asker->transport, server, ask->edns, message.data, message.length, ask);
}

void question_free_if_dropped(struct question *question)
{
	if (!question->dropped || question->travelling)
		return;
	free(question->found.items);
	free(question);
}

static void receive(void *context, enum transport_outcome outcome, const uint8_t *bytes,
		    size_t length)
{
	struct ask *ask = context;
	struct question *question = ask->question;

	if (outcome == TRANSPORT_ANSWER)
		question->asker->silent[ask->server] = false;
	if (ask->round == question->round && !question->done && !question->dropped) {
		question->waiting--;
		question_take(ask, outcome, bytes, length);
	}
	question->travelling--;
	free(ask);
	question_free_if_dropped(question);
}

bool asker_open(const struct nameservers *servers, unsigned retry_ms, struct asker **ret,
		struct err *err)
{
	struct transport *transport;

	if (!transport_open(servers, retry_ms, receive, &transport, err))
		return false;
	*ret = memory_allocate(1, sizeof(**ret));
	(*ret)->transport = transport;
	(*ret)->retry_ms = retry_ms;
	(*ret)->server_count = servers->count;
	return true;
}

void asker_close(struct asker *asker)
{
	transport_close(asker->transport);
	free(asker);
}

void asker_wait(struct asker *asker, unsigned timeout_ms)
{
	transport_wait(asker->transport, timeout_ms);
}

int asker_descriptor(const struct asker *asker)
{
	return transport_descriptor(asker->transport);
}
