/* attempt_helper.c: a willing root process, and what a user asks it for. */
#include "attempt.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <signal.h>
#include <unistd.h>

/*
 * An abstract UNIX socket, which belongs to the network namespace. One byte is the question: '4' or '6'
 * for a TCP socket of that family, 'm' to map the asker's user namespace as newuidmap(1) would; the
 * answer is one byte too, with the socket.
 */

enum { FIRST_SUBORDINATE = 100000, SUBORDINATES = 65536 };

static socklen_t name(struct sockaddr_un *address)
{
	static const char text[] = "egressfw-attempt";

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path + 1, text, sizeof(text) - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(text));
}

static bool write_map(pid_t pid, const char *file, unsigned inside)
{
	char path[64], text[64];
	int descriptor, length;
	bool good;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	length = snprintf(text, sizeof(text), "0 %u 1\n1 %d %d\n", inside, FIRST_SUBORDINATE, SUBORDINATES);
	descriptor = open(path, O_WRONLY | O_CLOEXEC);
	good = descriptor >= 0 && write(descriptor, text, (size_t)length) == length;
	if (descriptor >= 0)
		close(descriptor);
	return good;
}

/* As newuidmap: these two are enough for whoever is the owner of the user namespace otherwise. */
static bool raise_set_ids(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];
	const uint32_t wanted = 1u << CAP_SETUID | 1u << CAP_SETGID;

	if (syscall(SYS_capget, &header, sets))
		return false;
	sets[0].effective = wanted;
	return !syscall(SYS_capset, &header, sets);
}

static bool map(int connection)
{
	struct ucred asker;
	socklen_t size = sizeof(asker);
	bool good;

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &asker, &size) || seteuid(asker.uid))
		return false;
	good = raise_set_ids() && write_map(asker.pid, "uid_map", asker.uid) &&
	       write_map(asker.pid, "gid_map", asker.gid);
	return !seteuid(0) && good;
}

static void answer(int connection, char question)
{
	char byte = question;
	struct iovec vector = { &byte, 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	struct cmsghdr *part;
	int descriptor;

	if (question == 'm') {
		byte = map(connection) ? 'm' : 'x';
		sendmsg(connection, &message, MSG_NOSIGNAL);
		return;
	}
	descriptor = socket(question == '6' ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	part = CMSG_FIRSTHDR(&message);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(descriptor));
	memcpy(CMSG_DATA(part), &descriptor, sizeof(descriptor));
	sendmsg(connection, &message, MSG_NOSIGNAL);
	close(descriptor);
}

void help_others(void)
{
	struct sockaddr_un address;
	socklen_t size = name(&address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 8) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL))
		err(2, "helper");
	puts("ready");
	fflush(stdout);
	for (;;) {
		int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		char question;

		if (connection < 0)
			continue;
		if (read(connection, &question, 1) == 1)
			answer(connection, question);
		close(connection);
	}
}

/* The connection on which the answer comes; -1 with errno. */
static int ask(char question)
{
	struct sockaddr_un address;
	socklen_t size = name(&address);
	int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connection >= 0 && !connect(connection, (struct sockaddr *)&address, size) &&
	    write(connection, &question, 1) == 1)
		return connection;
	if (connection >= 0)
		close(connection);
	return -1;
}

bool ask_for_mapping(void)
{
	int connection = ask('m');
	char byte = 0;
	bool good = connection >= 0 && read(connection, &byte, 1) == 1 && byte == 'm';

	if (connection >= 0)
		close(connection);
	if (!good)
		errno = EPERM;
	return good;
}

int ask_for_socket(int family)
{
	int connection = ask(family == AF_INET6 ? '6' : '4'), descriptor = -1;
	char byte;
	struct iovec vector = { &byte, 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *part;

	if (connection < 0)
		return -1;
	errno = ENOTCONN;
	if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == 1 && (part = CMSG_FIRSTHDR(&message)))
		memcpy(&descriptor, CMSG_DATA(part), sizeof(descriptor));
	close(connection);
	return descriptor;
}
