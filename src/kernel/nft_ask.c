/* nft_ask.c: one question to nf_tables, and its answer read to the end. */
#include "kernel/nft_link.h"

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>

static void write_request(struct nft *nft, const struct request *request, struct buffer *out)
{
	size_t start =
		netlink_begin(out, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | request->type),
			      request->dump ? NLM_F_DUMP : 0, ++nft->sequence, request->family, 0);

	if (request->table)
		netlink_put_text(out, request->table_attribute, request->table);
	if (request->name)
		netlink_put_text(out, request->name_attribute, request->name);
	netlink_end(out, start);
}

/* Where an answer stands. */
struct answer {
	take_message *take;
	void *context;
	bool complete, interrupted;
	int errnum;
	char text[128]; /* the kernel's own sentence */
};

static void take_one(struct answer *answer, const struct netlink_message *message)
{
	struct cursor payload = message->payload;
	const uint8_t *code;
	int32_t value = 0;

	answer->interrupted = answer->interrupted || message->flags & NLM_F_DUMP_INTR;
	switch (message->type) {
	case NLMSG_NOOP:
		return;
	case NLMSG_ERROR:
		answer->complete = true;
		if (!netlink_error(message, &answer->errnum, answer->text, sizeof(answer->text)))
			answer->errnum = EBADMSG;
		return;
	case NLMSG_DONE:
		answer->complete = true;
		code = cursor_take(&payload, sizeof(value));
		if (code)
			memcpy(&value, code, sizeof(value));
		if (value < 0)
			answer->errnum = -value;
		return;
	default:
		/* What is no dump has one message for an answer, or an error. */
		answer->complete = !(message->flags & NLM_F_MULTI);
		if (!answer->take(answer->context, message))
			answer->errnum = EBADMSG;
	}
}

/* Reads to the end even where a message is malformed: the next request must not see the rest. */
static bool receive_answer(struct nft *nft, struct answer *answer)
{
	int64_t deadline = nft_deadline(nft);

	while (!answer->complete) {
		struct netlink_message message;
		struct cursor datagram;
		size_t length;
		bool malformed;

		if (!nft_receive(nft, deadline, &length, &answer->errnum))
			return false;
		datagram = cursor_over(nft->datagram, length);
		while (netlink_next(&datagram, &message, &malformed))
			if (message.sequence == nft->sequence && !answer->complete)
				take_one(answer, &message);
		if (malformed) {
			answer->errnum = EBADMSG;
			return false;
		}
	}
	if (!answer->errnum && answer->interrupted)
		answer->errnum = EINTR;
	return !answer->errnum;
}

static const char *request_name(uint16_t type)
{
	switch (type) {
	case NFT_MSG_GETGEN:
		return "the generation";
	case NFT_MSG_GETTABLE:
		return "tables";
	case NFT_MSG_GETSET:
		return "sets";
	case NFT_MSG_GETSETELEM:
		return "elements of a set";
	case NFT_MSG_GETCHAIN:
		return "chains";
	case NFT_MSG_GETRULE:
		return "rules";
	}
	return "objects";
}

bool nft_ask(struct nft *nft, const struct request *request, take_message *take, void *context,
	     int *ret_errnum, struct err *err)
{
	struct answer answer = { .take = take, .context = context };
	struct buffer out = { 0 };
	bool done;

	write_request(nft, request, &out);
	done = nft_send(nft, out.data, out.length, &answer.errnum) && receive_answer(nft, &answer);
	buffer_free(&out);
	*ret_errnum = answer.errnum;
	if (done)
		return true;
	err_set_errno(err, answer.errnum, "cannot read %s of nf_tables%s%s%s",
		      request_name(request->type),
		      answer.errnum == EPERM
			      ? " (CAP_NET_ADMIN over this network namespace is needed)"
			      : "",
		      *answer.text ? ": " : "", answer.text);
	return false;
}

static bool take_generation(void *context, const struct netlink_message *message)
{
	return attribute_u32(message->payload, NFTA_GEN_ID, context);
}

bool nft_ask_generation(struct nft *nft, uint32_t *ret, int *ret_errnum, struct err *err)
{
	const struct request request = { .type = NFT_MSG_GETGEN };
	uint32_t generation = 0;

	if (!nft_ask(nft, &request, take_generation, &generation, ret_errnum, err))
		return false;
	*ret = generation;
	return true;
}

bool nft_generation(struct nft *nft, uint32_t *ret, struct err *err)
{
	int errnum;

	return nft_ask_generation(nft, ret, &errnum, err);
}
