/* hello_message.h: one ClientHello message: its shape and its server name. */
#ifndef EGRESSFW_FILTER_HELLO_MESSAGE_H
#define EGRESSFW_FILTER_HELLO_MESSAGE_H

#include "filter/client_hello.h"

enum { HANDSHAKE_CLIENT_HELLO = 1, HANDSHAKE_SERVER_HELLO = 2 };

/*
 * Reads a handshake message, header included, that says of itself that it is a ClientHello and has
 * the length that it says (RFC 8446, section 4.1.2). Sets all of *ret but its length. False:
 * *ret_fault is set.
 */
bool hello_message_read(const uint8_t *message, size_t length, struct client_hello *ret,
			enum hello_fault *ret_fault);

#endif
