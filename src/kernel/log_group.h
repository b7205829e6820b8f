/* log_group.h: refused packets as the kernel reports them on its log group (nfnetlink_log). */
#ifndef EGRESSFW_KERNEL_LOG_GROUP_H
#define EGRESSFW_KERNEL_LOG_GROUP_H

#include "base/address.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_record {
	char prefix[64];
	bool has_uid;
	uint32_t uid;
	struct address source, destination;
	uint8_t protocol;
	bool has_ports;
	uint16_t source_port, destination_port;
	uint16_t length;    /* of the packet, bytes */
	uint64_t time_us;   /* since the epoch; 0: the kernel gave none */
	uint32_t out_index; /* of the interface; 0 where unknown */
	char out_interface
		[16]; /* its name, "" where unknown; log_record_decode() leaves it empty */
};

struct log_group;

/*
 * Binds to the group of this network namespace, alone (EBUSY where somebody else has it:
 * *ret_busy), each packet delivered at once, copying the headers only. Needs CAP_NET_ADMIN in
 * effect. The binding ends with log_group_close().
 */
bool log_group_open(uint16_t group, struct log_group **ret, bool *ret_busy, struct err *err);
void log_group_close(struct log_group *log);

/* The descriptor to poll for reading. */
int log_group_descriptor(const struct log_group *log);

/*
 * The next record within timeout_ms (-1: no limit). *ret_some false: none came. Records that the
 * kernel could not deliver are added to *lost.
 */
bool log_group_read(struct log_group *log, int timeout_ms, struct log_record *ret, bool *ret_some,
		    uint64_t *lost, struct err *err);

/* Decodes one NFULNL_MSG_PACKET message; pure. False: malformed, or no IP packet. */
bool log_record_decode(const void *message, size_t length, struct log_record *ret);

#endif
