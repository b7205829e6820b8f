/* session_hosts.c: which hosts file is meant, by the option or by what an apply has kept. */
#include "cmd/session.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool session_find_hosts_file(struct session *session, struct failure *failure)
{
	const char *given = session->options->hosts_file;
	autofree char *directory = *given == '/' ? NULL : getcwd(NULL, 0);

	if (*given != '/' && !directory) {
		err_set_errno(&failure->err, errno, "--hosts-file: the working directory");
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	session->hosts_file =
		directory ? memory_format("%s/%s", directory, given) : memory_copy_string(given);
	if (strlen(session->hosts_file) <= HOSTS_PATH_MAX)
		return true;
	err_set(&failure->err,
		"--hosts-file: %.64s...: is a longer path than the %d bytes that can be kept",
		session->hosts_file, HOSTS_PATH_MAX);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

void session_take_hosts_file(struct session *session, const char *kept)
{
	if (session->options->hosts_given || !*kept)
		return;
	free(session->hosts_file);
	session->hosts_file = memory_copy_string(kept);
}

char *session_kept_hosts_file(struct session *session)
{
	struct failure ignored;
	struct plan kept = { 0 };
	bool present;
	char *path;

	if (!session_read_plan(session, &kept, &present, &ignored) || !present)
		return memory_copy_string("");
	path = memory_copy_string(kept.hosts_file);
	plan_free(&kept);
	return path;
}
