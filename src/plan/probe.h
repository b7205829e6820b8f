/* probe.h: what the canary tries, what it saw, and what that proves. */
#ifndef EGRESSFW_PLAN_PROBE_H
#define EGRESSFW_PLAN_PROBE_H

#include "base/buffer.h"
#include "base/rangeset.h"
#include "plan/resolved.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_protocol { PROBE_TCP, PROBE_UDP, PROBE_PROTOCOLS };
enum probe_origin {
	PROBE_NAMED,    /* the user asked for this target: it must be proven */
	PROBE_DEFAULT,  /* a default: "not routed" is no failure */
	PROBE_LOOPBACK, /* the refused resolvers on loopback: always to be had */
	PROBE_ORIGINS,
};
enum probe_outcome { OUTCOME_BLOCKED, OUTCOME_OPEN, OUTCOME_INCONCLUSIVE, PROBE_OUTCOMES };
enum probe_proof {
	PROOF_NONE,
	PROOF_LOG,     /* the log group's record had this probe's addresses and ports */
	PROOF_COUNTER, /* the refuse counter rose by exactly the packets sent */
	/* Nothing came back, and the unconfined uid had an answer from there in the same second. */
	PROOF_DIFFERENCE,
	PROBE_PROOFS,
};

struct probe {
	enum probe_protocol protocol;
	enum probe_origin origin;
	uint32_t uid;
	struct address_port target;
};

struct probes {
	struct probe *items;
	size_t count;
};

struct probe_result {
	struct probe probe;
	enum probe_outcome outcome;
	enum probe_proof proof;
	int errnum; /* of connect(2) or send(2); 0: it succeeded */
	bool timed_out;
	bool not_routed; /* no route, or no address of the family */
	uint64_t elapsed_us;
	uint64_t counter_rise;  /* of the refuse chain's counters, packets */
	bool controlled;        /* --control was asked for */
	bool control_connected; /* the unconfined uid reached the same target */
	int control_errnum;
	/*
	 * The kernel takes what it drops without a word, so that a datagram to a place that answers
	 * nobody tells nothing: it is no proof, and none is asked for.
	 */
	bool untold;
};

struct probe_results {
	struct probe_result *items;
	size_t count;
};

void probes_free(struct probes *probes);
void probe_results_free(struct probe_results *results);

/*
 * Whether TCP to the target is open to the confined users: a prefix, an address or a pinned name of
 * the allowlist or of an open lane; nothing is where the filter decides. resolved may be NULL:
 * nothing is pinned.
 */
bool probe_target_is_allowed(const struct policy *policy, const struct resolved *resolved,
			     const struct address_port *target);

/*
 * The probes of a policy: as the first uid of every range of `probed`, TCP to
 * each target of the policy (PROBE_NAMED) or of the defaults (PROBE_DEFAULT), UDP/53 to its
 * address, and on loopback TCP and UDP to 127.0.0.11:53 and, where `ipv6`, [::1]:53. A default
 * target that the policy allows is replaced by the next of the built-in list; where all of them are
 * allowed only UDP is left.
 */
void probes_build(const struct policy *policy, const struct resolved *resolved,
		  const struct rangeset *probed, bool ipv6, struct probes *ret);

/* TCP to the targets named on the command line and nothing besides. */
void probes_build_named(const struct address_ports *targets, const struct rangeset *probed,
			struct probes *ret);

/* Whether it was blocked and something shows that it was us. */
bool probe_result_is_proven(const struct probe_result *result);

/*
 * The verdict over all results: OUTCOME_OPEN if any is open; else inconclusive if a named target is
 * not proven, or if nothing at all was; else blocked.
 */
enum probe_outcome probe_results_verdict(const struct probe_results *results);

struct probe_counts {
	size_t proven;   /* blocked, and by us */
	size_t unrouted; /* could not be tried for want of a route */
	size_t open;
	size_t untold; /* all others: nothing can be said of them */
};
struct probe_counts probe_results_count(const struct probe_results *results);

/* Appends how many there are, how many are proven, and what became of the others. */
void probe_results_print_counts(const struct probe_results *results, struct buffer *out);

const char *probe_protocol_name(enum probe_protocol protocol);
const char *probe_origin_name(enum probe_origin origin);
const char *probe_outcome_name(enum probe_outcome outcome);
const char *probe_proof_name(enum probe_proof proof);

#endif
