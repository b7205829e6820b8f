/*
 * kernel_property.c: random packets, of which judge() in memory and the kernel must say the same.
 */
#include "kernel_rulesets.h"

#include "base/memory.h"
#include "kernel/nft.h"
#include "plan/judge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

enum { SYN = 0x02, RST = 0x04, FIN = 0x01, PSH = 0x08, ACK = 0x10, URG = 0x20 };

/* The script gives the interface these two addresses and a gateway that never answers. */
static const char own4[] = "192.0.2.2", own6[] = "2001:db8:ffff::2";

/* Confined: 1500 and 100000 to 165535. 65528 is the filter's. */
static const uid_t uids[] = { 0,      1499,   1500,   1500,  1500,  1501,  99999, 100000,
			      133000, 165535, 165536, 65534, 65528, 65528, 65528 };
static const char *const destinations[] = {
	"127.0.0.1",
	"127.0.0.1",
	"127.0.0.11",
	"127.0.0.53",
	"127.255.255.254",
	"192.0.2.2",
	"203.0.113.5",
	"203.0.113.6",
	"203.0.113.7",
	"203.0.113.8",
	"203.0.113.9",
	"198.51.100.0",
	"198.51.100.255",
	"198.51.101.0",
	"192.0.2.10",
	"192.0.2.63",
	"192.0.2.64",
	"192.0.2.95",
	"192.0.2.96",
	"10.0.0.1",
	"10.0.0.53",
	"10.1.2.3",
	"192.168.7.7",
	"172.16.0.1",
	"203.0.113.53",
	"8.8.8.8",
	"224.0.0.22",
	"::1",
	"::1",
	"2001:db8:ffff::2",
	"2001:db8:1::1",
	"2001:db8:1::2",
	"2001:db8:2::1",
	"2001:db8:3::9",
	"2001:db8:5::",
	"2001:db8:5:ffff:ffff:ffff:ffff:ffff",
	"2001:db8:6::",
	"2001:db8::53",
	"fd00::1",
	"64:ff9b::a00:1",
	"2002:a00:1::1",
	"2001:db8::10",
	"2001:4860:4860::8888",
};
static const uint16_t ports[] = { 22,   53,   80,   80,   443,  443,  853,  3128, 5353,
				  7999, 8000, 8010, 8011, 8080, 8443, 9005, 45353 };
static const uint8_t protocols4[] = { IPPROTO_TCP,     IPPROTO_TCP,    IPPROTO_TCP,  IPPROTO_UDP,
				      IPPROTO_UDP,     IPPROTO_ICMP,   IPPROTO_IGMP, IPPROTO_SCTP,
				      IPPROTO_UDPLITE, IPPROTO_ICMPV6, 253 };
static const uint8_t protocols6[] = { IPPROTO_TCP,  IPPROTO_TCP,  IPPROTO_TCP,
				      IPPROTO_UDP,  IPPROTO_UDP,  IPPROTO_ICMPV6,
				      IPPROTO_ICMP, IPPROTO_SCTP, IPPROTO_UDPLITE,
				      253 };
static const uint8_t flag_sets[] = {
	SYN,       SYN, SYN | ACK, ACK,       ACK,       ACK | PSH,       FIN | ACK, RST,
	RST | ACK, FIN, 0,         SYN | FIN, SYN | RST, FIN | PSH | URG, ACK | URG, 0x3f
};
static const uint8_t icmp_types[] = { 0, 3, 5, 8, 8, 11, 12, 13 };
static const uint8_t icmp6_types[] = { 1, 2, 3, 4, 128, 128, 129, 131, 133, 135, 136, 143, 200 };

static int sockets[COUNT_OF(uids)][2]; /* by family */
static uint64_t state;
static uint16_t next_port;

static uint32_t draw(size_t below)
{
	/* xorshift64*: the same seed gives the same packets everywhere. */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545F4914F6CDD1DULL >> 32) % below);
}
#define PICK(array) ((array)[draw(COUNT_OF(array))])

static void fail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

/* The owner of a packet is the file system uid that its socket was opened with. */
static void open_sockets(void)
{
	const int on = 1;

	for (size_t i = 0; i < COUNT_OF(uids); i++) {
		setfsuid(uids[i]);
		sockets[i][FAMILY_IPV4] = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
		sockets[i][FAMILY_IPV6] = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
		setfsuid(0);
		if (sockets[i][FAMILY_IPV4] < 0 || sockets[i][FAMILY_IPV6] < 0 ||
		    setsockopt(sockets[i][FAMILY_IPV6], IPPROTO_IPV6, IPV6_HDRINCL, &on,
			       sizeof(on)) ||
		    setsockopt(sockets[i][FAMILY_IPV4], SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)))
			fail("raw socket");
	}
}

static struct address address(const char *text)
{
	struct address result;

	if (!address_parse(text, &result))
		fail(text);
	return result;
}

