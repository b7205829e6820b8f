/* channels.h: what a socket's name or port says about who is behind it. */
#ifndef EGRESSFW_DOCTOR_CHANNELS_H
#define EGRESSFW_DOCTOR_CHANNELS_H

#include "doctor/checks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. The check that a UNIX socket at this path belongs to: CHECK_UNIX_SOCKETS where it is none
 * that is known.
 */
enum check channel_of_path(const char *path);

/* Where sockets may stand that listen in another network namespace; NULL ends the list. */
extern const char *const channel_paths[];

/* Ports of resolvers that the ruleset refuses; of others that are usual; of proxies. */
bool port_is_refused(uint16_t port);
bool port_is_resolver(uint16_t port);
bool port_is_proxy(uint16_t port);

#endif
