/* attempt_family.c: sockets of other families, and sockets that another call than socket(2) opens. */
#include "attempt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/rds.h>
#include <linux/rxrpc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RING_OP_SOCKET = 45 }; /* IORING_OP_SOCKET, newer than the headers of Linux 5.10 */

/* The transport: RXRPC takes the family, SMC 0 or 1 for it, the others have none. */
static int protocol_within(int family, const struct target *target)
{
	if (family == AF_RXRPC)
		return target_family(target);
	return family == AF_SMC && target_family(target) == AF_INET6;
}

/* attempt->protocol is the family here. */
int open_family(const struct attempt *attempt, const struct target *target)
{
	return socket(attempt->protocol, attempt->type | SOCK_CLOEXEC,
		      protocol_within(attempt->protocol, target));
}

/* Runs one request that opens a socket; what the kernel says is the descriptor or -errno. */
static int submit_socket(int ring, const struct io_uring_params *set_up, int family, int type)
{
	size_t size = set_up->cq_off.cqes + set_up->cq_entries * sizeof(struct io_uring_cqe);
	size_t submissions_size = set_up->sq_off.array + set_up->sq_entries * sizeof(unsigned);
	char *rings;
	struct io_uring_sqe *entry;
	const struct io_uring_cqe *answer;

	size = size > submissions_size ? size : submissions_size;
	rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entry = mmap(NULL, set_up->sq_entries * sizeof(*entry), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		     IORING_OFF_SQES);
	if (rings == MAP_FAILED || entry == MAP_FAILED)
		return -errno;
	*entry = (struct io_uring_sqe){ .opcode = RING_OP_SOCKET, .fd = family, .off = (unsigned)type };
	*(unsigned *)(rings + set_up->sq_off.array) = 0;
	__atomic_store_n((unsigned *)(rings + set_up->sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -errno;
	answer = (void *)(rings + set_up->cq_off.cqes);
	return answer->res;
}

/* Past a filter of system calls, which sees no socket(2). */
int open_by_ring(const struct attempt *attempt, const struct target *target)
{
	struct io_uring_params set_up = { 0 };
	int family = attempt->protocol == AF_VSOCK ? AF_VSOCK : target_family(target), result;
	int ring = (int)syscall(SYS_io_uring_setup, 1, &set_up);

	if (ring < 0)
		return -1;
	result = submit_socket(ring, &set_up, family, attempt->type);
	close(ring);
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

/* To send by it would reach somebody outside the test. */
struct outcome act_opened(int descriptor, const struct target *target)
{
	(void)descriptor;
	(void)target;
	return (struct outcome){ RESULT_OPENED, 0 };
}

static struct outcome sent_or(ssize_t result)
{
	if (result < 0)
		return (struct outcome){ RESULT_REFUSED, errno };
	usleep(ANSWER_MS * 1000);
	return (struct outcome){ RESULT_SENT, 0 };
}

/* A call to a service; its UDP packets are the kernel's. */
struct outcome act_rxrpc(int descriptor, const struct target *target)
{
	struct sockaddr_rxrpc address = { .srx_family = AF_RXRPC, .srx_service = 1,
					  .transport_type = SOCK_DGRAM,
					  .transport_len = (uint16_t)target->size };
	struct iovec vector = { (char[]){ PAYLOAD }, sizeof(PAYLOAD) - 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(unsigned long))] = { 0 };
	struct msghdr message = { .msg_name = &address, .msg_namelen = sizeof(address), .msg_iov = &vector,
				  .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	const unsigned long call = 1;

	memcpy(&address.transport, &target->address, target->size);
	part->cmsg_level = SOL_RXRPC;
	part->cmsg_type = RXRPC_USER_CALL_ID;
	part->cmsg_len = CMSG_LEN(sizeof(call));
	memcpy(CMSG_DATA(part), &call, sizeof(call));
	return sent_or(sendmsg(descriptor, &message, 0));
}

/* The kernel connects by TCP for it; the socket has to be bound to an own address. */
struct outcome act_rds(int descriptor, const struct target *target)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(7400) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(7400) };
	bool ipv4 = target_family(target) == AF_INET;

	inet_pton(AF_INET, "192.0.2.2", &four.sin_addr);
	inet_pton(AF_INET6, "2001:db8::2", &six.sin6_addr);
	if (bind(descriptor, ipv4 ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		 ipv4 ? sizeof(four) : sizeof(six)))
		return (struct outcome){ RESULT_OPTION, errno };
	return sent_or(sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, 0,
			      (const struct sockaddr *)&target->address, target->size));
}
