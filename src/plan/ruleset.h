/* ruleset.h: our nftables table as a typed value, at which text, kernel and tests meet. */
#ifndef EGRESSFW_PLAN_RULESET_H
#define EGRESSFW_PLAN_RULESET_H

#include "base/address.h"
#include "base/buffer.h"
#include "base/err.h"
#include "base/keyset.h"
#include "base/rangeset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A ruleset is one table. It is built from a plan (ruleset_build.h), prints itself as nft text
 * (ruleset_print.h), is encoded to and decoded from netlink (kernel/nft.h), is compared
 * (ruleset_compare.h), judges a packet in memory (judge.h) and is kept in the state directory
 * (plan.h). Every statement stands for one fixed sequence of nf_tables expressions: the one that
 * nft(8) makes of the statement's text.
 *
 * What a statement adds in front of its own expressions:
 *
 * - nfproto. In a table of family inet, the statements that are about one family
 *   (MATCH_DESTINATION, MATCH_DESTINATION_IN, MATCH_SOURCE, MATCH_ICMP_TYPE, MATCH_ICMPV6_TYPE,
 *   MATCH_GROUP_REPORT and MATCH_IP_PROTOCOL) begin with "meta load nfproto, cmp eq" of their
 *   family, unless a statement before them in the rule has done so. In tables of family ip and ip6
 *   they never do; statements of the other family do not occur there.
 * - l4proto. MATCH_PORTS, MATCH_SOURCE_PORTS and MATCH_TCP_FLAGS (TCP), MATCH_ICMP_TYPE (ICMP),
 *   MATCH_ICMPV6_TYPE and MATCH_GROUP_REPORT (ICMPv6) then add "meta load l4proto, cmp eq" of that
 *   protocol, in every family, unless a statement before them in the rule has matched l4proto:
 *   MATCH_PROTOCOL, or one of these six.
 *   MATCH_IP_PROTOCOL reads the protocol field of the IPv4 header and counts for neither.
 *   MATCH_PROTOCOL is always written out itself, and never right before a match that would add it:
 *   the two would be the same expressions.
 *
 * The expressions themselves, all in register 1:
 *
 * - MATCH_USER compares one uid as it is loaded, in host order. A range of uids, MATCH_OWNED and
 *   MATCH_USER_IN convert after the load: byteorder hton(4, 4). A range then compares twice, gte
 *   and lte; MATCH_OWNED so with 0 and 0xffffffff.
 * - MATCH_DESTINATION loads length / 8 bytes of the address where the length is a multiple of
 *   eight, and compares them; otherwise all bytes, a bitwise with the mask, and a comparison.
 *   MATCH_SOURCE does the same with the other address.
 * - MATCH_PORTS loads two bytes at offset 2 of the transport header, MATCH_SOURCE_PORTS at offset
 *   0, MATCH_TCP_FLAGS one at 13 (a bitwise with the mask, then cmp eq or, negated, neq), the ICMP
 *   types one at 0, MATCH_IP_PROTOCOL one at offset 9 of the network header.
 * - MATCH_GROUP_REPORT loads the type (one byte at 0), the number of records (two at 6), and of
 *   each record all but its type up to the last three bytes of its group (16 at 9, 29, ...).
 * - MATCH_CT_MARK is a bitwise with OWNED_MARK, then cmp eq OWNED_MARK; negated: cmp eq 0;
 *   MATCH_CT_PUBLISHED the same with PUBLISHED_MARK. MATCH_CT_FIRST is a bitwise with IPS_CONFIRMED
 *   after ct status, then cmp eq 0. MATCH_CT_REPLY is cmp eq 1 after ct direction; negated: cmp eq
 *   0. MATCH_CT_ORIGINAL_PORTS compares as MATCH_PORTS does, after ct proto_dst of direction 0.
 * - SET_CT_MARK loads, then bitwise with mask ~OWNED_MARK and xor OWNED_MARK, then sets;
 *   CLEAR_CT_MARK has xor 0. SET_CT_PUBLISHED is SET_CT_MARK with PUBLISHED_MARK.
 * - Interface names compare all 16 bytes, with cmp neq where negated.
 * - A single value is a cmp eq, several values are a lookup in an anonymous constant set, whose
 *   elements are intervals where a port list holds a range.
 * - REJECT_PROHIBITED is icmpx code 3 in inet, icmp code 13 in ip and icmpv6 code 1 in ip6.
 */

