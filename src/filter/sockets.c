/* sockets.c: addresses as the kernel has them, and what every socket of the filter is set to. */
#include "filter/sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

socklen_t socket_address(const struct address_port *from, struct sockaddr_storage *ret)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(from->port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(from->port) };

	memset(ret, 0, sizeof(*ret));
	if (from->address.family == FAMILY_IPV4) {
		memcpy(&four.sin_addr, from->address.bytes, sizeof(four.sin_addr));
		memcpy(ret, &four, sizeof(four));
		return sizeof(four);
	}
	memcpy(&six.sin6_addr, from->address.bytes, sizeof(six.sin6_addr));
	memcpy(ret, &six, sizeof(six));
	return sizeof(six);
}

bool socket_address_read(const struct sockaddr_storage *from, struct address_port *ret)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	memset(ret, 0, sizeof(*ret));
	if (from->ss_family == AF_INET) {
		memcpy(&four, from, sizeof(four));
		ret->address.family = FAMILY_IPV4;
		memcpy(ret->address.bytes, &four.sin_addr, sizeof(four.sin_addr));
		ret->port = ntohs(four.sin_port);
		return true;
	}
	if (from->ss_family != AF_INET6)
		return false;
	memcpy(&six, from, sizeof(six));
	ret->address.family = FAMILY_IPV6;
	memcpy(ret->address.bytes, &six.sin6_addr, sizeof(six.sin6_addr));
	ret->port = ntohs(six.sin6_port);
	return true;
}

int socket_open(enum family family)
{
	return socket(family == FAMILY_IPV4 ? AF_INET : AF_INET6,
		      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool socket_connect(int descriptor, const struct address_port *to)
{
	struct sockaddr_storage storage;
	socklen_t length = socket_address(to, &storage);

	/* A server that is near has answered when it is asked the second time. */
	return !connect(descriptor, (struct sockaddr *)&storage, length) ||
	       (errno == EINPROGRESS && !connect(descriptor, (struct sockaddr *)&storage, length));
}

bool socket_bind(int descriptor, const struct address_port *here)
{
	struct sockaddr_storage storage;
	socklen_t length = socket_address(here, &storage);
	int one = 1;

	/* Connections of a filter that ended may still be dying at this port. */
	return !setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	       !bind(descriptor, (struct sockaddr *)&storage, length);
}

void socket_settle(int descriptor)
{
	int one = 1;

	/* Failing, it only takes longer. */
	setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

void socket_reset(int descriptor)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

bool socket_is_exhausted(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOBUFS || errnum == ENOMEM;
}
