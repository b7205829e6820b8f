/* answer.h: the filter's own answers, complete; pure. */
#ifndef EGRESSFW_FILTER_ANSWER_H
#define EGRESSFW_FILTER_ANSWER_H

#include "base/buffer.h"
#include "filter/http_head.h"
#include "filter/settings.h"
#include "policy/decide.h"

/* How the answer ends: whether the connection goes on, and whether a body may follow (HEAD: no). */
struct answer_form {
	bool keep_alive;
	bool head_only;
};

/* A denial by policy: 403 with the decision and its rule, or with DENIAL_HIDDEN 404 without. */
void answer_denied(enum denial denial, const struct decision *decision, struct answer_form form,
		   struct buffer *out);

/* 400, 408, 431, 501, 502, 503, 504: what is wrong is no policy. `reason` is a short sentence. */
void answer_failed(unsigned status, const char *reason, struct answer_form form,
		   struct buffer *out);

/* 204: whoever asks whether the filter answers has an answer. The connection ends with it. */
void answer_checked(struct buffer *out);

/*
 * 503 to the same question: requests are refused, since the decision log cannot be written. `cause`
 * is for a field, and what the asker may know of it.
 */
void answer_unlogged(const char *cause, const char *reason, struct buffer *out);

/*
 * To a request that may not be passed on (Max-Forwards): of TRACE what was received, without the
 * fields that are secret (RFC 9110, section 9.3.8), to OPTIONS 204.
 */
void answer_final(const struct http_head *head, struct answer_form form, struct buffer *out);
unsigned answer_final_status(const struct http_head *head);

/* The status that answer_denied() answers with. */
unsigned answer_denied_status(enum denial denial);

#endif
