/* nft_match_value.h: what matches compare with, and the dependencies that they bring. */
#ifndef EGRESSFW_KERNEL_NFT_MATCH_VALUE_H
#define EGRESSFW_KERNEL_NFT_MATCH_VALUE_H

#include "kernel/nft_statement.h"

/* Numbers by which nft(8) calls the types of anonymous sets. */
enum { NFT_TYPE_PROTOCOL = 12, NFT_TYPE_PORT = 13, NFT_TYPE_ICMP = 14, NFT_TYPE_ICMPV6 = 29 };
enum { PORT_WIDTH = 2 };

/*
 * "meta nfproto ipv4" and "meta l4proto tcp", unless the context knows them. False: the context
 * says otherwise.
 */
bool need_family(struct rule_context *context, enum family family, struct expressions *out,
		 struct err *err);
bool need_protocol(struct rule_context *context, uint8_t protocol, struct expressions *out,
		   struct err *err);

/*
 * Of the loaded register: == VALUE, or { VALUE, VALUE }; and the same for ports and their ranges.
 */
bool match_bytes(const struct statement *statement, uint32_t key_type, uint32_t byte_order,
		 struct expressions *out, struct err *err);
bool compare_ports(const struct rangeset *ports, struct expressions *out, struct err *err);

#endif
