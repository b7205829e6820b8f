/* xt_parts.h: what the statements of a rule say, by the parts of the entry that say it. */
#ifndef EGRESSFW_KERNEL_XT_PARTS_H
#define EGRESSFW_KERNEL_XT_PARTS_H

#include "base/buffer.h"
#include "plan/ruleset.h"
#include "plan/ruleset_lower.h"

#include <stdbool.h>
#include <stdint.h>

/* Prefixes and the action stay the rule's. */
struct xt_parts {
	uint8_t protocol;                            /* 0: any */
	bool out_loopback, in_loopback, in_inverted; /* the interface is "lo" */
	const struct prefix *destination, *source;
	bool by_owner;
	struct range users;
	bool by_ports, by_flags;
	struct range destination_ports, source_ports; /* where only one is asked for: any */
	uint8_t flags_mask, flags_value;
	bool flags_inverted;
	bool by_type;
	uint8_t icmp_type; /* of ICMP or ICMPv6, by `protocol` */
	bool destination_local, source_local, source_inverted;
	bool by_mark;                   /* OWNED_MARK */
	bool by_published;              /* PUBLISHED_MARK */
	bool by_direction, original;    /* in its connection; `original`: it is no reply */
	bool first;                     /* packet of its connection */
	const struct statement *action; /* the one behind the matches */
};

/* False: no entry says one of the statements, or not together with the others. */
bool xt_parts_of(const struct rule *rule, struct xt_parts *ret);

/* Appends the matches that are no part of the header; `plain`: as gVisor has them. */
void xt_parts_append_matches(const struct xt_parts *parts, bool plain, struct buffer *out);

/* Appends the target; of a goto the verdict is 0. */
void xt_parts_append_target(const struct xt_parts *parts, enum table_family family,
			    const struct xt_kernel *kernel, struct buffer *out);

/* Appends a target that is a verdict, or (0) a jump to what is not known yet. */
void xt_append_verdict(int32_t verdict, struct buffer *out);

/* Appends a match or a target: its size, name, revision, and what it is about. */
void xt_append_block(const char *name, uint8_t revision, const void *data, size_t length,
		     struct buffer *out);

#endif
