/* http.c: requests in clear on a client's connection, read, judged and forwarded one by one. */
#include "filter/http.h"

#include "filter/answer.h"

#include <unistd.h>

void http_start(struct client *client, const struct http_tunnel *tunnel, const void *octets,
		size_t length)
{
	static const struct answer_form last = { .keep_alive = false };
	struct buffer text = { 0 };

	(void)octets;
	(void)length;
	if (tunnel)
		close(tunnel->upstream);
	answer_failed(501, "requests in clear are not forwarded", last, &text);
	client_answer(client, text.data, text.length);
	buffer_free(&text);
}

void http_stop(struct http *http)
{
	(void)http;
}

const struct target *http_target(const struct http *http)
{
	(void)http;
	return NULL;
}
