/* resolver_world.h: a network namespace with scripted DNS servers, and policies of names. */
#ifndef EGRESSFW_TESTS_NET_RESOLVER_WORLD_H
#define EGRESSFW_TESTS_NET_RESOLVER_WORLD_H

#include "plan/resolved.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Everything aborts with a message where it does not work, but world_enter(). */
struct world {
	char directory[64];
	char script[96], log[96], resolv_conf[96];
	pid_t server; /* 0: none */
};

/* Network and mount namespaces of our own, with loopback and a place for files. False: may not. */
bool world_enter(void);

void world_begin(struct world *world);
/* Ends the server and removes the directory. */
void world_end(struct world *world);

/* Starts tests/net/dns_stub with the script on the addresses ("127.0.0.1:53"), up to NULL. */
void world_serve(struct world *world, const char *script, const char *const *addresses);
/* The same on 127.0.0.1:53. */
void world_serve_here(struct world *world, const char *script);

void file_write(const char *path, const char *text);
/* NUL-terminated; the caller frees it. "" where there is no such file. */
char *file_read(const char *path);

/* How many lines of the server's log are this text, or begin with it. */
unsigned world_asked(const struct world *world, const char *line);
unsigned world_asked_like(const struct world *world, const char *start);

/* A policy that allows the names, separated by blanks. */
struct policy policy_of(const char *names);
/* PREFIX0.DOMAIN to PREFIX(count - 1).DOMAIN. */
struct policy policy_of_many(const char *prefix, const char *domain, size_t count);
void policy_done(struct policy *policy);

/* "a.test: found 203.0.113.5, b.test: NXDOMAIN"; refused addresses follow a "-". To be freed. */
char *resolved_text(const struct resolved *resolved);

#endif
