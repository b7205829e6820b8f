/* port_note.c: an IPv6 address whose last group may have been meant as a port. */
#include "policy/port_note.h"

#include <stdio.h>
#include <string.h>

/* Written in decimal, the digits of a port are a group of an address, which is hexadecimal. */
static const uint16_t groups_like_ports[] = {
	0x21,   0x22,   0x25,   0x80,   0x443,  0x465,  0x587,  0x853,  0x993,
	0x1080, 0x3000, 0x3128, 0x3306, 0x4443, 0x5000, 0x5432, 0x6379, 0x8000,
	0x8080, 0x8081, 0x8443, 0x8888, 0x9000, 0x9090, 0x9200, 0x9418, 0x9443,
};

static bool is_like_port(const uint8_t group[2])
{
	for (size_t i = 0; i < sizeof(groups_like_ports) / sizeof(*groups_like_ports); i++)
		if (groups_like_ports[i] == (group[0] << 8 | group[1]))
			return true;
	return false;
}

/* "2001:db8::1:443", of which "2001:db8::1" is an address too; with all groups it would be none. */
static bool hides_port(const struct destination *destination, char text[ADDRESS_TEXT_SIZE],
		       char **ret_colon)
{
	struct prefix prefix;

	if (destination->kind != DESTINATION_PREFIX || !destination->ipv6 ||
	    destination->length != 128 || destination->first_port || destination->last_port ||
	    !is_like_port(destination->bytes + 14))
		return false;
	prefix = destination_prefix(destination);
	address_format(&prefix.address, text);
	*ret_colon = strrchr(text, ':');
	return strstr(text, "::") && *ret_colon > text && (*ret_colon)[-1] != ':';
}

bool policy_port_note(const struct policy *policy, char ret[PORT_NOTE_SIZE])
{
	for (size_t i = 0; i < policy->allowed_hosts.count; i++) {
		char text[ADDRESS_TEXT_SIZE], *colon;

		if (!hides_port(&policy->allowed_hosts.items[i], text, &colon))
			continue;
		snprintf(ret, PORT_NOTE_SIZE,
			 "allowed_hosts[%zu]: \"%s\" is an address, of which ports 80 and 443 are "
			 "open; if its end was meant as a port, write \"[%.*s]%s\"",
			 i, text, (int)(colon - text), text, colon);
		return true;
	}
	return false;
}
