/* confine.c: what the filter can do no more once it is ready. */
#include "filter/confine.h"

#include "base/memory.h"
#include "system/privilege.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TYPE_BITS = 0xf, COMPARISONS_MAX = 3 };

/* Of an int, of which the kernel looks at the lower half of the register. */
#define BITS(number, mask, value)                                                                  \
	{                                                                                          \
		.arg = (number), .op = SCMP_CMP_MASKED_EQ, .datum_a = (mask), .datum_b = (value)   \
	}
#define IS(number, value) BITS(number, 0xffffffff, value)

/* What is needed of everything that opens a file for more than reading. */
#define OPEN_BITS (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))
#define OPEN_NEW (O_RDWR | O_CREAT | O_EXCL | O_APPEND)

struct permission {
	int call;
	unsigned count;
	struct scmp_arg_cmp compare[COMPARISONS_MAX];
};

/* With any arguments. */
static const int calls[] = {
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(readv),
	SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(close),
	SCMP_SYS(splice),
	SCMP_SYS(pipe2),
	SCMP_SYS(lseek),
	SCMP_SYS(fcntl),
	/* sockets */
	SCMP_SYS(accept4),
	SCMP_SYS(connect),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(shutdown),
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt),
	/* waiting */
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	/* the log and the settings */
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(fallocate),
	SCMP_SYS(ftruncate),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	/* the C library */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(getrandom),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(sysinfo),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(sched_yield),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

static const struct permission permissions[] = {
	{ SCMP_SYS(socket), 3, { IS(0, AF_INET), BITS(1, TYPE_BITS, SOCK_STREAM), IS(2, 0) } },
	{ SCMP_SYS(socket), 3, { IS(0, AF_INET), BITS(1, TYPE_BITS, SOCK_DGRAM), IS(2, 0) } },
	{ SCMP_SYS(socket), 3, { IS(0, AF_INET6), BITS(1, TYPE_BITS, SOCK_STREAM), IS(2, 0) } },
	{ SCMP_SYS(socket), 3, { IS(0, AF_INET6), BITS(1, TYPE_BITS, SOCK_DGRAM), IS(2, 0) } },
	{ SCMP_SYS(setsockopt), 1, { IS(1, SOL_SOCKET) } },
	{ SCMP_SYS(setsockopt), 2, { IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY) } },
	{ SCMP_SYS(openat), 1, { BITS(2, OPEN_BITS, O_RDONLY) } },
	{ SCMP_SYS(openat), 1, { BITS(2, OPEN_BITS, OPEN_NEW) } },
	{ SCMP_SYS(mmap), 1, { BITS(2, PROT_EXEC, 0) } },
	{ SCMP_SYS(mprotect), 1, { BITS(2, PROT_EXEC, 0) } },
	{ SCMP_SYS(ioctl), 1, { IS(1, FIONREAD) } },
	{ SCMP_SYS(ioctl), 1, { IS(1, FIONBIO) } },
	{ SCMP_SYS(ioctl), 1, { IS(1, TCGETS) } },
};

static int add_rules(scmp_filter_ctx context)
{
	/* abort(3): a signal to ourselves. */
	const struct scmp_arg_cmp ourselves = IS(0, (uint32_t)getpid());
	int result = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	/* The stage before has set no_new_privs, and read it back. */
	if (!result)
		result = seccomp_attr_set(context, SCMP_FLTATR_CTL_NNP, 0);
	if (!result)
		result = seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, ourselves);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && !result; i++)
		/* Not every architecture has every call. */
		if (calls[i] >= 0)
			result = seccomp_rule_add(context, SCMP_ACT_ALLOW, calls[i], 0);
	for (size_t i = 0; i < sizeof(permissions) / sizeof(*permissions) && !result; i++)
		result = seccomp_rule_add_exact_array(context, SCMP_ACT_ALLOW, permissions[i].call,
						      permissions[i].count, permissions[i].compare);
	return result;
}

static bool load(struct err *err)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int result;

	if (!context)
		memory_exhausted();
	result = add_rules(context);
	if (!result)
		result = seccomp_load(context);
	seccomp_release(context);
	if (result)
		err_set_errno(err, -result, "the filter of system calls cannot be loaded");
	return !result;
}

/* Each would be another error, or none, without the filter. */
static bool check(struct err *err)
{
	const long name = (long)"", none = -1;
	const struct {
		long call, arguments[3];
	} refused[] = {
		{ SYS_socket, { AF_UNIX, SOCK_STREAM, 0 } },
		{ SYS_socket, { AF_INET, SOCK_RAW, 0 } },
		{ SYS_socket, { AF_INET, SOCK_STREAM, IPPROTO_TCP } },
		{ SYS_socket, { AF_INET, SOCK_DGRAM, IPPROTO_ICMP } },
		{ SYS_socket, { AF_INET6, SOCK_RAW, 0 } },
		{ SYS_socket, { AF_INET6, SOCK_STREAM, IPPROTO_TCP } },
		{ SYS_socket, { AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6 } },
		{ SYS_bind, { none } },
		{ SYS_setsockopt, { none, IPPROTO_IP, IP_TRANSPARENT } },
		{ SYS_setsockopt, { none, IPPROTO_TCP, TCP_REPAIR } },
		{ SYS_openat, { AT_FDCWD, name, O_WRONLY } },
		{ SYS_openat, { AT_FDCWD, name, O_RDWR | O_APPEND } },
		{ SYS_openat, { AT_FDCWD, name, O_RDONLY | O_TRUNC } },
		{ SYS_openat, { AT_FDCWD, name, O_RDWR | O_CREAT | O_APPEND } },
		{ SYS_openat, { AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL } },
		{ SYS_openat, { AT_FDCWD, name, O_RDWR | O_TMPFILE } },
		{ SYS_unlinkat, { AT_FDCWD, name } },
		{ SYS_mmap, { 0, 0, PROT_READ | PROT_EXEC } },
		{ SYS_mprotect, { 0, 0, PROT_EXEC } },
		{ SYS_ioctl, { none, TIOCSTI } },
		{ SYS_execve, { name } },
		{ SYS_kill, { getpid(), 0 } },
		{ SYS_tgkill, { none, none, 0 } },
	};
	bool good = open("", O_RDONLY) < 0 && errno == ENOENT;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		good &= syscall(refused[i].call, refused[i].arguments[0], refused[i].arguments[1],
				refused[i].arguments[2]) < 0 &&
			errno == EPERM;
	if (!good)
		err_set(err, "the filter of system calls does not answer after loading it");
	return good;
}

bool confine(struct err *err)
{
	bool bounding_left;

	if (!privilege_drop(&bounding_left, err))
		return false;
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_GET_DUMPABLE)) {
		err_set(err, "this process cannot be made one that others do not look into");
		return false;
	}
	return load(err) && check(err);
}
