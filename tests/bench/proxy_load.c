/* proxy_load.c: servers, clients and a bare relay, to measure what a proxy costs. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * What is measured is a proxy: clients and servers make as few system calls as can be, and copy nothing.
 *
 * proxy_load serve                             9100 sends for ever, 9101 sends an octet, 9102 speaks HTTP
 * proxy_load relay PORT ADDRESS:PORT           splice(2) both ways and nothing else
 * proxy_load stream VIA TARGET CLIENTS SECONDS   prints megabits per second, and octets
 * proxy_load connect VIA TARGET CLIENTS SECONDS  prints new tunnels per second, and how many
 * proxy_load request VIA TARGET CLIENTS SECONDS  prints requests per second, how many, and the median in microseconds
 * proxy_load idle VIA TARGET CLIENTS SECONDS     opens tunnels, prints "open", waits
 *
 * VIA is the port of a proxy on 127.0.0.1; 0: no proxy; -PORT: a relay, which needs no CONNECT. The first
 * octets of a tunnel are a ClientHello without a server name, as is right for an address.
 */
enum { EVENTS = 256, BUFFER = 256 * 1024, BODY = 1024, SAMPLES = 1 << 20 };

static char buffer[BUFFER];
static int epoll;

static const uint8_t client_hello[] = {
	0x16, 3,    1, 0,    0x2d, 1, 0, 0,    0x29, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15,   16,   17, 18,  19,   20, 21, 22, 23,   24, 25, 26, 27, 28, 29, 30, 31, 32, 0, 0, 2, 0x13, 1, 1, 0,
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void watch(int operation, int descriptor, uint32_t events, void *context)
{
	struct epoll_event event = { .events = events, .data.ptr = context };

	if (epoll_ctl(epoll, operation, descriptor, &event))
		err(2, "epoll");
}

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	char host[64];
	unsigned port;

	if (sscanf(text, "%63[^:]:%u", host, &port) != 2 || inet_pton(AF_INET, host, &address.sin_addr) != 1)
		errx(2, "%s: no address and port", text);
	address.sin_port = htons((uint16_t)port);
	return address;
}

static int listen_at(const char *text)
{
	struct sockaddr_in address = address_of(text);
	int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;

	setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(descriptor, (struct sockaddr *)&address, sizeof(address)) || listen(descriptor, 4096))
		err(2, "%s", text);
	return descriptor;
}

/* --- serve */

struct station {
	int descriptor, port;
	bool listens, sends;
	unsigned matched; /* octets of the empty line that ends a request */
};

static void answer_requests(struct station *station, ssize_t length)
{
	static char answer[BODY + 128];
	static int size;
	static const char end[] = "\r\n\r\n";

	if (!size) {
		size = snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BODY);
		memset(answer + size, 'x', BODY);
		size += BODY;
	}
	for (ssize_t i = 0; i < length; i++) {
		station->matched = buffer[i] == end[station->matched] ? station->matched + 1 : buffer[i] == '\r';
		if (station->matched < 4)
			continue;
		station->matched = 0;
		if (write(station->descriptor, answer, (size_t)size) != size)
			return;
	}
}

static void drop(struct station *station)
{
	close(station->descriptor);
	free(station);
}

/* Pages of a file without a name, which are not copied. */
static bool send_pages(const struct station *station)
{
	static int pages = -1;
	off_t from = 0;

	if (pages < 0) {
		pages = memfd_create("pages", MFD_CLOEXEC);
		if (pages < 0 || write(pages, buffer, BUFFER) != BUFFER)
			err(2, "pages");
	}
	return sendfile(station->descriptor, pages, &from, BUFFER) >= 0 || errno == EAGAIN;
}

