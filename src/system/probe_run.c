/* probe_run.c: the canary: what the children saw, weighed with what the kernel witnessed. */
#include "system/probe_run.h"

#include "base/memory.h"
#include "system/probe_child.h"

#include <errno.h>
#include <time.h>

enum {
	ATTEMPTS_MAX = 3,
	LOG_WAIT_MS = 100, /* a record comes from the kernel's softirq, soon but not at once */
	LOG_POLL_MS = 5,
	SECOND_US = 1000000,
};

/* What the kernel says about one attempt. */
struct testimony {
	bool counted, recorded; /* the counter was read before and after; the log has the probe */
	uint64_t rise;
};

static bool is_unrouted(int errnum)
{
	return errnum == ENETUNREACH || errnum == EHOSTUNREACH || errnum == EADDRNOTAVAIL ||
	       errnum == EAFNOSUPPORT || errnum == ENETDOWN || errnum == EHOSTDOWN;
}

/* What came back later than at once was said of the target, by its own network or a router. */
static bool has_no_route(const struct probe_answer *answer)
{
	return is_unrouted(answer->errnum) && !(answer->errnum == EHOSTUNREACH && answer->answered);
}

/* Whether the errno is what a program sees whose packet our refuse chain took. */
static bool is_our_refusal(const struct probe *probe, const struct probe_answer *answer)
{
	return probe->protocol == PROBE_TCP ? answer->errnum == ECONNREFUSED
					    : answer->errnum == EPERM && !answer->sent;
}

static bool read_count(const struct probe_witness *witness, uint64_t *ret)
{
	struct err ignored;

	return witness->count && witness->count(witness->context, ret, &ignored);
}

