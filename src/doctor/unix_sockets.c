/* unix_sockets.c: who opened the UNIX sockets that wait for others, by the file that names each. */
#include "doctor/unix_sockets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <sys/sysmacros.h>

enum { MINOR_BITS = 20 }; /* MINORBITS of the kernel's include/linux/kdev_t.h */

void unix_sockets_add(struct unix_sockets *sockets, const struct unix_socket *socket)
{
	/* Room doubles at powers of two. */
	if ((sockets->count & (sockets->count - 1)) == 0)
		sockets->items =
			memory_resize(sockets->items, sockets->count ? sockets->count * 2 : 1,
				      sizeof(*sockets->items));
	sockets->items[sockets->count++] = *socket;
}

void unix_sockets_free(struct unix_sockets *sockets)
{
	free(sockets->items);
	*sockets = (struct unix_sockets){ 0 };
}

bool unix_sockets_find(const struct unix_sockets *sockets, dev_t device, ino_t inode, uint32_t but,
		       uint32_t *ret)
{
	uint32_t kernels = (uint32_t)major(device) << MINOR_BITS | (uint32_t)minor(device);
	bool found = false;

	for (size_t i = 0; i < sockets->count; i++) {
		const struct unix_socket *socket = &sockets->items[i];

		if (socket->device != kernels || socket->inode != (uint32_t)inode ||
		    (found && socket->uid == but))
			continue;
		*ret = socket->uid;
		found = true;
	}
	return found;
}
