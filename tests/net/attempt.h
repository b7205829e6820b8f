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
	RESULT_OPENED,    /* there is a socket that goes past every rule, and nothing was sent by it */
	RESULT_SENT,      /* the call succeeded and nothing came back */
	RESULT_TIMEOUT,   /* the stream was not set up in time */
	RESULT_REFUSED,   /* errno of the sending call */
	RESULT_OPTION,    /* errno of the option or step without which the attempt makes no sense */
	RESULT_NO_KERNEL, /* the kernel has no such protocol */
	RESULTS,
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
	/* Opens the socket in another way than by socket(2) in the target's family; -1 with errno. */
	int (*open)(const struct attempt *attempt, const struct target *target);
};

/* The rows of attempt_table.c; NULL: there is none of that name. */
const struct attempt *find_attempt(const char *name);
void list_attempts(void);

/* Who tries, and with which socket: what the steps before an attempt change. */
struct trying {
	const struct attempt *attempt;
	struct target target;
	int descriptor; /* -1: not open yet */
	char **command; /* what --at starts */
};

enum { ANSWER_MS = 200 }; /* for a datagram to come back */

/* For a connection; the step --within changes it. */
extern int connect_ms;
#define DEVICE "eth0"
#define PAYLOAD "egress attempt\n"

/* The family of the sockets that reach the target. */
int target_family(const struct target *target);

/* Opens and prepares the socket; true: it is open, or was. */
bool trying_open(struct trying *trying, struct outcome *ret);

/*
 * Steps before the socket is opened, or between opening and use (attempt_step.c). Takes what it
 * knows from the front of the arguments and returns how many; -1: the outcome is set and the
 * attempt is over.
 */
int take_step(struct trying *trying, char **arguments, struct outcome *ret);

/* A willing root process, and what it is asked for (attempt_helper.c). */
_Noreturn void help_others(void);
int ask_for_socket(int family);
bool ask_for_mapping(void);

/* Says that the first half is done, and waits until the second may begin (attempt_early.c). */
void await_word(void);

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
struct outcome act_flood(int descriptor, const struct target *target);
struct outcome act_ping(int descriptor, const struct target *target);
struct outcome act_nothing(int descriptor, const struct target *target);

/* What begins before the lock and goes on after it (attempt_early.c). */
struct outcome act_early_send(int descriptor, const struct target *target);
struct outcome act_early_close(int descriptor, const struct target *target);
struct outcome act_early_subflows(int descriptor, const struct target *target);
struct outcome act_early_kill(int descriptor, const struct target *target);
struct outcome act_early_unsent(int descriptor, const struct target *target);
struct outcome act_early_linger(int descriptor, const struct target *target);
struct outcome act_early_connecting(int descriptor, const struct target *target);
struct outcome act_early_datagram(int descriptor, const struct target *target);
struct outcome act_early_timewait(int descriptor, const struct target *target);

/* Servers of the user; the target is their own address (attempt_inbound.c). */
bool prepare_listen(int descriptor, const struct target *target);
bool prepare_listen_fastopen(int descriptor, const struct target *target);
bool prepare_bind_meeting(int descriptor, const struct target *target);
bool prepare_bind_published(int descriptor, const struct target *target);
bool prepare_bind_same(int descriptor, const struct target *target);
struct outcome act_early_queued(int descriptor, const struct target *target);
struct outcome act_early_accepted(int descriptor, const struct target *target);
struct outcome act_answer(int descriptor, const struct target *target);
struct outcome act_meet(int descriptor, const struct target *target);
struct outcome act_simultaneous(int descriptor, const struct target *target);

/* Other families, and sockets that another than socket(2) opens (attempt_family.c). */
int open_family(const struct attempt *attempt, const struct target *target);
int open_by_ring(const struct attempt *attempt, const struct target *target);
struct outcome act_opened(int descriptor, const struct target *target);
struct outcome act_rxrpc(int descriptor, const struct target *target);
struct outcome act_rds(int descriptor, const struct target *target);

/* Below the firewall, or beside its sockets, with CAP_NET_RAW (attempt_raw.c, attempt_xdp.c). */
struct outcome act_raw_header(int descriptor, const struct target *target);
struct outcome act_raw(int descriptor, const struct target *target);
struct outcome act_packet(int descriptor, const struct target *target);
bool prepare_packet_bypass(int descriptor, const struct target *target);
struct outcome act_xdp(int descriptor, const struct target *target);
/* A whole frame with a UDP datagram to the target; its length. */
size_t write_frame(unsigned char frame[1514], const struct target *target);

#endif
