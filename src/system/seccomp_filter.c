/* seccomp_filter.c: the system calls that are refused to a confined program, and why. */
#include "system/seccomp_filter.h"

#include "base/memory.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/tcp.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PROTOCOL_SMC = 256,
	PROTOCOL_MPTCP = 262,
	TYPE_BITS = 0xf, /* of socket(2)'s type; what is above are flags */
};

/*
 * A comparison of the bits of an argument under a mask. The arguments are ints, of which the kernel
 * looks at the lower half: a comparison of the whole register would be passed by a program that
 * leaves something in the upper one.
 */
#define BITS(number, mask, value)                                                                  \
	{                                                                                          \
		.arg = (number), .op = SCMP_CMP_MASKED_EQ, .datum_a = (mask), .datum_b = (value)   \
	}
#define IS(number, value) BITS(number, 0xffffffff, value)

struct refusal {
	unsigned count; /* comparisons, all of which must hold */
	struct scmp_arg_cmp compare[2];
	int errnum;
};

/*
 * socket(2) and socketpair(2). Families other than 1 (UNIX), 2 (INET), 10 (INET6) and 16 (NETLINK),
 * as sets of numbers that have some bits in common; the kernel itself has none above 255.
 */
static const struct refusal sockets[] = {
	{ 1, { BITS(0, 0xffffffff, 0) }, EAFNOSUPPORT },  /* 0 */
	{ 1, { BITS(0, 0xffffffff, 3) }, EAFNOSUPPORT },  /* 3 */
	{ 1, { BITS(0, 0xfffffffc, 4) }, EAFNOSUPPORT },  /* 4 to 7 */
	{ 1, { BITS(0, 0xfffffffe, 8) }, EAFNOSUPPORT },  /* 8, 9 */
	{ 1, { BITS(0, 0xffffffff, 11) }, EAFNOSUPPORT }, /* 11 */
	{ 1, { BITS(0, 0xfffffffc, 12) }, EAFNOSUPPORT }, /* 12 to 15 */
	{ 1, { BITS(0, 0x11, 0x11) }, EAFNOSUPPORT },     /* 17 to 31 */
	{ 1, { BITS(0, 0x12, 0x12) }, EAFNOSUPPORT },
	{ 1, { BITS(0, 0x14, 0x14) }, EAFNOSUPPORT },
	{ 1, { BITS(0, 0x18, 0x18) }, EAFNOSUPPORT },
	{ 1, { BITS(0, 0x20, 0x20) }, EAFNOSUPPORT }, /* 32 to 255 */
	{ 1, { BITS(0, 0x40, 0x40) }, EAFNOSUPPORT },
	{ 1, { BITS(0, 0x80, 0x80) }, EAFNOSUPPORT },
	/* Raw sockets need a capability, but not over a network namespace of one's own. */
	{ 2, { IS(0, AF_INET), BITS(1, TYPE_BITS, SOCK_RAW) }, EPERM },
	{ 2, { IS(0, AF_INET6), BITS(1, TYPE_BITS, SOCK_RAW) }, EPERM },
	/* For the kernel AF_INET of this type is AF_PACKET. */
	{ 1, { BITS(1, TYPE_BITS, SOCK_PACKET) }, EPERM },
	/* Their packets are made by the kernel's own sockets. */
	{ 2, { IS(0, AF_INET), IS(2, PROTOCOL_MPTCP) }, EPROTONOSUPPORT },
	{ 2, { IS(0, AF_INET6), IS(2, PROTOCOL_MPTCP) }, EPROTONOSUPPORT },
	{ 2, { IS(0, AF_INET), IS(2, PROTOCOL_SMC) }, EPROTONOSUPPORT },
	{ 2, { IS(0, AF_INET6), IS(2, PROTOCOL_SMC) }, EPROTONOSUPPORT },
	/* Netlink protocols other than NETLINK_ROUTE, 0; there are 32. */
	{ 2, { IS(0, AF_NETLINK), BITS(2, 0x01, 0x01) }, EAFNOSUPPORT },
	{ 2, { IS(0, AF_NETLINK), BITS(2, 0x02, 0x02) }, EAFNOSUPPORT },
	{ 2, { IS(0, AF_NETLINK), BITS(2, 0x04, 0x04) }, EAFNOSUPPORT },
	{ 2, { IS(0, AF_NETLINK), BITS(2, 0x08, 0x08) }, EAFNOSUPPORT },
	{ 2, { IS(0, AF_NETLINK), BITS(2, 0x10, 0x10) }, EAFNOSUPPORT },
};

