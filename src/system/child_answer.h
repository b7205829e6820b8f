/* child_answer.h: a question answered in a process of its own, which may be somebody else. */
#ifndef EGRESSFW_SYSTEM_CHILD_ANSWER_H
#define EGRESSFW_SYSTEM_CHILD_ANSWER_H

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Runs in the child; false: *err is the answer. */
typedef bool child_work(void *context, struct buffer *ret, struct err *err);

struct child_question {
	child_work *work;
	void *context;
	uid_t uid; /* what the child becomes, by which it can be killed */
	unsigned timeout_ms;
	size_t limit; /* bytes of the answer */
};

/*
 * Forks, has the work done, and returns its bytes, which are untrusted where the child became
 * somebody else. The child has none of our descriptors; it is reaped, and killed where it overruns.
 * False: the work failed, or there was no answer.
 */
bool child_answer(const struct child_question *question, struct buffer *ret, struct err *err);

/*
 * For the work: a user namespace and a network namespace of its own, in which the child has every
 * capability and which end with it. Needs no privilege where the kernel allows it.
 */
bool child_enter_own_namespaces(struct err *err);

#endif
