/* client_hello.h: the name that a TLS client asks for, read from the first octets of its stream. */
#ifndef EGRESSFW_FILTER_CLIENT_HELLO_H
#define EGRESSFW_FILTER_CLIENT_HELLO_H

#include "base/buffer.h"
#include "policy/url.h"

/* The types of records (RFC 8446, section 5.1). A stream that is TLS begins with a handshake. */
enum { TLS_CHANGE_CIPHER_SPEC = 20, TLS_ALERT, TLS_HANDSHAKE, TLS_APPLICATION_DATA };
enum {
	TLS_RECORD_HEADER_SIZE = 5,
	TLS_HANDSHAKE_HEADER_SIZE = 4,
	TLS_FRAGMENT_MAX = 1 << 14,
};

enum hello_status {
	HELLO_MORE,    /* nothing is known yet, and what is there does not contradict */
	HELLO_READ,    /* a whole hello was read; whether its name suits is hello_suits() */
	HELLO_REFUSED, /* this is no hello that anybody may send */
};

/* Why a stream is closed. hello_fault_name() is the word for the log. */
enum hello_fault {
	HELLO_NOT_TLS,        /* the first octets are no handshake record */
	HELLO_TOO_LARGE,      /* it did not, or will not, end within the limit */
	HELLO_MALFORMED,      /* the message breaks the rules of RFC 8446, section 4.1.2 */
	HELLO_NOT_A_HELLO,    /* another handshake message, or a record of another kind in it */
	HELLO_NAME_MALFORMED, /* the server name is no LDH name, or holds a NUL */
	HELLO_NAME_ADDRESS,   /* the server name is some spelling of an address */
	HELLO_NAME_REPEATED,  /* more than one name, or a name of an unknown kind */
	HELLO_NAME_MISSING,   /* a name was asked for by CONNECT, and none is in the hello */
	HELLO_NAME_OTHER,     /* the server name is not the one that was asked for */
	HELLO_SECOND_NAME,    /* the second hello has another name than the first */
};
const char *hello_fault_name(enum hello_fault fault);

struct client_hello {
	char name[HOST_TEXT_SIZE]; /* normal form (policy/host.h); "" where it has none */
	size_t length;             /* octets of the stream that are the hello and its records */
	/*
	 * Encrypted Client Hello is offered, truly or as a decoy (GREASE): nobody but the server
	 * can tell, and browsers always send one or the other. The outer name is the one in `name`,
	 * and the one that is judged; a name inside cannot be seen.
	 */
	bool encrypted;
};

/*
 * Where reading stands. Remembers what it has read, so that a hello in single octets costs no more.
 */
struct hello_reader {
	size_t limit;
	size_t position;      /* in the stream */
	size_t fragment_left; /* of the record that `position` stands in */
	struct buffer message;
};

/* `limit`: octets of the stream, record headers included, within which the hello must end. */
void hello_reader_start(struct hello_reader *reader, size_t limit);
void hello_reader_free(struct hello_reader *reader);

/*
 * Goes on reading. `stream` is everything from the hello's first octet on, at least what was given
 * before. HELLO_READ: *ret is set, and what follows ret->length in the stream is not looked at.
 * HELLO_REFUSED: *ret_fault is set. Records may cut the hello anywhere (RFC 8446, section 5.1),
 * empty ones and those of other kinds excepted; another handshake message behind the hello in one
 * record is refused, as is an extension that comes twice. Server name: RFC 6066, section 3.
 */
enum hello_status hello_read(struct hello_reader *reader, const uint8_t *stream, size_t length,
			     struct client_hello *ret, enum hello_fault *ret_fault);

/*
 * Whether the hello may go to the target of CONNECT: the same name for a name, none for an address.
 * False: *ret_fault is set.
 */
bool hello_suits(const struct client_hello *hello, const struct target *target,
		 enum hello_fault *ret_fault);

#endif
