/* peer.c: the far end of a TCP connection as no kernel would be it, over raw sockets. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * peer window ADDRESS PORT OWN-ADDRESS OWN-PORT [MILLISECONDS]   connects without a window, and opens it
 *                                                 after a second, or after that time
 * peer fastopen ADDRESS PORT OWN-ADDRESS OWN-PORT   the same, with data in the SYN
 * peer meet ADDRESS PORT OWN-ADDRESS OWN-PORT     sends SYNs into what the other side has begun
 * peer cross ADDRESS PORT OWN-ADDRESS OWN-PORT    sends one SYN into it, and is silent
 * peer stray ADDRESS PORT OWN-ADDRESS OWN-PORT     sends one segment of a connection that is over, and is silent
 * peer midstream ADDRESS PORT OWN-ADDRESS OWN-PORT  begins with what only a connection that stands would send
 *
 * Prints `data N`: how many bytes came. The own kernel must be kept from answering with resets. What
 * is acknowledged is exactly what came in order.
 */

enum { CLOSED_MS = 1000, OPEN_MS = 2000, AGAIN_MS = 200, SEQUENCE = 1000, WINDOW = 65000 };

struct peer {
	int descriptor;
	int family;
	struct sockaddr_storage to;
	socklen_t to_size;
	uint8_t source[16]; /* of our address */
	uint16_t own_port, port;
	uint32_t next;         /* what is expected from the other side */
	bool synchronized;
	uint16_t window;
	bool data_in_syn;
	uint8_t first; /* flags of the segment that it begins with */
	size_t received;
};

static size_t width(const struct peer *peer)
{
	return peer->family == AF_INET ? 4 : 16;
}

static uint32_t add_words(uint32_t sum, const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < length; i++)
		sum += i % 2 ? byte[i] : (uint32_t)byte[i] << 8;
	return sum;
}

static const void *peer_address(const struct peer *peer)
{
	if (peer->family == AF_INET)
		return &((const struct sockaddr_in *)&peer->to)->sin_addr;
	return &((const struct sockaddr_in6 *)&peer->to)->sin6_addr;
}

static void transmit(const struct peer *peer, uint8_t flags)
{
	static const char data[4] = "data";
	size_t before = peer->data_in_syn ? sizeof(data) : 0, length = flags & TH_SYN ? before : 0;
	uint32_t sequence = SEQUENCE + (flags & TH_SYN ? 0 : 1 + (uint32_t)before), sum;
	struct {
		struct tcphdr header;
		char data[sizeof(data)];
	} segment = { .header = { .th_sport = htons(peer->own_port), .th_dport = htons(peer->port),
				  .th_seq = htonl(sequence), .th_off = 5, .th_flags = flags,
				  .th_ack = flags & TH_ACK ? htonl(peer->next) : 0,
				  .th_win = htons(peer->window) } };

	memcpy(segment.data, data, sizeof(data));
	length += sizeof(segment.header);
	sum = add_words(IPPROTO_TCP + (uint32_t)length, peer->source, width(peer));
	sum = add_words(sum, peer_address(peer), width(peer));
	sum = add_words(sum, &segment, length);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	segment.header.th_sum = htons((uint16_t)~sum);
	if (sendto(peer->descriptor, &segment, length, 0, (const struct sockaddr *)&peer->to, peer->to_size) < 0)
		err(2, "send");
}

