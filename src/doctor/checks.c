/* checks.c: what doctor asks, by stable names, and what an answer is. */
#include "doctor/checks.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Programs know checks by these: a name never changes its meaning. */
static const char *const names[] = {
	[CHECK_KERNEL_VERSION] = "enforcement.kernel-version",
	[CHECK_NF_TABLES] = "enforcement.nf-tables",
	[CHECK_INET_FAMILY] = "enforcement.inet-family",
	[CHECK_OWNER_MATCH] = "enforcement.owner-match",
	[CHECK_RULESET] = "enforcement.ruleset",
	[CHECK_LOG_GROUP] = "enforcement.log-group",
	[CHECK_SOCKET_DESTROY] = "enforcement.socket-destroy",
	[CHECK_IPV6] = "enforcement.ipv6",
	[CHECK_USER_NAMESPACE] = "enforcement.user-namespace",
	[CHECK_HOST_NETWORK] = "enforcement.host-network",
	[CHECK_FOREIGN_CHAINS] = "enforcement.foreign-chains",
	[CHECK_ROUTING_HEADERS] = "enforcement.routing-headers",
	[CHECK_CAPABILITIES] = "enforcement.capabilities",
	[CHECK_CALLER] = "enforcement.caller",
	[CHECK_SECCOMP] = "enforcement.seccomp",
	[CHECK_NO_NEW_PRIVS] = "enforcement.no-new-privs",
	[CHECK_FILTER_PROGRAM] = "enforcement.filter-program",
	[CHECK_NAMESERVERS] = "enforcement.nameservers",
	[CHECK_CONTAINER_ENGINE] = "channel.docker-socket",
	[CHECK_SYSTEMD_RESOLVED] = "channel.systemd-resolved",
	[CHECK_NSCD] = "channel.nscd",
	[CHECK_DBUS] = "channel.dbus",
	[CHECK_KEY_AGENTS] = "channel.key-agents",
	[CHECK_UNIX_SOCKETS] = "channel.unix-sockets",
	[CHECK_ABSTRACT_SOCKETS] = "channel.abstract-sockets",
	[CHECK_LOOPBACK_RESOLVERS] = "channel.loopback-resolvers",
	[CHECK_LOOPBACK_PROXIES] = "channel.loopback-proxies",
	[CHECK_LOOPBACK_SERVICES] = "channel.loopback-services",
	[CHECK_SETUID_PROGRAMS] = "channel.setuid-programs",
	[CHECK_FILE_CAPABILITIES] = "channel.file-capabilities",
	[CHECK_REQUEST_KEY] = "channel.request-key",
	[CHECK_SUDO] = "channel.sudo",
	[CHECK_DOAS] = "channel.doas",
	[CHECK_PRIVILEGED_GROUPS] = "channel.privileged-groups",
	[CHECK_NET_RAW] = "channel.net-raw",
	[CHECK_VSOCK] = "channel.vsock",
	[CHECK_TUN_DEVICE] = "channel.tun-device",
	[CHECK_TUN_FORWARDING] = "channel.tun-forwarding",
	[CHECK_PTRACE] = "channel.ptrace",
	[CHECK_PROCESSES] = "channel.processes",
	[CHECK_NAME_FILES] = "channel.name-files",
	[CHECK_NSSWITCH] = "channel.nsswitch",
};
_Static_assert(sizeof(names) / sizeof(*names) == CHECKS, "one name per check");

static const char *const status_names[] = {
	[CHECK_PASS] = "pass",
	[CHECK_WARN] = "warn",
	[CHECK_FAIL] = "fail",
	[CHECK_UNKNOWN] = "unknown",
};
_Static_assert(sizeof(status_names) / sizeof(*status_names) == CHECK_STATUSES,
	       "one name per status");

const char *check_name(enum check check)
{
	return names[check];
}

const char *check_status_name(enum check_status status)
{
	return status_names[status];
}

void check_result_free(struct check_result *result)
{
	free(result->finding);
	free(result->advice);
	*result = (struct check_result){ 0 };
}

static void fill(struct check_result *ret, enum check_status status, const char *advice,
		 const char *format, va_list arguments)
{
	char *finding;

	if (vasprintf(&finding, format, arguments) < 0)
		memory_exhausted();
	check_result_free(ret);
	*ret = (struct check_result){
		.status = status,
		.finding = finding,
		.advice = advice ? memory_copy_string(advice) : NULL,
	};
}

void check_pass(struct check_result *ret, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(ret, CHECK_PASS, NULL, format, arguments);
	va_end(arguments);
}

void check_warn(struct check_result *ret, const char *advice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(ret, CHECK_WARN, advice, format, arguments);
	va_end(arguments);
}

void check_fail(struct check_result *ret, const char *advice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(ret, CHECK_FAIL, advice, format, arguments);
	va_end(arguments);
}

void check_unknown(struct check_result *ret, const char *advice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(ret, CHECK_UNKNOWN, advice, format, arguments);
	va_end(arguments);
}
