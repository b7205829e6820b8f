/* resolver_sockets.c: the sockets that c-ares sends and receives by. */
#include "system/resolver_sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for the answers to all questions under way. */
enum { RECEIVE_BUFFER = 1024 * 1024 };

static ares_socket_t open_socket(int domain, int type, int protocol, void *context)
{
	int fd = socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol), one = 1;
	int size = RECEIVE_BUFFER;

	(void)context;
	if (fd < 0)
		return fd;
	/* Both only save time: an answer that is lost is asked for again. */
	if (type == SOCK_DGRAM)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	else
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static int close_socket(ares_socket_t fd, void *context)
{
	(void)context;
	return close(fd);
}

/* c-ares 1.18 has no place for the zone of a link-local address. */
static int connect_socket(ares_socket_t fd, const struct sockaddr *address, ares_socklen_t length,
			  void *context)
{
	const struct nameserver *server = context;
	struct sockaddr_in6 scoped;

	if (!server->scope || address->sa_family != AF_INET6 || length != sizeof(scoped))
		return connect(fd, address, length);
	memcpy(&scoped, address, sizeof(scoped));
	scoped.sin6_scope_id = server->scope;
	return connect(fd, (const struct sockaddr *)&scoped, sizeof(scoped));
}

static ares_ssize_t receive_bytes(ares_socket_t fd, void *bytes, size_t length, int flags,
				  struct sockaddr *from, ares_socklen_t *from_length, void *context)
{
	(void)context;
	return recvfrom(fd, bytes, length, flags, from, from_length);
}

/*
 * A datagram socket that somebody ended (SOCK_DESTROY) goes nowhere any more, and c-ares would keep
 * it for ever.
 */
static bool connect_again(ares_socket_t fd, const struct nameserver *server)
{
	struct sockaddr_in address4 = { .sin_family = AF_INET, .sin_port = htons(server->port) };
	struct sockaddr_in6 address6 = { .sin6_family = AF_INET6,
					 .sin6_port = htons(server->port),
					 .sin6_scope_id = server->scope };

	if (server->address.family == FAMILY_IPV4) {
		memcpy(&address4.sin_addr, server->address.bytes, sizeof(address4.sin_addr));
		return !connect(fd, (const struct sockaddr *)&address4, sizeof(address4));
	}
	memcpy(&address6.sin6_addr, server->address.bytes, sizeof(address6.sin6_addr));
	return !connect(fd, (const struct sockaddr *)&address6, sizeof(address6));
}

static ares_ssize_t send_bytes(ares_socket_t fd, const struct iovec *parts, int count,
			       void *context)
{
	struct msghdr header = { .msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count };
	const struct nameserver *server = context;
	ares_ssize_t sent = sendmsg(fd, &header, MSG_NOSIGNAL);
	int type;
	socklen_t size = sizeof(type);

	/*
	 * An earlier datagram was refused, which c-ares would lay on this one alone. Sent again it
	 * is refused again; that is read after poll, and then fails all that are under way.
	 */
	if (sent < 0 && (errno == ECONNREFUSED || errno == ECONNABORTED))
		sent = sendmsg(fd, &header, MSG_NOSIGNAL);
	if (sent < 0 && errno == EDESTADDRREQ && connect_again(fd, server))
		sent = sendmsg(fd, &header, MSG_NOSIGNAL);
	if (sent >= 0 || (errno != EAGAIN && errno != ENOBUFS))
		return sent;
	/* c-ares gives up a datagram for which there is no room; as a lost one it is sent again. */
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_DGRAM) {
		errno = EAGAIN;
		return -1;
	}
	sent = 0;
	for (int i = 0; i < count; i++)
		sent += (ares_ssize_t)parts[i].iov_len;
	return sent;
}

static const struct ares_socket_functions socket_functions = {
	.asocket = open_socket,
	.aclose = close_socket,
	.aconnect = connect_socket,
	.arecvfrom = receive_bytes,
	.asendv = send_bytes,
};

void resolver_sockets(ares_channel channel, struct nameserver *server)
{
	ares_set_socket_functions(channel, &socket_functions, server);
}
