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

static bool begins_with(struct http_text name, const char *word)
{
	size_t length = strlen(word);

	return name.length > length && !strncasecmp(name.text, word, length);
}

bool http_hop_drops(const struct http_head *head, struct http_text name)
{
	static const char *const words[] = {
		"connection", "keep-alive", "te", "transfer-encoding", "upgrade", "http2-settings",
	};

	if (is_among(name, words, sizeof(words) / sizeof(*words)) || begins_with(name, "proxy-") ||
	    begins_with(name, "x-egressfw-"))
		return true;
	for (size_t i = 0; i < head->named_count; i++)
		if (head->named[i].length == name.length &&
		    !strncasecmp(head->named[i].text, name.text, name.length))
			return true;
	return false;
}

bool http_hop_drops_trailer(const struct http_head *head, struct http_text name)
{
	return http_text_is(name, "content-length") || http_text_is(name, "host") ||
	       http_hop_drops(head, name);
}

bool http_hop_is_hostile(const struct http_head *head)
{
	static const char *const words[] = { "host", "content-length", "transfer-encoding",
					     "expect" };

	for (size_t i = 0; i < head->named_count; i++)
		if (is_among(head->named[i], words, sizeof(words) / sizeof(*words)))
			return true;
	return head->named_count > HTTP_NAMED_MAX;
}
