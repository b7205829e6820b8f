/* xt_link.c: the sockets by which legacy xtables are read and replaced. */
#include "kernel/xt_link.h"

#include "base/memory.h"
#include "kernel/xt_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often a table that others change meanwhile is read again. */
enum { READ_TRIES = 16 };

#define TABLE_NAME "filter"

/* The options have the same numbers and structures of the same shape in both families. */
_Static_assert(IPT_SO_SET_REPLACE == IP6T_SO_SET_REPLACE &&
		       IPT_SO_GET_ENTRIES == IP6T_SO_GET_ENTRIES &&
		       sizeof(struct ipt_getinfo) == sizeof(struct ip6t_getinfo) &&
		       sizeof(struct ipt_replace) == sizeof(struct ip6t_replace) &&
		       sizeof(struct ipt_get_entries) == sizeof(struct ip6t_get_entries),
	       "one code for both families");

static int level(enum family family)
{
	return family == FAMILY_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
}

static const char *module(enum family family)
{
	return family == FAMILY_IPV6 ? "ip6table_filter" : "iptable_filter";
}

void xt_link_open(bool raw, struct xt_link *ret)
{
	int type = (raw ? SOCK_RAW : SOCK_DGRAM) | SOCK_CLOEXEC;
	int protocol = raw ? IPPROTO_RAW : 0;

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		ret->sockets[family] =
			socket(family == FAMILY_IPV6 ? AF_INET6 : AF_INET, type, protocol);
		ret->errnums[family] = ret->sockets[family] < 0 ? errno : 0;
	}
}

void xt_link_close(struct xt_link *link)
{
	for (size_t i = 0; i < sizeof(link->sockets) / sizeof(*link->sockets); i++) {
		if (link->sockets[i] >= 0)
			close(link->sockets[i]);
		link->sockets[i] = -1;
	}
}

/* Whether the error number says that there are no such tables. */
static bool is_absent(int errnum)
{
	return errnum == ENOPROTOOPT || errnum == ENOENT || errnum == EOPNOTSUPP ||
	       errnum == EPROTONOSUPPORT;
}

static int get_info(const struct xt_link *link, enum family family, struct xt_info *ret)
{
	struct ipt_getinfo info = { .name = TABLE_NAME };
	socklen_t length = sizeof(info);

	if (getsockopt(link->sockets[family], level(family), IPT_SO_GET_INFO, &info, &length))
		return errno;
	*ret = (struct xt_info){ .valid_hooks = info.valid_hooks,
				 .entries = info.num_entries,
				 .size = info.size };
	_Static_assert(sizeof(ret->hook_entry) == sizeof(info.hook_entry), "as many hooks");
	memcpy(ret->hook_entry, info.hook_entry, sizeof(info.hook_entry));
	memcpy(ret->underflow, info.underflow, sizeof(info.underflow));
	return 0;
}

/* The entries; EAGAIN where the table has another size by now. */
static int get_entries(const struct xt_link *link, enum family family, const struct xt_info *info,
		       struct buffer *out)
{
	struct ipt_get_entries head = { .name = TABLE_NAME, .size = info->size };
	size_t size = sizeof(head) + info->size;
	socklen_t length = (socklen_t)size;

	if (info->size > XT_TABLE_SIZE_MAX)
		return E2BIG;
	out->length = 0;
	memset(buffer_reserve(out, size), 0, size);
	memcpy(out->data, &head, sizeof(head));
	if (getsockopt(link->sockets[family], level(family), IPT_SO_GET_ENTRIES, out->data,
		       &length))
		return errno;
	out->length = size;
	return 0;
}

static enum xt_presence read_table(const struct xt_link *link, enum family family,
				   struct xt_table *ret, struct err *err)
{
	enum table_family tables = family == FAMILY_IPV6 ? TABLE_IP6 : TABLE_IP;
	struct buffer bytes = { 0 };
	struct xt_info info;
	int errnum = EAGAIN;
	bool good;

	for (int i = 0; errnum == EAGAIN && i < READ_TRIES; i++) {
		errnum = get_info(link, family, &info);
		if (!errnum)
			errnum = get_entries(link, family, &info, &bytes);
	}
	if (errnum) {
		buffer_free(&bytes);
		err_set_errno(err, errnum, "the table \"%s\" of %s (module %s) cannot be read",
			      TABLE_NAME, family_name(family), module(family));
		return is_absent(errnum) ? XT_ABSENT : XT_FAILED;
	}
	good = xt_table_parse(tables, &info, bytes.data + sizeof(struct ipt_get_entries), info.size,
			      ret, err);
	buffer_free(&bytes);
	return good ? XT_PRESENT : XT_FAILED;
}

enum xt_presence xt_link_read(const struct xt_link *link, enum family family, struct xt_table *ret,
			      struct err *err)
{
	if (link->sockets[family] >= 0)
		return read_table(link, family, ret, err);
	err_set_errno(err, link->errnums[family], "no socket of %s can be opened for xtables",
		      family_name(family));
	return link->errnums[family] == EAFNOSUPPORT ? XT_ABSENT : XT_FAILED;
}