/* Takes one segment; true when it is to be acknowledged. */
static bool take(struct peer *peer)
{
	uint8_t bytes[65536];
	ssize_t length = recv(peer->descriptor, bytes, sizeof(bytes), 0);
	size_t start = peer->family == AF_INET ? (bytes[0] & 15) * 4u : 0, data;
	struct tcphdr header;

	if (length < (ssize_t)(start + sizeof(header)))
		return false;
	memcpy(&header, bytes + start, sizeof(header));
	if (ntohs(header.th_sport) != peer->port || ntohs(header.th_dport) != peer->own_port)
		return false;
	data = (size_t)length - start - header.th_off * 4u;
	if (header.th_flags & TH_SYN) {
		peer->next = ntohl(header.th_seq) + 1;
		peer->synchronized = true;
	} else if (ntohl(header.th_seq) == peer->next) {
		peer->next += (uint32_t)data + !!(header.th_flags & TH_FIN);
	}
	peer->received += data;
	return peer->synchronized && !(header.th_flags & TH_RST);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What comes in that time is acknowledged; SYNs are sent until one came. */
static void talk(struct peer *peer, int duration_ms)
{
	int64_t end = now_ms() + duration_ms, left, next = 0;

	while ((left = end - now_ms()) > 0) {
		struct pollfd descriptor = { .fd = peer->descriptor, .events = POLLIN };

		if (!peer->synchronized && now_ms() >= next) {
			transmit(peer, peer->first);
			next = now_ms() + AGAIN_MS;
		}
		if (poll(&descriptor, 1, left < AGAIN_MS ? (int)left : AGAIN_MS) > 0 && take(peer))
			transmit(peer, TH_ACK);
	}
}

static socklen_t read_address(const char *text, struct sockaddr_storage *ret)
{
	struct sockaddr_in *four = (void *)ret;
	struct sockaddr_in6 *six = (void *)ret;
	bool ipv6 = strchr(text, ':');

	*ret = (struct sockaddr_storage){ .ss_family = ipv6 ? AF_INET6 : AF_INET };
	if (inet_pton(ret->ss_family, text, ipv6 ? (void *)&six->sin6_addr : (void *)&four->sin_addr) != 1)
		errx(2, "%s: no address", text);
	return ipv6 ? sizeof(*six) : sizeof(*four);
}

static void open_peer(struct peer *peer, const char *address, const char *own)
{
	struct sockaddr_storage from;
	socklen_t from_size = read_address(own, &from);
	int bytes = 1 << 22, one = 1;

	peer->to_size = read_address(address, &peer->to);
	peer->family = peer->to.ss_family;
	if (from.ss_family != peer->to.ss_family)
		errx(2, "%s and %s are of two families", address, own);
	peer->descriptor = socket(peer->family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_TCP);
	/* An address of a local route may be bound only so. */
	if (peer->family == AF_INET6)
		setsockopt(peer->descriptor, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one));
	if (peer->descriptor < 0 || bind(peer->descriptor, (struct sockaddr *)&from, from_size) ||
	    connect(peer->descriptor, (struct sockaddr *)&peer->to, peer->to_size))
		err(2, "raw socket");
	setsockopt(peer->descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	memcpy(peer->source,
	       peer->family == AF_INET ? (void *)&((struct sockaddr_in *)&from)->sin_addr
				       : (void *)&((struct sockaddr_in6 *)&from)->sin6_addr,
	       width(peer));
}

int main(int argc, char **argv)
{
	struct peer peer = { 0 };

	if (argc != 6 && argc != 7)
		errx(2, "usage: peer window|fastopen|meet|cross|stray|midstream ADDRESS PORT OWN-ADDRESS OWN-PORT [TIME]");
	peer.port = (uint16_t)strtoul(argv[3], NULL, 10);
	peer.own_port = (uint16_t)strtoul(argv[5], NULL, 10);
	open_peer(&peer, argv[2], argv[4]);
	peer.first = strcmp(argv[1], "midstream") == 0 ? TH_ACK : TH_SYN;
	peer.data_in_syn = strcmp(argv[1], "fastopen") == 0;
	if (strcmp(argv[1], "cross") == 0) {
		transmit(&peer, TH_SYN);
		return 0;
	}
	if (strcmp(argv[1], "stray") == 0) {
		transmit(&peer, TH_ACK);
		return 0;
	}
	if (peer.data_in_syn || strcmp(argv[1], "window") == 0)
		talk(&peer, argc == 7 ? atoi(argv[6]) : CLOSED_MS);
	else if (peer.first != TH_ACK && strcmp(argv[1], "meet") != 0)
		errx(2, "%s: no such way to be", argv[1]);
	peer.window = WINDOW;
	if (peer.synchronized)
		transmit(&peer, TH_ACK);
	talk(&peer, OPEN_MS);
	printf("data %zu\n", peer.received);
	return 0;
}
