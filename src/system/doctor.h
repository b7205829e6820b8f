/* doctor.h: whether users can be confined on this machine, and what stays open to one. */
#ifndef EGRESSFW_SYSTEM_DOCTOR_H
#define EGRESSFW_SYSTEM_DOCTOR_H

#include "base/buffer.h"
#include "base/err.h"
#include "doctor/checks.h"
#include "doctor/proc_status.h"
#include "doctor/unix_sockets.h"
#include "policy/policy.h"
#include "system/preflight.h"
#include "system/subject.h"

#include <stdbool.h>

/*
 * What the checks look at. Nothing here is changed or connected to; what cannot be read makes an
 * answer "unknown", with the reason.
 */
struct doctor_sockets;
struct doctor_programs;

/* Where a filter of ours listens, whom the rules let nobody but its policy's users reach. */
struct own_filter {
	struct address_port here;
	uint32_t uid;
};

struct doctor {
	unsigned timeout_ms;
	const char *hosts_file; /* NULL: no hosts file is used */
	const char *filter_program;
	/* As this process was started, before it gave anything up. */
	struct process_status self;
	bool has_self;
	struct err no_self;
	struct preflight preflight;
	bool has_preflight;
	struct err no_preflight;
	/*
	 * Who waits at UNIX sockets of this network namespace; empty where the kernel does not
	 * tell.
	 */
	struct unix_sockets waiting;
	/* Of all instances; no more is known than has_filters says. */
	const struct own_filter *filters;
	size_t filter_count;
	bool has_filters;
	/* For channels only. */
	const struct subject *subject;
	struct doctor_sockets *sockets;
	struct doctor_programs *programs;
};

/* Of /proc/self/status: before privilege_begin(), which changes it. */
void doctor_read_self(struct doctor *doctor);

/*
 * The sockets and programs that several checks are about, for one subject, whom `doctor` then
 * borrows until the next look.
 */
void doctor_look(struct doctor *doctor, const struct subject *subject);
void doctor_free(struct doctor *doctor);

/* Whether this process is in no container: then others may have files and processes of their own. */
bool doctor_sees_machine(void);

/* A file of /proc or of /etc, bounded; *ret_present false: it is not there. */
bool doctor_read(const char *path, struct buffer *ret, bool *ret_present, struct err *err);

/* Appends ", TEXT", or "and N more" where `count` says that it is enough; counts. */
enum { DOCTOR_LISTED = 8 };
void doctor_list(struct buffer *list, size_t *count, const char *text);
void doctor_list_end(struct buffer *list, size_t count);

/* What helps where nothing can be read in /proc. */
#define DOCTOR_WANTS_PROC "mount /proc here (mount -t proc proc /proc), and run doctor again"

typedef void doctor_check(const struct doctor *doctor, struct check_result *ret);

doctor_check doctor_kernel_version;
doctor_check doctor_user_namespace;
doctor_check doctor_host_network;
doctor_check doctor_routing_headers;
doctor_check doctor_capabilities;
doctor_check doctor_caller;
doctor_check doctor_seccomp;
doctor_check doctor_no_new_privs;
doctor_check doctor_filter_program;
doctor_check doctor_nameservers;

doctor_check doctor_container_engine;
doctor_check doctor_systemd_resolved;
doctor_check doctor_nscd;
doctor_check doctor_dbus;
doctor_check doctor_key_agents;
doctor_check doctor_unix_sockets;
doctor_check doctor_abstract_sockets;
doctor_check doctor_loopback_resolvers;
doctor_check doctor_loopback_proxies;
doctor_check doctor_loopback_services;
doctor_check doctor_setuid_programs;
doctor_check doctor_file_capabilities;
doctor_check doctor_request_key;
doctor_check doctor_sudo;
doctor_check doctor_doas;
doctor_check doctor_privileged_groups;
doctor_check doctor_net_raw;
doctor_check doctor_vsock;
doctor_check doctor_tun_device;
doctor_check doctor_tun_forwarding;
doctor_check doctor_ptrace;
doctor_check doctor_processes;
doctor_check doctor_name_files;
doctor_check doctor_nsswitch;

/* doctor_sockets.c, doctor_programs.c. */
struct doctor_sockets *doctor_sockets_find(const struct doctor *doctor);
void doctor_sockets_free(struct doctor_sockets *sockets);
struct doctor_programs *doctor_programs_find(const struct doctor *doctor);
void doctor_programs_ask(const struct doctor *doctor, struct doctor_programs *programs);
void doctor_programs_free(struct doctor_programs *programs);

#endif
