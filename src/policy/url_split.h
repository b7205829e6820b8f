/* url_split.h: cuts a URL, or a host with what may follow it, into its pieces. */
#ifndef EGRESSFW_POLICY_URL_SPLIT_H
#define EGRESSFW_POLICY_URL_SPLIT_H

#include "policy/policy.h"

/* The pieces are strings of their own: url_parts_free(). */
struct url_parts {
	enum scheme scheme;
	char *host; /* as written, without brackets; never empty */
	bool bracketed;
	uint16_t port; /* 0: none was written */
	char *path;    /* as written, from the "/" on; NULL where there is none */
	char *query;   /* as written, without "?"; NULL where there is none */
};

/*
 * "http://...", "https://..." or "host[:port][/path][?query]". Userinfo, a fragment, blanks and
 * control characters, an empty host, an empty port and other schemes are refused.
 */
bool url_split(const char *text, struct url_parts *ret, struct err *err);
void url_parts_free(struct url_parts *parts);

/* The host of the pieces: a name in normal form, or (name "") an address in its one spelling. */
struct url_host {
	char name[HOST_TEXT_SIZE];
	struct address address;
};
bool url_host_read(const struct url_parts *parts, struct url_host *ret, struct err *err);

/* Refuses a name of this host itself, where an address is wanted: the sentence says which. */
bool url_host_is_elsewhere(const struct url_parts *parts, struct err *err);

/* "http" and 80, "https" and 443; for no scheme as for https. */
const char *url_scheme_name(enum scheme scheme);
uint16_t url_default_port(enum scheme scheme);

#endif
