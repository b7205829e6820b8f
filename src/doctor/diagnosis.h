/* diagnosis.h: the table of answers, as text for people and as JSON for programs. */
#ifndef EGRESSFW_DOCTOR_DIAGNOSIS_H
#define EGRESSFW_DOCTOR_DIAGNOSIS_H

#include "base/buffer.h"
#include "doctor/checks.h"

#include <stddef.h>
#include <stdint.h>

/* Pure. A user whose residual channels were looked at. */
struct diagnosis_user {
	uint32_t uid;
	char *name; /* NULL: passwd has none */
};

struct diagnosis_row {
	enum check check;
	size_t user; /* index of the user that a channel is about */
	struct check_result result;
};

/* Starts as { 0 }. */
struct diagnosis {
	const char *instance;
	struct diagnosis_user *users;
	size_t user_count;
	struct diagnosis_row *rows;
	size_t count;
	const char *note; /* why no user was looked at, or where they were; NULL */
};

void diagnosis_free(struct diagnosis *diagnosis);

/* Copies the name. Rows of channels that are added next are about this user. */
void diagnosis_add_user(struct diagnosis *diagnosis, uint32_t uid, const char *name);

/* Takes the result over. */
void diagnosis_add(struct diagnosis *diagnosis, enum check check, struct check_result *result);

/* Fail before unknown before warn before pass. */
enum check_status diagnosis_verdict(const struct diagnosis *diagnosis);

/* How many rows have the status. */
size_t diagnosis_count(const struct diagnosis *diagnosis, enum check_status status);

/* An aligned table; with colours where `colour`. */
void diagnosis_text(const struct diagnosis *diagnosis, bool colour, struct buffer *out);

/* One object of contrib/doctor.schema.json and a newline. */
void diagnosis_json(const struct diagnosis *diagnosis, int exit_status, struct buffer *out);

#endif
