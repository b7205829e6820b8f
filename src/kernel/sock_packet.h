/* sock_packet.h: the packet that a socket would send. */
#ifndef EGRESSFW_KERNEL_SOCK_PACKET_H
#define EGRESSFW_KERNEL_SOCK_PACKET_H

#include "plan/judge.h"

#include <linux/inet_diag.h>
#include <stdint.h>

/*
 * A packet of data that its owner would send by it. A connection on loopback goes out by "lo", and
 * so does one between this host's own addresses where both ends have the same.
 */
struct packet sock_packet(uint8_t protocol, const struct inet_diag_msg *socket);

#endif
