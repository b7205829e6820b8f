/* dns_name.c: names as they stand in DNS messages (RFC 1035, sections 3.1 and 4.1.4). */
#include "system/dns_name.h"

#include <string.h>

enum { LABEL_MAX = 63, POINTER = 0xc0 };

bool dns_name_from_text(const char *text, struct dns_name *ret)
{
	struct dns_name name = { .length = 0 };
	size_t length = 0;

	do {
		size_t label = strcspn(text, ".");

		/* The octet of the label's length, and the zero octet at the end, must fit too. */
		if (label == 0 || label > LABEL_MAX || length + label + 2 > DNS_NAME_SIZE)
			return false;
		name.octets[length++] = (uint8_t)label;
		memcpy(name.octets + length, text, label);
		length += label;
		text += label;
	} while (*text++ == '.');
	name.length = (uint8_t)(length + 1);
	*ret = name;
	return true;
}

bool dns_name_equal(const struct dns_name *one, const struct dns_name *other)
{
	return one->length == other->length && !memcmp(one->octets, other->octets, one->length);
}

static uint8_t lower(uint8_t octet)
{
	return octet >= 'A' && octet <= 'Z' ? (uint8_t)(octet + ('a' - 'A')) : octet;
}

bool dns_name_read(struct cursor *message, struct dns_name *ret)
{
	struct cursor at = *message;
	size_t part = at.position, length = 0;
	bool jumped = false;
	uint8_t size;

	do {
		const uint8_t *label;

		if (!cursor_u8(&at, &size))
			return false;
		if (size >= POINTER) {
			uint8_t low;
			size_t target;

			if (!cursor_u8(&at, &low))
				return false;
			if (!jumped)
				message->position = at.position;
			jumped = true;
			target = (size_t)(size & ~POINTER) << 8 | low;
			if (target >= part)
				return false;
			part = at.position = target;
			continue;
		}
		label = size <= LABEL_MAX ? cursor_take(&at, size) : NULL;
		if (!label || length + 1 + size > DNS_NAME_SIZE)
			return false;
		ret->octets[length++] = size;
		for (uint8_t i = 0; i < size; i++)
			ret->octets[length++] = lower(label[i]);
	} while (size);
	ret->length = (uint8_t)length;
	if (!jumped)
		message->position = at.position;
	return true;
}
