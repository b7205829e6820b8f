/* address_port.c: literal addresses with a port. */
#include "policy/policy.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/literal.h"

#include <stdio.h>
#include <string.h>

bool address_port_parse(const char *text, struct address_port *ret, struct err *err)
{
	const char *colon = strrchr(text, ':'), *close = strchr(text, ']');
	bool bracketed = text[0] == '[';
	autofree char *host = NULL;
	char quoted[TEXT_QUOTE_SIZE];
	struct address_port target;

	if (bracketed ? !close || close[1] != ':' : !colon || strchr(text, ':') != colon) {
		err_set(err,
			"%s is not an address with a port; expected \"192.0.2.1:443\" or "
			"\"[2001:db8::1]:443\"",
			text_quote(text, quoted));
		return false;
	}
	host = bracketed ? memory_format("%.*s", (int)(close - text - 1), text + 1)
			 : memory_format("%.*s", (int)(colon - text), text);
	colon = bracketed ? close + 1 : colon;
	if (!literal_address(host, &target.address, err))
		return false;
	if (bracketed && target.address.family != FAMILY_IPV6) {
		err_set(err, "%s has brackets round an IPv4 address; did you mean \"%s%s\"?",
			text_quote(text, quoted), host, strlen(colon) < 8 ? colon : ":443");
		return false;
	}
	if (!literal_port(colon + 1, strlen(colon + 1), text, &target.port, err))
		return false;
	*ret = target;
	return true;
}

const char *address_port_format(const struct address_port *from, char ret[ADDRESS_PORT_TEXT_SIZE])
{
	char text[ADDRESS_TEXT_SIZE];

	snprintf(ret, ADDRESS_PORT_TEXT_SIZE,
		 from->address.family == FAMILY_IPV6 ? "[%s]:%u" : "%s:%u",
		 address_format(&from->address, text), from->port);
	return ret;
}

bool address_port_equal(const struct address_port *one, const struct address_port *other)
{
	return one->port == other->port && !address_compare(&one->address, &other->address);
}

bool address_ports_have(const struct address_ports *list, const struct address_port *one)
{
	for (size_t i = 0; i < list->count; i++)
		if (address_port_equal(&list->items[i], one))
			return true;
	return false;
}
