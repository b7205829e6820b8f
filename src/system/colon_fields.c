/* colon_fields.c: one line of passwd(5), group(5) or subuid(5), split at its colons. */
#include "system/colon_fields.h"

void colon_split(const uint8_t *line, size_t length, struct colon_fields *ret)
{
	size_t start = 0;

	ret->count = 0;
	for (size_t i = 0; i <= length; i++) {
		if (i < length && line[i] != ':')
			continue;
		if (ret->count < COLON_FIELDS_MAX) {
			ret->text[ret->count] = (const char *)line + start;
			ret->length[ret->count] = i - start;
		}
		ret->count++;
		start = i + 1;
	}
}

bool colon_number(const struct colon_fields *fields, size_t index, uint64_t limit, uint64_t *ret)
{
	uint64_t value = 0;

	if (!fields->length[index] || fields->length[index] > 20)
		return false;
	for (size_t i = 0; i < fields->length[index]; i++) {
		char digit = fields->text[index][i];

		if (digit < '0' || digit > '9')
			return false;
		value = value * 10 + (uint64_t)(digit - '0');
		if (value > limit)
			return false;
	}
	*ret = value;
	return true;
}
