/* settings.h: what egressfilter is told: the policy, where it listens, where it logs. */
#ifndef EGRESSFW_FILTER_SETTINGS_H
#define EGRESSFW_FILTER_SETTINGS_H

#include "base/buffer.h"
#include "base/err.h"
#include "plan/filter_plan.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LISTEN_MAX = 16,
	NAMESERVER_MAX = 8, /* as many as system/resolver_config.h asks */
	LOG_SIZE_LEAST = 4096,
	LOG_SIZE_DEFAULT = FILTER_LOG_SIZE_DEFAULT,
};

/* Bounds on what one client, or all of them, can make the filter keep; times in milliseconds. */
struct limits {
	uint32_t connections;  /* clients at the same time; further ones are answered 503 */
	uint32_t header_bytes; /* of one request's or answer's head; more is 431 */
	uint32_t hello_bytes;  /* of a ClientHello with its records */
	uint32_t head_ms;      /* for a whole head, and for a whole hello; later is 408 */
	uint32_t connect_ms;   /* for name resolution and connecting together; later is 504 */
	uint32_t idle_ms;      /* without an octet in either direction of a tunnel or exchange */
};

extern const struct limits limits_default;

struct settings {
	struct policy policy;
	struct address_ports listen;      /* loopback addresses, at least one */
	struct address_ports nameservers; /* in the order in which they are asked; may be none */
	char *log;                        /* absolute path of the decision log */
	uint32_t log_size;                /* octets at which the log is rotated */
	uint32_t log_files;               /* older files that are kept */
	enum log_full log_full;           /* what then: the oldest, or the request, has to go */
	enum denial denial;
	struct limits limits;
};

/*
 * Reads one JSON object, strictly: `policy`, `listen` and `log` are required, unknown and repeated
 * members are errors. Pure. *ret is fresh; free it with settings_free(). The sentence begins with
 * the member that is wrong.
 */
bool settings_parse(const char *text, size_t length, struct settings *ret, struct err *err);
void settings_free(struct settings *settings);

/* Appends JSON that settings_parse() reads as the same settings. */
void settings_print(const struct settings *settings, struct buffer *out);

#endif
