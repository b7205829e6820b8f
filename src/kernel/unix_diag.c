/* unix_diag.c: the UNIX sockets of this network namespace that wait for others, and their openers. */
#include "kernel/unix_diag.h"

#include "kernel/netlink.h"
#include "kernel/sock_diag.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* Numbers in these attributes stand in host byte order. */
static bool read_bytes(struct cursor attributes, uint16_t type, void *ret, size_t length)
{
	struct attribute found;

	if (!attribute_find(attributes, type, &found) || cursor_left(&found.payload) != length)
		return false;
	memcpy(ret, cursor_take(&found.payload, length), length);
	return true;
}

bool unix_diag_read(struct cursor answer, struct unix_socket *ret)
{
	struct unix_diag_vfs file;
	uint32_t uid;

	/* Inode and cookie of the socket itself. */
	if (!cursor_take(&answer, 3 * sizeof(uint32_t)) ||
	    !read_bytes(answer, UNIX_DIAG_VFS, &file, sizeof(file)) ||
	    !read_bytes(answer, UNIX_DIAG_UID, &uid, sizeof(uid)))
		return false;
	*ret = (struct unix_socket){ file.udiag_vfs_dev, file.udiag_vfs_ino, uid };
	return true;
}

static void take(void *context, const struct netlink_message *message)
{
	struct unix_socket found;

	if (unix_diag_read(message->payload, &found))
		unix_sockets_add(context, &found);
}

/*
 * What accept(2) gave has the name of its listener and another opener: only who waits is asked for.
 */
int unix_diag_list(unsigned timeout_ms, struct unix_sockets *ret)
{
	const struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = 1 << TCP_LISTEN | 1 << TCP_CLOSE,
		.udiag_show = UDIAG_SHOW_VFS | UDIAG_SHOW_UID,
	};
	struct unix_sockets sockets = { 0 };
	struct sock_diag link;
	int errnum = sock_diag_open(timeout_ms, &link);

	if (errnum)
		return errnum;
	errnum = sock_diag_dump(&link, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), take,
				&sockets);
	sock_diag_close(&link);
	unix_sockets_sort(&sockets);
	if (errnum)
		unix_sockets_free(&sockets);
	else
		*ret = sockets;
	return errnum;
}
