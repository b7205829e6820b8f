/* resolver_transport.c: DNS messages to a nameserver and back, over UDP or TCP. */
#include "system/resolver_transport.h"

#include "base/memory.h"
#include "system/resolver_message.h"
#include "system/resolver_sockets.h"

#include <ares.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/*
 * Every server has channels of its own, so that we choose the server and hear what it says: one
 * channel over several servers turns a refusal of the last one into "connection refused". There is
 * one channel for messages with an EDNS record and one for those without: c-ares 1.18 cuts eleven
 * octets off any message of an EDNS channel that is answered with FORMERR.
 */
enum { CHANNEL_EDNS, CHANNEL_PLAIN, CHANNELS };

/* One for UDP and one for TCP; newer versions of c-ares may have some more for a while. */
enum { CHANNEL_SOCKETS_MAX = 8 };

struct server {
	struct nameserver nameserver;
	ares_channel channels[CHANNELS];
};

struct transport {
	struct server servers[NAMESERVERS_MAX];
	size_t count;
	int epoll; /* of all sockets, for whoever has other things to wait for */
	transport_receive *receive;
};

struct message {
	transport_receive *receive;
	void *ask;
};

static void watch_socket(void *context, ares_socket_t fd, int readable, int writable)
{
	const struct transport *transport = context;
	struct epoll_event event = {
		.events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U),
		.data.fd = fd,
	};

	if (!event.events)
		epoll_ctl(transport->epoll, EPOLL_CTL_DEL, fd, NULL);
	else if (epoll_ctl(transport->epoll, EPOLL_CTL_MOD, fd, &event) && errno == ENOENT)
		epoll_ctl(transport->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Everything is said here, so that c-ares has nothing to look up elsewhere. */
static int channel_init(struct transport *transport, int channel, unsigned retry_ms,
			ares_channel *ret)
{
	static char lookups[] = "b", no_file[] = "/dev/null";
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_NOCHECKRESP |
			 ARES_FLAG_STAYOPEN | (channel == CHANNEL_EDNS ? ARES_FLAG_EDNS : 0),
		.timeout = (int)retry_ms,
		.tries = TRANSPORT_TRIES,
		.ndots = 0,
		.lookups = lookups,
		.ednspsz = DNS_DATAGRAM_MAX,
		.resolvconf_path = no_file,
		.sock_state_cb = watch_socket,
		.sock_state_cb_data = transport,
	};

	return ares_init_options(ret, &options,
				 ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
					 ARES_OPT_NDOTS | ARES_OPT_LOOKUPS | ARES_OPT_EDNSPSZ |
					 ARES_OPT_SERVERS | ARES_OPT_DOMAINS | ARES_OPT_SORTLIST |
					 ARES_OPT_NOROTATE | ARES_OPT_RESOLVCONF |
					 ARES_OPT_SOCK_STATE_CB);
}

static int channel_open(struct transport *transport, struct server *server, int channel,
			unsigned retry_ms)
{
	struct ares_addr_port_node node = {
		.family = AF_INET,
		.udp_port = server->nameserver.port,
		.tcp_port = server->nameserver.port,
	};
	int status = channel_init(transport, channel, retry_ms, &server->channels[channel]);

	if (status != ARES_SUCCESS)
		return status;
	if (server->nameserver.address.family == FAMILY_IPV6)
		node.family = AF_INET6;
	memcpy(&node.addr, server->nameserver.address.bytes,
	       address_width(server->nameserver.address.family));
	resolver_sockets(server->channels[channel], &server->nameserver);
	return ares_set_servers_ports(server->channels[channel], &node);
}

bool transport_open(const struct nameservers *servers, unsigned retry_ms,
		    transport_receive *receive, struct transport **ret, struct err *err)
{
	struct transport *transport = memory_allocate(1, sizeof(*transport));
	int status = ares_library_init(ARES_LIB_INIT_ALL);

	transport->count = servers->count;
	transport->receive = receive;
	transport->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (transport->epoll < 0 && status == ARES_SUCCESS)
		status = ARES_EFILE;
	for (size_t i = 0; i < servers->count && status == ARES_SUCCESS; i++) {
		transport->servers[i].nameserver = servers->items[i];
		for (int j = 0; j < CHANNELS && status == ARES_SUCCESS; j++)
			status = channel_open(transport, &transport->servers[i], j, retry_ms);
	}
	if (status != ARES_SUCCESS) {
		transport_close(transport);
		err_set(err, "c-ares cannot be started: %s", ares_strerror(status));
		return false;
	}
	*ret = transport;
	return true;
}

