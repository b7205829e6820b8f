/* preflight.c: what of this machine an apply must know before it changes anything; reads only. */
#include "system/preflight.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROC_FILE_MAX = 1024 * 1024 };
#define NETWORK_SETTINGS "/proc/sys/net"
#define INITIAL_ONLY "/proc/sys/net/core/netdev_max_backlog"
#define IPV6_ADDRESSES "/proc/self/net/if_inet6"
#define IPV6_SETTINGS "/proc/sys/net/ipv6/conf"
#define INTERFACES "/proc/self/net/dev"
#define UID_MAP "/proc/self/uid_map"

/* descriptor_read_file() wants a regular file, which those of proc are. */
static bool read_proc(const char *path, struct buffer *ret, bool *ret_present, struct err *err)
{
	return descriptor_read_file(path, PROC_FILE_MAX, ret, ret_present, err);
}

/* Whether any interface is set to take IPv6 addresses; the two templates are no interfaces. */
static bool read_ipv6_settings(bool *ret, struct err *err)
{
	DIR *directory = opendir(IPV6_SETTINGS);
	const struct dirent *entry;
	bool enabled = false, good = true;

	if (!directory && errno != ENOENT) {
		err_set_errno(err, errno, "%s: cannot be read", IPV6_SETTINGS);
		return false;
	}
	while (directory && good && !enabled && (entry = readdir(directory))) {
		autofree char *path =
			memory_format("%s/%s/disable_ipv6", IPV6_SETTINGS, entry->d_name);
		struct buffer text = { 0 };
		bool present;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "all") ||
		    !strcmp(entry->d_name, "default"))
			continue;
		/* An interface may have gone since the directory was read. */
		good = read_proc(path, &text, &present, err);
		enabled = good && present && text.length && text.data[0] == '0';
		buffer_free(&text);
	}
	if (directory)
		closedir(directory);
	if (good)
		*ret = enabled;
	return good;
}

static bool read_ipv6(bool *ret, struct err *err)
{
	struct buffer addresses;
	bool present, some;

	if (!read_proc(IPV6_ADDRESSES, &addresses, &present, err))
		return false;
	some = addresses.length > 0;
	buffer_free(&addresses);
	/* A kernel without IPv6 has no such file; an interface that is down has no address yet. */
	if (some || !present) {
		*ret = some;
		return true;
	}
	return read_ipv6_settings(ret, err);
}

static bool all_in(const char *text, size_t length, const char *allowed)
{
	for (size_t i = 0; i < length; i++)
		if (!memchr(allowed, text[i], strlen(allowed)))
			return false;
	return true;
}

static bool is_number(const char *text, size_t length)
{
	return all_in(text, length, "0123456789") && length && (length == 1 || *text != '0');
}

/*
 * Engines number the bridges of further networks; Docker gives them 12 digits of the network's id.
 */
static bool is_container_bridge(const char *name, size_t length)
{
	static const char *const numbered[] = { "docker",     "cni",     "podman",
						"cni-podman", "nerdctl", "virbr",
						"lxcbr",      "lxdbr",   "incusbr" };

	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		size_t stem = strlen(numbered[i]);

		if (length > stem && !memcmp(name, numbered[i], stem) &&
		    is_number(name + stem, length - stem))
			return true;
	}
	return length == 15 && !memcmp(name, "br-", 3) &&
	       all_in(name + 3, length - 3, "0123456789abcdef");
}

/* proc_net_dev: two lines of headings, then "  NAME: numbers". */
static bool read_bridges(struct preflight *found, struct err *err)
{
	struct buffer text;
	struct cursor cursor;
	const uint8_t *line;
	size_t length;
	bool present, ended;

	if (!read_proc(INTERFACES, &text, &present, err))
		return false;
	cursor = cursor_over(text.data, text.length);
	while (!found->host_network && cursor_line(&cursor, &line, &length, &ended)) {
		const uint8_t *colon = memchr(line, ':', length);
		const char *name;
		size_t name_length;

		while (length && *line == ' ') {
			line++;
			length--;
		}
		name = (const char *)line;
		name_length = colon ? (size_t)(colon - line) : 0;
		if (!is_container_bridge(name, name_length))
			continue;
		found->host_network = true;
		snprintf(found->host_network_sign, sizeof(found->host_network_sign),
			 "the container bridge %.*s is here", (int)name_length, name);
	}
	buffer_free(&text);
	if (!present)
		err_set(err, "%s: is not there; is /proc mounted?", INTERFACES);
	return present;
}

static bool read_host_network(struct preflight *found, struct err *err)
{
	if (!access(INITIAL_ONLY, F_OK)) {
		found->host_network = true;
		snprintf(found->host_network_sign, sizeof(found->host_network_sign),
			 "net.core.netdev_max_backlog, which only the first network namespace has, "
			 "is here");
		return true;
	}
	if (errno != ENOENT) {
		err_set_errno(err, errno, "%s: cannot be examined", INITIAL_ONLY);
		return false;
	}
	/* A file that is missing says something only where its neighbours are there. */
	if (access(NETWORK_SETTINGS, F_OK)) {
		err_set_errno(err, errno,
			      "%s: cannot be examined, so whether this is the host's network "
			      "cannot be told; is /proc mounted with subset=pid?",
			      NETWORK_SETTINGS);
		return false;
	}
	return read_bridges(found, err);
}

/* user_namespaces(7): of every uid to itself, in one line. */
static bool read_first_uids(bool *ret, struct err *err)
{
	struct buffer text;
	unsigned long first, outside, count;
	bool present;

	if (!read_proc(UID_MAP, &text, &present, err))
		return false;
	*ret = present &&
	       sscanf(buffer_string(&text), "%lu %lu %lu", &first, &outside, &count) == 3 &&
	       !first && !outside && count == UINT32_MAX;
	buffer_free(&text);
	return true;
}

static bool read_user_namespace(struct preflight *found, struct err *err)
{
	autoclose int network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	autoclose int owner = -1;
	struct stat ours, theirs;

	if (network < 0 || stat("/proc/self/ns/user", &ours)) {
		int errnum = errno;

		err_set_errno(err, errnum,
			      "/proc/self/ns: the namespaces of this process cannot be read");
		if (errnum == ENOENT)
			err_append(err, " (is /proc mounted?)");
		return false;
	}
	owner = ioctl(network, NS_GET_USERNS);
	if (owner < 0 && errno != EPERM && errno != ENOTTY) {
		err_set_errno(err, errno,
			      "the owner of this network namespace cannot be asked for");
		return false;
	}
	if (owner < 0) {
		bool outer = errno == EPERM;

		/* EPERM: the owner lies outside of our own; ENOTTY: there is no such request. */
		found->foreign_user_namespace = true;
		snprintf(found->user_namespace_sign, sizeof(found->user_namespace_sign),
			 outer ? "an outer user namespace owns this network namespace"
			       : "the kernel does not tell which user namespace owns this "
				 "network namespace");
		return outer || read_first_uids(&found->first_uids, err);
	}
	if (fstat(owner, &theirs)) {
		err_set_errno(err, errno, "the owner of this network namespace cannot be examined");
		return false;
	}
	if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino) {
		found->foreign_user_namespace = true;
		snprintf(found->user_namespace_sign, sizeof(found->user_namespace_sign),
			 "another user namespace owns this network namespace");
	}
	return true;
}

bool preflight_read(struct preflight *ret, struct err *err)
{
	struct preflight found = { 0 };

	if (!read_user_namespace(&found, err) || !read_host_network(&found, err) ||
	    !read_ipv6(&found.ipv6, err))
		return false;
	*ret = found;
	return true;
}
