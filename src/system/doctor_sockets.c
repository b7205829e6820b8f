/* doctor_sockets.c: what is behind the UNIX sockets that the user may connect to. */
#include "system/doctor_sockets.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static void list_socket(const struct found_socket *found, struct buffer *ret, size_t *count)
{
	autofree char *text =
		found->known ? memory_format("%s (uid %" PRIu32 ")", found->path, found->opener)
			     : memory_format("%s (of whom is not known)", found->path);

	doctor_list(ret, count, text);
}

/* The sockets of a check that the user may connect to; true: there are some. */
static bool list_open(const struct doctor *doctor, enum check check, struct buffer *ret)
{
	const struct doctor_sockets *sockets = doctor->sockets;
	size_t count = 0;

	for (size_t i = 0; i < sockets->count; i++) {
		const struct found_socket *found = &sockets->items[i];

		if (found->check == check && !found->errnum)
			list_socket(found, ret, &count);
	}
	doctor_list_end(ret, count);
	return count > 0;
}

static void judge(const struct doctor *doctor, enum check check, const char *what,
		  const char *danger, const char *advice, struct check_result *ret)
{
	struct buffer list = { 0 };

	if (!doctor->sockets->asked)
		check_unknown(ret, "run doctor as root", "%s", doctor->sockets->err.text);
	else if (!list_open(doctor, check, &list) && !doctor->sockets->listed)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->sockets->err.text);
	else if (!list.length && doctor->sockets->unseen.length)
		check_unknown(ret,
			      "say a longer --timeout, which lets it look at more, or look there: "
			      "find DIRECTORY -type s",
			      "none was found, but not all files were looked at: of %s",
			      buffer_string(&doctor->sockets->unseen));
	else if (!list.length && doctor->sockets->first_more)
		check_unknown(ret,
			      "take away what is left of sockets that nobody needs, and run doctor "
			      "again",
			      "none was found, but there are more sockets than are looked at, %s "
			      "the first of them",
			      doctor->sockets->first_more);
	else if (!list.length && check == CHECK_UNIX_SOCKETS)
		check_pass(ret, "no socket that another user opened is open to the user");
	else if (!list.length)
		check_pass(ret, "no socket of %s is open to the user", what);
	else if (check == CHECK_CONTAINER_ENGINE)
		check_fail(ret, advice, "the user may connect to %s, %s", buffer_string(&list),
			   danger);
	else
		check_warn(ret, advice, "the user may connect to %s, %s", buffer_string(&list),
			   danger);
	buffer_free(&list);
}

void doctor_container_engine(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_CONTAINER_ENGINE, "a container engine",
	      "which starts programs as anybody, outside of these rules",
	      "do not mount it here, and take the user out of its group", ret);
}

void doctor_systemd_resolved(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_SYSTEMD_RESOLVED, "systemd-resolved",
	      "which asks name servers for anybody: a name can carry data out",
	      "stop systemd-resolved, or close its socket to the user", ret);
}

void doctor_nscd(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_NSCD, "nscd",
	      "which looks names up for anybody: a name can carry data out",
	      "stop nscd, or set \"enable-cache hosts no\"", ret);
}

void doctor_dbus(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_DBUS, "D-Bus",
	      "behind which services with a network of their own may listen",
	      "do not mount it here, or stop the services that reach out", ret);
}

void doctor_key_agents(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_KEY_AGENTS, "an ssh or gpg agent",
	      "which signs for the user; a forwarded one leads to another machine",
	      "end it, and forward no agent", ret);
}

void doctor_unix_sockets(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_UNIX_SOCKETS, "another user",
	      "behind which somebody else works, with a network of their own",
	      "close them to the user by their permissions, or see that none passes on what it is "
	      "told",
	      ret);
}

void doctor_abstract_sockets(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->sockets->listed)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->sockets->err.text);
	else if (doctor->sockets->abstract_count)
		check_warn(ret,
			   "see that none of them passes on what it is told; they have no "
			   "permissions, "
			   "and belong to the network namespace",
			   "abstract sockets listen, to which anybody may connect: %s",
			   buffer_string(&doctor->sockets->abstract));
	else
		check_pass(ret, "no abstract socket listens in this network namespace");
}
