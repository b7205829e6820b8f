/* log_summary_json.c: a summed up decision log as one JSON object. */
#include "plan/log_summary.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value))
		memory_exhausted();
}

/* Sums of a log that somebody made up may be larger than JSON's readers take. */
static json_t *integer(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static json_t *counts(const struct log_count *count)
{
	json_t *object = json_object();

	if (!object)
		memory_exhausted();
	set(object, "allowed", integer(count->allowed));
	set(object, "failed", integer(count->failed));
	set(object, "refused", integer(count->refused));
	set(object, "bytes_up", integer(count->bytes_up));
	set(object, "bytes_down", integer(count->bytes_down));
	return object;
}

/* RFC 3339; null where nothing has a time. */
static json_t *time_of(const struct log_summary *summary, size_t stretch)
{
	char text[SUMMARY_WORD_SIZE];

	if (!summary->width)
		return json_null();
	log_time_format(summary->first + (int64_t)stretch * summary->width, text);
	*strchr(text, ' ') = 'T';
	return json_sprintf("%s:00Z", text);
}

static json_t *hosts(const struct log_summary *summary, const size_t *top, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct log_host *host = &summary->hosts[top[i]];
		json_t *object = counts(&host->count);

		set(object, "host", json_string(host->name));
		if (!array || json_array_append_new(array, object))
			memory_exhausted();
	}
	return array;
}

void log_summary_json(const struct log_summary *summary, struct buffer *out)
{
	json_t *object = json_object();
	size_t top[SUMMARY_TOP], count;
	struct log_count rest;
	char *text;

	if (!object)
		memory_exhausted();
	log_summary_top(summary, top, &count);
	rest = log_summary_rest(summary, top, count);
	set(object, "command", json_string("log"));
	set(object, "from", time_of(summary, 0));
	set(object, "to", time_of(summary, log_summary_last_stretch(summary) + 1));
	set(object, "hosts", hosts(summary, top, count));
	set(object, "others", counts(&rest));
	set(object, "all", counts(&summary->all));
	set(object, "malformed", integer(summary->malformed));
	set(object, "dropped_files", integer(summary->dropped));
	set(object, "full", json_boolean(summary->full));
	text = json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
	json_decref(object);
	if (!text)
		memory_exhausted();
	/* The one control character that ASCII has beyond the blank is not escaped by jansson. */
	for (const char *byte = text; *byte; byte++)
		if (*byte == 0x7f)
			buffer_append_text(out, "\\u007f");
		else
			buffer_append_u8(out, (uint8_t)*byte);
	buffer_append_text(out, "\n");
	free(text);
}
