/* request_corpus.h: requests as they come over the wire, and what each must be answered. */
#ifndef EGRESSFW_TESTS_REQUEST_CORPUS_H
#define EGRESSFW_TESTS_REQUEST_CORPUS_H

#include "hello_recipe.h"

/* allowed_hosts of the policy under which the corpus stands; the mode is allowlist. */
#define CORPUS_ALLOWED                                                                             \
	"\"allowed.test\",\"*.wild.test\",\"port.test:8080\",\"61000047.r.h.test\","               \
	"\"xn--bcher-kva.test\",\"203.0.113.5\",\"2001:db8:1::5\",\"a.test:22\""
/* limits.header_bytes */
enum { CORPUS_HEADER_BYTES = 8192 };

struct request_row {
	const char *what;
	bool heads;            /* no request: what the rows that follow are about */
	const char *tunnel;    /* CONNECT target within which the stream is sent; NULL: none */
	struct octets stream;  /* from here; its last octet, `times` over; then `end` */
	size_t times;
	const char *end;
	/*
	 * The status of each answer, in order, where the server answers 200 to everything. What comes
	 * behind a status that closes the connection has none. "-": none at all, the head is not whole.
	 */
	const char *answers;
	const char *sent; /* what the server sees of all requests; NULL: not compared */
};

extern const struct request_row request_corpus[];
extern const size_t request_corpus_count;

void request_row_make(const struct request_row *row, struct buffer *ret_stream);

#endif
