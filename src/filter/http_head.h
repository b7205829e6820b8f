/* http_head.h: the head of a request or an answer: its lines, its fields, and how its body is framed. */
#ifndef EGRESSFW_FILTER_HTTP_HEAD_H
#define EGRESSFW_FILTER_HTTP_HEAD_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Everything here is stricter than RFC 9112 asks: what two readers could take for two things is
 * refused, since the server behind the filter may be the other reader. A line ends in CRLF; a CR, a
 * NUL or another control character (TAB in a value excepted) stands nowhere else; no line is
 * folded; nothing stands between a field's name and its colon; the request line has single blanks;
 * there is one length of the body, or chunks, and never both.
 */

enum {
	HTTP_FIELDS_MAX = 256, /* of a head, and of the trailers behind a body */
	HTTP_NAMED_MAX = 64,   /* fields that Connection may name */
};

enum http_kind { HTTP_KIND_REQUEST, HTTP_KIND_ANSWER };

/*
 * Why a message is refused: the status to answer (of an answer that came: 502), a constant
 * sentence.
 */
struct http_fault {
	unsigned status;
	const char *reason;
};

/* Sets the fault; false. */
bool http_fault_set(struct http_fault *fault, unsigned status, const char *reason);

/* A view into the head's octets; not NUL-terminated. */
struct http_text {
	const char *text;
	size_t length;
};

struct http_field {
	struct http_text name, value; /* the value without blanks around it */
};

enum http_body {
	HTTP_BODY_NONE,
	HTTP_BODY_LENGTH, /* Content-Length, more than zero */
	HTTP_BODY_CHUNKED,
	HTTP_BODY_UNTIL_CLOSE, /* of answers alone */
};

struct http_head {
	enum http_kind kind;
	struct buffer octets; /* what the views look at */
	struct http_text method, target;
	unsigned status; /* of an answer */
	struct http_text phrase;
	unsigned minor; /* HTTP/1.minor, 0 or 1 */
	struct http_field *fields;
	size_t count;
	/*
	 * What Connection lists, looked for once: each field is compared with each of them. One
	 * more than HTTP_NAMED_MAX stands for any number beyond.
	 */
	struct http_text *named;
	size_t named_count;
	enum http_body body;
	bool has_length; /* Content-Length is there, which of an answer to HEAD is no body */
	uint64_t length;
};

/*
 * Reads a whole head: `octets` ends with the first empty line, and is given away to *ret. Answers:
 * `to_head` says that the request was HEAD, so that there is no body. False: *ret_fault is set and
 * the octets are freed.
 */
bool http_head_read(enum http_kind kind, struct buffer *octets, bool to_head, struct http_head *ret,
		    struct http_fault *ret_fault);
void http_head_free(struct http_head *head);

/*
 * The first field of that name, which is in lower case, behind `after` (NULL: the first); or NULL.
 */
const struct http_field *http_head_find(const struct http_head *head, const char *name,
					const struct http_field *after);

/* Whether the text is that word, without regard to case. */
bool http_text_is(struct http_text text, const char *word);

/* A copy with NUL; the caller frees it. */
char *http_text_copy(struct http_text text);

/*
 * The next element of a comma-separated list (RFC 9110, section 5.6.1), blanks around it left out;
 * empty ones are skipped. False at the end. *rest begins as the field's value.
 */
bool http_list_next(struct http_text *rest, struct http_text *ret);

/* Whether the word is in the lists of all fields of that name. */
bool http_head_lists(const struct http_head *head, const char *name, const char *word);

#endif
