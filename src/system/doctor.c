/* doctor.c: what several checks of the machine share. */
#include "system/doctor.h"

#include "system/descriptor.h"

#include <sys/stat.h>

enum { DOCTOR_FILE_MAX = 32 * 1024 * 1024 };

bool doctor_read(const char *path, struct buffer *ret, bool *ret_present, struct err *err)
{
	return descriptor_read_file(path, DOCTOR_FILE_MAX, ret, ret_present, err);
}

/* The first process namespace has a number that never changes: PROC_PID_INIT_INO. */
bool doctor_sees_machine(void)
{
	enum { FIRST_PROCESS_NAMESPACE = (int)0xeffffffc };
	struct stat status;

	return !stat("/proc/self/ns/pid", &status) && (int)status.st_ino == FIRST_PROCESS_NAMESPACE;
}

void doctor_read_self(struct doctor *doctor)
{
	static const char path[] = "/proc/self/status";
	struct buffer text = { 0 };
	bool present = false;

	if (!doctor_read(path, &text, &present, &doctor->no_self))
		return;
	doctor->has_self = present && process_status_parse(text.data, text.length, &doctor->self);
	if (!doctor->has_self)
		err_set(&doctor->no_self, "%s: is not there or does not say it; is /proc mounted?",
			path);
	buffer_free(&text);
}

void doctor_look(struct doctor *doctor, const struct subject *subject)
{
	doctor->subject = subject;
	doctor_sockets_free(doctor->sockets);
	doctor->sockets = doctor_sockets_find(doctor);
	if (!doctor->programs)
		doctor->programs = doctor_programs_find(doctor);
	doctor_programs_ask(doctor, doctor->programs);
}

void doctor_free(struct doctor *doctor)
{
	doctor_sockets_free(doctor->sockets);
	doctor_programs_free(doctor->programs);
	unix_sockets_free(&doctor->waiting);
	doctor->sockets = NULL;
	doctor->programs = NULL;
}

void doctor_list(struct buffer *list, size_t *count, const char *text)
{
	if (*count < DOCTOR_LISTED)
		buffer_printf(list, "%s%s", *count ? ", " : "", text);
	++*count;
}

void doctor_list_end(struct buffer *list, size_t count)
{
	if (count > DOCTOR_LISTED)
		buffer_printf(list, " and %zu more", count - DOCTOR_LISTED);
}
