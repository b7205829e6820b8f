/* rehearsal.c: whether the filter could start, found out before anything depends on it. */
#include "filter/rehearsal.h"

#include "filter/log_open.h"
#include "filter/sockets.h"
#include "system/child_answer.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>

/* With what an answer begins; behind TAKEN stands the sentence. */
enum { GOOD = 'g', TAKEN = 't' };

/* Bound and not listened at, so that nobody is taken in. */
static bool try_listen(const struct address_port *here, bool *ret_taken, struct err *err)
{
	autoclose int descriptor = socket_open(here->address.family);
	char text[ADDRESS_TEXT_SIZE];

	if (descriptor >= 0 && socket_bind(descriptor, here))
		return true;
	*ret_taken = errno == EADDRINUSE;
	err_set_errno(err, errno, "%s port %u: cannot be listened at",
		      address_format(&here->address, text), here->port);
	return false;
}

static bool try_all(void *context, struct buffer *ret, struct err *err)
{
	const struct rehearsal *rehearsal = context;
	bool taken;

	if (!privilege_become(
		    &(struct privilege_ids){ .uid = rehearsal->uid, .gid = rehearsal->gid }, err))
		return false;
	if (!log_check(rehearsal->log, err)) {
		err_append(err, "; %s", rehearsal->log_advice);
		return false;
	}
	for (size_t i = 0; i < rehearsal->listen.count; i++)
		if (!try_listen(&rehearsal->listen.items[i], &taken, err)) {
			err_append(err, "; %s", rehearsal->listen_advice);
			if (!taken)
				return false;
			buffer_append_u8(ret, TAKEN);
			buffer_append_text(ret, err->text);
			return true;
		}
	buffer_append_u8(ret, GOOD);
	return true;
}

bool rehearse(const struct rehearsal *rehearsal, bool *ret_taken, struct err *err)
{
	const struct child_question question = {
		.work = try_all,
		.context = (void *)rehearsal,
		.uid = rehearsal->uid,
		.timeout_ms = rehearsal->timeout_ms,
		.limit = 1 + ERR_TEXT_SIZE,
	};
	struct buffer answer = { 0 };
	bool good = child_answer(&question, &answer, err);

	*ret_taken = good && answer.length && *answer.data == TAKEN;
	if (*ret_taken)
		err_set(err, "%s", buffer_string(&answer) + 1);
	buffer_free(&answer);
	return good && !*ret_taken;
}
