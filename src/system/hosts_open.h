/* hosts_open.h: the hosts file as a descriptor, however it may be opened. */
#ifndef EGRESSFW_SYSTEM_HOSTS_OPEN_H
#define EGRESSFW_SYSTEM_HOSTS_OPEN_H

#include "base/err.h"

#include <stdbool.h>

struct hosts_file {
	const char *path;
	int descriptor;  /* -1: there is no file */
	int write_errno; /* why it cannot be written; 0: it can */
};

/* For writing where that is possible, else for reading; a regular file, or none. Close it. */
bool hosts_file_open(const char *path, struct hosts_file *ret, struct err *err);
void hosts_file_close(struct hosts_file *file);
#define autohosts __attribute__((cleanup(hosts_file_close)))

/* False, with the one sentence for it, where it cannot be written. */
bool hosts_file_require_writable(const struct hosts_file *file, struct err *err);

/* Makes it where there is none. */
bool hosts_file_make(struct hosts_file *file, struct err *err);

#endif
