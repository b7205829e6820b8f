/* far.c: the servers of a test network, and the record of every packet that reached them. */
#include "wire.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

/*
 * far [-o LOG] [-s INTERFACE] SPEC...   serve until killed; prints "ready" when every socket is open
 * far -m NUMBER INTERFACE               send a mark frame and exit
 *
 * SPEC is KIND/ADDRESS/PORT. KIND: tcp (echo), mptcp (echo), sink (reads; at the end logs
 * `sink PORT BYTES eof|reset`), stall (a sink with a small window that reads nothing before SIGUSR1),
 * late (echo, but accepts only two seconds after it was asked), udp and udplite (echo). "::" takes
 * both families.
 */

enum kind { KIND_TCP, KIND_MPTCP, KIND_SINK, KIND_STALL, KIND_LATE, KIND_UDP, KIND_UDPLITE, KINDS };
static const char *const kind_names[] = { "tcp", "mptcp", "sink", "stall", "late", "udp", "udplite" };
_Static_assert(sizeof(kind_names) / sizeof(*kind_names) == KINDS, "a name for every kind");

enum role { ROLE_WIRE, ROLE_LISTENER, ROLE_DATAGRAM, ROLE_TIMER, ROLE_CONNECTION, ROLE_SIGNAL };
enum { STALL_BUFFER = 4096 };

struct station {
	enum role role;
	enum kind kind;
	int descriptor;
	unsigned port;
	uint64_t received;
	struct station *listener; /* of a timer */
	struct station *stalled;  /* the next one that is not read yet */
};

static struct station *first_stalled;
static int epoll = -1;
static FILE *record;

static struct station *add(enum role role, int descriptor, const struct station *like)
{
	struct station *station = calloc(1, sizeof(*station));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = station };

	if (!station)
		err(2, "memory");
	if (like)
		*station = *like;
	station->role = role;
	station->descriptor = descriptor;
	station->received = 0;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event))
		err(2, "epoll");
	return station;
}

static void watch(struct station *station, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = station };

	if (epoll_ctl(epoll, EPOLL_CTL_MOD, station->descriptor, &event))
		err(2, "epoll");
}

static void end(struct station *station)
{
	close(station->descriptor);
	free(station);
}

static int open_socket(enum kind kind, const char *address, unsigned port)
{
	static const int protocols[] = { IPPROTO_TCP, IPPROTO_MPTCP, IPPROTO_TCP,    IPPROTO_TCP,
					 IPPROTO_TCP, IPPROTO_UDP,   IPPROTO_UDPLITE };
	bool stream = kind != KIND_UDP && kind != KIND_UDPLITE;
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	bool ipv4 = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	int one = 1, zero = 0, small = STALL_BUFFER, descriptor;

	if (!ipv4 && inet_pton(AF_INET6, address, &six.sin6_addr) != 1)
		errx(2, "%s: no address", address);
	descriptor = socket(ipv4 ? AF_INET : AF_INET6,
			    (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, protocols[kind]);
	if (descriptor < 0)
		err(2, "%s socket", kind_names[kind]);
	setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (kind == KIND_STALL)
		setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (!ipv4)
		setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (!stream && !ipv4) {
		setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, &one, sizeof(one));
		/* An address of a local route may answer only as if it were bound freely. */
		setsockopt(descriptor, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one));
	}
	if (!stream)
		setsockopt(descriptor, IPPROTO_IP, IP_PKTINFO, &one, sizeof(one));
	if (bind(descriptor, ipv4 ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		 ipv4 ? sizeof(four) : sizeof(six)) ||
	    (stream && listen(descriptor, 64)))
		err(2, "%s/%s/%u", kind_names[kind], address, port);
	return descriptor;
}

static void add_spec(char *spec)
{
	char *address = strchr(spec, '/'), *port = address ? strchr(address + 1, '/') : NULL;
	struct station like = { 0 };

	if (!port)
		errx(2, "%s: expected KIND/ADDRESS/PORT", spec);
	*address++ = *port++ = '\0';
	for (like.kind = 0; like.kind < KINDS && strcmp(kind_names[like.kind], spec) != 0; like.kind++)
		continue;
	if (like.kind == KINDS)
		errx(2, "%s: no kind of server", spec);
	like.port = (unsigned)strtoul(port, NULL, 10);
	add(like.kind == KIND_UDP || like.kind == KIND_UDPLITE ? ROLE_DATAGRAM : ROLE_LISTENER,
	    open_socket(like.kind, address, like.port), &like);
}

