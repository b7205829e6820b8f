/* corpus.c: sends the corpora of requests and hellos to a filter, and says what was answered otherwise. */
#include "filter/http_reader.h"
#include "../unit/request_corpus.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * corpus PORT requests|hellos: to 127.0.0.1:PORT. For each group of rows a line "SENT DIFFERENT ABOUT"; before
 * it one that begins with "# " for each row that differs.
 */

static unsigned short port;

static int dial(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(port),
					     .sin_addr = { htonl(INADDR_LOOPBACK) } };
	const struct timeval limit = { .tv_sec = 20 };
	int descriptor = socket(AF_INET, SOCK_STREAM, 0);

	if (descriptor < 0 || connect(descriptor, (const struct sockaddr *)&address, sizeof(address)))
		err(2, "port %u", port);
	setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return descriptor;
}

/* Whoever answers early may have closed already. */
static void send_all(int descriptor, const void *octets, size_t length)
{
	for (size_t sent = 0; sent < length;) {
		ssize_t step = send(descriptor, (const char *)octets + sent, length - sent, MSG_NOSIGNAL);

		if (step < 0)
			return;
		sent += (size_t)step;
	}
}

static void read_to_end(int descriptor, struct buffer *out)
{
	char octets[4096];
	ssize_t length;

	while ((length = recv(descriptor, octets, sizeof(octets), 0)) > 0)
		buffer_append(out, octets, (size_t)length);
	if (length < 0)
		buffer_append_text(out, "HTTP/1.1 599 broken\r\n\r\n");
}

/* CONNECT, and its answer of 200 taken off. */
static bool open_tunnel(int descriptor, const char *target)
{
	struct buffer text = { 0 };
	char octet;
	bool good;

	buffer_printf(&text, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target);
	send_all(descriptor, text.data, text.length);
	text.length = 0;
	while ((text.length < 4 || memcmp(text.data + text.length - 4, "\r\n\r\n", 4)) &&
	       recv(descriptor, &octet, 1, 0) == 1)
		buffer_append_u8(&text, (uint8_t)octet);
	good = text.length > 12 && !memcmp(text.data, "HTTP/1.1 200", 12);
	buffer_free(&text);
	return good;
}

/* The statuses, with blanks between. */
static void list_answers(const struct buffer *octets, bool to_head, struct buffer *ret)
{
	enum http_event event = HTTP_EVENT_MORE;
	struct buffer body = { 0 };
	struct http_reader reader;
	struct http_fault fault;
	size_t at = 0, used;

	http_reader_start(&reader, HTTP_KIND_ANSWER, 65536);
	reader.to_head = to_head;
	do {
		event = http_read(&reader, octets->data + at, octets->length - at, &used, &body, &fault);
		at += used;
		if (event == HTTP_EVENT_HEAD && reader.head.status >= 200)
			buffer_printf(ret, "%s%u", ret->length ? " " : "", reader.head.status);
	} while (event != HTTP_EVENT_FAULT && (event != HTTP_EVENT_MORE || at < octets->length));
	if (event == HTTP_EVENT_FAULT)
		buffer_printf(ret, " fault: %s", fault.reason);
	if (!ret->length)
		buffer_append_text(ret, "-");
	http_reader_free(&reader);
	buffer_free(&body);
}

static bool try_request(const struct request_row *row)
{
	struct buffer stream, got = { 0 }, answers = { 0 };
	int descriptor = dial();
	bool same;

	request_row_make(row, &stream);
	if (row->tunnel && !open_tunnel(descriptor, row->tunnel))
		buffer_append_text(&got, "HTTP/1.1 598 no tunnel\r\n\r\n");
	send_all(descriptor, stream.data, stream.length);
	shutdown(descriptor, SHUT_WR);
	read_to_end(descriptor, &got);
	close(descriptor);
	list_answers(&got, stream.length > 4 && !memcmp(stream.data, "HEAD", 4), &answers);
	same = !strcmp(buffer_string(&answers), row->answers);
	if (!same)
		printf("# %s: %s, not %s\n", row->what, buffer_string(&answers), row->answers);
	buffer_free(&stream);
	buffer_free(&got);
	buffer_free(&answers);
	return same;
}

static bool is_echo(const struct buffer *sent, const struct buffer *got)
{
	return got->length == sent->length && !memcmp(got->data, sent->data, got->length);
}

/* Nothing at all, or where the stream began like a request, an answer of the filter's own. */
static bool is_refusal(const struct buffer *sent, const struct buffer *got)
{
	return !got->length || (sent->data[0] >= 'A' && sent->data[0] <= 'Z' && got->length > 10 &&
				(!memcmp(got->data, "HTTP/1.1 4", 10) || !memcmp(got->data, "HTTP/1.1 5", 10)));
}

/* Behind CONNECT a.test: the hello comes back from an echoing server, or the tunnel is closed. */
static bool try_hello(const struct recipe *recipe)
{
	bool passes = recipe->status == HELLO_READ && !strcmp(recipe->read, "a.test"), good;
	struct buffer stream, got = { 0 };
	int descriptor = dial();

	recipe_make(recipe, &stream);
	if (open_tunnel(descriptor, "a.test:22"))
		send_all(descriptor, stream.data, stream.length);
	shutdown(descriptor, SHUT_WR);
	read_to_end(descriptor, &got);
	close(descriptor);
	good = passes ? is_echo(&stream, &got) : is_refusal(&stream, &got);
	if (!good)
		printf("# %s: %zu octets came back of %zu\n", recipe->what, got.length, stream.length);
	buffer_free(&stream);
	buffer_free(&got);
	return good;
}

struct group {
	const char *about;
	size_t sent, different;
};

static void close_group(struct group *group, const char *next)
{
	if (group->sent)
		printf("%zu %zu %s\n", group->sent, group->different, group->about);
	*group = (struct group){ .about = next };
}

static void count(struct group *group, bool good)
{
	group->sent++;
	group->different += good ? 0 : 1;
}

static void try_requests(struct group *group)
{
	for (size_t i = 0; i < request_corpus_count; i++) {
		if (request_corpus[i].heads)
			close_group(group, request_corpus[i].what);
		else
			count(group, try_request(&request_corpus[i]));
	}
}

static void try_hellos(struct group *group)
{
	for (size_t i = 0; i < hello_corpus_count; i++) {
		const struct recipe *recipe = &hello_corpus[i];

		if (recipe->heads)
			close_group(group, recipe->what);
		/* The filter has one limit; and what is no record behind a hello is its watch's affair. */
		else if (!recipe->limit && (!recipe->after.length || recipe->after.bytes[0] == 23))
			count(group, try_hello(recipe));
	}
}

int main(int argc, char **argv)
{
	struct group group = { .about = "" };

	if (argc != 3)
		errx(2, "corpus PORT requests|hellos");
	port = (unsigned short)atoi(argv[1]);
	if (!strcmp(argv[2], "requests"))
		try_requests(&group);
	else
		try_hellos(&group);
	close_group(&group, NULL);
	return 0;
}