static struct packet draw_packet(size_t *ret_socket)
{
	struct packet packet = { .owned = true };
	const char *destination = PICK(destinations);
	bool v6 = strchr(destination, ':');

	*ret_socket = draw(COUNT_OF(uids));
	packet.uid = uids[*ret_socket];
	packet.destination = address(destination);
	packet.out_loopback = packet.destination_local =
		!strncmp(destination, "127.", 4) || !strcmp(destination, "::1") ||
		!strcmp(destination, own4) || !strcmp(destination, own6);
	if (!strncmp(destination, "127.", 4))
		packet.source = address("127.0.0.1");
	else if (!strcmp(destination, "::1"))
		packet.source = address("::1");
	else
		packet.source = address(v6 ? own6 : own4);
	packet.protocol = v6 ? PICK(protocols6) : PICK(protocols4);
	/*
	 * Without ports a connection from an address to itself has one direction twice, so that its
	 * second packet is a reply. These are given another source.
	 */
	if (packet.out_loopback && (packet.protocol == 253 || packet.protocol == IPPROTO_IGMP))
		packet.source = address(v6 ? "2001:db8:ffff::99" : "127.9.9.9");
	else if (v6 && draw(4) == 0)
		packet.source = address("2001:db8:ffff::99");
	packet.source_local = memcmp(packet.source.bytes, address("2001:db8:ffff::99").bytes, 16) != 0;
	packet.source_port = next_port++;
	packet.destination_port = PICK(ports);
	/* A server's answer; the client's port is one that was not used yet. */
	if (packet.protocol == IPPROTO_TCP && packet.out_loopback && draw(8) == 0) {
		packet.destination_port = packet.source_port;
		packet.source_port = 3128;
	}
	packet.original_port = packet.destination_port;
	packet.tcp_flags = packet.protocol == IPPROTO_TCP ? PICK(flag_sets) : 0;
	packet.icmp_type = packet.protocol == IPPROTO_ICMPV6 ? PICK(icmp6_types) : PICK(icmp_types);
	return packet;
}

/* Whether connection tracking makes a new connection of it. */
static bool begins_connection(const struct packet *packet)
{
	bool v6 = packet->destination.family == FAMILY_IPV6;
	uint8_t flags = packet->tcp_flags & (uint8_t)~PSH;

	switch (packet->protocol) {
	case IPPROTO_TCP:
		return flags == SYN || flags == (SYN | URG) || flags == ACK || flags == (ACK | URG);
	case IPPROTO_ICMP:
		return v6 || packet->icmp_type == ICMP_ECHO || packet->icmp_type == ICMP_TIMESTAMP;
	case IPPROTO_ICMPV6:
		return !v6 || packet->icmp_type == ICMP6_ECHO_REQUEST;
	case IPPROTO_SCTP:
		return false; /* it has no chunk */
	}
	return true;
}

/* The transport header; checksums do not matter on the way out. */
static size_t write_transport(const struct packet *packet, uint8_t *out)
{
	uint8_t *at = out;
	const uint16_t source = htons(packet->source_port),
		       destination = htons(packet->destination_port);

	memset(out, 0, 32);
	switch (packet->protocol) {
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		at[0] = packet->icmp_type;
		memcpy(at + 4, &source, sizeof(source));
		return 8 + 20;
	case IPPROTO_IGMP:
		at[0] = 0x22;
		return 8;
	}
	memcpy(at, &source, sizeof(source));
	memcpy(at + 2, &destination, sizeof(destination));
	switch (packet->protocol) {
	case IPPROTO_TCP:
		at[7] = 1; /* sequence number */
		at[12] = 5 << 4;
		at[13] = packet->tcp_flags;
		at[14] = 0xff; /* window */
		return 20;
	case IPPROTO_UDP:
		at[5] = 8;
		return 8;
	case IPPROTO_UDPLITE:
		at[5] = 8;
		return 8;
	}
	return 12;
}

static size_t write_packet(const struct packet *packet, uint8_t *out)
{
	if (packet->destination.family == FAMILY_IPV4) {
		struct iphdr header = {
			.version = 4, .ihl = 5, .ttl = 64, .protocol = packet->protocol
		};
		size_t length = write_transport(packet, out + sizeof(header));

		header.tot_len = htons((uint16_t)(sizeof(header) + length));
		memcpy(&header.saddr, packet->source.bytes, 4);
		memcpy(&header.daddr, packet->destination.bytes, 4);
		memcpy(out, &header, sizeof(header));
		return sizeof(header) + length;
	}
	struct ip6_hdr header = { .ip6_hlim = 255, .ip6_nxt = packet->protocol };
	size_t length = write_transport(packet, out + sizeof(header));

	header.ip6_vfc = 6 << 4;
	header.ip6_plen = htons((uint16_t)length);
	memcpy(&header.ip6_src, packet->source.bytes, 16);
	memcpy(&header.ip6_dst, packet->destination.bytes, 16);
	memcpy(out, &header, sizeof(header));
	return sizeof(header) + length;
}

