/* doctor_rights.c: rules and groups by which the user may become somebody else. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/accounts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 128, TEXT_MAX = 4 * 1024 * 1024 };

/* All rules as one text. */
struct rules {
	struct buffer text;
	size_t files;
	struct err err;
};

static bool read_rules(struct rules *rules, const char *path, bool *ret_present);

/* sudoers(5): names with a dot or with "~" at the end are passed over. */
static bool read_directory(struct rules *rules, const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool good = true, present;

	if (!directory && errno == ENOENT)
		return true;
	if (!directory) {
		err_set_errno(&rules->err, errno, "%s: cannot be read", path);
		return false;
	}
	while (good && (entry = readdir(directory))) {
		autofree char *file = memory_format("%s/%s", path, entry->d_name);

		if (strchr(entry->d_name, '.') || entry->d_name[strlen(entry->d_name) - 1] == '~')
			continue;
		good = read_rules(rules, file, &present);
	}
	closedir(directory);
	return good;
}

static bool read_includes(struct rules *rules, const struct buffer *text, const char *path)
{
	struct cursor cursor = cursor_over(text->data, text->length);
	struct sudo_include include;
	bool present;

	while (sudo_include_next(&cursor, &include)) {
		autofree char *name = word_copy(include.path);
		const char *slash = strrchr(path, '/');
		autofree char *whole =
			*name == '/' ? memory_copy_string(name)
				     : memory_format("%.*s/%s", (int)(slash - path), path, name);

		if (include.directory ? !read_directory(rules, whole)
				      : !read_rules(rules, whole, &present))
			return false;
	}
	return true;
}

static bool read_rules(struct rules *rules, const char *path, bool *ret_present)
{
	struct buffer raw = { 0 }, text = { 0 };
	bool good;

	if (rules->files++ == FILES_MAX || rules->text.length > TEXT_MAX) {
		err_set(&rules->err, "%s: there are more rules than are read", path);
		return false;
	}
	if (!doctor_read(path, &raw, ret_present, &rules->err))
		return false;
	sudo_join(raw.data, raw.length, &text);
	buffer_append_text(&text, "\n");
	buffer_append(&rules->text, text.data, text.length);
	good = read_includes(rules, &text, path);
	buffer_free(&raw);
	buffer_free(&text);
	return good;
}

static void judge(bool read, bool present, bool may, const struct rules *rules, const char *path,
		  struct word line, struct check_result *ret)
{
	autofree char *text = word_copy(line);

	if (may)
		check_fail(ret,
			   "take the rule out, or start the user's program by run, which sets "
			   "no_new_privs",
			   "the user may become somebody else by a rule of %s: \"%s\"", path, text);
	else if (!read)
		check_unknown(ret, "run doctor as root", "%s", rules->err.text);
	else if (!present)
		check_pass(ret, "there is no %s", path);
	else
		check_pass(ret, "no rule of %s is about the user", path);
}

void doctor_sudo(const struct doctor *doctor, struct check_result *ret)
{
	static const char path[] = "/etc/sudoers";
	const struct person person = subject_person(doctor->subject);
	struct rules rules = { 0 };
	struct word line = { "", 0 };
	bool present = false, read, may;

	read = read_rules(&rules, path, &present);
	may = sudo_may(rules.text.data, rules.text.length, &person, &line);
	judge(read, present, may, &rules, path, line, ret);
	buffer_free(&rules.text);
}

void doctor_doas(const struct doctor *doctor, struct check_result *ret)
{
	static const char path[] = "/etc/doas.conf";
	const struct person person = subject_person(doctor->subject);
	struct rules rules = { 0 };
	struct buffer raw = { 0 };
	struct word line = { "", 0 };
	bool present = false, read, may;

	read = doctor_read(path, &raw, &present, &rules.err);
	sudo_join(raw.data, raw.length, &rules.text);
	may = doas_may(rules.text.data, rules.text.length, &person, &line);
	judge(read, present, may, &rules, path, line, ret);
	buffer_free(&rules.text);
	buffer_free(&raw);
}

void doctor_privileged_groups(const struct doctor *doctor, struct check_result *ret)
{
	const struct subject *subject = doctor->subject;
	struct buffer list = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < subject->group_count; i++) {
		const char *name = subject->group_names[i] ? subject->group_names[i] : "";
		const struct word word = { name, strlen(name) };

		if (group_is_privileged(word, subject->gids[i]))
			doctor_list(&list, &count, *name ? name : "gid 0");
	}
	doctor_list_end(&list, count);
	if (count)
		check_fail(ret,
			   "take the user out of them, or start the user's program without "
			   "supplementary groups",
			   "the user is in groups that lead to more rights: %s",
			   buffer_string(&list));
	else
		check_pass(ret, "the user is in no group that is known to lead to more rights");
	buffer_free(&list);
}
