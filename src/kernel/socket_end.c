/* socket_end.c: ends the sockets that confined users hold to places which a ruleset refuses. */
#include "kernel/socket_end.h"

#include "base/memory.h"
#include "kernel/conntrack.h"
#include "kernel/sock_diag.h"
#include "kernel/sock_packet.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 16 }; /* how often a user's new subflows are looked for */

/* What else can be connected has no SOCK_DESTROY, and holds nothing back. */
static const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP };

struct found {
	uint8_t protocol;
	struct inet_diag_msg socket;
};

struct ending {
	const struct ruleset *ruleset;
	unsigned timeout_ms;
	struct found *found;
	size_t count;
};

bool socket_is_refused(const struct ruleset *ruleset, struct packet packet)
{
	uint32_t mark;

	if (judge_sent(ruleset, &packet, &mark) == JUDGED_ACCEPT)
		return false;
	packet.reply = true;
	return judge_sent(ruleset, &packet, &mark) != JUDGED_ACCEPT;
}

/*
 * Whether the connection goes on although nobody knows it by its packets: it began at a port that
 * is published, under rules that published it, and so has the mark. One from before them has none.
 */
static bool is_answered(const struct ending *ending, struct packet packet)
{
	struct conntrack link;
	uint32_t mark = 0;
	int errnum;

	packet.reply = true;
	packet.mark = PUBLISHED_MARK;
	if (judge_sent(ending->ruleset, &packet, &mark) != JUDGED_ACCEPT ||
	    conntrack_open(ending->timeout_ms, &link))
		return false;
	errnum = conntrack_read_mark(&link, &packet, &mark);
	conntrack_close(&link);
	return !errnum && mark & PUBLISHED_MARK;
}

static void take_refused(void *context, uint8_t protocol, const struct inet_diag_msg *socket)
{
	struct ending *ending = context;
	struct packet packet = sock_packet(protocol, socket);

	if (!socket_is_refused(ending->ruleset, packet) || is_answered(ending, packet))
		return;
	ending->found = memory_resize(ending->found, ending->count + 1, sizeof(*ending->found));
	ending->found[ending->count++] = (struct found){ protocol, *socket };
}

/*
 * A kernel need not know of the datagram sockets, which hold nothing back: only TCP's error counts.
 */
static int list_refused(struct sock_diag *link, struct ending *ending)
{
	ending->count = 0;
	for (size_t i = 0; i < sizeof(protocols); i++) {
		int errnum = sock_diag_list(link, protocols[i], take_refused, ending);

		if (errnum && (protocols[i] == IPPROTO_TCP || !sock_diag_is_unsupported(errnum)))
			return errnum;
	}
	return 0;
}

/*
 * Ends what was found. A TCP socket that is gone meanwhile was ended too: before the kernel ends
 * it, it sends a reset, which the rules refuse with one that ends a subflow of MPTCP.
 */
static void end_found(struct sock_diag *link, const struct ending *ending,
		      struct sockets_ended *ended)
{
	ended->left = 0;
	for (size_t i = 0; i < ending->count && !ended->unsupported; i++) {
		const struct found *found = &ending->found[i];
		int errnum = sock_diag_end(link, found->protocol, &found->socket);

		if (!errnum || (errnum == ENOENT && found->protocol == IPPROTO_TCP))
			ended->ended++;
		else if (errnum == EOPNOTSUPP || errnum == EINVAL)
			ended->unsupported = true;
		else if (errnum != ENOENT)
			ended->left++;
	}
}

bool sockets_end(const struct ruleset *ruleset, unsigned timeout_ms, struct sockets_ended *ret,
		 struct err *err)
{
	struct ending ending = { .ruleset = ruleset, .timeout_ms = timeout_ms };
	struct sockets_ended ended = { 0 };
	struct sock_diag link;
	int errnum = sock_diag_open(timeout_ms, &link);

	if (!errnum) {
		for (int round = 0; round < ROUNDS_MAX && !ended.unsupported; round++) {
			errnum = list_refused(&link, &ending);
			if (errnum || !ending.count)
				break;
			end_found(&link, &ending, &ended);
		}
		sock_diag_close(&link);
	}
	if (!errnum && ending.count && ended.left < ending.count)
		ended.left = ending.count;
	free(ending.found);
	if (errnum && !sock_diag_is_unsupported(errnum)) {
		err_set_errno(err, errnum, "listing the sockets of the confined users");
		return false;
	}
	ended.unsupported = ended.unsupported || errnum;
	*ret = ended;
	return true;
}
