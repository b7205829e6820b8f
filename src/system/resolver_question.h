/* resolver_question.h: one family of one name, asked of the servers until one answers. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_QUESTION_H
#define EGRESSFW_SYSTEM_RESOLVER_QUESTION_H

#include "base/err.h"
#include "plan/resolved.h"
#include "system/resolver_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The servers are asked in their order: the next one as soon as one fails or refuses, and beside
 * one that is silent for retry_ms. Addresses count from whoever sends them first. That there are
 * none is believed at once from the first server only; from a later one when the earlier ones have
 * answered too, or had time for three tries: a slow private server knows names that a public one
 * does not.
 */
struct asker;
struct question;

bool asker_open(const struct nameservers *servers, unsigned retry_ms, struct asker **ret,
		struct err *err);
/* All questions must have been dropped. */
void asker_close(struct asker *asker);

/* Waits for answers, at most timeout_ms. */
void asker_wait(struct asker *asker, unsigned timeout_ms);

/* Readable (poll(2)) when asker_wait() has something to do. The asker's own. */
int asker_descriptor(const struct asker *asker);

/* Begins to ask. The caller drops the question in the end. */
struct question *question_start(struct asker *asker, const char *name, enum family family);

/* What is due by the clock; to be called often. */
void question_look_after(struct question *question, uint64_t now_ms);

bool question_is_done(const struct question *question);
/* How long it has been asked for, in units of retry_ms. */
uint64_t question_age(const struct question *question, uint64_t now_ms);

/* The status; of one that is not done, what is to be said of it if nothing more comes. */
enum resolve_status question_status(const struct question *question);

/* As they came, perhaps repeated; empty unless the status is RESOLVE_FOUND. */
const struct addresses *question_found(const struct question *question);

/* For how many seconds it may be used, where it was found. */
uint32_t question_ttl(const struct question *question);

/* Answers that still come are ignored. */
void question_drop(struct question *question);

/*
 * Of two statuses the one that says more: found, a server's failure, silence, none that can be
 * reached, no server, no address, no name.
 */
enum resolve_status status_weightier(enum resolve_status one, enum resolve_status other);

/* Monotonic. */
uint64_t milliseconds_now(void);

/* 1 + 2 + 4 times retry_ms: three tries. */
enum { QUESTION_PATIENCE = 7 };

#endif
