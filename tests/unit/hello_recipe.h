/* hello_recipe.h: ClientHellos made to measure, good and bad. */
#ifndef EGRESSFW_TESTS_HELLO_RECIPE_H
#define EGRESSFW_TESTS_HELLO_RECIPE_H

#include "base/buffer.h"
#include "filter/client_hello.h"

/* Octets that may hold a NUL: OCTETS("..."). */
struct octets {
	const char *bytes;
	size_t length;
};
#define OCTETS(text) { text, sizeof(text) - 1 }

/* What is left zero is as a client of today has it: TLS 1.3, 32 octets of session, one record. */
struct recipe {
	const char *what;
	bool heads;               /* no hello: what the rows that follow are about */
	struct octets name;       /* server name; none where .bytes is NULL */
	struct octets name_data;  /* instead: the whole data of the extension */
	struct octets extensions; /* further ones, raw, in front of the server name */
	size_t key_share;         /* octets of the key in a key share, in front of the server name */
	size_t padding;           /* octets in a padding extension at the end; 0: none */
	size_t session;           /* octets of the session, plus one */
	size_t ciphers;           /* octets of cipher suites, plus one */
	size_t compressions;      /* the same */
	uint16_t version;         /* legacy_version */
	bool no_extensions;       /* the message ends behind the compressions */
	struct octets behind;     /* octets of the message behind the extensions */
	int length_off;           /* added to the length that the handshake header says */
	int extensions_off;       /* added to the length of the extensions */
	uint8_t message_type;     /* of the handshake message; 0: 1 */
	size_t fragment;          /* octets of the message in each record; 0: all, or 16384 */
	uint8_t record_type;      /* of every record; 0: 22 */
	uint8_t later_type;       /* of records behind the first; 0: the same */
	uint16_t record_version;  /* 0: 0x0301 */
	struct octets between;    /* octets of the stream behind the first record */
	struct octets raw;        /* instead of all this: the stream */
	size_t cut;               /* octets of the stream that are there; 0: all */
	struct octets after;      /* octets of the stream behind the hello */
	size_t limit;             /* 0: 32768 */

	enum hello_status status;
	enum hello_fault fault;   /* of HELLO_REFUSED */
	const char *read;         /* of HELLO_READ: the name */
	bool encrypted;
};

void recipe_make(const struct recipe *recipe, struct buffer *ret_stream);
size_t recipe_limit(const struct recipe *recipe);

/* The corpus: each with the answer that it must get. */
extern const struct recipe hello_corpus[];
extern const size_t hello_corpus_count;

#endif
