/* doctor_devices.c: ways out beside sockets of IP: VSOCK, TUN and TAP devices, other processes. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/words.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROCESSES_MAX = 65536 };

/* Whether the user may open the device; false: it could not be asked. */
static bool may_open(const struct doctor *doctor, const char *path, bool *ret, struct err *err)
{
	const struct may_question question = { MAY_READ_WRITE, path };
	int errnum;

	*ret = false;
	if (access(path, F_OK) && errno == ENOENT)
		return true;
	if (!subject_may(doctor->subject, &question, 1, doctor->timeout_ms, &errnum, err))
		return false;
	*ret = !errnum;
	return true;
}

/* Whether a line of /proc/net/protocols begins with the name. */
static bool has_protocol(const char *name)
{
	struct buffer text = { 0 };
	struct cursor cursor, line;
	bool present, found = false;
	struct err ignored;

	if (!doctor_read("/proc/self/net/protocols", &text, &present, &ignored))
		return false;
	cursor = cursor_over(text.data, text.length);
	while (!found && line_next(&cursor, &line)) {
		struct word word;

		found = word_next(&line, &word) && word_is(word, name);
	}
	buffer_free(&text);
	return found;
}

void doctor_vsock(const struct doctor *doctor, struct check_result *ret)
{
	struct err err;
	bool may;

	if (has_protocol("AF_VSOCK") || has_protocol("VSOCK"))
		check_warn(
			ret, "start the user's program by run, whose filter refuses AF_VSOCK",
			"this kernel has AF_VSOCK, which in virtual machines leads to the host and "
			"is not IP");
	else if (!may_open(doctor, "/dev/vsock", &may, &err))
		check_unknown(ret, "run doctor as root", "%s", err.text);
	else if (may)
		check_warn(ret, "close the device to the user, and start the program by run",
			   "the user may open /dev/vsock");
	else
		check_pass(ret, "AF_VSOCK is not loaded, and /dev/vsock is not open to the user");
}

void doctor_tun_device(const struct doctor *doctor, struct check_result *ret)
{
	struct err err;
	bool may;

	if (!may_open(doctor, "/dev/net/tun", &may, &err))
		check_unknown(ret, "run doctor as root", "%s", err.text);
	else if (may)
		check_warn(ret,
			   "do not pass the device into the container, or close it to the user",
			   "the user may open /dev/net/tun, and use a device that an administrator "
			   "made for the user: what comes from it has no owner");
	else
		check_pass(ret, "/dev/net/tun is not open to the user");
}

/* "tun" is what the driver of both kinds calls itself (ethtool(8), -i). */
static bool is_tun(int descriptor, const char *name)
{
	struct ethtool_drvinfo information = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq request = { .ifr_data = (void *)&information };

	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	return !ioctl(descriptor, SIOCETHTOOL, &request) &&
	       !strncmp(information.driver, "tun", sizeof(information.driver));
}

static bool is_forwarding(void)
{
	static const char *const paths[] = { "/proc/sys/net/ipv4/ip_forward",
					     "/proc/sys/net/ipv6/conf/all/forwarding" };
	bool found = false;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct buffer text = { 0 };
		struct err ignored;
		bool present;

		if (doctor_read(paths[i], &text, &present, &ignored))
			found = found || (text.length && *text.data != '0');
		buffer_free(&text);
	}
	return found;
}

