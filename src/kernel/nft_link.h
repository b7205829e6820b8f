/*
 * nft_link.h: the netlink socket under nft.h: sending, bounded receiving, one request after
 * another.
 */
#ifndef EGRESSFW_KERNEL_NFT_LINK_H
#define EGRESSFW_KERNEL_NFT_LINK_H

#include "base/buffer.h"
#include "base/err.h"
#include "kernel/netlink.h"
#include "kernel/nft.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nft {
	int descriptor;
	unsigned timeout_ms;
	uint32_t sequence;  /* of the next message */
	size_t batch_limit; /* forced by a test; 0: what the socket can take */
	uint8_t *datagram;  /* what was received last */
};

/* The moment, in ms of a clock that does not jump, at which a wait that starts now must end. */
int64_t nft_deadline(const struct nft *nft);

/*
 * Receives one datagram of the kernel into nft->datagram. False: nothing came in time (*ret_errnum
 * ETIMEDOUT; with a deadline of 0 it does not wait), replies were lost (ENOBUFS), one was cut
 * (EMSGSIZE), or the socket failed.
 */
bool nft_receive(struct nft *nft, int64_t deadline, size_t *ret_length, int *ret_errnum);

/* Sends everything in one datagram; false with *ret_errnum. */
bool nft_send(struct nft *nft, const void *bytes, size_t length, int *ret_errnum);

/*
 * Raises the send buffer for a datagram of this length as far as it goes; returns what it takes at
 * most.
 */
size_t nft_raise_send_limit(struct nft *nft, size_t length);

/* Takes one message of the answer; false: it is malformed. */
typedef bool take_message(void *context, const struct netlink_message *message);

/* What NFT_MSG_`type` asks for: a table (NULL: any), and by type a chain or a set within it. */
struct request {
	uint16_t type;
	bool dump; /* all of them */
	uint8_t family;
	uint16_t table_attribute;
	const char *table;
	uint16_t name_attribute; /* 0: no name */
	const char *name;
};

/*
 * Sends the request and gives every message of the answer to `take`, until it is complete. False:
 * *ret_errnum is the kernel's error number (ENOENT: no such object) or the socket's, EINTR an
 * answer that a change interrupted, EBADMSG one that is malformed.
 */
bool nft_ask(struct nft *nft, const struct request *request, take_message *take, void *context,
	     int *ret_errnum, struct err *err);

/* nft_generation(), with the error number too. */
bool nft_ask_generation(struct nft *nft, uint32_t *ret, int *ret_errnum, struct err *err);

/*
 * What an NLMSG_ERROR message says: the error number (0: an acknowledgement) and the kernel's own
 * sentence, or "".
 */
bool netlink_error(const struct netlink_message *message, int *ret_errnum, char *ret_text,
		   size_t size);

#endif
