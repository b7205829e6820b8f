/* resolver_config.h: the nameservers of resolv.conf. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_CONFIG_H
#define EGRESSFW_SYSTEM_RESOLVER_CONFIG_H

#include "base/address.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Servers beyond these are not asked; more than resolv.conf(5) promises to take. */
enum { NAMESERVERS_MAX = 8 };

enum { NAMESERVER_TEXT_SIZE = 80 };

struct nameserver {
	struct address address;
	uint32_t scope; /* the interface of a link-local address, else 0 */
	uint16_t port;  /* 0: 53 */
};

struct nameservers {
	struct nameserver items[NAMESERVERS_MAX];
	size_t count;
	/*
	 * Of the first line that is left out, the text that stands where an address should be; "".
	 */
	char unusable[NAMESERVER_TEXT_SIZE];
};

/*
 * The usable servers of the `nameserver` lines, in their order, each once. Everything else is
 * ignored: search lists and options have no influence on names that are asked as they stand.
 * Unusable, and left out, is what is no address, and a link-local one without the zone of an
 * interface that is there (fe80::1%eth0, fe80::1%3).
 */
void nameservers_parse(const void *text, size_t length, struct nameservers *ret);

/* The same from the file, of which 64 KiB are read; one that is not there has no servers. */
bool nameservers_read(const char *path, struct nameservers *ret, struct err *err);

#endif