/* Waits for a record of exactly this attempt. */
static bool read_log(const struct probe_witness *witness, const struct probe *probe, uint16_t port)
{
	static const struct timespec pause = { .tv_nsec = LOG_POLL_MS * 1000000L };
	struct err ignored;
	bool found = false;

	for (int waited = 0; port; waited += LOG_POLL_MS) {
		if (!witness->logged(witness->context, probe, port, &found, &ignored))
			return false;
		if (found || waited >= LOG_WAIT_MS)
			return found;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool is_connected(const struct probe *probe, const struct probe_answer *answer)
{
	return probe->protocol == PROBE_TCP && !answer->errnum;
}

/* What a run works with: the children are those that were needed last. */
struct run {
	const struct probes *probes;
	const struct probe_run_settings *settings;
	const struct probe_witness *witness;
	struct probe_child user, caller; /* pid 0: there is none */
};

/* One attempt between two readings of the counter. */
static bool attempt(struct run *run, size_t index, struct probe_answer *answer,
		    struct testimony *testimony, struct err *err)
{
	const struct probe_witness *witness = run->witness;
	const struct probe *probe = &run->probes->items[index];
	uint64_t before = 0, after = 0;
	bool counted = read_count(witness, &before);

	if (!probe_child_try(&run->user, index, answer, err))
		return false;
	*testimony = (struct testimony){ 0 };
	if (counted && read_count(witness, &after) && after >= before) {
		testimony->counted = true;
		testimony->rise = after - before;
	}
	if (witness->logged && is_our_refusal(probe, answer))
		testimony->recorded = read_log(witness, probe, answer->source_port);
	return true;
}

/*
 * A record alone tells of a packet that came to a refuse chain, not of one that ended there: the
 * log stands before the reject, and the chain may be another instance's. The counters stand in the
 * very rules that reject, and in this table. No record need match where the target was rewritten
 * before our rules saw it.
 */
static enum probe_proof weigh_proof(const struct probe *probe, const struct probe_witness *witness,
				    const struct probe_answer *answer,
				    const struct testimony *testimony)
{
	bool rose = testimony->counted && testimony->rise > 0;

	if (!is_our_refusal(probe, answer))
		return PROOF_NONE;
	if (testimony->recorded && (rose || !witness->count))
		return PROOF_LOG;
	return testimony->counted && testimony->rise == 1 ? PROOF_COUNTER : PROOF_NONE;
}

/* Other packets were refused at the same time: what is ours among them cannot be told. */
static bool is_drowned(const struct probe *probe, const struct probe_answer *answer,
		       const struct testimony *testimony)
{
	return is_our_refusal(probe, answer) && testimony->counted && testimony->rise > 1;
}

static enum probe_outcome weigh(const struct probe *probe, const struct probe_answer *answer,
				enum probe_proof proof)
{
	if (is_connected(probe, answer))
		return OUTCOME_OPEN;
	if (proof != PROOF_NONE)
		return OUTCOME_BLOCKED;
	/*
	 * Our rules answer EPERM, so a datagram that was taken has passed them. Where the answer is
	 * that there is no way to the target, it may not have left.
	 */
	if (answer->sent && !is_unrouted(answer->errnum))
		return OUTCOME_OPEN;
	return OUTCOME_INCONCLUSIVE;
}

static enum probe_outcome weigh_difference(const struct probe_answer *answer,
					   const struct probe_answer *control,
					   enum probe_proof *ret_proof)
{
	bool stopped = !answer->answered && (answer->timed_out || answer->sent);

	*ret_proof = PROOF_NONE;
	if (answer->answered && !is_unrouted(answer->errnum))
		return OUTCOME_OPEN;
	if (!stopped || !control->answered || is_unrouted(control->errnum) ||
	    control->elapsed_us >= SECOND_US)
		return OUTCOME_INCONCLUSIVE;
	*ret_proof = PROOF_DIFFERENCE;
	return OUTCOME_BLOCKED;
}

static bool end_child(struct probe_child *child, struct err *err)
{
	bool good = !child->pid || probe_child_end(child, err);

	child->pid = 0;
	return good;
}

/* Sees to it that there is a child that is the probe's user. */
static bool have_user(struct run *run, const struct probe *probe, struct err *err)
{
	const struct probe_child_settings settings = {
		.probes = run->probes,
		.uid = probe->uid,
		.timeout_ms = run->settings->timeout_ms,
	};

	if (run->user.pid && run->user.uid == probe->uid)
		return true;
	return end_child(&run->user, err) && probe_child_start(&settings, &run->user, err);
}

static bool run_control(struct run *run, size_t index, struct probe_result *result,
			struct probe_answer *ret_answer, struct err *err)
{
	const struct probe_child_settings settings = {
		.probes = run->probes,
		.as_caller = true,
		.timeout_ms = run->settings->timeout_ms,
	};
	struct probe_answer answer;

	if ((!run->caller.pid && !probe_child_start(&settings, &run->caller, err)) ||
	    !probe_child_try(&run->caller, index, &answer, err))
		return false;
	result->controlled = true;
	result->control_connected = !answer.errnum;
	result->control_errnum = answer.errnum;
	*ret_answer = answer;
	return true;
}

/* The same attempt twice, and what is different. */
static bool run_difference(struct run *run, size_t index, struct probe_result *ret, struct err *err)
{
	const struct probe *probe = &run->probes->items[index];
	struct probe_answer answer, control;
	struct probe_result result = { .probe = *probe };

	if (!have_user(run, probe, err) || !probe_child_try(&run->user, index, &answer, err) ||
	    !run_control(run, index, &result, &control, err))
		return false;
	result.outcome = weigh_difference(&answer, &control, &result.proof);
	result.errnum = answer.errnum;
	result.timed_out = answer.timed_out;
	result.not_routed = result.proof == PROOF_NONE && has_no_route(&answer);
	result.untold = probe->protocol == PROBE_UDP && result.outcome == OUTCOME_INCONCLUSIVE;
	result.elapsed_us = answer.elapsed_us;
	*ret = result;
	return true;
}

static bool run_one(struct run *run, size_t index, struct probe_result *ret, struct err *err)
{
	const struct probe *probe = &run->probes->items[index];
	struct probe_answer answer;
	struct testimony testimony;
	enum probe_proof proof = PROOF_NONE;

	if (!have_user(run, probe, err))
		return false;
	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		if (!attempt(run, index, &answer, &testimony, err))
			return false;
		proof = weigh_proof(probe, run->witness, &answer, &testimony);
		if (proof != PROOF_NONE || !is_drowned(probe, &answer, &testimony))
			break;
	}
	*ret = (struct probe_result){
		.probe = *probe,
		.outcome = weigh(probe, &answer, proof),
		.proof = proof,
		.errnum = answer.errnum,
		.timed_out = answer.timed_out,
		.not_routed = proof == PROOF_NONE && has_no_route(&answer),
		.elapsed_us = answer.elapsed_us,
		.counter_rise = testimony.rise,
	};
	return !run->settings->control || run_control(run, index, ret, &answer, err);
}

static void wrap(const struct probe *probe, struct err *err)
{
	char address[ADDRESS_TEXT_SIZE];

	err_wrap(err, "the probe of %s port %u over %s as uid %u",
		 address_format(&probe->target.address, address), (unsigned)probe->target.port,
		 probe_protocol_name(probe->protocol), (unsigned)probe->uid);
}

bool probe_run(const struct probes *probes, const struct probe_run_settings *settings,
	       const struct probe_witness *witness, struct probe_results *ret, struct err *err)
{
	struct run run = { .probes = probes, .settings = settings, .witness = witness };
	struct probe_results results = { 0 };
	struct err ignored_after_a_failure;
	bool good = true;

	results.items = memory_allocate(probes->count, sizeof(*results.items));
	for (size_t i = 0; i < probes->count && good; i++) {
		good = settings->by_difference ? run_difference(&run, i, &results.items[i], err)
					       : run_one(&run, i, &results.items[i], err);
		if (!good)
			wrap(&probes->items[i], err);
		results.count += good;
	}
	good = end_child(&run.user, good ? err : &ignored_after_a_failure) && good;
	good = end_child(&run.caller, good ? err : &ignored_after_a_failure) && good;
	if (good)
		*ret = results;
	else
		probe_results_free(&results);
	return good;
}