static void serve_one(struct station *station, uint32_t events)
{
	ssize_t length;

	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
		drop(station);
		return;
	}
	if (station->sends) {
		if (!send_pages(station))
			drop(station);
		return;
	}
	length = read(station->descriptor, buffer, BUFFER);
	if (length < 0 && errno == EAGAIN)
		return;
	if (length <= 0) {
		drop(station);
		return;
	}
	if (station->port == 9102) {
		answer_requests(station, length);
	} else if (station->port == 9100 && !station->sends) {
		station->sends = true;
		watch(EPOLL_CTL_MOD, station->descriptor, EPOLLOUT | EPOLLRDHUP, station);
	} else if (write(station->descriptor, "x", 1) < 0) {
		drop(station);
	}
}

static void serve(void)
{
	for (int port = 9100; port <= 9102; port++) {
		struct station *station = calloc(1, sizeof(*station));
		char text[32];

		snprintf(text, sizeof(text), "0.0.0.0:%d", port);
		*station = (struct station){ .descriptor = listen_at(text), .port = port, .listens = true };
		watch(EPOLL_CTL_ADD, station->descriptor, EPOLLIN, station);
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct epoll_event events[EVENTS];
		int count = epoll_wait(epoll, events, EVENTS, -1);

		for (int i = 0; i < count; i++) {
			struct station *station = events[i].data.ptr, *client;
			int descriptor;

			if (!station->listens) {
				serve_one(station, events[i].events);
				continue;
			}
			while ((descriptor = accept4(station->descriptor, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
				client = calloc(1, sizeof(*client));
				*client = (struct station){ .descriptor = descriptor, .port = station->port };
				watch(EPOLL_CTL_ADD, descriptor, EPOLLIN | EPOLLRDHUP, client);
			}
		}
	}
}

/* --- relay: for each side a pipe to the other one */

struct side {
	struct side *other;
	int descriptor, pipe[2];
	size_t in_pipe;
	bool ended, queued;
	struct side *next; /* that may have more */
};

static struct side *queue;

/* Until either side has no more to give or to take, of which an edge will tell; or, for now, for some time. */
static void pass_on(struct side *from)
{
	for (int round = 0; round < 16; round++) {
		bool fills = !from->in_pipe;
		ssize_t moved = fills ? splice(from->descriptor, NULL, from->pipe[1], NULL, BUFFER,
					       SPLICE_F_NONBLOCK | SPLICE_F_MOVE)
				      : splice(from->pipe[0], NULL, from->other->descriptor, NULL, from->in_pipe,
					       SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (moved <= 0)
			return;
		from->in_pipe += (size_t)(fills ? moved : -moved);
	}
	if (from->queued)
		return;
	from->queued = true;
	from->next = queue;
	queue = from;
}

static void pass_on_queued(void)
{
	struct side *first = queue;

	queue = NULL;
	for (struct side *side = first, *next; side; side = next) {
		next = side->next;
		side->queued = false;
		if (!side->ended)
			pass_on(side);
	}
}

/* Of what nobody reads a socket keeps megabytes, and the machine has only so much for all (tcp_mem). */
static void end_pair(struct side *side)
{
	for (int i = 0; i < 2; i++, side = side->other) {
		side->ended = true;
		close(side->descriptor);
		close(side->pipe[0]);
		close(side->pipe[1]);
	}
}

static void settle(int descriptor)
{
	int one = 1;

	setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

static void relay(const char *port, const char *target)
{
	char text[32];
	int listener;

	snprintf(text, sizeof(text), "127.0.0.1:%s", port);
	listener = listen_at(text);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct epoll_event events[EVENTS];
		int count = epoll_wait(epoll, events, EVENTS, queue ? 0 : -1);

		for (int i = 0; i < count; i++) {
			struct side *side = events[i].data.ptr;

			if (!side) {
				struct side *pair = calloc(2, sizeof(*pair));
				struct sockaddr_in address = address_of(target);

				for (int j = 0; j < 2; j++) {
					pair[j].other = &pair[1 - j];
					pair[j].descriptor = j ? socket(AF_INET, SOCK_STREAM, 0)
							       : accept(listener, NULL, NULL);
					if (pipe2(pair[j].pipe, O_NONBLOCK))
						err(2, "pipe");
					fcntl(pair[j].pipe[1], F_SETPIPE_SZ, BUFFER);
				}
				if (connect(pair[1].descriptor, (struct sockaddr *)&address, sizeof(address)))
					err(2, "%s", target);
				for (int j = 0; j < 2; j++) {
					settle(pair[j].descriptor);
					watch(EPOLL_CTL_ADD, pair[j].descriptor,
					      EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &pair[j]);
				}
				continue;
			}
			if (side->ended)
				continue;
			if (events[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) {
				end_pair(side);
				continue;
			}
			if (events[i].events & EPOLLIN)
				pass_on(side);
			if (events[i].events & EPOLLOUT)
				pass_on(side->other);
		}
		pass_on_queued();
	}
}

/* --- clients */

enum state { STATE_ANSWER, STATE_FIRST, STATE_OPEN };

struct client {
	int descriptor;
	enum state state;
	size_t received;
	unsigned matched; /* octets of the empty line that ends a head */
	double began; /* the last request */
};

static struct plan {
	char kind; /* s, c, r, i */
	int via;
	const char *target;
	char request[256];
	struct sockaddr_in to;
} plan;
static uint64_t done, octets, early; /* early: before measuring began */
static float samples[SAMPLES];

static void say(struct client *client, const void *bytes, size_t length)
{
	if (send(client->descriptor, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)length)
		err(2, "send");
}

static void say_hello(struct client *client)
{
	say(client, client_hello, sizeof(client_hello));
	client->state = STATE_FIRST;
}

static void ask(struct client *client)
{
	client->began = now();
	client->received = 0;
	client->matched = 0;
	client->state = STATE_OPEN;
	/* What was closed meanwhile says so when it is read. */
	(void)!send(client->descriptor, plan.request, strlen(plan.request), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* On loopback there is nothing to wait for. */
static void join(struct client *client)
{
	if (connect(client->descriptor, (struct sockaddr *)&plan.to, sizeof(plan.to)))
		err(2, "connect");
	if (plan.kind == 'r') {
		ask(client);
	} else if (plan.via > 0) {
		say(client, plan.request, strlen(plan.request));
		client->state = STATE_ANSWER;
	} else {
		say_hello(client);
	}
}

static void begin(struct client *client)
{
	client->descriptor = socket(AF_INET, SOCK_STREAM, 0);
	join(client);
	watch(EPOLL_CTL_ADD, client->descriptor, EPOLLIN, client);
}

/* Ends the connection by a reset, and opens another one with the same socket: connect(2), AF_UNSPEC. */
static void again(struct client *client)
{
	const struct sockaddr nowhere = { .sa_family = AF_UNSPEC };

	done++;
	if (connect(client->descriptor, &nowhere, sizeof(nowhere)))
		err(2, "connect");
	join(client);
}

static void read_answer(struct client *client)
{
	ssize_t length = recv(client->descriptor, buffer, BUFFER, MSG_DONTWAIT);
	const char *end = length > 0 ? memmem(buffer, (size_t)length, "\r\n\r\n", 4) : NULL;

	if (length < 0 && errno == EAGAIN)
		return;
	if (length <= 0 || memcmp(buffer, "HTTP/1.", 7) || memcmp(buffer + 8, " 200", 4))
		errx(1, "no tunnel: %.*s", length > 0 ? 40 : 0, buffer);
	if (end)
		say_hello(client);
}

/* How many of the octets are the head's. */
static ssize_t skip_head(struct client *client, ssize_t length)
{
	static const char end[] = "\r\n\r\n";
	ssize_t taken = 0;

	while (taken < length && client->matched < 4) {
		client->matched = buffer[taken] == end[client->matched] ? client->matched + 1 : buffer[taken] == '\r';
		taken++;
	}
	return taken;
}

static void read_response(struct client *client)
{
	ssize_t length = recv(client->descriptor, buffer, BUFFER, MSG_DONTWAIT);

	if (length < 0 && errno == EAGAIN)
		return;
	/* There are proxies that close after each answer. */
	if (length <= 0) {
		close(client->descriptor);
		begin(client);
		return;
	}
	if (!client->matched && memcmp(buffer + 8, " 200", 4))
		errx(1, "no answer: %.*s", 40, buffer);
	client->received += (size_t)(length - skip_head(client, length));
	if (client->received < BODY)
		return;
	samples[done++ % SAMPLES] = (float)((now() - client->began) * 1e6);
	ask(client);
}

static void act(struct client *client)
{
	ssize_t length;

	switch (client->state) {
	case STATE_ANSWER:
		read_answer(client);
		break;
	case STATE_FIRST:
	case STATE_OPEN:
		if (plan.kind == 'r') {
			read_response(client);
			break;
		}
		/* The octets themselves are of no interest. */
		length = recv(client->descriptor, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length <= 0)
			errx(1, "the tunnel ended");
		octets += (uint64_t)length;
		if (client->state == STATE_FIRST && plan.kind == 'i')
			done++;
		client->state = STATE_OPEN;
		if (plan.kind == 'c')
			again(client);
		break;
	}
}

static void run_until(double end)
{
	while (now() < end) {
		struct epoll_event events[EVENTS];
		int count = epoll_wait(epoll, events, EVENTS, 100);

		for (int i = 0; i < count; i++)
			act(events[i].data.ptr);
	}
}

static int compare(const void *one, const void *other)
{
	float first = *(const float *)one, second = *(const float *)other;

	return (first > second) - (first < second);
}

static void measure(char **words)
{
	unsigned count = (unsigned)atoi(words[3]), seconds = (unsigned)atoi(words[4]);
	struct client *clients = calloc(count, sizeof(*clients));
	char near[32];
	double start;

	plan.kind = words[0][0];
	plan.via = atoi(words[1]);
	plan.target = words[2];
	snprintf(near, sizeof(near), "127.0.0.1:%d", abs(plan.via));
	plan.to = address_of(plan.via ? near : plan.target);
	snprintf(plan.request, sizeof(plan.request),
		 plan.kind != 'r' ? "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n"
		 : plan.via	  ? "GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n"
				  : "GET / HTTP/1.1\r\nHost: %.0s%s\r\n\r\n",
		 plan.target, plan.target);
	for (unsigned i = 0; i < count; i++)
		begin(&clients[i]);
	if (plan.kind == 'i') {
		while (done < count)
			run_until(now() + 0.1);
		puts("open");
		fflush(stdout);
		run_until(now() + seconds);
		return;
	}
	run_until(now() + 1);
	early = plan.kind == 's' ? octets : done;
	done = octets = 0;
	start = now();
	run_until(start + seconds);
	start = now() - start;
	if (plan.kind == 's')
		printf("%.0f %llu\n", (double)octets * 8 / 1e6 / start, (unsigned long long)(octets + early));
	else if (plan.kind == 'c')
		printf("%.0f %llu\n", (double)done / start, (unsigned long long)(done + early));
	else {
		size_t taken = done < SAMPLES ? done : SAMPLES;

		qsort(samples, taken, sizeof(*samples), compare);
		printf("%.0f %llu %.0f\n", (double)done / start, (unsigned long long)(done + early),
		       (double)samples[taken / 2]);
	}
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	epoll = epoll_create1(0);
	if (argc == 2 && !strcmp(argv[1], "serve"))
		serve();
	else if (argc == 4 && !strcmp(argv[1], "relay"))
		relay(argv[2], argv[3]);
	else if (argc == 6)
		measure(argv + 1);
	else
		errx(2, "see the head of proxy_load.c");
	return 0;
}
