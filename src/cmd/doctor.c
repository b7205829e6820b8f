/* doctor.c: egressfw doctor: what can be enforced here, and what stays open; it changes nothing. */
#include "cmd/doctor_kernel.h"
#include "cmd/session.h"

#include "base/memory.h"
#include "doctor/diagnosis.h"
#include "kernel/unix_diag.h"
#include "system/privilege.h"
#include "system/users.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SUBJECTS_MAX = 8 };

/* A container beside the agent's shares no more with it than the network. */
#define CONTAINER_NOTE                                                                             \
	"Files, UNIX sockets, processes and seccomp filters are those of this container. Where "   \
	"the user's "                                                                              \
	"programs run in another one with the same network, what stays open to them is what "      \
	"doctor says there."

/* Who answers each check. */
static const struct {
	doctor_check *machine;
	doctor_kernel_check *kernel;
} checks[] = {
	[CHECK_KERNEL_VERSION] = { .machine = doctor_kernel_version },
	[CHECK_NF_TABLES] = { .kernel = doctor_nf_tables },
	[CHECK_INET_FAMILY] = { .kernel = doctor_inet_family },
	[CHECK_OWNER_MATCH] = { .kernel = doctor_owner_match },
	[CHECK_RULESET] = { .kernel = doctor_ruleset },
	[CHECK_LOG_GROUP] = { .kernel = doctor_log_group },
	[CHECK_SOCKET_DESTROY] = { .kernel = doctor_socket_destroy },
	[CHECK_IPV6] = { .kernel = doctor_ipv6 },
	[CHECK_USER_NAMESPACE] = { .machine = doctor_user_namespace },
	[CHECK_HOST_NETWORK] = { .machine = doctor_host_network },
	[CHECK_FOREIGN_CHAINS] = { .kernel = doctor_foreign_chains },
	[CHECK_ROUTING_HEADERS] = { .machine = doctor_routing_headers },
	[CHECK_CAPABILITIES] = { .machine = doctor_capabilities },
	[CHECK_CALLER] = { .machine = doctor_caller },
	[CHECK_SECCOMP] = { .machine = doctor_seccomp },
	[CHECK_NO_NEW_PRIVS] = { .machine = doctor_no_new_privs },
	[CHECK_FILTER_PROGRAM] = { .machine = doctor_filter_program },
	[CHECK_NAMESERVERS] = { .machine = doctor_nameservers },
	[CHECK_CONTAINER_ENGINE] = { .machine = doctor_container_engine },
	[CHECK_SYSTEMD_RESOLVED] = { .machine = doctor_systemd_resolved },
	[CHECK_NSCD] = { .machine = doctor_nscd },
	[CHECK_DBUS] = { .machine = doctor_dbus },
	[CHECK_KEY_AGENTS] = { .machine = doctor_key_agents },
	[CHECK_UNIX_SOCKETS] = { .machine = doctor_unix_sockets },
	[CHECK_ABSTRACT_SOCKETS] = { .machine = doctor_abstract_sockets },
	[CHECK_LOOPBACK_RESOLVERS] = { .machine = doctor_loopback_resolvers },
	[CHECK_LOOPBACK_PROXIES] = { .machine = doctor_loopback_proxies },
	[CHECK_LOOPBACK_SERVICES] = { .machine = doctor_loopback_services },
	[CHECK_SETUID_PROGRAMS] = { .machine = doctor_setuid_programs },
	[CHECK_FILE_CAPABILITIES] = { .machine = doctor_file_capabilities },
	[CHECK_REQUEST_KEY] = { .machine = doctor_request_key },
	[CHECK_SUDO] = { .machine = doctor_sudo },
	[CHECK_DOAS] = { .machine = doctor_doas },
	[CHECK_PRIVILEGED_GROUPS] = { .machine = doctor_privileged_groups },
	[CHECK_NET_RAW] = { .machine = doctor_net_raw },
	[CHECK_VSOCK] = { .machine = doctor_vsock },
	[CHECK_TUN_DEVICE] = { .machine = doctor_tun_device },
	[CHECK_TUN_FORWARDING] = { .machine = doctor_tun_forwarding },
	[CHECK_PTRACE] = { .machine = doctor_ptrace },
	[CHECK_PROCESSES] = { .machine = doctor_processes },
	[CHECK_NAME_FILES] = { .machine = doctor_name_files },
	[CHECK_NSSWITCH] = { .machine = doctor_nsswitch },
};
_Static_assert(sizeof(checks) / sizeof(*checks) == CHECKS, "every check is answered by somebody");

struct examination {
	struct session session;
	struct doctor machine;
	struct doctor_kernel kernel;
	char *filter_program;
	uid_t subjects[SUBJECTS_MAX];
	size_t subject_count;
	struct diagnosis diagnosis;
};

/* Those of the plan that is kept, or those whom the table confines. */
static struct rangeset find_confined(struct examination *examination)
{
	struct session *session = &examination->session;
	struct failure ignored = { 0 };
	struct rangeset confined = { 0 };
	struct plan kept;
	bool has_kept = false;