/* Adds to each kept entry what it had counted; 0 to ours. */
static bool give_counters_back(const struct xt_link *link, enum family family,
			       const struct xt_replacement *replacement,
			       const struct xt_counters *before)
{
	size_t size = sizeof(struct xt_counters_info) +
		      replacement->info.entries * sizeof(struct xt_counters);
	struct xt_counters_info *info = memory_allocate(1, size);
	bool given;

	memcpy(info->name, TABLE_NAME, sizeof(TABLE_NAME));
	info->num_counters = replacement->info.entries;
	for (uint32_t i = 0; i < replacement->info.entries; i++)
		if (replacement->kept[i] != SIZE_MAX)
			info->counters[i] = before[replacement->kept[i]];
	given = !setsockopt(link->sockets[family], level(family), IPT_SO_SET_ADD_COUNTERS, info,
			    (socklen_t)size);
	free(info);
	return given;
}

int xt_link_replace(const struct xt_link *link, const struct xt_table *old,
		    const struct xt_replacement *replacement, bool *ret_counters_lost)
{
	enum family family = old->family == TABLE_IP6 ? FAMILY_IPV6 : FAMILY_IPV4;
	struct xt_counters *before = memory_allocate(old->info.entries, sizeof(*before));
	const struct xt_info *info = &replacement->info;
	size_t size = sizeof(struct ipt_replace) + info->size;
	struct ipt_replace *replace = memory_allocate(1, size);
	int errnum = 0;

	memcpy(replace->name, TABLE_NAME, sizeof(TABLE_NAME));
	replace->valid_hooks = info->valid_hooks;
	replace->num_entries = info->entries;
	replace->size = info->size;
	memcpy(replace->hook_entry, info->hook_entry, sizeof(info->hook_entry));
	memcpy(replace->underflow, info->underflow, sizeof(info->underflow));
	replace->num_counters = old->info.entries;
	replace->counters = before;
	memcpy((uint8_t *)replace + sizeof(*replace), replacement->bytes.data, info->size);
	if (setsockopt(link->sockets[family], level(family), IPT_SO_SET_REPLACE, replace,
		       (socklen_t)size))
		errnum = errno;
	free(replace);
	if (!errnum && !give_counters_back(link, family, replacement, before))
		*ret_counters_lost = true;
	free(before);
	return errnum;
}

/* 0 where the kernel has it, else its error number. A kernel that loads modules does so here. */
static int ask(const struct xt_link *link, enum family family, bool match, const char *name,
	       uint8_t revision)
{
	struct xt_get_revision question = { .revision = revision };
	socklen_t length = sizeof(question);
	int option = family == FAMILY_IPV6
			     ? match ? IP6T_SO_GET_REVISION_MATCH : IP6T_SO_GET_REVISION_TARGET
		     : match ? IPT_SO_GET_REVISION_MATCH
			     : IPT_SO_GET_REVISION_TARGET;

	memcpy(question.name, name, strlen(name));
	return getsockopt(link->sockets[family], level(family), option, &question, &length) ? errno
											    : 0;
}

bool xt_link_ask(const struct xt_link *link, enum family family, struct xt_kernel *ret,
		 struct err *err)
{
	static const struct {
		bool match;
		const char *name;
		uint8_t revision;
		const char *module;
	} needed[] = {
		{ true, XT_MATCH_OWNER, XT_OWNER_REVISION, "xt_owner" },
		{ true, XT_MATCH_TCP, 0, "xt_tcpudp" },
		{ true, XT_MATCH_ADDRTYPE, XT_ADDRTYPE_REVISION, "xt_addrtype" },
		{ true, XT_MATCH_CONNMARK, XT_CONNMARK_REVISION, "xt_connmark" },
		{ false, XT_TARGET_CONNMARK, XT_CONNMARK_REVISION, "xt_connmark" },
	};
	struct xt_kernel kernel = {
		.reject = !ask(link, family, false, XT_TARGET_REJECT, 0),
		.log = !ask(link, family, false, XT_TARGET_NFLOG, 0),
		.connmark_2 = !ask(link, family, false, XT_TARGET_CONNMARK, 2),
		.conntrack = !ask(link, family, true, XT_MATCH_CONNTRACK, XT_CONNTRACK_REVISION),
	};

	/* Linux has answered this question since 2.6.15; gVisor does not know it. */
	if (ask(link, family, true, XT_MATCH_OWNER, XT_OWNER_REVISION) == ENOPROTOOPT) {
		kernel.plain = true;
		*ret = kernel;
		return true;
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		int errnum = ask(link, family, needed[i].match, needed[i].name, needed[i].revision);

		if (!errnum)
			continue;
		err_set_errno(err, errnum,
			      "%s: this kernel lacks the xtables %s \"%s\", revision "
			      "%u (module %s)",
			      family_name(family), needed[i].match ? "match" : "target",
			      needed[i].name, (unsigned)needed[i].revision, needed[i].module);
		return false;
	}
	*ret = kernel;
	return true;
}
