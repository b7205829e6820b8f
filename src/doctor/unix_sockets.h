/* unix_sockets.h: who opened the UNIX sockets that wait for others, by the file that names each. */
#ifndef EGRESSFW_DOCTOR_UNIX_SOCKETS_H
#define EGRESSFW_DOCTOR_UNIX_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Pure. As the kernel tells it: a file's owner says nothing, since chown(2) takes any. */
struct unix_socket {
	uint32_t device; /* of its file, as the kernel writes it */
	uint32_t inode;  /* the lower half */
	uint32_t uid;
};

/* Starts as { 0 }; owned. */
struct unix_sockets {
	struct unix_socket *items;
	size_t count;
};

void unix_sockets_add(struct unix_sockets *sockets, const struct unix_socket *socket);
void unix_sockets_free(struct unix_sockets *sockets);

/* By file, after the last was added: unix_sockets_find() needs it. */
void unix_sockets_sort(struct unix_sockets *sockets);

/*
 * Who waits at the socket file with these numbers of stat(2): *ret is its opener's uid, of several
 * one that is not `but`. False: nobody of this list.
 */
bool unix_sockets_find(const struct unix_sockets *sockets, dev_t device, ino_t inode, uint32_t but,
		       uint32_t *ret);

#endif