enum {
	RULESET_NAME_SIZE = 64, /* names of tables, sets and chains, with their NUL */
	RULESET_COMMENT_SIZE = 128,
	RULE_STATEMENTS_MAX = 8,
	STATEMENT_VALUES_MAX = 8,
	LOG_GROUP = 9, /* nfnetlink_log group of refused packets */
	GROUP_RECORDS_MAX = 8,
	OWNED_MARK = 0x40000000,     /* a connection that an unconfined or allowed socket began */
	PUBLISHED_MARK = 0x20000000, /* one that began outside, at a published port */
	TABLE_FLAG_DORMANT = 1,      /* the chains are there and see no packet */
};
enum { UID_LAST = 0xfffffffe }; /* the number above it is nobody's */
#define LOG_PREFIX "egressfw "

enum table_family { TABLE_INET, TABLE_IP, TABLE_IP6 };
enum set_type {
	SET_UID,
	SET_IPV4,
	SET_IPV6,
	SET_PORT,
	SET_FOREIGN, /* only ever decoded: what no set of ours is; it has no keys here */
};
enum hook { HOOK_INPUT, HOOK_FORWARD, HOOK_OUTPUT, HOOK_POSTROUTING };

/* A named set. Hash sets carry their size, interval sets do not (a kernel rule). */
struct set {
	char name[RULESET_NAME_SIZE];
	enum set_type type;
	struct keyset keys;  /* uids as big-endian numbers: the kernel compares them after hton */
	const char *foreign; /* of SET_FOREIGN: what it is; constant text */
};

enum statement_kind {
	/* Matches. `negate` is honoured where a second form is given. */
	MATCH_USER_IN,           /* meta skuid @SET */
	MATCH_USER,              /* meta skuid 1500, or 100000-165535 */
	MATCH_OWNED,             /* meta skuid 0-4294967295 */
	MATCH_OUT_LOOPBACK,      /* oifname "lo"; negated: != */
	MATCH_IN_LOOPBACK,       /* iifname "lo"; negated: != */
	MATCH_DESTINATION,       /* ip daddr PREFIX or ip6 daddr PREFIX */
	MATCH_DESTINATION_IN,    /* ip daddr @SET or ip6 daddr @SET */
	MATCH_DESTINATION_LOCAL, /* fib daddr type local */
	MATCH_SOURCE,            /* ip saddr PREFIX or ip6 saddr PREFIX */
	MATCH_SOURCE_LOCAL,      /* fib saddr type local; negated: != */
	MATCH_PROTOCOL,          /* meta l4proto tcp, or { tcp, udp } */
	MATCH_PORTS,        /* tcp dport 443, or { 80, 90-99 }; th dport after MATCH_PROTOCOL */
	MATCH_SOURCE_PORTS, /* tcp sport 8080, or { 8080, 9090 } */
	MATCH_TCP_FLAGS,    /* tcp flags & (MASK) == VALUE; negated: != */
	MATCH_ICMP_TYPE,    /* icmp type { ... } */
	MATCH_ICMPV6_TYPE,  /* icmpv6 type { ... } */
	MATCH_GROUP_REPORT, /* mld2-listener-report of so many solicited-node groups */
	MATCH_IP_PROTOCOL,  /* ip protocol igmp */
	MATCH_CT_MARK,      /* ct mark and OWNED_MARK == OWNED_MARK; negated: == 0 */
	MATCH_CT_PUBLISHED, /* ct mark and PUBLISHED_MARK == PUBLISHED_MARK; negated: == 0 */
	MATCH_CT_REPLY,     /* ct direction reply; negated: original */
	MATCH_CT_FIRST,     /* ct status and confirmed == 0: its connection's first packet */
	/* Actions. */
	SET_CT_MARK,      /* ct mark set ct mark or OWNED_MARK */
	CLEAR_CT_MARK,    /* ct mark set ct mark and 0xbfffffff */
	SET_CT_PUBLISHED, /* ct mark set ct mark or PUBLISHED_MARK */
	COUNT,            /* counter */
	LOG,              /* log group 9 prefix "egressfw " */
	/* Verdicts; always the last of a rule. */
	ACCEPT,
	DROP,
	GOTO,              /* goto CHAIN */
	REJECT_RESET,      /* reject with tcp reset; a MATCH_PROTOCOL tcp stands before it */
	REJECT_PROHIBITED, /* reject with icmpx admin-prohibited */
	/* One more match. Digests are over these numbers, so that nothing is put in between. */
	MATCH_CT_ORIGINAL_PORTS, /* ct original proto-dst 53: before nat; after MATCH_PROTOCOL */
	/* Only ever decoded: expressions that no statement of ours makes. */
	FOREIGN,
	STATEMENT_KINDS,
};