void doctor_tun_forwarding(const struct doctor *doctor, struct check_result *ret)
{
	int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *interfaces = if_nameindex();
	struct buffer list = { 0 };
	size_t count = 0;

	(void)doctor;
	for (size_t i = 0; descriptor >= 0 && interfaces && interfaces[i].if_index; i++)
		if (is_tun(descriptor, interfaces[i].if_name))
			doctor_list(&list, &count, interfaces[i].if_name);
	doctor_list_end(&list, count);
	if (descriptor < 0 || !interfaces)
		check_unknown(ret,
			      "run doctor where rtnetlink(7) may be asked: seccomp refuses it here",
			      "the network interfaces cannot be listed");
	else if (count && is_forwarding())
		check_warn(ret,
			   "switch forwarding off, or take the device away, unless it is not the "
			   "user's",
			   "packets from a TUN or TAP device are forwarded, and have no owner: %s",
			   buffer_string(&list));
	else if (count)
		check_pass(ret, "there is a TUN or TAP device (%s), and nothing is forwarded",
			   buffer_string(&list));
	else
		check_pass(ret, "there is no TUN or TAP device");
	if (descriptor >= 0)
		close(descriptor);
	if_freenameindex(interfaces);
	buffer_free(&list);
}

/* The processes that /proc shows, but this one. */
static size_t list_processes(struct may_question **ret)
{
	DIR *directory = opendir("/proc");
	const struct dirent *entry;
	size_t count = 0;

	*ret = NULL;
	while (directory && count < PROCESSES_MAX && (entry = readdir(directory))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    atoi(entry->d_name) == getpid())
			continue;
		*ret = memory_resize(*ret, count + 1, sizeof(**ret));
		(*ret)[count++] =
			(struct may_question){ MAY_INSPECT,
					       memory_format("/proc/%s/ns/net", entry->d_name) };
	}
	if (directory)
		closedir(directory);
	return count;
}

/* The effective uid of the process whose /proc/PID/ns/net this is. */
static bool read_uid(const char *link, uid_t *ret)
{
	autofree char *path =
		memory_format("%.*s/status", (int)(strlen(link) - strlen("/ns/net")), link);
	struct process_status status;
	struct buffer text = { 0 };
	struct err ignored;
	bool present, good;

	good = doctor_read(path, &text, &present, &ignored) &&
	       process_status_parse(text.data, text.length, &status);
	if (good)
		*ret = status.uid;
	buffer_free(&text);
	return good;
}

static void judge_processes(const struct doctor *doctor, const struct may_question *questions,
			    const int *answers, size_t count, struct check_result *ret)
{
	struct buffer others = { 0 }, elsewhere = { 0 };
	size_t other_count = 0, elsewhere_count = 0;

	for (size_t i = 0; i < count; i++) {
		autofree char *pid =
			memory_format("%d", atoi(questions[i].path + strlen("/proc/")));
		uid_t uid;

		if (answers[i] > 0 || !read_uid(questions[i].path, &uid))
			continue;
		if (uid != doctor->subject->uid)
			doctor_list(&others, &other_count, pid);
		else if (answers[i] == MAY_ELSEWHERE)
			doctor_list(&elsewhere, &elsewhere_count, pid);
	}
	doctor_list_end(&others, other_count);
	doctor_list_end(&elsewhere, elsewhere_count);
	if (other_count)
		check_fail(ret, "find out what lets the user do so, and take it away",
			   "the user may see into processes of others: pid %s",
			   buffer_string(&others));
	else if (elsewhere_count)
		check_fail(
			ret, "end them, or give the agent a user of its own",
			"processes of the user are in another network namespace, where these rules "
			"do not hold: pid %s",
			buffer_string(&elsewhere));
	else
		check_pass(ret, "the user may see into no process of another user, nor into one in "
				"another network namespace");
	buffer_free(&others);
	buffer_free(&elsewhere);
}

void doctor_ptrace(const struct doctor *doctor, struct check_result *ret)
{
	autofree struct may_question *questions = NULL;
	size_t count = list_processes(&questions);
	autofree int *answers = memory_allocate(count, sizeof(*answers));
	struct err err;

	if (subject_may(doctor->subject, questions, count, doctor->timeout_ms, answers, &err))
		judge_processes(doctor, questions, answers, count, ret);
	else
		check_unknown(ret, "run doctor as root", "%s", err.text);
	for (size_t i = 0; i < count; i++)
		free((char *)questions[i].path);
}
