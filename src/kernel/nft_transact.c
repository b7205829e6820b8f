/* nft_transact.c: one transaction sent, and what the kernel answered. */
#include "kernel/nft_commit.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

static void describe_object(const struct batch_object *object, char *out, size_t size)
{
	switch (object->object) {
	case REFUSED_BATCH:
		snprintf(out, size, "the transaction");
		return;
	case REFUSED_TABLE:
		snprintf(out, size, "table %s", object->table);
		return;
	case REFUSED_SET:
		snprintf(out, size, "set %s of table %s", object->name, object->table);
		return;
	case REFUSED_ELEMENTS:
		snprintf(out, size, "elements of set %s of table %s", object->name, object->table);
		return;
	case REFUSED_CHAIN:
		snprintf(out, size, "chain %s of table %s", object->name, object->table);
		return;
	case REFUSED_RULE:
		snprintf(out, size, "rule %zu of chain %s of table %s", object->rule + 1,
			 object->name, object->table);
		return;
	}
}

/* What the replies to one transaction have said so far. */
struct outcome {
	bool acknowledged, failed;
	int errnum;        /* of the first error */
	uint32_t sequence; /* of the message it is about */
	char text[128];
	int receive_errnum; /* why reading ended before the acknowledgement */
};

static void take_replies(struct outcome *outcome, const struct batch *batch, const uint8_t *bytes,
			 size_t length)
{
	struct cursor datagram = cursor_over(bytes, length);
	struct netlink_message message;
	bool malformed;

	while (netlink_next(&datagram, &message, &malformed)) {
		char text[sizeof(outcome->text)];
		int errnum;

		if (message.type != NLMSG_ERROR ||
		    message.sequence - batch->sequence >= batch->count)
			continue;
		if (!netlink_error(&message, &errnum, text, sizeof(text)))
			errnum = EBADMSG;
		if (!errnum) {
			outcome->acknowledged = true;
		} else if (!outcome->failed) {
			outcome->failed = true;
			outcome->errnum = errnum;
			outcome->sequence = message.sequence;
			memcpy(outcome->text, text, sizeof(text));
		}
	}
}

/*
 * Reads every reply: the acknowledgement of the last object also comes when another one was
 * refused, so neither it nor one error ends the reading, only an empty queue after either of them.
 */
static void read_replies(struct nft *nft, const struct batch *batch, struct outcome *outcome)
{
	int64_t deadline = nft_deadline(nft);

	for (;;) {
		bool answered = outcome->acknowledged || outcome->failed ||
				outcome->receive_errnum == ENOBUFS;
		size_t length;
		int errnum;

		if (nft_receive(nft, answered ? 0 : deadline, &length, &errnum)) {
			take_replies(outcome, batch, nft->datagram, length);
			continue;
		}
		if (errnum == ENOBUFS) { /* what is queued can still be read */
			outcome->receive_errnum = errnum;
			continue;
		}
		if (!answered)
			outcome->receive_errnum = errnum;
		return;
	}
}

static enum commit_status refuse(const struct batch *batch, const struct outcome *outcome,
				 struct refusal *ret_refusal, struct err *err)
{
	const struct batch_object *object = batch_find(batch, outcome->sequence);
	char what[256];

	if (outcome->errnum == ERESTART) {
		err_set(err,
			"the tables of nf_tables were changed by somebody else in the meantime");
		return COMMIT_STALE;
	}
	*ret_refusal = (struct refusal){
		.object = object->object,
		.rule = object->rule,
		.log_statement = object->log,
		.errnum = outcome->errnum,
	};
	if (object->name)
		snprintf(ret_refusal->name, sizeof(ret_refusal->name), "%s", object->name);
	describe_object(object, what, sizeof(what));
	err_set_errno(err, outcome->errnum, "the kernel refused %s%s%s%s", what,
		      outcome->errnum == EPERM
			      ? " (CAP_NET_ADMIN over this network namespace is needed)"
			      : "",
		      *outcome->text ? ": " : "", outcome->text);
	return COMMIT_REFUSED;
}

enum commit_status nft_transact(struct nft *nft, const struct batch *batch,
				struct refusal *ret_refusal, struct err *err)
{
	struct outcome outcome = { .sequence = batch->sequence };

	if (!nft_send(nft, batch->bytes.data, batch->bytes.length, &outcome.errnum))
		return refuse(batch, &outcome, ret_refusal, err);
	read_replies(nft, batch, &outcome);
	if (outcome.failed)
		return refuse(batch, &outcome, ret_refusal, err);
	if (outcome.acknowledged && !outcome.receive_errnum)
		return COMMIT_DONE;
	err_set_errno(err, outcome.receive_errnum,
		      "the kernel's answer to the transaction was lost");
	return COMMIT_UNKNOWN;
}
