/* loopback.c: what of loopback this network namespace has, and who listens there. */
#include "system/loopback.h"

#include "doctor/proc_net.h"
#include "system/descriptor.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
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

bool loopback_is_down(void)
{
	autoclose int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo" };

	return descriptor >= 0 && !ioctl(descriptor, SIOCGIFFLAGS, &request) &&
	       !(request.ifr_flags & IFF_UP);
}

static struct address_port place_of(const struct inet_listener *listener)
{
	return (struct address_port){ listener->address, listener->port };
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
		const struct address_port here = place_of(&listener);

		if (!address_port_equal(&here, listen))
			continue;
		*ret_found = true;
		*ret_uid = listener.uid;
	}
	buffer_free(&text);
	return true;
}

bool loopback_listener_besides(uint32_t uid, const struct address_ports *these,
			       struct address_port *ret, bool *ret_found, struct err *err)
{
	static const char *const paths[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };

	*ret_found = false;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths) && !*ret_found; i++) {
		struct inet_listener listener;
		struct cursor cursor;
		struct buffer text;
		bool present;

		if (!descriptor_read_file(paths[i], PROC_NET_MAX, &text, &present, err))
			return false;
		cursor = cursor_over(text.data, text.length);
		while (!*ret_found && inet_listener_next(&cursor, true, &listener)) {
			const struct address_port here = place_of(&listener);

			if (listener.uid != uid || !inet_listener_on_loopback(&listener) ||
			    address_ports_have(these, &here))
				continue;
			*ret_found = true;
			*ret = here;
		}
		buffer_free(&text);
	}
	return true;
}
