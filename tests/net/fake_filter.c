/* fake_filter.c: listens where its settings say and answers everybody that it is there; for the tests of egressfw. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * fake_filter --ready-fd N SETTINGS. What it does otherwise depends on its name: "dies" says something
 * and ends, "quotes" too, in words of another error, "mute" never says that it is ready, "silent"
 * answers nothing, "deaf" listens nowhere, "dials" tries to get out before anything else.
 */
enum { LISTENERS_MAX = 16 };

/* As egressfilter(8) has it. */
static void refuse_listen(const char *text, int ready)
{
	bool taken = errno == EADDRINUSE;

	warn("%s", text);
	if (taken && write(ready, "taken\n", 6) != 6)
		warn("taken");
	exit(1);
}

static int listen_at(const char *text, int ready)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	char *copy = strdup(text), *colon = strrchr(copy, ':');
	bool v6 = *copy == '[';
	int descriptor = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0), on = 1;

	six.sin6_port = four.sin_port = htons((uint16_t)atoi(colon + 1));
	colon[v6 ? -1 : 0] = '\0';
	if (inet_pton(v6 ? AF_INET6 : AF_INET, copy + v6,
		      v6 ? (void *)&six.sin6_addr : (void *)&four.sin_addr) != 1)
		errx(1, "%s is no address", text);
	setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (v6 ? bind(descriptor, (struct sockaddr *)&six, sizeof(six))
	       : bind(descriptor, (struct sockaddr *)&four, sizeof(four)))
		refuse_listen(text, ready);
	if (listen(descriptor, 64))
		refuse_listen(text, ready);
	free(copy);
	return descriptor;
}

static void answer(int listener)
{
	static const char text[] = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
	int client = accept(listener, NULL, NULL);
	char asked[4096];

	if (read(client, asked, sizeof(asked)) > 0 &&
	    write(client, text, sizeof(text) - 1) != sizeof(text) - 1)
		warn("write");
	close(client);
}

/* A connection, and a datagram, each on a socket of its own. */
static void dial(const char *to, uint16_t port, int type)
{
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(port) };
	int descriptor = socket(AF_INET, type | SOCK_NONBLOCK, 0);
	struct pollfd waiting = { .fd = descriptor, .events = POLLOUT };

	inet_pton(AF_INET, to, &there.sin_addr);
	connect(descriptor, (struct sockaddr *)&there, sizeof(there));
	poll(&waiting, 1, 300);
	send(descriptor, "x", 1, MSG_NOSIGNAL);
	close(descriptor);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	struct pollfd waiting[LISTENERS_MAX];
	json_error_t problem;
	json_t *settings, *listen, *address;
	size_t count = 0, i;
	int ready = argc == 4 ? atoi(argv[2]) : -1;

	name = name ? name + 1 : argv[0];
	if (ready < 0)
		errx(1, "usage: fake_filter --ready-fd N SETTINGS");
	settings = json_load_file(argv[3], 0, &problem);
	if (!settings)
		errx(1, "%s: %s", argv[3], problem.text);
	if (!strcmp(name, "dies"))
		errx(1, "a \033 reason");
	if (!strcmp(name, "quotes"))
		errx(1, "the log said: Address already in use");
	if (!strcmp(name, "dials")) {
		dial("203.0.113.5", 443, SOCK_STREAM);
		dial("203.0.113.53", 53, SOCK_DGRAM);
		dial("10.0.0.1", 22, SOCK_STREAM);
	}
	listen = json_object_get(settings, "listen");
	json_array_foreach(listen, i, address)
		if (strcmp(name, "deaf") && count < LISTENERS_MAX)
			waiting[count++] = (struct pollfd){
				.fd = listen_at(json_string_value(address), ready), .events = POLLIN
			};
	if (!strcmp(name, "strays"))
		listen_at("127.0.0.1:8119", ready);
	if (strcmp(name, "mute") && write(ready, "ready\n", 6) != 6)
		err(1, "ready");
	if (strcmp(name, "mute"))
		close(ready);
	while (poll(waiting, count, -1) >= 0)
		for (i = 0; i < count; i++)
			if (waiting[i].revents && strcmp(name, "silent") && (!i || strcmp(name, "half")))
				answer(waiting[i].fd);
			else if (waiting[i].revents)
				accept(waiting[i].fd, NULL, NULL);
	return 1;
}
