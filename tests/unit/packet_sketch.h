/* packet_sketch.h: packets in one line, for the tests of the judge. */
#ifndef EGRESSFW_TESTS_PACKET_SKETCH_H
#define EGRESSFW_TESTS_PACKET_SKETCH_H

#include "ruleset_fixture.h"

#include "plan/judge.h"

#include <netinet/in.h>

enum { USER = 1500, SUBORDINATE = 165535, OTHER = 1000, NOBODY = -1 };
enum { FIN = 0x01, SYN = 0x02, RST = 0x04, ACK = 0x10 };
enum {
	TO_LO = 1,
	REPLY = 2,
	UNTRACKED = 4,
	MARKED = 8,
	LOCAL = 16,
	PUBLISHED = 32, /* the mark */
	FROM_8080 = 64,
	FIRST = 128,
	SPOOFED = 256, /* the source is not this host's */
	FROM_53 = 512, /* nat turned port 53 into another one */
	FROM_3128 = 1024,
};

/* A packet in short: who sent it, where to, what; type and flags share a field. */
struct sketch {
	int64_t uid; /* NOBODY: no owner */
	uint8_t protocol;
	const char *destination;
	uint16_t port;
	uint8_t detail; /* TCP flags, or the ICMP type */
	unsigned way;
};

static inline struct packet draw(const struct sketch *sketch)
{
	struct address destination = fixture_address(sketch->destination);
	const char *own = destination.family == FAMILY_IPV6 ? "2001:db8:ffff::2" : "192.0.2.2";

	if (sketch->way & SPOOFED)
		own = destination.family == FAMILY_IPV6 ? "2001:db8:bad::1" : "203.0.113.99";
	else if (sketch->way & TO_LO && !(sketch->way & LOCAL))
		own = destination.family == FAMILY_IPV6 ? "::1" : "127.0.0.1";
	return (struct packet){
		.owned = sketch->uid != NOBODY,
		/* Without an owner the number means nothing, and must not count. */
		.uid = sketch->uid != NOBODY ? (uint32_t)sketch->uid : USER,
		.source = fixture_address(own),
		.source_local = !(sketch->way & SPOOFED),
		.destination = destination,
		.protocol = sketch->protocol,
		.source_port = sketch->way & FROM_8080 ? 8080 : sketch->way & FROM_3128 ? 3128 : 40000,
		.destination_port = sketch->port,
		.original_port = sketch->way & FROM_53 ? 53 : sketch->port,
		.tcp_flags = sketch->protocol == IPPROTO_TCP ? sketch->detail : 0,
		.icmp_type = sketch->protocol != IPPROTO_TCP ? sketch->detail : 0,
		.out_loopback = sketch->way & TO_LO,
		.destination_local = sketch->way & LOCAL,
		.tracked = !(sketch->way & UNTRACKED),
		.reply = sketch->way & REPLY,
		.first = sketch->way & FIRST,
		.mark = (sketch->way & MARKED ? OWNED_MARK : 0) |
			(sketch->way & PUBLISHED ? PUBLISHED_MARK : 0) | 0x7,
	};
}

#define TCP IPPROTO_TCP
#define UDP IPPROTO_UDP
#define ICMP IPPROTO_ICMP
#define ICMP6 IPPROTO_ICMPV6

#endif
