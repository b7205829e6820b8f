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

static int compare(const void *one, const void *other)
{
	const struct unix_socket *a = one, *b = other;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

void unix_sockets_sort(struct unix_sockets *sockets)
{
	if (sockets->count)
		qsort(sockets->items, sockets->count, sizeof(*sockets->items), compare);
}

/* The first one that is not before it, or the end. */
static size_t find_place(const struct unix_sockets *sockets, const struct unix_socket *wanted)
{
	size_t first = 0, end = sockets->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (compare(&sockets->items[middle], wanted) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

bool unix_sockets_find(const struct unix_sockets *sockets, dev_t device, ino_t inode, uint32_t but,
		       uint32_t *ret)
{
	const struct unix_socket wanted = {
		.device = (uint32_t)major(device) << MINOR_BITS | (uint32_t)minor(device),
		.inode = (uint32_t)inode,
	};
	bool found = false;

	for (size_t i = find_place(sockets, &wanted);
	     i < sockets->count && !compare(&sockets->items[i], &wanted); i++) {
		if (found && sockets->items[i].uid == but)
			continue;
		*ret = sockets->items[i].uid;
		found = true;
	}
	return found;
}
