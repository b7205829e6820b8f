/* hello_watch.h: watches a TLS handshake for a second hello, which must repeat the first one's name. */
#ifndef EGRESSFW_FILTER_HELLO_WATCH_H
#define EGRESSFW_FILTER_HELLO_WATCH_H

#include "filter/client_hello.h"

/*
 * Theory of operation. A server may ask for another hello (HelloRetryRequest, RFC 8446, section
 * 4.1.4), and the second must be the first but for a few extensions (section 4.1.2); a client that
 * changes the name relies on a server that does not look. Records of the client are followed, with
 * early data and the like let through, until a hello comes, or until either side shows that none
 * can come: the server's first message is no HelloRetryRequest, or the client goes on with another
 * handshake message. Most handshakes are settled by the first 43 octets of the server, before the
 * client has sent anything more. Octets of a hello are held back until it is judged.
 */

enum watch_status {
	WATCH_ON,      /* go on giving octets of both sides */
	WATCH_OVER,    /* nothing more to see: both sides may be relayed unseen */
	WATCH_REFUSED, /* close the tunnel: *ret_fault is set */
};

enum { WATCH_SERVER_PREFIX = 43 }; /* record header, handshake header, version, random */

struct hello_watch {
	char name[HOST_TEXT_SIZE]; /* of the first hello, which the second must have */
	enum watch_status status;
	struct hello_reader reader; /* of the second hello */
	size_t skip;                /* octets of a record that are still to be let through */
	uint8_t server[WATCH_SERVER_PREFIX];
	size_t server_length;
};

/* Begins behind the first hello. `limit` is that of hello_reader_start(). */
void hello_watch_start(struct hello_watch *watch, const struct client_hello *first, size_t limit);
void hello_watch_free(struct hello_watch *watch);

/*
 * Octets of the client behind the first hello: `unsent` are those that have not been passed on, the
 * held back ones first. *ret_pass is how many of them may be passed on now; with WATCH_REFUSED,
 * none.
 */
enum watch_status hello_watch_client(struct hello_watch *watch, const uint8_t *unsent,
				     size_t length, size_t *ret_pass, enum hello_fault *ret_fault);

/* New octets of the server, before they are passed on; all of them may be. */
enum watch_status hello_watch_server(struct hello_watch *watch, const uint8_t *octets,
				     size_t length);

#endif
