/* doctor_machine.c: kernel and network namespace: can users be confined here? */
#include "system/doctor.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The canary closes descriptors by close_range(2); closed sockets tell whose they were. */
enum { LEAST_MAJOR = 5, LEAST_MINOR = 9, GOOD_MAJOR = 6, GOOD_MINOR = 17 };

static bool is_before(unsigned major, unsigned minor, unsigned than_major, unsigned than_minor)
{
	return major < than_major || (major == than_major && minor < than_minor);
}

void doctor_kernel_version(const struct doctor *doctor, struct check_result *ret)
{
	struct utsname kernel;
	unsigned major, minor;

	(void)doctor;
	if (uname(&kernel) || strcmp(kernel.sysname, "Linux") ||
	    !kernel_release_parse(kernel.release, &major, &minor))
		check_unknown(ret, "use Linux 5.9 or later",
			      "the release of the kernel cannot be read");
	else if (is_before(major, minor, LEAST_MAJOR, LEAST_MINOR) &&
		 close_range(INT_MAX, INT_MAX, 0))
		check_fail(
			ret, "use Linux 5.9 or later",
			"Linux %s: before 5.9 there is no close_range(2), which the canary needs",
			kernel.release);
	else if (is_before(major, minor, GOOD_MAJOR, GOOD_MINOR))
		check_warn(
			ret, "apply before the user's first program is started",
			"Linux %s: before 6.17 a socket that is closed already does not tell whose "
			"it was, so data that waited in one can still leave",
			kernel.release);
	else
		check_pass(ret, "Linux %s", kernel.release);
}

void doctor_user_namespace(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->has_preflight)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_preflight.text);
	else if (doctor->preflight.foreign_user_namespace && doctor->preflight.first_uids)
		check_warn(ret, NULL,
			   "%s; uids are those of the first user namespace, which gVisor compares",
			   doctor->preflight.user_namespace_sign);
	else if (doctor->preflight.foreign_user_namespace)
		check_fail(
			ret,
			"run egressfw in the user namespace in which the container's network was "
			"made",
			"uids of the rules would be those of other people: %s",
			doctor->preflight.user_namespace_sign);
	else
		check_pass(ret, "the user namespace of this process owns the network namespace");
}

void doctor_host_network(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->has_preflight)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_preflight.text);
	else if (doctor->preflight.host_network)
		check_warn(ret,
			   "if this machine is meant and no container, say --allow-host-network to "
			   "apply",
			   "this is the host's own network: %s",
			   doctor->preflight.host_network_sign);
	else
		check_pass(ret, "this network namespace is not the host's");
}

/* The number in DIRECTORY/INTERFACE/SETTING; false where there is none. */
static bool read_setting(const char *directory, const char *interface, const char *setting,
			 int *ret)
{
	autofree char *path = memory_format("%s/%s/%s", directory, interface, setting);
	struct buffer text = { 0 };
	bool present = false, good;
	struct err ignored;

	good = doctor_read(path, &text, &present, &ignored) && present && text.length;
	if (good)
		*ret = *text.data == '-' ? -1 : *text.data - '0';
	buffer_free(&text);
	return good;
}

/*
 * Adds "SETTING of INTERFACE" for interfaces where it is on. Every one of these settings counts
 * only where it is on for "all" too.
 */
static void find_setting(const char *directory, const char *setting, struct buffer *list,
			 size_t *count)
{
	DIR *interfaces = opendir(directory);
	const struct dirent *entry;
	int all = 0, value = 0;

	while (interfaces && read_setting(directory, "all", setting, &all) && all > 0 &&
	       (entry = readdir(interfaces))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "all") ||
		    !strcmp(entry->d_name, "default") ||
		    !read_setting(directory, entry->d_name, setting, &value) || value <= 0)
			continue;
		autofree char *text = memory_format("%s of %s", setting, entry->d_name);

		doctor_list(list, count, text);
	}
	if (interfaces)
		closedir(interfaces);
}

void doctor_routing_headers(const struct doctor *doctor, struct check_result *ret)
{
	static const char four[] = "/proc/sys/net/ipv4/conf", six[] = "/proc/sys/net/ipv6/conf";
	struct buffer list = { 0 };
	size_t count = 0;
	int value;

	(void)doctor;
	find_setting(four, "accept_source_route", &list, &count);
	find_setting(six, "accept_source_route", &list, &count);
	find_setting(six, "seg6_enabled", &list, &count);
	find_setting(six, "rpl_seg_enabled", &list, &count);
	doctor_list_end(&list, count);
	if (count)
		check_warn(
			ret, "set these sysctls to 0",
			"the sender of a packet may choose its way by an address of this host: %s",
			buffer_string(&list));
	else if (!read_setting(four, "all", "accept_source_route", &value))
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s/all/accept_source_route cannot be read",
			      four);
	else
		check_pass(ret, "source routing and IPv6 segment routing are switched off");
	buffer_free(&list);
}
