/* resolver_explain.c: which nameservers a failed look-up had, and what to do. */
#include "system/resolver_explain.h"

#include "base/memory.h"
#include "base/text.h"
#include "system/descriptor.h"
#include "system/resolver_config.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DNS_PORT = 53, SERVER_TEXT_SIZE = ADDRESS_TEXT_SIZE + 1 + IF_NAMESIZE };

/* Where something came for one name, nobody can say that there is nobody. */
static bool all_unreachable(const struct resolved *resolved)
{
	for (size_t i = 0; i < resolved->count; i++)
		if (resolved->items[i].status != RESOLVE_UNREACHABLE)
			return false;
	return true;
}

static bool all_are_denied(const struct resolved *resolved)
{
	for (size_t i = 0; i < resolved->count; i++)
		if (resolved->items[i].status != RESOLVE_FOUND &&
		    resolved->items[i].status != RESOLVE_NXDOMAIN &&
		    resolved->items[i].status != RESOLVE_NO_ADDRESS &&
		    resolved->items[i].status != RESOLVE_SPECIAL)
			return false;
	return true;
}

/* A datagram socket is connected without a packet, where there is a route (connect(2)). */
static bool has_route(const struct nameserver *server)
{
	bool is_ipv4 = server->address.family == FAMILY_IPV4;
	autoclose int fd = socket(is_ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address4 = { .sin_family = AF_INET, .sin_port = htons(DNS_PORT) };
	struct sockaddr_in6 address6 = { .sin6_family = AF_INET6,
					 .sin6_port = htons(DNS_PORT),
					 .sin6_scope_id = server->scope };

	memcpy(&address4.sin_addr, server->address.bytes, sizeof(address4.sin_addr));
	memcpy(&address6.sin6_addr, server->address.bytes, sizeof(address6.sin6_addr));
	if (fd < 0)
		return errno != EAFNOSUPPORT;
	return !(is_ipv4 ? connect(fd, (const struct sockaddr *)&address4, sizeof(address4))
			 : connect(fd, (const struct sockaddr *)&address6, sizeof(address6)));
}

static const char *server_format(const struct nameserver *server, char ret[SERVER_TEXT_SIZE])
{
	char text[ADDRESS_TEXT_SIZE], zone[IF_NAMESIZE];
	const char *name = server->scope ? if_indextoname(server->scope, zone) : NULL;

	snprintf(ret, SERVER_TEXT_SIZE, "%s%s%s", address_format(&server->address, text),
		 name ? "%" : "", name ? name : "");
	return ret;
}

static void explain_none(const char *path, const struct nameservers *servers, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];

	err_append(err, "; %s names no nameserver that can be used", path);
	if (*servers->unusable)
		err_append(err, " (%s is no address%s)", text_quote(servers->unusable, quoted),
			   strchr(servers->unusable, ':') ? ", or one that needs an interface that "
							    "is there: fe80::1%eth0"
							  : "");
	err_append(err, "; write a line \"nameserver ADDRESS\" there");
}

void resolver_explain(const char *resolv_conf, const struct resolved *resolved, struct err *err)
{
	bool unreachable = all_unreachable(resolved);
	struct nameservers servers;
	struct err ignored;

	if (!nameservers_read(resolv_conf, &servers, &ignored))
		return;
	if (!servers.count) {
		explain_none(resolv_conf, &servers, err);
		return;
	}
	err_append(err, "; asked, as %s says: ", resolv_conf);
	for (size_t i = 0; i < servers.count; i++) {
		char text[SERVER_TEXT_SIZE];
		const char *what = !unreachable                   ? ""
				   : has_route(&servers.items[i]) ? "nobody answers at "
								  : "no route to ";

		err_append(err, "%s%s%s", i ? ", " : "", what,
			   server_format(&servers.items[i], text));
	}
	if (!all_are_denied(resolved))
		err_append(err, "; see that one of them answers, or name another there");
}
