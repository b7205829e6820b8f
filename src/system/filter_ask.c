/* filter_ask.c: whether the filter answers, and to whom. */
#include "system/filter_process.h"

#include "system/child_answer.h"
#include "system/descriptor.h"
#include "system/loopback.h"
#include "system/privilege.h"
#include "system/probe_attempt.h"
#include "system/users.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * To the filter itself (RFC 9110, sections 9.3.7 and 7.6.2): it goes nowhere, and is logged as
 * this.
 */
static const char question[] = "OPTIONS * HTTP/1.1\r\nHost: egressfw.invalid\r\nMax-Forwards: 0\r\n"
			       "Connection: close\r\n\r\n";
static const char answers[] = "HTTP/1.1 204 ";
/* What ours says then, in a field (answer.h). */
static const char unlogged[] = "\r\nX-Egressfw-Log: ";
enum { GRACE_MS = 1000, ANSWER_MAX = 4096, OPEN = 'o', UNLOGGED = 'l' };

struct asking {
	const struct address_port *listen;
	uid_t uid;
	gid_t gid;
	unsigned timeout_ms;
};

static int connect_to(const struct address_port *listen, uint64_t deadline, struct err *err)
{
	bool ipv6 = listen->address.family == FAMILY_IPV6;
	int descriptor =
		socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(listen->port) };
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(listen->port) };
	int errnum = 0, done;

	memcpy(&to6.sin6_addr, listen->address.bytes, sizeof(to6.sin6_addr));
	memcpy(&to4.sin_addr, listen->address.bytes, sizeof(to4.sin_addr));
	done = descriptor < 0 ? -1
	       : ipv6         ? connect(descriptor, (struct sockaddr *)&to6, sizeof(to6))
			      : connect(descriptor, (struct sockaddr *)&to4, sizeof(to4));
	if (done && errno == EINPROGRESS) {
		if (!probe_wait(descriptor, POLLOUT, deadline))
			errnum = ETIMEDOUT;
		else
			getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum,
				   &(socklen_t){ sizeof(errnum) });
	} else if (done) {
		errnum = errno;
	}
	if (!errnum)
		return descriptor;
	err_set_errno(err, errnum, "cannot be connected to");
	if (loopback_is_down())
		err_append(err, ": " LOOPBACK_DOWN);
	descriptor_close(&descriptor);
	return -1;
}

/*
 * What tells a good answer, or all of another one, as much as is looked at. With octets of it
 * unread a connection ends at once: its port is not held by it for a while.
 */
static bool receive(int descriptor, uint64_t deadline, struct buffer *ret, struct err *err)
{
	const size_t begin = sizeof(answers) - 1;

	while (ret->length < begin ||
	       (ret->length < ANSWER_MAX && memcmp(ret->data, answers, begin) != 0)) {
		size_t room = (ret->length < begin ? begin : ANSWER_MAX) - ret->length;
		ssize_t got;

		if (!probe_wait(descriptor, POLLIN, deadline)) {
			err_set(err, "accepts connections, and does not answer");
			return false;
		}
		got = recv(descriptor, buffer_reserve(ret, room), room, 0);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			break;
		ret->length += (size_t)got;
	}
	if (ret->length)
		return true;
	err_set(err, "closes connections without an answer");
	return false;
}

/* OPEN, or UNLOGGED with what the filter says of it. */
static bool read_answer(struct buffer *answer, struct buffer *ret, struct err *err)
{
	const char *field, *text = buffer_string(answer);

	if (!strncmp(text, answers, sizeof(answers) - 1)) {
		buffer_append_u8(ret, OPEN);
		return true;
	}
	field = strstr(text, unlogged);
	if (!field) {
		err_set(err, "does not answer as a proxy does");
		return false;
	}
	field += sizeof(unlogged) - 1;
	buffer_append_u8(ret, UNLOGGED);
	buffer_append(ret, field, strcspn(field, "\r"));
	return true;
}

static bool converse(int descriptor, uint64_t deadline, struct buffer *ret, struct err *err)
{
	struct buffer answer = { 0 };
	bool good;

	if (send(descriptor, question, sizeof(question) - 1, MSG_NOSIGNAL) !=
	    sizeof(question) - 1) {
		err_set_errno(err, errno, "cannot be asked");
		return false;
	}
	good = receive(descriptor, deadline, &answer, err) && read_answer(&answer, ret, err);
	buffer_free(&answer);
	return good;
}

/* In a process of its own: the kernel judges a socket by who opened it. */
static bool ask(void *context, struct buffer *ret, struct err *err)
{
	const struct asking *asking = context;
	uint64_t deadline = probe_now_us() + (uint64_t)asking->timeout_ms * 1000;
	autoclose int descriptor = -1;

	if (asking->uid == geteuid()
		    ? !privilege_isolate(err)
		    : !privilege_become(
			      &(struct privilege_ids){ .uid = asking->uid, .gid = asking->gid },
			      err))
		return false;
	descriptor = connect_to(asking->listen, deadline, err);
	return descriptor >= 0 && converse(descriptor, deadline, ret, err);
}

bool filter_ask(const struct address_port *listen, uid_t uid, unsigned timeout_ms,
		bool *ret_unlogged, struct err *err)
{
	struct asking asking = {
		.listen = listen,
		.uid = uid,
		.gid = uid == geteuid() ? (gid_t)-1 : users_gid(uid, NULL),
		.timeout_ms = timeout_ms,
	};
	const struct child_question child = {
		.work = ask,
		.context = &asking,
		.uid = uid,
		.timeout_ms = timeout_ms + GRACE_MS,
		.limit = ANSWER_MAX,
	};
	struct buffer got = { 0 };
	bool good = child_answer(&child, &got, err);
	char text[ADDRESS_TEXT_SIZE];

	*ret_unlogged = good && got.length && *got.data == UNLOGGED;
	if (*ret_unlogged) {
		err_set(err, "refuses every request: %s", buffer_string(&got) + 1);
		good = false;
	}
	if (!good)
		err_wrap(err, "the filter at %s port %u", address_format(&listen->address, text),
			 listen->port);
	for (char *at = err->text; !good && *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	buffer_free(&got);
	return good;
}
