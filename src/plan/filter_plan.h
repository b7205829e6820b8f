/* filter_plan.h: where the filter of a plan listens, as whom it runs, and what it is told. */
#ifndef EGRESSFW_PLAN_FILTER_PLAN_H
#define EGRESSFW_PLAN_FILTER_PLAN_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/err.h"
#include "plan/denial.h"
#include "plan/log_full.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The user of the filter where passwd(5) has none of the name: a number that neither Debian nor
 * systemd gives to anybody, and that a container's user namespace has.
 */
#define FILTER_USER_NAME "egressfilter"
enum { FILTER_UID_DEFAULT = 65528, FILTER_PORT_DEFAULT = 3128, FILTER_LISTEN_MAX = 8 };
#define FILTER_LOG_PARENT "/var/log"
#define FILTER_LOG_NAME "egressfilter"
#define FILTER_LOG_DIRECTORY FILTER_LOG_PARENT "/" FILTER_LOG_NAME
enum { FILTER_PATH_MAX = 255, FILTER_DIGEST_SIZE = 65 };

/*
 * The decision log is one file of at most so many bytes, give or take a line, and as many older
 * ones. Where all are full `log_full` says what has to go: the oldest, or every request until
 * somebody has moved one away.
 */
enum {
	FILTER_LOG_SIZE_DEFAULT = 64 * 1024 * 1024,
	FILTER_LOG_FILES_DEFAULT = 4,
	FILTER_LOG_FILES_MAX = 99,
};

struct filter_plan {
	uint32_t uid;
	struct address_ports listen;      /* on loopback; not empty */
	struct address_ports nameservers; /* port 53 each */
	char *log;                        /* an absolute path */
	uint8_t log_files;                /* older ones, 1 to FILTER_LOG_FILES_MAX */
	enum log_full log_full;
	enum denial denial;
	char *program;                     /* the same */
	bool start;                        /* by us, and not by whoever runs this machine */
	char settings[FILTER_DIGEST_SIZE]; /* SHA-256 of its settings, hexadecimal */
};

void filter_plan_free(struct filter_plan *filter);
struct filter_plan filter_plan_copy(const struct filter_plan *filter);

/*
 * Whether the filter can listen there: loopback, no port of a resolver (which stay closed to the
 * confined users), none that only root may have.
 */
bool filter_listen_check(const struct address_port *listen, struct err *err);

/*
 * Reads as whom the filter is to run, as user_spec_parse(), but for root; a range is not refused.
 * The caller frees *ret.
 */
bool filter_user_parse(const char *text, struct user_spec *ret, struct err *err);

/*
 * Whether this uid can be the filter's: not 0, nobody confined, nobody exempt (the rules would hold
 * for all that such a user does). `confined` is without it already where the policy confines
 * everybody but the exempt.
 */
bool filter_uid_check(uint32_t uid, const struct rangeset *confined, const struct rangeset *exempt,
		      struct err *err);

/* As part of a stored plan. What was read stands in *ret even when the answer is false. */
void store_filter(const struct filter_plan *filter, struct buffer *out);
bool load_filter(struct cursor *cursor, struct filter_plan *ret);

#endif
