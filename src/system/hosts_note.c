/* hosts_note.c: the notes in a hosts file that say what a torn write has left to do. */
#include "system/hosts_note.h"

#include "base/cursor.h"

#include <string.h>

#define NOTE_FORMAT NOTE_START "%c: %010zu %010zu %010zu %010zu"
enum { NOTE_TORN_MIN = 3 }; /* of a note's beginning; less could be anybody's */

bool hosts_ends_line(const uint8_t *bytes, size_t length)
{
	return !length || bytes[length - 1] == '\n';
}

void hosts_note_append(struct buffer *out, const struct hosts_note *note)
{
	buffer_printf(out, NOTE_FORMAT, note->state, note->head, note->length, note->old,
		      note->place);
}

static bool read_number(struct cursor *cursor, size_t *ret)
{
	const uint8_t *digits = cursor_take(cursor, 1 + NOTE_DIGITS);
	size_t value = 0;

	if (!digits || digits[0] != ' ')
		return false;
	for (size_t i = 1; i <= NOTE_DIGITS; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return false;
		value = value * 10 + (size_t)(digits[i] - '0');
	}
	*ret = value;
	return true;
}

static bool read_note(const uint8_t *line, size_t length, struct hosts_note *ret)
{
	struct cursor cursor = cursor_over(line, length);
	const uint8_t *start = cursor_take(&cursor, NOTE_NUMBERS_AT);
	struct hosts_note note;

	if (!start || memcmp(start, NOTE_START, NOTE_STATE_AT) || start[NOTE_STATE_AT + 1] != ':' ||
	    start[NOTE_STATE_AT] < NOTE_COPYING || start[NOTE_STATE_AT] > NOTE_COMMITTED)
		return false;
	note.state = start[NOTE_STATE_AT];
	if (!read_number(&cursor, &note.head) || !read_number(&cursor, &note.length) ||
	    !read_number(&cursor, &note.old) || !read_number(&cursor, &note.place))
		return false;
	for (size_t i = cursor.position; i < length; i++)
		if (line[i] != '#')
			return false;
	*ret = note;
	return true;
}

bool hosts_note_find(const struct buffer *text, struct hosts_note *ret, size_t *ret_after)
{
	struct cursor cursor = cursor_over(text->data, text->length);
	const uint8_t *line;
	size_t length;
	bool ended, found = false;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		size_t start = (size_t)(line - text->data);
		struct hosts_note note;

		if (!ended && length >= NOTE_TORN_MIN && !(found && ret->place == start) &&
		    !memcmp(line, NOTE_START, length < NOTE_STATE_AT ? length : NOTE_STATE_AT)) {
			*ret = (struct hosts_note){ NOTE_COPYING, start, 0, start, text->length };
			*ret_after = text->length;
			return true;
		}
		if (!ended || !read_note(line, length, &note) || note.head > note.old ||
		    note.old >= note.place || note.length > note.place - note.head ||
		    !hosts_ends_line(text->data, note.head))
			continue;
		/* The one before the copy, or the one before that, which reaches up to it. */
		if (start != note.place &&
		    (note.state != NOTE_COPYING || cursor.position != note.place ||
		     (start != note.old && start != note.old + 1)))
			continue;
		*ret = note;
		*ret_after = cursor.position;
		found = true;
	}
	return found;
}
