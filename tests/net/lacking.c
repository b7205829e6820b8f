/* lacking.c: stands in front of what doctor asks the kernel, and answers as a kernel that lacks it. */
#include "kernel/nft_commit.h"
#include "kernel/xt.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

/*
 * The linker puts these in front of the real ones. LACKING names what there is not: "nf_tables", "xtables",
 * "inet", "ip6", "owner", "log", "ruleset", "destroy", "answers"; or has "release=4.4.0".
 */
bool __real_nft_open(unsigned timeout_ms, struct nft **ret, int *ret_errno, struct err *err);
bool __wrap_nft_open(unsigned timeout_ms, struct nft **ret, int *ret_errno, struct err *err);
enum commit_status __real_nft_transact(struct nft *nft, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *err);
enum commit_status __wrap_nft_transact(struct nft *nft, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *err);
ssize_t __real_send(int descriptor, const void *bytes, size_t length, int flags);
ssize_t __wrap_send(int descriptor, const void *bytes, size_t length, int flags);
int __real_close_range(unsigned first, unsigned last, int flags);
int __wrap_close_range(unsigned first, unsigned last, int flags);
int __real_uname(struct utsname *ret);
int __wrap_uname(struct utsname *ret);

enum xt_opened __real_xt_open(bool raw, bool ipv6, unsigned timeout_ms, struct xt **ret,
			      struct err *err);
enum xt_opened __wrap_xt_open(bool raw, bool ipv6, unsigned timeout_ms, struct xt **ret,
			      struct err *err);

static bool lacks(const char *what)
{
	const char *lacking = getenv("LACKING");

	return lacking && strstr(lacking, what);
}

bool __wrap_nft_open(unsigned timeout_ms, struct nft **ret, int *ret_errno, struct err *err)
{
	if (!lacks("nf_tables"))
		return __real_nft_open(timeout_ms, ret, ret_errno, err);
	*ret_errno = EPROTONOSUPPORT;
	err_set_errno(err, EPROTONOSUPPORT, "no netlink socket for netfilter");
	return false;
}

enum xt_opened __wrap_xt_open(bool raw, bool ipv6, unsigned timeout_ms, struct xt **ret,
			      struct err *err)
{
	if (!lacks("xtables"))
		return __real_xt_open(raw, ipv6, timeout_ms, ret, err);
	err_set_errno(err, ENOPROTOOPT, "no legacy tables");
	return XT_OPEN_FAILED;
}

int __wrap_close_range(unsigned first, unsigned last, int flags)
{
	const char *lacking = getenv("LACKING");

	if (!lacking || !strstr(lacking, "release=4"))
		return __real_close_range(first, last, flags);
	errno = ENOSYS;
	return -1;
}

/* Of the message behind the one that begins the batch. */
static uint8_t family_of(const struct batch *batch)
{
	struct cursor bytes = cursor_over(batch->bytes.data, batch->bytes.length);
	struct netlink_message message;
	bool malformed;

	if (!netlink_next(&bytes, &message, &malformed) ||
	    !netlink_next(&bytes, &message, &malformed))
		abort();
	return message.family;
}

static bool refuses(const struct batch *batch)
{
	size_t rules = 0, logs = 0;

	for (size_t i = 0; i < batch->count; i++) {
		rules += batch->objects[i].object == REFUSED_RULE;
		logs += batch->objects[i].log;
	}
	return (lacks("inet") && family_of(batch) == NFPROTO_INET) ||
	       (lacks("ip6") && family_of(batch) == NFPROTO_IPV6) || (lacks("log") && logs) ||
	       (lacks("owner") && rules && !logs) || (lacks("ruleset") && rules > 1);
}

enum commit_status __wrap_nft_transact(struct nft *nft, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *err)
{
	if (lacks("answers")) {
		err_set(err, "the kernel's answer to the transaction was lost");
		return COMMIT_UNKNOWN;
	}
	if (!refuses(batch))
		return __real_nft_transact(nft, batch, ret_refusal, err);
	*ret_refusal = (struct refusal){ .object = REFUSED_TABLE, .errnum = EOPNOTSUPP };
	err_set_errno(err, EOPNOTSUPP, "the kernel refused an object");
	return COMMIT_REFUSED;
}

ssize_t __wrap_send(int descriptor, const void *bytes, size_t length, int flags)
{
	struct nlmsghdr header = { 0 };

	if (length >= sizeof(header))
		memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_len != length || header.nlmsg_type != SOCK_DESTROY || !lacks("destroy"))
		return __real_send(descriptor, bytes, length, flags);
	errno = EOPNOTSUPP;
	return -1;
}

int __wrap_uname(struct utsname *ret)
{
	const char *lacking = getenv("LACKING");
	const char *release = lacking ? strstr(lacking, "release=") : NULL;

	if (__real_uname(ret))
		return -1;
	if (release)
		snprintf(ret->release, sizeof(ret->release), "%s", release + strlen("release="));
	return 0;
}