/* Answers from the address that was asked, which matters where every address is local. */
static void echo_datagram(struct station *station)
{
	char bytes[65536], control[256];
	struct sockaddr_storage from;
	struct iovec vector = { .iov_base = bytes, .iov_len = sizeof(bytes) };
	struct msghdr message = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &vector,
				  .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	ssize_t length = recvmsg(station->descriptor, &message, 0);

	if (length < 0)
		return;
	vector.iov_len = (size_t)length;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
		if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO)
			((struct in6_pktinfo *)CMSG_DATA(part))->ipi6_ifindex = 0;
		else if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo *info = (struct in_pktinfo *)CMSG_DATA(part);

			info->ipi_spec_dst = info->ipi_addr;
			info->ipi_ifindex = 0;
		}
	}
	sendmsg(station->descriptor, &message, 0);
}

static void accept_connection(struct station *listener)
{
	int descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct station *station;

	if (descriptor < 0)
		return;
	station = add(ROLE_CONNECTION, descriptor, listener);
	if (station->kind != KIND_STALL)
		return;
	/* Not merely unwatched: a reset would be told all the same. */
	if (epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL))
		err(2, "epoll");
	station->stalled = first_stalled;
	first_stalled = station;
}

static void open_signal(void)
{
	sigset_t set;
	int descriptor;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL) ||
	    (descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		err(2, "signalfd");
	add(ROLE_SIGNAL, descriptor, NULL);
}

static void read_stalled(int descriptor)
{
	struct signalfd_siginfo information;

	if (read(descriptor, &information, sizeof(information)) < 0)
		return;
	for (; first_stalled; first_stalled = first_stalled->stalled) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = first_stalled };

		if (epoll_ctl(epoll, EPOLL_CTL_ADD, first_stalled->descriptor, &event))
			err(2, "epoll");
	}
}

static void accept_later(struct station *listener)
{
	struct itimerspec delay = { .it_value.tv_sec = 2 };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (timer < 0 || timerfd_settime(timer, 0, &delay, NULL))
		err(2, "timer");
	watch(listener, 0);
	add(ROLE_TIMER, timer, listener)->listener = listener;
}

static void serve_connection(struct station *station)
{
	bool is_sink = station->kind == KIND_SINK || station->kind == KIND_STALL;
	char bytes[65536];
	ssize_t length = read(station->descriptor, bytes, sizeof(bytes));

	if (length < 0 && errno == EAGAIN)
		return;
	if (length > 0) {
		station->received += (uint64_t)length;
		if (!is_sink && write(station->descriptor, bytes, (size_t)length) != length)
			end(station);
		return;
	}
	if (is_sink && record) {
		fprintf(record, "sink %u %llu %s\n", station->port, (unsigned long long)station->received,
			length == 0 ? "eof" : "reset");
		fflush(record);
	}
	end(station);
}

static void act(struct station *station)
{
	switch (station->role) {
	case ROLE_WIRE:
		wire_read(station->descriptor, record);
		break;
	case ROLE_LISTENER:
		if (station->kind == KIND_LATE)
			accept_later(station);
		else
			accept_connection(station);
		break;
	case ROLE_DATAGRAM:
		echo_datagram(station);
		break;
	case ROLE_TIMER:
		accept_connection(station->listener);
		watch(station->listener, EPOLLIN);
		end(station);
		break;
	case ROLE_CONNECTION:
		serve_connection(station);
		break;
	case ROLE_SIGNAL:
		read_stalled(station->descriptor);
		break;
	}
}

int main(int argc, char **argv)
{
	const char *interface = NULL;
	int option;

	while ((option = getopt(argc, argv, "o:s:m:")) != -1) {
		if (option == 'm' && optind < argc) {
			wire_mark(argv[optind], (unsigned)strtoul(optarg, NULL, 10));
			return 0;
		}
		if (option == 'o' && !(record = fopen(optarg, "ae")))
			err(2, "%s", optarg);
		else if (option == 's')
			interface = optarg;
		else if (option != 'o')
			errx(2, "usage: far [-o LOG] [-s INTERFACE] SPEC... | far -m NUMBER INTERFACE");
	}
	if (interface && !record)
		errx(2, "-s needs -o");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		err(2, "PR_SET_PDEATHSIG");
	signal(SIGPIPE, SIG_IGN);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		err(2, "epoll");
	open_signal();
	if (interface)
		add(ROLE_WIRE, wire_open(interface), NULL);
	for (; optind < argc; optind++)
		add_spec(argv[optind]);
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct epoll_event event;

		if (epoll_wait(epoll, &event, 1, -1) == 1)
			act(event.data.ptr);
	}
}
