/* http_hop.c: which fields are for one connection only. */
#include "filter/http_hop.h"

#include <string.h>
#include <strings.h>

static bool is_among(struct http_text name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (http_text_is(name, words[i]))
			return true;
	return false;
}

bool http_hop_drops(const struct http_head *head, struct http_text name)
{
	static const char *const words[] = {
		"connection", "keep-alive", "te", "transfer-encoding", "upgrade", "http2-settings",
	};
	const struct http_field *field = NULL;
	struct http_text rest, element;

	if (is_among(name, words, sizeof(words) / sizeof(*words)) ||
	    (name.length > 6 && !strncasecmp(name.text, "proxy-", 6)))
		return true;
	while ((field = http_head_find(head, "connection", field))) {
		rest = field->value;
		while (http_list_next(&rest, &element))
			if (element.length == name.length &&
			    !strncasecmp(element.text, name.text, name.length))
				return true;
	}
	return false;
}

bool http_hop_drops_trailer(const struct http_head *head, struct http_text name)
{
	return http_text_is(name, "content-length") || http_text_is(name, "host") ||
	       http_hop_drops(head, name);
}

static size_t count_named(const struct http_head *head)
{
	const struct http_field *field = NULL;
	struct http_text rest, element;
	size_t count = 0;

	while ((field = http_head_find(head, "connection", field))) {
		rest = field->value;
		while (http_list_next(&rest, &element))
			count++;
	}
	return count;
}

bool http_hop_is_hostile(const struct http_head *head)
{
	enum { NAMED_MAX = 64 };
	static const char *const words[] = { "host", "content-length", "transfer-encoding",
					     "expect" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (http_head_lists(head, "connection", words[i]))
			return true;
	return count_named(head) > NAMED_MAX;
}