/* Whether the kernel let it out. */
static bool send_packet(const struct packet *packet, size_t socket_index)
{
	uint8_t bytes[128];
	size_t length = write_packet(packet, bytes);
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	bool v4 = packet->destination.family == FAMILY_IPV4;
	ssize_t sent;

	memcpy(&to4.sin_addr, packet->destination.bytes, 4);
	memcpy(&to6.sin6_addr, packet->destination.bytes, 16);
	sent = sendto(sockets[socket_index][packet->destination.family], bytes, length, 0,
		      v4 ? (const struct sockaddr *)&to4 : (const struct sockaddr *)&to6,
		      v4 ? sizeof(to4) : sizeof(to6));
	if (sent < 0 && errno != EPERM)
		fail("sendto");
	return sent >= 0;
}

static void describe(const struct packet *packet)
{
	char source[ADDRESS_TEXT_SIZE], destination[ADDRESS_TEXT_SIZE];

	printf("#   uid %u protocol %u %s:%u %s:%u flags 0x%02x type %u mark 0x%x %s\n",
	       packet->uid, packet->protocol, address_format(&packet->source, source),
	       packet->source_port, address_format(&packet->destination, destination),
	       packet->destination_port, packet->tcp_flags, packet->icmp_type, packet->mark,
	       packet->tracked ? "tracked" : "untracked");
}

struct tally {
	unsigned accepted, refused, marked, wrong;
};

static bool is_accepted(const struct ruleset *ruleset, const struct packet *packet,
			uint32_t *ret_mark)
{
	return judge_sent(ruleset, packet, ret_mark) == JUDGED_ACCEPT;
}

/*
 * A first packet of the same connection by root, which marks it; only where a second one belongs to
 * it for sure.
 */
static void mark_connection(const struct ruleset *ruleset, struct packet *packet,
			    struct tally *tally)
{
	struct packet first = *packet;

	if (packet->protocol != IPPROTO_UDP &&
	    (packet->protocol != IPPROTO_TCP || packet->out_loopback))
		return;
	if (packet->protocol == IPPROTO_TCP)
		packet->tcp_flags = first.tcp_flags = ACK;
	first.uid = 0;
	first.tracked = packet->tracked = true;
	if (is_accepted(ruleset, &first, &packet->mark) != send_packet(&first, 0)) {
		tally->wrong++;
		describe(&first);
	}
	tally->marked++;
}

static void try_packets(const struct ruleset *ruleset, unsigned count, struct tally *tally)
{
	for (unsigned i = 0; i < count; i++) {
		size_t socket_index;
		struct packet packet = draw_packet(&socket_index);
		bool wanted, found;
		uint32_t mark;

		packet.tracked = begins_connection(&packet);
		if (draw(4) == 0)
			mark_connection(ruleset, &packet, tally);
		wanted = is_accepted(ruleset, &packet, &mark);
		found = send_packet(&packet, socket_index);
		*(found ? &tally->accepted : &tally->refused) += 1;
		if (wanted != found) {
			tally->wrong++;
			printf("#   judge: %s, kernel: %s\n", wanted ? "accept" : "refuse",
			       found ? "accept" : "refuse");
			describe(&packet);
		}
	}
}

static void commit(const struct ruleset *ruleset)
{
	struct nft *nft;
	struct refusal refusal;
	enum commit_status status;
	struct err err;
	int errnum;

	if (!nft_open(5000, &nft, &errnum, &err) ||
	    !nft_commit(nft, ruleset, 1, 0, &status, &refusal, &err)) {
		printf("Bail out! %s\n", err.text);
		exit(2);
	}
	nft_close(nft);
}

/*
 * SEED COUNT COMMITTED JUDGED FIRST-PORT: the two rulesets are the same, but for the test of the
 * test. The first port is another one at each run in a namespace, which remembers the connections
 * of the run before.
 */
int main(int argc, char **argv)
{
	struct ruleset committed, judged;
	struct tally tally = { 0 };
	uint64_t seed;

	if (argc != 6)
		return 2;
	seed = strtoull(argv[1], NULL, 0);
	if (!seed)
		seed = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	state = seed;
	next_port = (uint16_t)strtoul(argv[5], NULL, 10);
	open_sockets();
	committed = kernel_ruleset(argv[3]);
	judged = kernel_ruleset(argv[4]);
	commit(&committed);
	try_packets(&judged, (unsigned)strtoul(argv[2], NULL, 10), &tally);
	printf("seed %" PRIu64 ": accepted %u, refused %u, with a mark %u, wrong %u\n", seed,
	       tally.accepted, tally.refused, tally.marked, tally.wrong);
	ruleset_free(&committed);
	ruleset_free(&judged);
	return tally.wrong != 0;
}
