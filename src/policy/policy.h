/* policy.h: what policy.json says, as a value: who is confined and which destinations stay open. */
#ifndef EGRESSFW_POLICY_POLICY_H
#define EGRESSFW_POLICY_POLICY_H

#include "base/address.h"
#include "base/buffer.h"
#include "base/err.h"
#include "base/rangeset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum network_mode { MODE_PUBLIC, MODE_NO_NETWORK, MODE_ALLOWLIST, MODE_BLOCKLIST };
enum enforcement { ENFORCE_AUTO, ENFORCE_PIN, ENFORCE_FILTER };
enum ownerless { OWNERLESS_DROP, OWNERLESS_PASS };

enum {
	POLICY_VERSION = 1,
	POLICY_TEXT_MAX = 16 * 1024 * 1024, /* bytes of a policy file */
	HOST_TEXT_SIZE = 256,               /* a host name (253 octets in text) and its NUL */
	PIN_HOSTS_DEFAULT = 256,
	PIN_ADDRESSES_DEFAULT = 4096,
	PIN_LIMIT_MAX = 1 << 20,
};

/* One entry of `users` or `exempt_users`: a name, or a range of uids from 1 to 4294967294. */
struct user_spec {
	char *name; /* NULL: it is the range */
	struct range range;
};

struct user_specs {
	struct user_spec *items;
	size_t count;
};

enum destination_kind {
	DESTINATION_NAME,     /* that name only */
	DESTINATION_WILDCARD, /* every name below `name` at any depth, not `name` itself */
	DESTINATION_PREFIX,   /* an address or a prefix */
} __attribute__((packed));

/* Of a URL; destinations of `allowed_hosts` have none. */
enum scheme { SCHEME_NONE, SCHEME_HTTP, SCHEME_HTTPS } __attribute__((packed));

/* There may be very many, hence small: what follows from the rest is not kept but computed. */
struct destination {
	union {
		char *name;        /* A-label form, lower case, no trailing dot */
		uint8_t bytes[16]; /* of a prefix, as in its struct address */
	};
	uint16_t first_port, last_port; /* TCP; both 0: none is written, which means 80 and 443 */
	enum destination_kind kind;
	enum scheme scheme;
	bool ipv6;      /* of a prefix */
	uint8_t length; /* of a prefix */
};

enum { DESTINATION_TEXT_SIZE = HOST_TEXT_SIZE + sizeof("https://[]:65535-65535") };

/* The address or prefix; kind is DESTINATION_PREFIX, which the second function makes it. */
struct prefix destination_prefix(const struct destination *destination);
void destination_set_prefix(struct destination *destination, const struct prefix *prefix);

bool destination_has_port(const struct destination *destination, uint16_t port);
/* The ports as a set that the caller frees. */
struct rangeset destination_ports(const struct destination *destination);

/* The normalised spelling, as `check` prints it and as a rule's name. Returns ret. */
const char *destination_format(const struct destination *destination,
			       char ret[DESTINATION_TEXT_SIZE]);

struct destinations {
	struct destination *items;
	size_t count;
};

/* One key=value (or bare key, value NULL) of a query. */
struct query_parameter {
	char *key;
	char *value;
};

/*
 * One entry of `blocked_urls`. A host covers its subdomains; a path is a prefix, up to a segment's
 * border, of the canonical path.
 */
struct blocked_url {
	char *host; /* A-label form; NULL where the host is an address */
	struct address address;
	uint16_t port; /* 0: any, as where a URL names none */
	char *path;    /* canonical, without a slash at the end; "/" for the whole host */
	struct query_parameter *parameters;
	size_t parameter_count;
	char *text; /* normalised spelling, as a rule's name */
};

struct blocked_urls {
	struct blocked_url *items;
	size_t count;
};

struct address_port {
	struct address address;
	uint16_t port;
};

struct address_ports {
	struct address_port *items;
	size_t count;
};

struct prefixes {
	struct prefix *items;
	size_t count;
};

struct policy {
	enum network_mode mode;
	struct user_specs users;
	struct user_specs exempt_users; /* at most one of the two lists has entries */
	struct destinations allowed_hosts;
	struct blocked_urls blocked_urls;
	struct destinations model_endpoints; /* lanes: names or addresses, each with one port */
	bool allow_model_endpoint;
	enum enforcement enforcement;
	bool loopback_any;
	struct rangeset loopback_ports; /* where !loopback_any */
	enum ownerless ownerless;
	bool own_addresses;
	struct rangeset published_ports;
	struct address_ports canary; /* empty: the default targets */
	uint32_t pin_hosts_max, pin_addresses_max;
	struct prefixes allow_private;
};

/*
 * Reads RFC 8259 JSON, strictly: no repeated or unknown key, no trailing text, no NUL. Pure.
 * *ret is fresh; free it with policy_free(). An error names path, value and what was expected:
 * `allowed_hosts[2]: "10.0.0.1/8" has host bits set; did you mean "10.0.0.0/8"?`
 */
bool policy_parse(const char *text, size_t length, struct policy *ret, struct err *err);
void policy_free(struct policy *policy);

/* Appends the normalised policy as indented JSON that policy_parse() reads as the same policy. */
void policy_print(const struct policy *policy, struct buffer *out);

/* Name tables: "no-network", "pin", "drop". */
const char *network_mode_name(enum network_mode mode);
const char *enforcement_name(enum enforcement enforcement);
const char *ownerless_name(enum ownerless ownerless);

/* ENFORCE_AUTO decided: filter in blocklist mode and where a wildcard is listed, else pin. */
enum enforcement policy_enforcement(const struct policy *policy);

/* Reads one `--user` or `users` entry given as text: "1500", "100000-165535" or a name. */
bool user_spec_parse(const char *text, struct user_spec *ret, struct err *err);
void user_spec_free(struct user_spec *spec);

/*
 * Reads `address:port` or `[address]:port`, canonical literals only, port 1 to 65535 without
 * leading zeros.
 */
bool address_port_parse(const char *text, struct address_port *ret, struct err *err);

/* The same text again; returns ret. */
enum { ADDRESS_PORT_TEXT_SIZE = ADDRESS_TEXT_SIZE + sizeof("[]:65535") - 1 };
const char *address_port_format(const struct address_port *from, char ret[ADDRESS_PORT_TEXT_SIZE]);

bool address_port_equal(const struct address_port *one, const struct address_port *other);
bool address_ports_have(const struct address_ports *list, const struct address_port *one);

/* The targets of a policy that names none, by family. */
enum { CANARY_DEFAULTS = 2 };
extern const struct address_port policy_canary_default[CANARY_DEFAULTS];

/*
 * Makes a list of exactly the default targets empty: written out they mean what they mean
 * unwritten.
 */
void policy_canary_normalise(struct address_ports *list);

#endif
