/* diagnosis_json.c: the table of answers as the object of contrib/doctor.schema.json. */
#include "doctor/diagnosis.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>

/* Every value goes through here, so that none can be missing for want of memory. */
static void set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value))
		memory_exhausted();
}

static void append(json_t *array, json_t *value)
{
	if (!value || json_array_append_new(array, value))
		memory_exhausted();
}

/* Bytes that are no ASCII text become "?": paths may be in any encoding. */
static json_t *string(const char *text)
{
	autofree char *copy = NULL;

	if (!text)
		return json_null();
	copy = memory_copy_string(text);
	for (char *at = copy; *at; at++)
		if ((uint8_t)*at >= 0x7f)
			*at = '?';
	return json_string(copy);
}

static json_t *array_of_users(const struct diagnosis *diagnosis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diagnosis->user_count; i++) {
		json_t *object = json_object();

		set(object, "uid", json_integer(diagnosis->users[i].uid));
		set(object, "name", string(diagnosis->users[i].name));
		append(array, object);
	}
	return array;
}

static json_t *array_of_checks(const struct diagnosis *diagnosis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct diagnosis_row *row = &diagnosis->rows[i];
		bool channel = row->check >= CHECK_FIRST_CHANNEL;
		json_t *object = json_object();

		set(object, "name", json_string(check_name(row->check)));
		set(object, "user",
		    channel ? json_integer(diagnosis->users[row->user].uid) : json_null());
		set(object, "status", json_string(check_status_name(row->result.status)));
		set(object, "finding", string(row->result.finding));
		set(object, "advice", string(row->result.advice));
		append(array, object);
	}
	return array;
}

void diagnosis_json(const struct diagnosis *diagnosis, int exit_status, struct buffer *out)
{
	json_t *object = json_object();
	char *text;

	set(object, "command", json_string("doctor"));
	set(object, "instance", string(diagnosis->instance));
	set(object, "users", array_of_users(diagnosis));
	set(object, "checks", array_of_checks(diagnosis));
	set(object, "verdict", json_string(check_status_name(diagnosis_verdict(diagnosis))));
	set(object, "note", string(diagnosis->note));
	set(object, "exit_status", json_integer(exit_status));
	text = json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	if (!text)
		memory_exhausted();
	buffer_append_text(out, text);
	buffer_append_text(out, "\n");
	free(text);
	json_decref(object);
}
