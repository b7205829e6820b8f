/* dns_stub.c: a scripted DNS server for tests, over UDP and TCP. */
#include "dns_stub.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * dns_stub SCRIPT LOG ADDRESS:PORT...
 *
 * Answers what the script says until it is killed or its parent ends. LOG is made when all are
 * bound; every question adds a line "NAME TYPE udp|tcp [edns]". A line of the script is
 *
 *     NAME TYPE [ADDRESS...] [TARGET] [OPTION...]
 *
 * NAME is a name, "*" for any, or "*.example.test" for any below; TYPE is A, AAAA, CNAME or ANY.
 * The first line that fits answers; of its addresses those of the family that was asked for. A name
 * without a fitting line is NXDOMAIN, or has no address if it has lines of other types.
 *
 * Options: rcode=SERVFAIL, delay=20 (milliseconds), ttl=1 (seconds), drop=2 or drop=all (first questions without an
 * answer), truncate, rotate, bare and soa (an alias alone, and whether as the last word), no-edns,
 * owner=NAME, from=1 (the answer comes from the second address that is bound), malformed=KIND (see
 * dns_stub_script.c). "#" begins a comment.
 */
enum { MESSAGE_MAX = 65535, LISTENERS_MAX = 16, EVENTS = 64, SOCKET_BUFFER = 8 * 1024 * 1024 };

enum source_kind { SOURCE_UDP, SOURCE_LISTENER, SOURCE_CONNECTION };

struct source {
	enum source_kind kind;
	int fd;
	struct buffer input; /* of a connection */
	unsigned pending;    /* answers that still have to go out on a connection */
	bool closed;
};

/* An answer that waits for its time. */
struct pending {
	TAILQ_ENTRY(pending) link;
	uint64_t due_us;
	struct source *source;
	struct sockaddr_storage peer;
	socklen_t peer_length;
	struct buffer message;
};

TAILQ_HEAD(pending_queue, pending);

static struct pending_queue queue = TAILQ_HEAD_INITIALIZER(queue);
static struct script script;
static int events, log_file;
static struct source *udp_sources[LISTENERS_MAX];

_Noreturn static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static struct source *source_add(enum source_kind kind, int fd)
{
	struct source *source = memory_allocate(1, sizeof(*source));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };

	source->kind = kind;
	source->fd = fd;
	if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll_ctl");
	return source;
}

static void source_release(struct source *source)
{
	if (!source->closed || source->pending)
		return;
	buffer_free(&source->input);
	free(source);
}

static void source_close(struct source *source)
{
	close(source->fd);
	source->closed = true;
	source_release(source);
}

static int bind_socket(const struct addrinfo *address, int type, const char *text)
{
	int fd = socket(address->ai_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
	int size = SOCKET_BUFFER;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(fd, address->ai_addr, address->ai_addrlen) < 0)
		die(text);
	return fd;
}

static void listen_on(const char *text, size_t index)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_DGRAM };
	autofree char *host = memory_copy_string(text);
	char *port = strrchr(host, ':'), *start = host;
	struct addrinfo *address;
	int tcp;

	if (!port || index >= LISTENERS_MAX) {
		fprintf(stderr, "dns_stub: \"%s\" is no ADDRESS:PORT\n", text);
		exit(EXIT_FAILURE);
	}
	*port++ = '\0';
	if (*start == '[') {
		start++;
		port[-2] = '\0';
	}
	if (getaddrinfo(start, port, &hints, &address)) {
		fprintf(stderr, "dns_stub: \"%s\" is no ADDRESS:PORT\n", text);
		exit(EXIT_FAILURE);
	}
	udp_sources[index] = source_add(SOURCE_UDP, bind_socket(address, SOCK_DGRAM, text));
	tcp = bind_socket(address, SOCK_STREAM, text);
	if (listen(tcp, 128) < 0)
		die("listen");
	source_add(SOURCE_LISTENER, tcp);
	freeaddrinfo(address);
}

static void send_now(struct pending *pending)
{
	struct source *source = pending->source;
	const struct buffer *message = &pending->message;

	if (source->kind == SOURCE_UDP) {
		sendto(source->fd, message->data, message->length, 0,
		       (struct sockaddr *)&pending->peer, pending->peer_length);
	} else {
		struct buffer framed = { 0 };

		buffer_append_u16(&framed, (uint16_t)message->length);
		buffer_append(&framed, message->data, message->length);
		if (!source->closed)
			send(source->fd, framed.data, framed.length, MSG_NOSIGNAL);
		buffer_free(&framed);
		source->pending--;
		source_release(source);
	}
	buffer_free(&pending->message);
	free(pending);
}

