/* query.c: the parameters of a query, in a form in which they can be compared. */
#include "policy/query.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/percent.h"

#include <stdlib.h>
#include <string.h>

/* Decodes and encodes again, so that "%61", "a" and, in other places, "+" and "%20" are one. */
static char *normalise(const char *text, size_t length)
{
	struct buffer out = { 0 };

	for (size_t i = 0; i < length; i++) {
		int escaped = i + 2 < length ? percent_byte(text + i) : -1;
		uint8_t byte = text[i] == '+' ? ' ' : (uint8_t)text[i];

		if (escaped >= 0) {
			byte = (uint8_t)escaped;
			i += 2;
		}
		if (percent_is_unreserved(byte))
			buffer_append_u8(&out, byte);
		else
			buffer_printf(&out, "%%%02X", byte);
	}
	return buffer_steal(&out);
}

struct query_parameters query_parse(const char *query)
{
	struct query_parameters result = { 0 };

	for (const char *at = query; *at;) {
		size_t length = strcspn(at, "&;");
		const char *equals = memchr(at, '=', length);
		size_t key_length = equals ? (size_t)(equals - at) : length;

		if (length) {
			result.items = memory_resize(result.items, result.count + 1,
						     sizeof(*result.items));
			result.items[result.count++] = (struct query_parameter){
				.key = normalise(at, key_length),
				.value = equals ? normalise(equals + 1, length - key_length - 1)
						: NULL,
			};
		}
		at += length;
		if (*at)
			at++;
	}
	return result;
}

void query_free(struct query_parameter *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(items[i].key);
		free(items[i].value);
	}
	free(items);
}

static bool same(const char *one, const char *other)
{
	while (*one && text_lower(*one) == text_lower(*other)) {
		one++;
		other++;
	}
	return *one == *other;
}

static bool has_one(const struct query_parameters *query, const struct query_parameter *wanted)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct query_parameter *found = &query->items[i];

		if (same(found->key, wanted->key) &&
		    (!wanted->value || same(found->value ? found->value : "", wanted->value)))
			return true;
	}
	return false;
}

bool query_has_all(const char *query, const struct query_parameter *items, size_t count)
{
	struct query_parameters found = query_parse(query);
	bool all = true;

	for (size_t i = 0; i < count && all; i++)
		all = has_one(&found, &items[i]);
	query_free(found.items, found.count);
	return all;
}

void query_print(const struct query_parameter *items, size_t count, struct buffer *out)
{
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "%s%s", i ? "&" : "", items[i].key);
		if (items[i].value)
			buffer_printf(out, "=%s", items[i].value);
	}
}
