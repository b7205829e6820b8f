/* blocked_url.h: one entry of `blocked_urls`, from text, and what it covers. */
#ifndef EGRESSFW_POLICY_BLOCKED_URL_H
#define EGRESSFW_POLICY_BLOCKED_URL_H

#include "policy/policy.h"
#include "policy/url.h"

/* `host`, `host/path`, or an http(s) URL, each perhaps with a query. */
bool blocked_url_parse(const char *text, struct blocked_url *ret, struct err *err);
void blocked_url_free(struct blocked_url *blocked);

/* Whether the entry covers every path of its host. */
bool blocked_url_is_whole(const struct blocked_url *blocked);

/* Whether the target's host and port fall under the entry: the name itself and what is below it. */
bool blocked_url_covers_host(const struct blocked_url *blocked, const struct target *target);

/* Whether path and query do: a prefix at a segment's border, without regard to case. */
bool blocked_url_covers_path(const struct blocked_url *blocked, const char *path,
			     const char *query);

#endif