/* Mostly goes to the end: answers with one delay come in order. */
static void enqueue(struct pending *pending)
{
	struct pending *before;

	TAILQ_FOREACH_REVERSE(before, &queue, pending_queue, link)
	if (before->due_us <= pending->due_us)
		break;
	if (before)
		TAILQ_INSERT_AFTER(&queue, before, pending, link);
	else
		TAILQ_INSERT_HEAD(&queue, pending, link);
}

static void log_query(const struct query *query, bool tcp)
{
	char line[STUB_NAME_SIZE + 64];
	int length =
		snprintf(line, sizeof(line), "%s %s %s%s\n", query->name, type_name(query->type),
			 tcp ? "tcp" : "udp", query->edns ? " edns" : "");

	if (write(log_file, line, (size_t)length) != length)
		die("log");
}

static void handle(struct source *source, const void *bytes, size_t length,
		   const struct sockaddr_storage *peer, socklen_t peer_length)
{
	bool tcp = source->kind == SOURCE_CONNECTION;
	struct pending *pending;
	struct query query;
	struct reply reply;

	if (!query_read(bytes, length, &query))
		return;
	log_query(&query, tcp);
	if (!reply_make(&script, &query, tcp, &reply))
		return;
	pending = memory_allocate(1, sizeof(*pending));
	pending->message = reply.message;
	pending->source = source;
	if (tcp) {
		source->pending++;
	} else {
		pending->peer = *peer;
		pending->peer_length = peer_length;
		if (reply.from >= 0 && reply.from < LISTENERS_MAX && udp_sources[reply.from])
			pending->source = udp_sources[reply.from];
	}
	if (!reply.delay_ms) {
		send_now(pending);
		return;
	}
	pending->due_us = now_us() + reply.delay_ms * 1000ULL;
	enqueue(pending);
}

static void read_datagrams(struct source *source)
{
	static uint8_t bytes[MESSAGE_MAX];
	struct sockaddr_storage peer;
	ssize_t count;

	for (;;) {
		socklen_t length = sizeof(peer);

		count = recvfrom(source->fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&peer,
				 &length);
		if (count < 0)
			return;
		handle(source, bytes, (size_t)count, &peer, length);
	}
}

static void read_connection(struct source *source)
{
	struct buffer *input = &source->input;
	ssize_t count = recv(source->fd, buffer_reserve(input, MESSAGE_MAX), MESSAGE_MAX, 0);

	if (count <= 0) {
		if (count == 0 || (errno != EAGAIN && errno != EINTR))
			source_close(source);
		return;
	}
	input->length += (size_t)count;
	while (input->length >= 2) {
		size_t length = (size_t)input->data[0] << 8 | input->data[1];

		if (input->length < length + 2)
			break;
		handle(source, input->data + 2, length, NULL, 0);
		input->length -= length + 2;
		memmove(input->data, input->data + length + 2, input->length);
	}
}

static void accept_connection(struct source *source)
{
	int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		source_add(SOURCE_CONNECTION, fd);
}

static void wait_for_events(void)
{
	struct epoll_event ready[EVENTS];
	const struct pending *first = TAILQ_FIRST(&queue);
	struct timespec limit, *timeout = NULL;
	int count;

	if (first) {
		uint64_t now = now_us(), left = first->due_us > now ? first->due_us - now : 0;

		limit = (struct timespec){ .tv_sec = (time_t)(left / 1000000),
					   .tv_nsec = (long)(left % 1000000 * 1000) };
		timeout = &limit;
	}
	count = epoll_pwait2(events, ready, EVENTS, timeout, NULL);
	for (int i = 0; i < count; i++) {
		struct source *source = ready[i].data.ptr;

		switch (source->kind) {
		case SOURCE_UDP:
			read_datagrams(source);
			break;
		case SOURCE_LISTENER:
			accept_connection(source);
			break;
		case SOURCE_CONNECTION:
			read_connection(source);
			break;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: dns_stub SCRIPT LOG ADDRESS:PORT...\n");
		return EXIT_FAILURE;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	script = script_read(argv[1]);
	events = epoll_create1(EPOLL_CLOEXEC);
	if (events < 0)
		die("epoll_create1");
	for (int i = 3; i < argc; i++)
		listen_on(argv[i], (size_t)i - 3);
	log_file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log_file < 0)
		die(argv[2]);
	for (;;) {
		struct pending *pending;
		uint64_t now;

		wait_for_events();
		now = now_us();
		while ((pending = TAILQ_FIRST(&queue)) && pending->due_us <= now) {
			TAILQ_REMOVE(&queue, pending, link);
			send_now(pending);
		}
	}
}