void transport_close(struct transport *transport)
{
	for (size_t i = 0; i < transport->count; i++)
		for (int j = 0; j < CHANNELS; j++)
			if (transport->servers[i].channels[j])
				ares_destroy(transport->servers[i].channels[j]);
	if (transport->epoll >= 0)
		close(transport->epoll);
	free(transport);
	ares_library_cleanup();
}

int transport_descriptor(const struct transport *transport)
{
	return transport->epoll;
}

static void received(void *context, int status, int timeouts, unsigned char *bytes, int length)
{
	struct message message = *(struct message *)context;
	enum transport_outcome outcome = TRANSPORT_UNREACHABLE;

	(void)timeouts;
	free(context);
	if (status == ARES_ENOMEM)
		memory_exhausted();
	if (status == ARES_SUCCESS && bytes)
		outcome = TRANSPORT_ANSWER;
	else if (status == ARES_ETIMEOUT || status == ARES_EDESTRUCTION)
		outcome = TRANSPORT_TIMEOUT;
	message.receive(message.ask, outcome, bytes, length > 0 ? (size_t)length : 0);
}

void transport_send(struct transport *transport, size_t server, bool edns, const void *bytes,
		    size_t length, void *ask)
{
	struct message *message = memory_allocate(1, sizeof(*message));

	*message = (struct message){ .receive = transport->receive, .ask = ask };
	ares_send(transport->servers[server].channels[edns ? CHANNEL_EDNS : CHANNEL_PLAIN], bytes,
		  (int)length, received, message);
}

/* What one channel waits for; *timeout_ms becomes shorter where it has something due earlier. */
static size_t channel_watch(ares_channel channel, struct pollfd *polled, int *timeout_ms)
{
	ares_socket_t sockets[CHANNEL_SOCKETS_MAX];
	int mask = ares_getsock(channel, sockets, CHANNEL_SOCKETS_MAX);
	struct timeval limit = { .tv_sec = *timeout_ms / 1000,
				 .tv_usec = *timeout_ms % 1000 * 1000 };
	struct timeval room, *due = ares_timeout(channel, &limit, &room);
	size_t count = 0;

	*timeout_ms = (int)(due->tv_sec * 1000 + (due->tv_usec + 999) / 1000);
	for (int i = 0; i < CHANNEL_SOCKETS_MAX; i++) {
		short events = 0;

		if (ARES_GETSOCK_READABLE(mask, i))
			events |= POLLIN;
		if (ARES_GETSOCK_WRITABLE(mask, i))
			events |= POLLOUT;
		if (events)
			polled[count++] = (struct pollfd){ .fd = sockets[i], .events = events };
	}
	return count;
}

/* Hands over what has arrived, and lets the channel send again what is due. */
static void channel_process(ares_channel channel, const struct pollfd *polled, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		short events = polled[i].revents;

		/* An error is there to be read. */
		if (events)
			ares_process_fd(channel, events & ~POLLOUT ? polled[i].fd : ARES_SOCKET_BAD,
					events & POLLOUT ? polled[i].fd : ARES_SOCKET_BAD);
	}
	ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

void transport_wait(struct transport *transport, unsigned timeout_ms)
{
	struct pollfd polled[NAMESERVERS_MAX * CHANNELS * CHANNEL_SOCKETS_MAX];
	size_t counts[NAMESERVERS_MAX][CHANNELS], total = 0;
	int wait_ms = (int)timeout_ms;
	const struct pollfd *next = polled;

	for (size_t i = 0; i < transport->count; i++)
		for (int j = 0; j < CHANNELS; j++) {
			counts[i][j] = channel_watch(transport->servers[i].channels[j],
						     polled + total, &wait_ms);
			total += counts[i][j];
		}
	if (poll(polled, total, wait_ms) < 0)
		return;
	for (size_t i = 0; i < transport->count; i++)
		for (int j = 0; j < CHANNELS; j++) {
			channel_process(transport->servers[i].channels[j], next, counts[i][j]);
			next += counts[i][j];
		}
}
