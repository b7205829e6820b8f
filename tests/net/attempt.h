/* attempt.h: one try to send something, and what came of it. */
#ifndef EGRESSFW_TESTS_ATTEMPT_H
#define EGRESSFW_TESTS_ATTEMPT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct target {
	struct sockaddr_storage address;
	socklen_t size;
};

enum result {
	RESULT_CONNECTED, /* a stream was set up */
	RESULT_ANSWERED,  /* the far side answered */
	RESULT_SENT,      /* the call succeeded and nothing came back */
	RESULT_TIMEOUT,   /* the stream was not set up in time */
	RESULT_REFUSED,   /* errno of the sending call */
	RESULT_OPTION,    /* errno of the socket option without which the attempt makes no sense */
	RESULT_NO_KERNEL, /* the kernel has no such protocol */
};

struct outcome {
	enum result result;
	int errnum;
};

struct attempt {
	const char *name;
	int type;     /* SOCK_STREAM, ...; SOCK_NONBLOCK as well for an attempt that does not block */
	int protocol; /* 0 for ICMP: that of the family */
	/* Prepares the socket; false with errno. NULL: nothing to prepare. */
	bool (*prepare)(int descriptor, const struct target *target);
	struct outcome (*act)(int descriptor, const struct target *target);
};

enum {
	TIMEOUT_MS = 1500, /* for a connection */
	ANSWER_MS = 200,   /* for a datagram to come back */
};
#define DEVICE "eth0"
#define PAYLOAD "egress attempt\n"

/* The family of the sockets that reach the target. */
int target_family(const struct target *target);

/* Socket options (attempt_option.c). */
bool prepare_fastopen_connect(int descriptor, const struct target *target);
bool prepare_bind_device(int descriptor, const struct target *target);
bool prepare_bind_loopback(int descriptor, const struct target *target);
bool prepare_unicast_if(int descriptor, const struct target *target);
bool prepare_mark(int descriptor, const struct target *target);
bool prepare_freebind(int descriptor, const struct target *target);
bool prepare_multicast(int descriptor, const struct target *target);
bool prepare_broadcast(int descriptor, const struct target *target);
bool prepare_source_route(int descriptor, const struct target *target);
bool prepare_hop_options(int descriptor, const struct target *target);
bool prepare_destination_options(int descriptor, const struct target *target);
bool prepare_join(int descriptor, const struct target *target);

/* Streams (attempt_stream.c). */
struct outcome act_connect(int descriptor, const struct target *target);
struct outcome act_fastopen(int descriptor, const struct target *target);
struct outcome act_fastopen_connect(int descriptor, const struct target *target);
struct outcome act_upload(int descriptor, const struct target *target);

/* Datagrams (attempt_datagram.c). */
struct outcome act_send(int descriptor, const struct target *target);
struct outcome act_send_connected(int descriptor, const struct target *target);
struct outcome act_send_large(int descriptor, const struct target *target);
struct outcome act_send_corked(int descriptor, const struct target *target);
struct outcome act_send_segmented(int descriptor, const struct target *target);
struct outcome act_send_by_interface(int descriptor, const struct target *target);
struct outcome act_ping(int descriptor, const struct target *target);
struct outcome act_nothing(int descriptor, const struct target *target);

#endif
