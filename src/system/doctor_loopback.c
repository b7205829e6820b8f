/* doctor_loopback.c: who else listens on loopback, where the ruleset lets the user go. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/channels.h"
#include "doctor/proc_net.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *path, *protocol;
	bool tcp;
} files[] = {
	{ "/proc/self/net/tcp", "tcp", true },
	{ "/proc/self/net/tcp6", "tcp", true },
	{ "/proc/self/net/udp", "udp", false },
	{ "/proc/self/net/udp6", "udp", false },
};

enum kind { KIND_REFUSED, KIND_RESOLVER, KIND_PROXY, KIND_SERVICE, KIND_FILTER, KIND_NONE };

/* The container engines' resolver: the ruleset refuses its address, on every port. */
static bool is_engine_resolver(const struct address *address)
{
	static const uint8_t bytes[] = { 127, 0, 0, 11 };

	return address->family == FAMILY_IPV4 && !memcmp(address->bytes, bytes, sizeof(bytes));
}

/* By whose the socket is: anybody may be at the filter's port where that has ended. */
static bool is_own_filter(const struct doctor *doctor, const struct inet_listener *listener)
{
	const struct address_port here = { listener->address, listener->port };

	for (size_t i = 0; i < doctor->filter_count; i++)
		if (doctor->filters[i].uid == listener->uid &&
		    address_port_equal(&doctor->filters[i].here, &here))
			return true;
	return false;
}

/* A UDP socket at any other port may be that of a client. */
static enum kind kind_of(const struct doctor *doctor, const struct inet_listener *listener,
			 bool tcp)
{
	if (port_is_refused(listener->port) || is_engine_resolver(&listener->address))
		return KIND_REFUSED;
	if (port_is_resolver(listener->port))
		return KIND_RESOLVER;
	if (!tcp)
		return KIND_NONE;
	if (is_own_filter(doctor, listener))
		return KIND_FILTER;
	return port_is_proxy(listener->port) ? KIND_PROXY : KIND_SERVICE;
}

static char *describe(const struct inet_listener *listener, const char *protocol)
{
	char address[ADDRESS_TEXT_SIZE];
	bool six = listener->address.family == FAMILY_IPV6;

	return memory_format("%s %s%s%s:%u (uid %" PRIu32 ")", protocol, six ? "[" : "",
			     address_format(&listener->address, address), six ? "]" : "",
			     listener->port, listener->uid);
}

/* Lists what listens on loopback, is of the kind, and is not the user's own. */
static bool list_kind(const struct doctor *doctor, enum kind kind, struct buffer *list,
		      size_t *count, struct err *err)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct inet_listener listener;
		struct buffer text = { 0 };
		struct cursor cursor;
		bool present;

		if (!doctor_read(files[i].path, &text, &present, err))
			return false;
		/* A kernel without IPv6 has two of them. */
		if (!present && i == 0) {
			err_set(err, "%s is not there", files[i].path);
			return false;
		}
		cursor = cursor_over(text.data, text.length);
		while (inet_listener_next(&cursor, files[i].tcp, &listener)) {
			if (!inet_listener_on_loopback(&listener) ||
			    listener.uid == doctor->subject->uid ||
			    kind_of(doctor, &listener, files[i].tcp) != kind)
				continue;
			autofree char *entry = describe(&listener, files[i].protocol);

			doctor_list(list, count, entry);
		}
		buffer_free(&text);
	}
	doctor_list_end(list, *count);
	return true;
}

void doctor_loopback_resolvers(const struct doctor *doctor, struct check_result *ret)
{
	struct buffer list = { 0 }, refused = { 0 };
	size_t count = 0, refused_count = 0;
	struct err err;

	if (!list_kind(doctor, KIND_RESOLVER, &list, &count, &err) ||
	    !list_kind(doctor, KIND_REFUSED, &refused, &refused_count, &err))
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", err.text);
	else if (count)
		check_warn(ret,
			   "narrow the policy's \"loopback\" to the ports that are needed, or move "
			   "the resolver to port 53, which is refused",
			   "somebody else's resolver may listen at a port that is not refused: %s",
			   buffer_string(&list));
	else if (refused_count)
		check_pass(ret, "the ruleset refuses those that listen: %s",
			   buffer_string(&refused));
	else
		check_pass(ret, "no resolver listens on loopback");
	buffer_free(&list);
	buffer_free(&refused);
}

/* What the confined users are sent to is not to be stopped because doctor cannot know it. */
static const char *advice_of(const struct doctor *doctor)
{
	return doctor->has_filters
		       ? "narrow the policy's \"loopback\" to the ports that are needed, or stop it"
		       : "run doctor as root with CAP_NET_ADMIN, which knows a filter of "
			 "egressfw's "
			 "own; of others narrow the policy's \"loopback\" to the ports that are "
			 "needed, or stop them";
}

static void judge(const struct doctor *doctor, enum kind kind, const char *what,
		  struct check_result *ret)
{
	struct buffer list = { 0 };
	size_t count = 0;
	struct err err;

	if (!list_kind(doctor, kind, &list, &count, &err))
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", err.text);
	else if (count)
		check_warn(ret, advice_of(doctor),
			   "%s on loopback, and may connect onwards in its own name: %s", what,
			   buffer_string(&list));
	buffer_free(&list);
}

void doctor_loopback_proxies(const struct doctor *doctor, struct check_result *ret)
{
	struct buffer list = { 0 };
	size_t count = 0;
	struct err err;

	judge(doctor, KIND_PROXY, "what may be a proxy of another user listens", ret);
	if (ret->finding)
		return;
	if (!list_kind(doctor, KIND_FILTER, &list, &count, &err))
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", err.text);
	else if (count)
		check_pass(ret,
			   "nobody listens on loopback at a usual port of proxies but egressfw's "
			   "own filter: %s",
			   buffer_string(&list));
	else
		check_pass(ret, "nothing listens on loopback at a usual port of proxies");
	buffer_free(&list);
}

void doctor_loopback_services(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, KIND_SERVICE, "a service of another user listens", ret);
	if (!ret->finding)
		check_pass(ret, "no other service of another user listens on loopback");
}
