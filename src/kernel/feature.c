/* feature.c: what of the firewall this kernel can do, asked without changing anything. */
#include "kernel/feature.h"

#include "kernel/nft_commit.h"
#include "kernel/nft_replace.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_parts.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* No instance has this name: a dot cannot stand in it. */
#define TABLE "egressfw.doctor"
enum { SOME_UID = 65534 };

static void answer(struct features *features, enum feature feature, enum feature_state state,
		   const struct err *reason)
{
	features->states[feature] = state;
	features->reasons[feature] = reason ? *reason : (struct err){ "" };
}

/* Whether the kernel would take the ruleset. */
static void rehearse(struct nft *nft, const struct ruleset *ruleset, enum feature feature,
		     struct features *features)
{
	const struct standing nothing = { 0 };
	struct refusal refusal = { 0 };
	struct batch batch;
	struct err err;
	enum commit_status status;

	batch_begin(&batch, nft->sequence + 1, 0);
	if (!encode_replacement(&batch, ruleset, &nothing, NULL, &err)) {
		batch_free(&batch);
		answer(features, feature, FEATURE_UNKNOWN, &err);
		return;
	}
	batch_leave_open(&batch);
	nft->sequence += (uint32_t)batch.count;
	status = nft_transact(nft, &batch, &refusal, &err);
	batch_free(&batch);
	if (status == COMMIT_DONE)
		answer(features, feature, FEATURE_THERE, NULL);
	else if (status == COMMIT_REFUSED && refusal.errnum != EPERM && refusal.errnum != ENOMEM)
		answer(features, feature, FEATURE_MISSING, &err);
	else
		answer(features, feature, FEATURE_UNKNOWN, &err);
}

/* A table with a chain on output, in which one rule may stand. */
static void rehearse_chain(struct nft *nft, enum table_family family,
			   const struct statement *statements, size_t count, enum feature feature,
			   struct features *features)
{
	struct ruleset ruleset = { .family = family, .table = TABLE };
	struct chain *chain = add_base_chain(&ruleset, CHAIN_OUTPUT, HOOK_OUTPUT, PRIORITY_FILTER);

	if (count)
		chain_add_rule(chain, statements, count);
	rehearse(nft, &ruleset, feature, features);
	ruleset_free(&ruleset);
}

static void rehearse_whole(struct nft *nft, bool inet, struct features *features)
{
	static const char text[] = "{ \"network_mode\": \"no-network\" }";
	struct ruleset whole = { 0 }, narrow = { 0 };
	struct rangeset confined = { 0 };
	struct policy policy;
	struct err err;

	if (!policy_parse(text, sizeof(text) - 1, &policy, &err)) {
		answer(features, FEATURE_RULESET, FEATURE_UNKNOWN, &err);
		return;
	}
	rangeset_add(&confined, SOME_UID, SOME_UID);
	const struct ruleset_request request = { .policy = &policy,
						 .confined = &confined,
						 .table = TABLE };

	if (!ruleset_build(&request, &whole, &err)) {
		answer(features, FEATURE_RULESET, FEATURE_UNKNOWN, &err);
	} else if (inet) {
		rehearse(nft, &whole, FEATURE_RULESET, features);
	} else {
		ruleset_narrow(&whole, TABLE_IP, &narrow);
		rehearse(nft, &narrow, FEATURE_RULESET, features);
	}
	ruleset_free(&narrow);
	ruleset_free(&whole);
	rangeset_free(&confined);
	policy_free(&policy);
}