/* setsockopt(2): level and option. */
static const struct refusal options[] = {
	/* An upper layer protocol may be SMC. */
	{ 2, { IS(1, IPPROTO_TCP), IS(2, TCP_ULP) }, ENOPROTOOPT },
	/* Membership in a group makes the kernel report it, without an owner, to the link. */
	{ 2, { IS(1, IPPROTO_IP), IS(2, IP_ADD_MEMBERSHIP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IP), IS(2, IP_ADD_SOURCE_MEMBERSHIP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IP), IS(2, MCAST_JOIN_GROUP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IP), IS(2, MCAST_JOIN_SOURCE_GROUP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IPV6), IS(2, IPV6_ADD_MEMBERSHIP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IPV6), IS(2, IPV6_JOIN_ANYCAST) }, EPERM },
	{ 2, { IS(1, IPPROTO_IPV6), IS(2, MCAST_JOIN_GROUP) }, EPERM },
	{ 2, { IS(1, IPPROTO_IPV6), IS(2, MCAST_JOIN_SOURCE_GROUP) }, EPERM },
};

/* ioctl(2): whoever started this from a terminal would find typed there what the program wants. */
static const struct refusal controls[] = {
	{ 1, { IS(1, TIOCSTI) }, EPERM },
	{ 1, { IS(1, TIOCLINUX) }, EPERM },
};

/*
 * A program that knows io_uring or keys also knows kernels without them. For a key that is not
 * there the kernel runs a program as root, outside of any container, which may ask a name server
 * (request-key(8)).
 */
static const struct refusal always[] = { { 0, { { 0 } }, ENOSYS } };

#define ROWS(array) (array), sizeof(array) / sizeof(*(array))
static const struct {
	int number;
	bool io_uring;
	const struct refusal *rows;
	size_t count;
} calls[] = {
	{ SCMP_SYS(socket), false, ROWS(sockets) },
	{ SCMP_SYS(socketpair), false, ROWS(sockets) },
	{ SCMP_SYS(setsockopt), false, ROWS(options) },
	{ SCMP_SYS(ioctl), false, ROWS(controls) },
	{ SCMP_SYS(request_key), false, ROWS(always) },
	{ SCMP_SYS(add_key), false, ROWS(always) },
	{ SCMP_SYS(keyctl), false, ROWS(always) },
	{ SCMP_SYS(io_uring_setup), true, ROWS(always) },
	{ SCMP_SYS(io_uring_enter), true, ROWS(always) },
	{ SCMP_SYS(io_uring_register), true, ROWS(always) },
};

static bool set_up(scmp_filter_ctx context, bool allow_io_uring, struct err *err)
{
	int result = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	/* Before Linux 4.14, and in gVisor, it ends the thread that asked, which does as well. */
	if (result == -EINVAL)
		result = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_THREAD);
	/* The stage before has set no_new_privs, and read it back. */
	if (!result)
		result = seccomp_attr_set(context, SCMP_FLTATR_CTL_NNP, 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && !result; i++) {
		if (calls[i].io_uring && allow_io_uring)
			continue;
		for (size_t j = 0; j < calls[i].count && !result; j++) {
			const struct refusal *row = &calls[i].rows[j];

			result = seccomp_rule_add_exact_array(
				context, SCMP_ACT_ERRNO((unsigned)row->errnum), calls[i].number,
				row->count, row->compare);
		}
	}
	if (result)
		err_set_errno(err, -result, "a filter of system calls cannot be built");
	return !result;
}

bool seccomp_filter_build(bool allow_io_uring, struct seccomp_filter **ret, struct err *err)
{
	scmp_filter_ctx context;

	/* There sockets have a second way in, of which a filter sees no arguments. */
	if (seccomp_syscall_resolve_name_arch(SCMP_ARCH_NATIVE, "socketcall") >= 0) {
		err_set(err, "a filter of system calls cannot see sockets on this architecture, "
			     "which has socketcall(2)");
		return false;
	}
	context = seccomp_init(SCMP_ACT_ALLOW);
	if (!context)
		memory_exhausted();
	if (!set_up(context, allow_io_uring, err)) {
		seccomp_release(context);
		return false;
	}
	*ret = (struct seccomp_filter *)context;
	return true;
}

void seccomp_filter_free(struct seccomp_filter *filter)
{
	if (filter)
		seccomp_release(filter);
}

/* Calls on no descriptor: without the filter the kernel would say EBADF. */
static bool check_answers(struct err *err)
{
	static const int families[] = { AF_PACKET, AF_VSOCK, AF_ALG, AF_SMC };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		int level = (int)options[i].compare[0].datum_b;
		int option = (int)options[i].compare[1].datum_b;

		if (!setsockopt(-1, level, option, NULL, 0) || errno != options[i].errnum) {
			err_set(err, "the filter of system calls does not answer after loading it");
			return false;
		}
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		int descriptor = socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0);

		if (descriptor < 0)
			continue;
		close(descriptor);
		err_set(err, "a socket of family %d can be had under the filter", families[i]);
		return false;
	}
	return true;
}

bool seccomp_filter_load(const struct seccomp_filter *filter, struct err *err)
{
	int result = seccomp_load((scmp_filter_ctx)filter);

	if (result) {
		err_set_errno(err, -result, "the filter of system calls cannot be loaded");
		return false;
	}
	return check_answers(err);
}
