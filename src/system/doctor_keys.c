/* doctor_keys.c: whether the user can have the kernel start its helper for keys, which is root. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/request_key.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * For a key that is not there request_key(2) has the kernel execute /sbin/request-key, as root, in
 * the machine's own namespaces whoever asks (the kernel's security/keys/request_key.c). What that
 * does is in request-key.conf(5): asking a name server for what the user says, among others.
 */
#define HELPER "/sbin/request-key"
static const char advice[] =
	"start the user's program by run, or under a seccomp filter that refuses "
	"add_key, request_key and keyctl";

/* An address that is none comes after the filter and before anything is looked for. */
static bool calls_are_refused(void)
{
	return syscall(SYS_request_key, NULL, NULL, NULL, 0) < 0 &&
	       (errno == ENOSYS || errno == EPERM || errno == EACCES);
}

static bool list_types(const char *path, struct buffer *list, size_t *count, struct err *err)
{
	struct buffer text = { 0 };
	struct cursor cursor;
	struct word type;
	bool present;

	if (!doctor_read(path, &text, &present, err))
		return false;
	cursor = cursor_over(text.data, text.length);
	while (request_key_next(&cursor, &type)) {
		autofree char *name = word_copy(type);

		doctor_list(list, count, name);
	}
	buffer_free(&text);
	return true;
}

static int is_rules_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > strlen(".conf") &&
	       !strcmp(entry->d_name + length - strlen(".conf"), ".conf");
}

/* Not by glob(3), with which the name service switch would come into the static program. */
static bool list_directory(const char *path, struct buffer *list, size_t *count, struct err *err)
{
	struct dirent **entries = NULL;
	int found = scandir(path, &entries, is_rules_file, alphasort);
	bool good = found >= 0 || errno == ENOENT;

	if (!good)
		err_set_errno(err, errno, "%s: cannot be read", path);
	for (int i = 0; i < found; i++) {
		autofree char *file = memory_format("%s/%s", path, entries[i]->d_name);

		good = good && list_types(file, list, count, err);
		free(entries[i]);
	}
	free(entries);
	return good;
}

static bool list_rules(struct buffer *list, size_t *count, struct err *err)
{
	bool good = list_types("/etc/request-key.conf", list, count, err) &&
		    list_directory("/etc/request-key.d", list, count, err);

	doctor_list_end(list, *count);
	return good;
}

static void judge_rules(struct check_result *ret)
{
	struct buffer list = { 0 };
	size_t count = 0;
	struct err err;

	if (!list_rules(&list, &count, &err))
		check_unknown(ret, advice, "%s", err.text);
	else if (!count)
		check_pass(ret, HELPER ", which the kernel starts for a key that is not there, has "
				       "no rules");
	else
		check_warn(
			ret, advice,
			"for a key that is not there the kernel starts " HELPER
			" as root, which has rules for keys of the types %s: a program of theirs "
			"may ask a name server",
			buffer_string(&list));
	buffer_free(&list);
}

void doctor_request_key(const struct doctor *doctor, struct check_result *ret)
{
	(void)doctor;
	if (calls_are_refused())
		check_pass(ret, "asking the kernel for keys is refused to what is started from "
				"here");
	else if (!doctor_sees_machine())
		check_warn(ret, advice,
			   "for a key that is not there the kernel starts " HELPER
			   " of the host as root, outside of this container and of these rules; "
			   "whether the host has it is not seen from here");
	else if (access(HELPER, F_OK) && errno == ENOENT)
		check_pass(ret, "there is no " HELPER " that the kernel could start for a key");
	else
		judge_rules(ret);
}
