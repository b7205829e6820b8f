/* loopback.c: what of loopback this network namespace has, and who listens there. */
#include "system/loopback.h"

#include "doctor/proc_net.h"
#include "system/descriptor.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { PROC_NET_MAX = 64 * 1024 * 1024 };

bool loopback_has(const struct address *address)
{
	bool ipv6 = address->family == FAMILY_IPV6;
	autoclose int descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in to4 = { .sin_family = AF_INET };

	memcpy(&to6.sin6_addr, address->bytes, sizeof(to6.sin6_addr));
	memcpy(&to4.sin_addr, address->bytes, sizeof(to4.sin_addr));
	return descriptor >= 0 && !(ipv6 ? bind(descriptor, (struct sockaddr *)&to6, sizeof(to6))
					 : bind(descriptor, (struct sockaddr *)&to4, sizeof(to4)));
}

bool loopback_listener(const struct address_port *listen, uint32_t *ret_uid, bool *ret_found,
		       struct err *err)
{
	const char *path = listen->address.family == FAMILY_IPV6 ? "/proc/self/net/tcp6"
								 : "/proc/self/net/tcp";
	struct inet_listener listener;
	struct cursor cursor;
	struct buffer text;
	bool present;

	if (!descriptor_read_file(path, PROC_NET_MAX, &text, &present, err))
		return false;
	cursor = cursor_over(text.data, text.length);
	*ret_found = false;
	while (!*ret_found && inet_listener_next(&cursor, true, &listener)) {
		if (listener.port != listen->port ||
		    address_compare(&listener.address, &listen->address))
			continue;
		*ret_found = true;
		*ret_uid = listener.uid;
	}
	buffer_free(&text);
	return true;
}
