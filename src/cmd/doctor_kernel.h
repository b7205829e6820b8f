/* doctor_kernel.h: what doctor asks of the kernel's tables. */
#ifndef EGRESSFW_CMD_DOCTOR_KERNEL_H
#define EGRESSFW_CMD_DOCTOR_KERNEL_H

#include "base/rangeset.h"
#include "cmd/options.h"
#include "doctor/checks.h"
#include "kernel/feature.h"
#include "plan/finding.h"
#include "plan/ruleset_lower.h"
#include "system/doctor.h"

/*
 * Without CAP_NET_ADMIN the features are asked for in a network namespace of a child's own, where
 * the kernel allows one; what stands in this one is then not known.
 */
struct doctor_kernel {
	const struct doctor *machine;
	struct features features;
	bool has_standing; /* what stands could be read: the two that follow are known */
	struct findings foreign;
	struct rangeset confined;   /* by our table */
	struct err no_standing;     /* why it could not be */
	struct own_filter *filters; /* by the tables of all instances that are known */
	size_t filter_count;
	/*
	 * Where there are no nf_tables: whether apply would do by legacy xtables, and what they
	 * have.
	 */
	bool xt;
	struct xt_kernel xt_kernel;
};

/* Starts with capabilities out of effect and ends so. */
void doctor_kernel_ask(const struct options *options, const struct doctor *machine,
		       struct doctor_kernel *ret);
void doctor_kernel_free(struct doctor_kernel *kernel);

typedef void doctor_kernel_check(const struct doctor_kernel *kernel, struct check_result *ret);

doctor_kernel_check doctor_nf_tables;
doctor_kernel_check doctor_inet_family;
doctor_kernel_check doctor_owner_match;
doctor_kernel_check doctor_ruleset;
doctor_kernel_check doctor_log_group;
doctor_kernel_check doctor_socket_destroy;
doctor_kernel_check doctor_ipv6;
doctor_kernel_check doctor_foreign_chains;

#endif
