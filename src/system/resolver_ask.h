/* resolver_ask.h: one question on its way to one server, and back exactly once. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_ASK_H
#define EGRESSFW_SYSTEM_RESOLVER_ASK_H

#include "system/resolver_message.h"
#include "system/resolver_question.h"
#include "system/resolver_transport.h"

/*
 * Theory of operation. Each time that a question asks a server, an `ask` travels through the
 * transport and comes back exactly once. When the question goes on to the target of an alias, a new
 * round begins, and asks of earlier rounds are ignored when they come back. A question that was
 * dropped is freed when the last of its asks is back.
 */
struct question {
	struct asker *asker;
	enum family family;
	struct dns_name name; /* as asked for, then the targets of its aliases */
	unsigned aliases;
	unsigned round;
	size_t asked;      /* servers asked in this round */
	size_t waiting;    /* asks of this round that are not back */
	size_t travelling; /* asks of all rounds that are not back */
	uint64_t begun_ms, asked_ms;
	bool done, dropped;
	uint32_t ttl;
	enum resolve_status failure; /* of the servers that failed, what says most */
	bool denied;                 /* a later server said that there are no addresses: denial */
	enum resolve_status status, denial;
	struct addresses found;
};

struct asker {
	struct transport *transport;
	unsigned retry_ms;
	size_t server_count;
	bool plain[NAMESERVERS_MAX];  /* does not understand EDNS */
	bool silent[NAMESERVERS_MAX]; /* was too late: the next one is asked together with it */
};

struct ask {
	struct question *question;
	unsigned round;
	size_t server;
	bool edns;
};

/* Sends the question to the server; question_take() is called when it is back. */
void ask_server(struct question *question, size_t server);

/*
 * In resolver_question.c: what comes of an ask of this round, of a question that still wants to
 * know.
 */
void question_take(const struct ask *ask, enum transport_outcome outcome, const uint8_t *bytes,
		   size_t length);

/* Frees a question that was dropped, once nothing of it is travelling. */
void question_free_if_dropped(struct question *question);

#endif
