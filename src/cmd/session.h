/* session.h: what most commands need before their own work: policy, users, names, state, kernel. */
#ifndef EGRESSFW_CMD_SESSION_H
#define EGRESSFW_CMD_SESSION_H

#include "cmd/failure.h"
#include "cmd/firewall.h"
#include "cmd/options.h"
#include "plan/plan.h"
#include "plan/resolved.h"
#include "policy/policy.h"
#include "system/preflight.h"
#include "system/state.h"

#include <stdbool.h>

struct session {
	const struct options *options;
	const char *policy_name; /* as messages say it */
	struct policy policy;
	bool has_policy; /* policy was read and is whole */
	struct rangeset confined;
	struct named_users names; /* whom the policy, or --user, names */
	struct rangeset probed;   /* of them, one for each range, as whom the canary probes */
	struct rangeset standing; /* whom our table confined when the command began */
	uint32_t standing_filter; /* and whom it held as a filter; 0: nobody */
	struct preflight preflight;
	char *hosts_file;    /* an absolute path */
	char *former_hosts;  /* of an apply: where our lines are by the plan that is kept, or "" */
	struct state *state; /* NULL: none is kept, see no_state */
	struct err no_state; /* why, where there is none */
	struct firewall firewall;
	char *shared; /* a sentence on users whom other instances confine as well; NULL: none */
	struct resolved resolved;
	bool filtered;             /* the policy needs the filter */
	uint32_t filter_uid;       /* instead of the default one; 0: that */
	uint32_t usual_filter_uid; /* the default one */
	char *filter_forgotten;    /* options with which it stood before; NULL: none */
	char *filter_remark;       /* what the filter said when it was started; NULL: nothing */
	char *filter_company;      /* who else runs as its user; NULL: nobody that is seen */
	struct filter_plan filter; /* of it the uid, and after session_settle_filter() all */
};

/* Starts with the capabilities out of effect. */
bool session_begin(const struct options *options, struct session *ret, struct failure *failure);
void session_end(struct session *session);

/* Reads and parses the policy, without users. */
bool session_read_policy(struct session *session, const char *path, struct failure *failure);

/* A policy was read, and confines nobody. */
static inline bool session_is_public(const struct session *session)
{
	return session->has_policy && session->policy.mode == MODE_PUBLIC;
}

/*
 * The confined uids from policy and --user, and the filter's, which is none of them. A public
 * policy needs none.
 */
bool session_find_users(struct session *session, struct failure *failure);

/* Refuses what this version or a name of this machine makes impossible. */
bool session_check_enforceable(struct session *session, struct failure *failure);

/*
 * Where the policy needs the filter and no --filter-user was said, this is its uid; the confined
 * users follow from it anew.
 */
bool session_take_filter_uid(struct session *session, uint32_t uid, struct failure *failure);

/* The filter's program: beside this one, else where it is installed. The caller frees it. */
char *filter_program_find(void);

/* 127.0.0.1:3128, and [::1]:3128 where this network namespace has ::1. */
void filter_default_listen(struct address_ports *ret);

/*
 * Where a filter of session->filter.uid logs by default, which the caller frees: each user that is
 * one has a directory of its own.
 */
char *session_filter_log_directory(const struct session *session);

/* The servers of resolv.conf that a filter can ask; the caller frees the items. */
bool session_find_nameservers(struct address_ports *ret, struct err *err);

/*
 * Where the policy needs the filter: where it listens and logs, and whom it asks for names; from
 * the options, or from `kept` (NULL: nothing), or by default. After the preflight, which knows of
 * IPv6.
 */
bool session_settle_filter(struct session *session, const struct filter_plan *kept,
			   struct failure *failure);

/* Refuses where there is nobody as whom the canary could probe. */
bool session_check_probed(const struct session *session, struct failure *failure);

/*
 * Opens the kernel's tables, which needs CAP_NET_ADMIN and a network namespace of our own user
 * namespace.
 */
bool session_open_firewall(struct session *session, struct failure *failure);

/*
 * Whom our table confines goes to session->standing; refused where the caller is one of them. After
 * the lock was taken, since another apply may have been waited for.
 */
bool session_read_standing(struct session *session, struct failure *failure);

/*
 * What other instances confine the users besides: where one of the two has a filter that the other
 * lets them reach, they would have what either allows, which is refused before anything is changed.
 */
bool session_check_shared(struct session *session, struct failure *failure);

/*
 * Where other instances confine these users too, and are whole, either may be who refuses a probe:
 * what they refuse is counted with ours from now on, and session->shared says so.
 */
bool session_count_shared(struct session *session, struct failure *failure);

/*
 * The same for a command that changes something: not as a confined user, not on the host's network.
 * `needs_probes`: SETUID and SETGID too.
 */
bool session_preflight(struct session *session, bool needs_probes, struct failure *failure);

/*
 * Opens the state directory; with `create` makes it and takes the lock. Without one goes on, unless
 * --state-dir was said.
 */
bool session_open_state(struct session *session, bool create, struct failure *failure);

/* session->hosts_file by the option; session_begin() does it. */
bool session_find_hosts_file(struct session *session, struct failure *failure);

/*
 * The hosts file that has our lines by the plan that is kept, "" where none does; the caller frees
 * it. Where --hosts-file was not said, that one is meant by whoever takes it.
 */
char *session_kept_hosts_file(struct session *session);
void session_take_hosts_file(struct session *session, const char *kept);

/*
 * All names of the policy; says what it waits for on a terminal. Fails unless every name was found.
 */
bool session_resolve(struct session *session, const char *state_left, struct failure *failure);

/* The plan of what stands, from the state directory; *ret_present false: none is kept. */
bool session_read_plan(struct session *session, struct plan *ret, bool *ret_present,
		       struct failure *failure);

/* The request for the plan of what was read. */
struct plan_request session_plan_request(const struct session *session, bool log);

#endif
