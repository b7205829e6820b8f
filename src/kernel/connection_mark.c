/* connection_mark.c: marks connections from before, so that the rules know whose they are. */
#include "kernel/connection_mark.h"

#include "base/memory.h"
#include "kernel/conntrack.h"
#include "kernel/sock_diag.h"
#include "kernel/sock_packet.h"
#include "kernel/socket_end.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

/*
 * Theory of operation. A socket without an inode has no file. If it is in a state that only
 * close(2) leads to, it is an orphan, and still tells its user from Linux 6.17 on (before, user 0
 * stands for "nobody knows"). If it is not, nobody has accepted it yet: it tells its listener's
 * user, and may come to a confined user who inherited that listener, so it is not marked; the first
 * packet of whoever accepts it does that. TIME_WAIT has nothing left to send and tells no user
 * either: a mark on one would outlive the connection.
 */

enum { TIMER_TIME_WAIT = 3 }; /* idiag_timer of a socket that is a mere memory of one */

struct marking {
	const struct ruleset *ruleset;
	bool orphans_tell; /* whose they were */
	struct packet *packets;
	size_t count;
	size_t unknown;
};

static bool kernel_tells_of_orphans(void)
{
	struct utsname name;
	unsigned major, minor;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 17));
}

static bool is_closed_by_its_owner(const struct inet_diag_msg *socket)
{
	return socket->idiag_state == TCP_FIN_WAIT1 || socket->idiag_state == TCP_FIN_WAIT2 ||
	       socket->idiag_state == TCP_CLOSING || socket->idiag_state == TCP_LAST_ACK;
}

static void add(struct marking *marking, const struct packet *packet)
{
	marking->packets =
		memory_resize(marking->packets, marking->count + 1, sizeof(*marking->packets));
	marking->packets[marking->count++] = *packet;
}

static void take_free(void *context, uint8_t protocol, const struct inet_diag_msg *socket)
{
	struct marking *marking = context;
	struct packet packet = sock_packet(protocol, socket);
	bool orphan = !socket->idiag_inode;
	uint32_t mark;

	/*
	 * Loopback is not judged by this mark, or (as a list of ports) must not have it for an
	 * owner.
	 */
	if (packet.out_loopback)
		return;
	if (orphan ? !is_closed_by_its_owner(socket) || socket->idiag_timer == TIMER_TIME_WAIT
		   : !socket->idiag_wqueue)
		return;
	if (judge_sent(marking->ruleset, &packet, &mark) != JUDGED_ACCEPT || !(mark & OWNED_MARK))
		return;
	if (orphan && !marking->orphans_tell)
		marking->unknown++;
	else
		add(marking, &packet);
}

static void take_refused(void *context, uint8_t protocol, const struct inet_diag_msg *socket)
{
	struct marking *marking = context;
	struct packet packet = sock_packet(protocol, socket);

	if (socket_is_refused(marking->ruleset, packet))
		add(marking, &packet);
}

static int list(unsigned timeout_ms, take_socket *take, struct marking *marking)
{
	struct sock_diag link;
	int errnum = sock_diag_open(timeout_ms, &link);

	if (errnum)
		return errnum;
	errnum = sock_diag_list(&link, IPPROTO_TCP, take, marking);
	sock_diag_close(&link);
	return errnum;
}

/* Somebody's packet, or a rule of somebody else, may make or unmake the entry meanwhile. */
static int mark_one(struct conntrack *link, const struct packet *packet)
{
	uint32_t mark = 0;
	int errnum = conntrack_mark(link, packet, true);

	if (errnum == ENOENT)
		errnum = conntrack_make(link, packet);
	if (errnum == EEXIST)
		errnum = conntrack_mark(link, packet, true);
	if (!errnum)
		errnum = conntrack_read_mark(link, packet, &mark);
	return errnum || mark & OWNED_MARK ? errnum : EIO;
}

/* Whether to go on after this error number: the next connection would not fare better. */
static bool is_fatal(int errnum)
{
	return errnum == EAGAIN || errnum == EPERM || errnum == EINVAL || errnum == EOPNOTSUPP;
}

bool connections_mark(const struct ruleset *ruleset, unsigned timeout_ms,
		      struct connections_marked *ret, struct err *err)
{
	struct marking marking = { .ruleset = ruleset, .orphans_tell = kernel_tells_of_orphans() };
	struct connections_marked marked = { 0 };
	struct conntrack link;
	int errnum = list(timeout_ms, take_free, &marking);
	bool listed = !errnum || sock_diag_is_unsupported(errnum);

	if (!listed)
		err_set_errno(err, errnum, "listing the connections from before");
	errnum = marking.count ? conntrack_open(timeout_ms, &link) : 0;
	if (marking.count && !errnum) {
		for (size_t i = 0; i < marking.count && !is_fatal(errnum); i++) {
			errnum = mark_one(&link, &marking.packets[i]);
			marked.marked += !errnum;
		}
		conntrack_close(&link);
	}
	marked.failed = marking.count - marked.marked;
	marked.unknown = marking.unknown;
	free(marking.packets);
	if (listed)
		*ret = marked;
	return listed;
}

bool connections_unmark(const struct ruleset *ruleset, unsigned timeout_ms, struct err *err)
{
	struct marking marking = { .ruleset = ruleset };
	struct conntrack link;
	int errnum = list(timeout_ms, take_refused, &marking);

	if (!errnum && marking.count && !(errnum = conntrack_open(timeout_ms, &link))) {
		for (size_t i = 0; i < marking.count && !errnum; i++) {
			errnum = conntrack_mark(&link, &marking.packets[i], false);
			/* No entry, no mark. */
			if (errnum == ENOENT)
				errnum = 0;
		}
		conntrack_close(&link);
	}
	free(marking.packets);
	if (!errnum || sock_diag_is_unsupported(errnum))
		return true;
	err_set_errno(err, errnum, "taking the mark from the confined users' connections");
	return false;
}
