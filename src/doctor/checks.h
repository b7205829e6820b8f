/* checks.h: what doctor asks, by stable names, and what an answer is. */
#ifndef EGRESSFW_DOCTOR_CHECKS_H
#define EGRESSFW_DOCTOR_CHECKS_H

#include <stdbool.h>

/* The order of the table. Those from CHECK_FIRST_CHANNEL on are about one user. */
enum check {
	CHECK_KERNEL_VERSION,
	CHECK_NF_TABLES,
	CHECK_INET_FAMILY,
	CHECK_OWNER_MATCH,
	CHECK_RULESET,
	CHECK_LOG_GROUP,
	CHECK_SOCKET_DESTROY,
	CHECK_IPV6,
	CHECK_USER_NAMESPACE,
	CHECK_HOST_NETWORK,
	CHECK_FOREIGN_CHAINS,
	CHECK_ROUTING_HEADERS,
	CHECK_CAPABILITIES,
	CHECK_CALLER,
	CHECK_SECCOMP,
	CHECK_NO_NEW_PRIVS,
	CHECK_FILTER_PROGRAM,
	CHECK_NAMESERVERS,
	CHECK_CONTAINER_ENGINE,
	CHECK_SYSTEMD_RESOLVED,
	CHECK_NSCD,
	CHECK_DBUS,
	CHECK_KEY_AGENTS,
	CHECK_UNIX_SOCKETS,
	CHECK_ABSTRACT_SOCKETS,
	CHECK_LOOPBACK_RESOLVERS,
	CHECK_LOOPBACK_PROXIES,
	CHECK_LOOPBACK_SERVICES,
	CHECK_SETUID_PROGRAMS,
	CHECK_FILE_CAPABILITIES,
	CHECK_REQUEST_KEY,
	CHECK_SUDO,
	CHECK_DOAS,
	CHECK_PRIVILEGED_GROUPS,
	CHECK_NET_RAW,
	CHECK_VSOCK,
	CHECK_TUN_DEVICE,
	CHECK_TUN_FORWARDING,
	CHECK_PTRACE,
	CHECK_PROCESSES,
	CHECK_NAME_FILES,
	CHECK_NSSWITCH,
	CHECKS,
	CHECK_FIRST_CHANNEL = CHECK_CONTAINER_ENGINE,
};

/* "enforcement.owner-match", "channel.docker-socket". */
const char *check_name(enum check check);

enum check_status { CHECK_PASS, CHECK_WARN, CHECK_FAIL, CHECK_UNKNOWN, CHECK_STATUSES };

/* "pass", "warn", "fail", "unknown". */
const char *check_status_name(enum check_status status);

/* Starts as { 0 }; both strings are owned. */
struct check_result {
	enum check_status status;
	char *finding; /* one sentence */
	char *advice;  /* what to do; NULL where nothing is to be done */
};

void check_result_free(struct check_result *result);

/* Each fills in an answer; an answer that was there already is freed. */
void check_pass(struct check_result *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void check_warn(struct check_result *ret, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_fail(struct check_result *ret, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_unknown(struct check_result *ret, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
