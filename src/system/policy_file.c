/* policy_file.c: the bytes of a policy, from a file that nobody else may write. */
#include "system/policy_file.h"

#include "base/text.h"
#include "policy/policy.h"
#include "system/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The check is on what was opened, so that nobody can change the path in between. */
static bool check_owner(const char *path, const struct stat *status, struct err *err)
{
	if (!S_ISREG(status->st_mode)) {
		err_set(err,
			"%s: is not a regular file, which a policy must be where egressfw has "
			"privileges; \"-\" reads standard input",
			path);
		return false;
	}
	if (status->st_uid != 0 && status->st_uid != geteuid()) {
		err_set(err, "%s: is owned by uid %u; a policy must be owned by root", path,
			(unsigned)status->st_uid);
		if (geteuid())
			err_append(err, " or by uid %u", (unsigned)geteuid());
		return false;
	}
	if (status->st_mode & (S_IWGRP | S_IWOTH)) {
		err_set(err, "%s: may be written by %s; chmod go-w it", path,
			status->st_mode & S_IWOTH ? "everybody" : "its group");
		return false;
	}
	return true;
}

bool policy_file_read(const char *path, bool privileged, struct buffer *ret, struct err *err)
{
	autoclose int descriptor = -1;
	struct stat status;

	if (!strcmp(path, "-"))
		return descriptor_read(STDIN_FILENO, "standard input", POLICY_TEXT_MAX, ret, err);
	/* Without O_NONBLOCK the open of a fifo would wait for a writer; a read then may. */
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (descriptor < 0 || fstat(descriptor, &status) || fcntl(descriptor, F_SETFL, 0)) {
		err_set_errno(err, errno, "%s: cannot be opened for reading", path);
		if (text_stray_blank(path))
			err_append(err, "; the name %s", text_stray_blank(path));
		return false;
	}
	if (S_ISDIR(status.st_mode)) {
		err_set(err, "%s: is a directory, not a policy", path);
		return false;
	}
	if (privileged && !check_owner(path, &status, err))
		return false;
	return descriptor_read(descriptor, path, POLICY_TEXT_MAX, ret, err);
}
