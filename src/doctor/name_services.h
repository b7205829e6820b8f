/* name_services.h: where the C library looks up host names, by nsswitch.conf(5). */
#ifndef EGRESSFW_DOCTOR_NAME_SERVICES_H
#define EGRESSFW_DOCTOR_NAME_SERVICES_H

#include <stddef.h>

/* Pure. */
enum hosts_order {
	HOSTS_FILES_FIRST,
	HOSTS_FILES_LATER, /* another service is asked before */
	HOSTS_FILES_NEVER,
	HOSTS_NO_LINE, /* the C library's own order, which begins with the hosts file */
};

/* What the first line for "hosts" says. */
enum hosts_order hosts_order(const void *text, size_t length);

#endif
