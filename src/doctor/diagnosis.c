/* diagnosis.c: the table of answers. */
#include "doctor/diagnosis.h"

#include "base/memory.h"

#include <stdlib.h>

void diagnosis_free(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->count; i++)
		check_result_free(&diagnosis->rows[i].result);
	for (size_t i = 0; i < diagnosis->user_count; i++)
		free(diagnosis->users[i].name);
	free(diagnosis->rows);
	free(diagnosis->users);
	*diagnosis = (struct diagnosis){ 0 };
}

void diagnosis_add_user(struct diagnosis *diagnosis, uint32_t uid, const char *name)
{
	diagnosis->users = memory_resize(diagnosis->users, diagnosis->user_count + 1,
					 sizeof(*diagnosis->users));
	diagnosis->users[diagnosis->user_count++] = (struct diagnosis_user){
		.uid = uid,
		.name = name ? memory_copy_string(name) : NULL,
	};
}

void diagnosis_add(struct diagnosis *diagnosis, enum check check, struct check_result *result)
{
	diagnosis->rows =
		memory_resize(diagnosis->rows, diagnosis->count + 1, sizeof(*diagnosis->rows));
	diagnosis->rows[diagnosis->count++] = (struct diagnosis_row){
		.check = check,
		.user = diagnosis->user_count ? diagnosis->user_count - 1 : 0,
		.result = *result,
	};
	*result = (struct check_result){ 0 };
}

size_t diagnosis_count(const struct diagnosis *diagnosis, enum check_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < diagnosis->count; i++)
		count += diagnosis->rows[i].result.status == status;
	return count;
}

enum check_status diagnosis_verdict(const struct diagnosis *diagnosis)
{
	static const enum check_status worst_first[] = { CHECK_FAIL, CHECK_UNKNOWN, CHECK_WARN };

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(*worst_first); i++)
		if (diagnosis_count(diagnosis, worst_first[i]))
			return worst_first[i];
	return CHECK_PASS;
}
