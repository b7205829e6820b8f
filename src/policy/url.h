/* url.h: URLs taken apart, and the one canonical form of a path. */
#ifndef EGRESSFW_POLICY_URL_H
#define EGRESSFW_POLICY_URL_H

#include "base/err.h"
#include "policy/policy.h"

#include <stdint.h>

/* A target of a decision: a host by name or by address, a port, and a path where one is known. */
struct target {
	char host[HOST_TEXT_SIZE]; /* normal form; "" where it is an address */
	struct address address;
	uint16_t port;
	char *path;  /* canonical path; NULL where only the host is known */
	char *query; /* without "?", as given; NULL where there is none */
};

/*
 * Reads an http(s) URL (port 80 or 443 where none is written), `host:port`, `[v6]:port`, `host`
 * (port 443) or `host/path`. Userinfo, a fragment, and every spelling of an address that is not
 * canonical are refused.
 */
bool target_parse(const char *text, struct target *ret, struct err *err);
void target_free(struct target *target);

/*
 * The canonical path (RFC 3986, sections 5.2.4 and 6.2.2): percent-encoded unreserved characters
 * decoded until nothing changes (after three rounds refused), "\" read as "/", ";parameters" of
 * each segment dropped, empty and dot segments removed; a slash at the end stays. Encoded slashes,
 * backslashes and NUL, overlong forms of ASCII, and escapes of escapes that could hide one of
 * these or an unreserved character, are refused. The caller frees *ret, which begins with "/".
 */
bool path_canonical(const char *path, char **ret, struct err *err);

#endif
