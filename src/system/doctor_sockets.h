/* doctor_sockets.h: the UNIX sockets that were found, and whether the user may connect to each. */
#ifndef EGRESSFW_SYSTEM_DOCTOR_SOCKETS_H
#define EGRESSFW_SYSTEM_DOCTOR_SOCKETS_H

#include "system/doctor.h"

#include <sys/stat.h>

/*
 * /proc/net/unix has what listens in this network namespace. A socket that is mounted into a
 * container belongs to another one and is not in it, so sockets are looked for among files and
 * mounts too. Nothing is connected to: that a socket listens is then not known.
 */
struct found_socket {
	char *path;
	enum check check;
	struct stat status; /* where has_status */
	bool has_status;
	bool known; /* who waits there: */
	uint32_t opener;
	int errnum; /* 0: the user may */
};

struct doctor_sockets {
	const struct doctor *doctor;
	struct found_socket *items;
	size_t count;
	struct buffer abstract; /* a list */
	size_t abstract_count;
	bool listed;          /* /proc/net/unix could be read */
	struct buffer unseen; /* directories that were not looked through: a list */
	char *first_more;     /* a socket more than are looked at */
	bool asked;
	struct err err; /* why not */
};

#endif
