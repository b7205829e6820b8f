/* sock_owner.c: who opened the other end of a connection on loopback. */
#include "filter/sock_owner.h"

#include "base/memory.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWERS_MAX = 4 };

struct sock_owner {
	int descriptor;
	uint32_t sequence;
};

void sock_owner_close(struct sock_owner *owner)
{
	if (!owner)
		return;
	close(owner->descriptor);
	free(owner);
}

struct question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 request;
};

struct answer {
	struct nlmsghdr header;
	struct inet_diag_msg socket;
};

static bool ask(struct sock_owner *owner, const struct address_port *peer,
		const struct address_port *here)
{
	struct question question = {
		.header = {
			.nlmsg_len = sizeof(question),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
			.nlmsg_seq = ++owner->sequence,
		},
		.request = {
			.sdiag_family = peer->address.family == FAMILY_IPV4 ? AF_INET : AF_INET6,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = UINT32_MAX,
			.id = {
				.idiag_sport = htons(peer->port),
				.idiag_dport = htons(here->port),
				.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
			},
		},
	};

	memcpy(question.request.id.idiag_src, peer->address.bytes, 16);
	memcpy(question.request.id.idiag_dst, here->address.bytes, 16);
	return send(owner->descriptor, &question, sizeof(question), 0) == sizeof(question);
}

enum owned { OWNED, OWNED_BY_NOBODY, OWNED_BY_WHO_KNOWS };

/* A socket whose file is closed has no owner, and no inode; later there is no such socket. */
static enum owned read_answer(const struct answer *answer, size_t length, uint32_t *ret)
{
	const struct nlmsgerr *error = (const void *)(&answer->header + 1);

	if (answer->header.nlmsg_type == NLMSG_ERROR && length >= NLMSG_LENGTH(sizeof(*error)))
		return error->error == -ENOENT ? OWNED_BY_NOBODY : OWNED_BY_WHO_KNOWS;
	if (answer->header.nlmsg_type != SOCK_DIAG_BY_FAMILY || length < sizeof(*answer))
		return OWNED_BY_WHO_KNOWS;
	if (!answer->socket.idiag_inode)
		return OWNED_BY_NOBODY;
	*ret = answer->socket.idiag_uid;
	return OWNED;
}

static enum owned find(struct sock_owner *owner, const struct address_port *peer,
		       const struct address_port *here, uint32_t *ret)
{
	if (!owner || !ask(owner, peer, here))
		return OWNED_BY_WHO_KNOWS;
	/* Answers to earlier questions may stand before it, where one was given up. */
	for (int i = 0; i < ANSWERS_MAX; i++) {
		union {
			struct answer answer;
			uint8_t bytes[1024];
		} received;
		ssize_t length = recv(owner->descriptor, &received, sizeof(received), 0);

		if (length < (ssize_t)sizeof(struct nlmsghdr))
			break;
		if (received.answer.header.nlmsg_seq == owner->sequence)
			return read_answer(&received.answer, (size_t)length, ret);
	}
	return OWNED_BY_WHO_KNOWS;
}

bool sock_owner_find(struct sock_owner *owner, const struct address_port *peer,
		     const struct address_port *here, uint32_t *ret)
{
	return find(owner, peer, here, ret) == OWNED;
}

bool sock_owner_is_gone(struct sock_owner *owner, const struct address_port *peer,
			const struct address_port *here)
{
	uint32_t uid;

	return find(owner, peer, here, &uid) == OWNED_BY_NOBODY;
}

struct sock_owner *sock_owner_open(const struct address_port *here)
{
	int descriptor =
		socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
	const struct address_port nowhere = { .address.family = here->address.family };
	struct sock_owner *owner;
	uint32_t uid;

	if (descriptor < 0)
		return NULL;
	owner = memory_allocate(1, sizeof(*owner));
	owner->descriptor = descriptor;
	if (sock_owner_find(owner, here, &nowhere, &uid) && uid == geteuid())
		return owner;
	sock_owner_close(owner);
	return NULL;
}