struct statement {
	enum statement_kind kind;
	bool negate;
	union {
		char name[RULESET_NAME_SIZE]; /* set of *_IN, chain of GOTO; FOREIGN: cut text */
		struct range users;           /* MATCH_USER: uids, up to UID_LAST */
		struct prefix prefix;         /* MATCH_DESTINATION, MATCH_SOURCE */
		uint8_t records;              /* MATCH_GROUP_REPORT: 1 to GROUP_RECORDS_MAX */
		struct {
			uint8_t count; /* 1: a plain comparison; more: an anonymous set */
			uint8_t values[STATEMENT_VALUES_MAX]; /* ascending; protocols or types */
		} bytes; /* MATCH_PROTOCOL, MATCH_*_TYPE, MATCH_IP_PROTOCOL */
		struct {
			uint8_t mask, value;
		} flags; /* MATCH_TCP_FLAGS */
		struct {
			uint64_t packets, bytes;
		} counter; /* COUNT, as decoded; zero when built */
	};
	/*
	 * MATCH_DESTINATION_IN: the family of the set.
	 * MATCH_PORTS, MATCH_SOURCE_PORTS, MATCH_CT_ORIGINAL_PORTS: owned by the statement. One
	 * range of one port is a plain comparison, one wider range two comparisons, several ranges
	 * an anonymous set (an interval set if any is wider than one port).
	 */
	enum family family;
	struct rangeset ports;
};

struct rule {
	struct statement *statements;
	size_t count;
	uint64_t handle; /* as decoded; 0 when built */
};

struct chain {
	char name[RULESET_NAME_SIZE];
	bool base;
	enum hook hook; /* base chains: type filter, policy accept */
	int32_t priority;
	bool policy_drop; /* only ever decoded: ours accept */
	struct rule *rules;
	size_t count;
};

struct ruleset {
	enum table_family family;
	char table[RULESET_NAME_SIZE];
	char comment[RULESET_COMMENT_SIZE]; /* the digest, as hexadecimal text */
	uint32_t flags;                     /* of the table; ours 0 */
	struct set *sets;
	size_t set_count;
	struct chain *chains;
	size_t chain_count;
};

/* Frees what the ruleset owns and makes it empty. */
void ruleset_free(struct ruleset *ruleset);

/* Adds an empty set or chain and returns it; valid until the next addition. Names must fit. */
struct set *ruleset_add_set(struct ruleset *ruleset, const char *name, enum set_type type,
			    bool interval);
struct chain *ruleset_add_chain(struct ruleset *ruleset, const char *name);

/* An empty chain at the same hook, under the same name. */
struct chain *ruleset_add_chain_like(struct ruleset *ruleset, const struct chain *chain);

/* Adds a rule of these statements, which are copied; port lists are taken over. */
struct rule *chain_add_rule(struct chain *chain, const struct statement *statements, size_t count);

/* NULL where there is none. */
const struct set *ruleset_find_set(const struct ruleset *ruleset, const char *name);
const struct chain *ruleset_find_chain(const struct ruleset *ruleset, const char *name);

/* Bytes of a key of the type: 4, 4, 16, 2; 1 for SET_FOREIGN. */
size_t set_type_width(enum set_type type);

/* "uid", "ipv4_addr", ...; "inet"; "output". */
const char *set_type_name(enum set_type type);
const char *table_family_name(enum table_family family);
const char *hook_name(enum hook hook);

/* Whether a statement is a verdict. */
bool statement_is_verdict(enum statement_kind kind);

/* What a statement works on, and with it which members of struct statement are in use. */
enum operand {
	OPERAND_NONE,
	OPERAND_USER_SET,    /* name */
	OPERAND_ADDRESS_SET, /* name, family */
	OPERAND_CHAIN,       /* name */
	OPERAND_USERS,
	OPERAND_PREFIX,
	OPERAND_PORTS,
	OPERAND_BYTES,
	OPERAND_FLAGS,
	OPERAND_RECORDS,
	OPERAND_UNKNOWN, /* FOREIGN: name, cut */
};
enum operand statement_operand(enum statement_kind kind);

/* A statement, rule, chain or set of its own, with everything that it owns. */
struct statement statement_copy(const struct statement *statement);
void chain_copy_rule(struct chain *chain, const struct rule *rule);
void ruleset_copy_chain(struct ruleset *ruleset, const struct chain *chain);
void ruleset_copy_set(struct ruleset *ruleset, const struct set *set);
struct ruleset ruleset_copy(const struct ruleset *ruleset);

/* Same statement, counters not compared. A FOREIGN one is equal to none, not even to itself. */
bool statement_equal(const struct statement *one, const struct statement *other);
bool rule_equal(const struct rule *one, const struct rule *other);

/*
 * SHA-256 over everything but the comment, the handles and the counters, as 64 hexadecimal digits:
 * two rulesets of one digest have the same table, sets and chains, whose rules stand in the same
 * order. The order of sets and chains does not count.
 */
void ruleset_digest(const struct ruleset *ruleset, char ret[65]);

/* Whether a ruleset that was read is whole: what it says has the digest that its comment names. */
bool ruleset_is_intact(const struct ruleset *ruleset);

#endif