static void ask_nf_tables(unsigned timeout_ms, struct features *features)
{
	const struct statement owner[] = { user(&(struct range){ SOME_UID, SOME_UID }),
					   plain(COUNT) };
	const struct statement log[] = { plain(LOG) };
	struct nft *nft;
	struct err err;
	enum table_family family;
	int errnum = 0;
	bool inet;

	if (!nft_open(timeout_ms, &nft, &errnum, &err)) {
		bool missing = errnum == EPROTONOSUPPORT || errnum == EINVAL;

		for (int i = FEATURE_NF_TABLES; i < FEATURE_SOCKET_DESTROY; i++)
			answer(features, (enum feature)i,
			       missing ? FEATURE_MISSING : FEATURE_UNKNOWN, &err);
		return;
	}
	answer(features, FEATURE_NF_TABLES, FEATURE_THERE, NULL);
	rehearse_chain(nft, TABLE_INET, NULL, 0, FEATURE_INET, features);
	rehearse_chain(nft, TABLE_IP, NULL, 0, FEATURE_IP, features);
	rehearse_chain(nft, TABLE_IP6, NULL, 0, FEATURE_IP6, features);
	inet = features->states[FEATURE_INET] != FEATURE_MISSING;
	family = inet ? TABLE_INET : TABLE_IP;
	rehearse_chain(nft, family, owner, 2, FEATURE_OWNER, features);
	rehearse_chain(nft, family, log, 1, FEATURE_LOG, features);
	rehearse_whole(nft, inet, features);
	nft_close(nft);
}

struct diagnosis_request {
	struct nlmsghdr header;
	struct inet_diag_req_v2 body;
};

/* The error number that the kernel answers with; 0: it did as it was told. */
static int ask_sockets(int descriptor, const struct diagnosis_request *request)
{
	union {
		struct nlmsghdr header;
		uint8_t bytes[8192];
	} reply;
	struct nlmsgerr error;
	ssize_t length;

	if (send(descriptor, request, sizeof(*request), 0) != sizeof(*request))
		return errno;
	do
		length = recv(descriptor, reply.bytes, sizeof(reply.bytes), 0);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno;
	if ((size_t)length < NLMSG_HDRLEN)
		return EBADMSG;
	if (reply.header.nlmsg_type != NLMSG_ERROR)
		return 0;
	if ((size_t)length < NLMSG_HDRLEN + sizeof(error))
		return EBADMSG;
	memcpy(&error, reply.bytes + NLMSG_HDRLEN, sizeof(error));
	return -error.error;
}

/*
 * Asks for the end of a socket that cannot be: from port 0 to port 0. That there is none (ENOENT)
 * is said by kernels that could end it; one without sock_diag for TCP says so too, and cannot list
 * sockets.
 */
static void ask_destroy(unsigned timeout_ms, struct features *features)
{
	const struct timeval timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	struct diagnosis_request request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP },
	};
	int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int errnum = descriptor < 0 ? errno : 0;
	struct err err;

	if (!errnum) {
		setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
		errnum = ask_sockets(descriptor, &request);
	}
	if (errnum) {
		err_set_errno(&err, errnum, "the kernel does not list sockets (sock_diag)");
	} else {
		request.header.nlmsg_type = SOCK_DESTROY;
		request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
		request.body.id.idiag_cookie[0] = 1;
		errnum = ask_sockets(descriptor, &request);
		err_set_errno(&err, errnum, "the kernel does not end sockets (SOCK_DESTROY)");
	}
	if (descriptor >= 0)
		close(descriptor);
	if (errnum == ENOENT && !strstr(err.text, "sock_diag"))
		answer(features, FEATURE_SOCKET_DESTROY, FEATURE_THERE, NULL);
	else if (errnum == EOPNOTSUPP || errnum == EINVAL || errnum == EPROTONOSUPPORT ||
		 errnum == ENOENT)
		answer(features, FEATURE_SOCKET_DESTROY, FEATURE_MISSING, &err);
	else
		answer(features, FEATURE_SOCKET_DESTROY, FEATURE_UNKNOWN, &err);
}

void features_ask(unsigned timeout_ms, struct features *ret)
{
	memset(ret, 0, sizeof(*ret));
	ask_nf_tables(timeout_ms, ret);
	ask_destroy(timeout_ms, ret);
}