	/* A directory that cannot be read has nothing to say here. */
	if (session_open_state(session, false, &ignored) &&
	    session_read_plan(session, &kept, &has_kept, &ignored) && has_kept) {
		confined = rangeset_copy(&kept.confined);
		plan_free(&kept);
	}
	if (!confined.count)
		confined = rangeset_copy(&examination->kernel.confined);
	return confined;
}

/*
 * --user; else whom what is applied confines; else, of an ordinary user, itself. Subordinate uids
 * are their user's in what they may open, or less.
 */
static bool choose_subjects(struct examination *examination, struct failure *failure)
{
	static const struct users_files no_subordinates = { NULL, "" };
	const struct user_specs none = { NULL, 0 };
	const struct options *options = examination->session.options;
	struct rangeset uids = { 0 };
	bool good, cannot, named = options->users.count > 0;

	if (named && !users_confined(&none, &options->users, (uid_t)-1, &no_subordinates, &uids,
				     &cannot, &failure->err))
		return failure_set(failure, cannot ? EXIT_CANNOT : EXIT_USAGE, NOTHING_CHANGED);
	if (!named)
		uids = find_confined(examination);
	if (!uids.count && getuid())
		rangeset_add(&uids, getuid(), getuid());
	good = subjects_choose(&uids, named, SUBJECTS_MAX, examination->subjects,
			       &examination->subject_count, &failure->err);
	rangeset_free(&uids);
	return good || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

static void run_checks(struct examination *examination, enum check first, enum check end)
{
	for (enum check i = first; i < end; i++) {
		struct check_result result = { 0 };

		if (checks[i].machine)
			checks[i].machine(&examination->machine, &result);
		else
			checks[i].kernel(&examination->kernel, &result);
		diagnosis_add(&examination->diagnosis, i, &result);
	}
}

static bool examine_subject(struct examination *examination, uid_t uid, struct failure *failure)
{
	struct subject subject;

	if (!subject_read(uid, &subject, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	diagnosis_add_user(&examination->diagnosis, uid, subject.name);
	doctor_look(&examination->machine, &subject);
	run_checks(examination, CHECK_FIRST_CHANNEL, CHECKS);
	subject_free(&subject);
	return true;
}

static bool examine(struct examination *examination, struct failure *failure)
{
	const struct options *options = examination->session.options;
	struct doctor *machine = &examination->machine;

	examination->filter_program = filter_program_find();
	machine->filter_program = examination->filter_program;
	machine->timeout_ms = options->timeout_ms;
	machine->hosts_file = options->no_hosts ? NULL : options->hosts_file;
	doctor_read_self(machine);
	if (!session_begin(options, &examination->session, failure))
		return false;
	machine->has_preflight = preflight_read(&machine->preflight, &machine->no_preflight);
	/* A kernel that does not tell leaves them unknown, which the check says. */
	unix_diag_list(options->timeout_ms, &machine->waiting);
	doctor_kernel_ask(options, machine, &examination->kernel);
	machine->filters = examination->kernel.filters;
	machine->filter_count = examination->kernel.filter_count;
	machine->has_filters = examination->kernel.has_standing;
	if (!choose_subjects(examination, failure))
		return false;
	run_checks(examination, 0, CHECK_FIRST_CHANNEL);
	if (!options->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "egressfw doctor: looking through files and processes\n");
	for (size_t i = 0; i < examination->subject_count; i++)
		if (!examine_subject(examination, examination->subjects[i], failure))
			return false;
	if (!examination->subject_count)
		examination->diagnosis.note = "Nothing is applied and no user is named: residual "
					      "channels were not looked "
					      "at; --user names one.";
	else if (!doctor_sees_machine())
		examination->diagnosis.note = CONTAINER_NOTE;
	return true;
}

static int exit_status(const struct diagnosis *diagnosis)
{
	switch (diagnosis_verdict(diagnosis)) {
	case CHECK_FAIL:
		return EXIT_NO;
	case CHECK_UNKNOWN:
		return EXIT_INCONCLUSIVE;
	case CHECK_PASS:
	case CHECK_WARN:
	case CHECK_STATUSES:
		break;
	}
	return EXIT_DONE;
}

static int print(const struct diagnosis *diagnosis, const struct options *options)
{
	int status = exit_status(diagnosis);
	struct buffer text = { 0 };

	if (options->json)
		diagnosis_json(diagnosis, status, &text);
	else if (!options->quiet)
		diagnosis_text(diagnosis, isatty(STDOUT_FILENO), &text);
	if (text.length)
		fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
	return status;
}

int cmd_doctor(const struct options *options)
{
	struct examination examination = {
		.session = { .options = options },
		.diagnosis = { .instance = options->instance },
	};
	struct failure failure = { 0 };
	int status = examine(&examination, &failure) ? print(&examination.diagnosis, options)
						     : failure_print(&failure, options);

	diagnosis_free(&examination.diagnosis);
	doctor_free(&examination.machine);
	free(examination.filter_program);
	doctor_kernel_free(&examination.kernel);
	session_end(&examination.session);
	return status;
}
