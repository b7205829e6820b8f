/* resolver_config.c: the nameservers of resolv.conf. */
#include "system/resolver_config.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/descriptor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 64 * 1024 };

/* An address, its zone and the NUL. */
static_assert(ADDRESS_TEXT_SIZE + 1 + IF_NAMESIZE <= NAMESERVER_TEXT_SIZE, "no room for a zone");

static const char blank[] = " \t\r";

static bool is_link_local(const struct address *address)
{
	static const struct prefix link_local = {
		.address = { .family = FAMILY_IPV6, .bytes = { 0xfe, 0x80 } },
		.length = 10,
	};

	return prefix_contains(&link_local, address);
}

/* A zone is an interface by its name or number (RFC 4007, section 11.2); 0: it is neither. */
static uint32_t zone_parse(const char *zone)
{
	char name[IF_NAMESIZE], *end;
	unsigned long number;

	if (*zone < '0' || *zone > '9')
		return if_nametoindex(zone);
	number = strtoul(zone, &end, 10);
	if (*end || number > UINT32_MAX)
		return if_nametoindex(zone);
	return if_indextoname((unsigned)number, name) ? (uint32_t)number : 0;
}

static bool server_parse(char *text, struct nameserver *ret)
{
	struct nameserver server = { .scope = 0 };
	char *zone = strchr(text, '%');

	if (zone)
		*zone++ = '\0';
	if (!address_parse(text, &server.address) ||
	    is_link_local(&server.address) != (zone != NULL))
		return false;
	if (zone && !(server.scope = zone_parse(zone)))
		return false;
	*ret = server;
	return true;
}

static bool is_known(const struct nameservers *servers, const struct nameserver *server)
{
	for (size_t i = 0; i < servers->count; i++)
		if (servers->items[i].scope == server->scope &&
		    !address_compare(&servers->items[i].address, &server->address))
			return true;
	return false;
}

/*
 * The second word of "nameserver ADDRESS" and whatever may follow; a keyword starts in the first
 * column. One that is too long for an address is cut, and *ret_whole says so.
 */
static bool line_parse(const char *line, char ret_text[NAMESERVER_TEXT_SIZE], bool *ret_whole)
{
	static const char keyword[] = "nameserver";
	size_t length;

	if (strncmp(line, keyword, sizeof(keyword) - 1))
		return false;
	line += sizeof(keyword) - 1;
	length = strspn(line, blank);
	if (!length)
		return false;
	line += length;
	length = strcspn(line, blank);
	*ret_whole = length < NAMESERVER_TEXT_SIZE;
	snprintf(ret_text, NAMESERVER_TEXT_SIZE, "%.*s", (int)length, line);
	return length > 0;
}

static void line_take(const char *line, struct nameservers *servers)
{
	char text[NAMESERVER_TEXT_SIZE], parsed[NAMESERVER_TEXT_SIZE];
	struct nameserver server;
	bool whole;

	if (!line_parse(line, text, &whole))
		return;
	memcpy(parsed, text, sizeof(parsed));
	if (!whole || !server_parse(parsed, &server)) {
		if (!*servers->unusable)
			memcpy(servers->unusable, text, sizeof(text));
	} else if (!is_known(servers, &server)) {
		servers->items[servers->count++] = server;
	}
}

void nameservers_parse(const void *text, size_t length, struct nameservers *ret)
{
	struct cursor cursor = cursor_over(text, length);
	const uint8_t *bytes;
	bool ended;

	*ret = (struct nameservers){ .count = 0 };
	while (ret->count < NAMESERVERS_MAX && cursor_line(&cursor, &bytes, &length, &ended)) {
		char line[256];

		/* Left out and not cut: what a cut leaves of an address may be another one. */
		if (length >= sizeof(line))
			continue;
		memcpy(line, bytes, length);
		line[length] = '\0';
		line_take(line, ret);
	}
}

bool nameservers_read(const char *path, struct nameservers *ret, struct err *err)
{
	autofree char *text = memory_allocate(FILE_MAX, 1);
	autoclose int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t length = 0;
	ssize_t count = 1;

	if (file < 0 && errno == ENOENT) {
		*ret = (struct nameservers){ .count = 0 };
		return true;
	}
	while (file >= 0 && count && length < FILE_MAX) {
		count = read(file, text + length, FILE_MAX - length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			break;
		length += (size_t)count;
	}
	if (file < 0 || count < 0) {
		err_set_errno(err, errno, "%s: cannot be read", path);
		return false;
	}
	nameservers_parse(text, length, ret);
	return true;
}
