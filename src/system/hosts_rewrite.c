/* hosts_rewrite.c: the writes that turn one hosts text into another, kill-safe at any byte. */
#include "system/hosts_rewrite.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A note: its state, then the numbers of struct note. */
#define NOTE_START "# egressfw rewrite "
#define NOTE_FORMAT NOTE_START "%c: %010zu %010zu %010zu %010zu"
enum {
	NOTE_STATE_AT = sizeof(NOTE_START) - 1,
	NOTE_NUMBERS_AT = NOTE_STATE_AT + 2,
	NOTE_DIGITS = 10,
	NOTE_NUMBERS = 4,
	NOTE_LENGTH = NOTE_NUMBERS_AT + NOTE_NUMBERS * (1 + NOTE_DIGITS), /* without the "\n" */
	NOTE_TORN_MIN = 3, /* of a note's beginning; less could be anybody's */
};

/* What a torn write has left to do. */
enum note_state {
	COPYING = '0',   /* undo: the copy may be torn, all of its lines are comments */
	COPIED = '1',    /* undo: the copy is whole, its lines may be comments still */
	COMMITTED = '2', /* finish from the copy */
};

struct note {
	enum note_state state;
	size_t head;   /* where the new tail begins */
	size_t length; /* of the new tail */
	size_t old;    /* length of the text before */
	size_t place;  /* of the note before the copy */
};

void hosts_writes_free(struct hosts_writes *writes)
{
	for (size_t i = 0; i < writes->count; i++)
		buffer_free(&writes->items[i].bytes);
	free(writes->items);
	*writes = (struct hosts_writes){ 0 };
}

static struct hosts_write *add(struct hosts_writes *writes)
{
	writes->items = memory_resize(writes->items, writes->count + 1, sizeof(*writes->items));
	writes->items[writes->count] = (struct hosts_write){ 0 };
	return &writes->items[writes->count++];
}

static struct buffer *add_write(struct hosts_writes *writes, size_t offset)
{
	struct hosts_write *write = add(writes);

	write->kind = HOSTS_WRITE;
	write->offset = offset;
	return &write->bytes;
}

static void add_sync(struct hosts_writes *writes)
{
	add(writes)->kind = HOSTS_SYNC;
}

static void add_cut(struct hosts_writes *writes, size_t length, size_t expected)
{
	struct hosts_write *write = add(writes);

	write->kind = HOSTS_CUT;
	write->offset = length;
	write->expected = expected;
}

static bool ends_line(const uint8_t *bytes, size_t length)
{
	return !length || bytes[length - 1] == '\n';
}

static void append_fill(struct buffer *out, size_t length)
{
	memset(buffer_reserve(out, length), '#', length);
	out->length += length;
}

/* The same lines, each one as a comment: only its first byte differs. Begins at a line's start. */
static void append_commented(struct buffer *out, const uint8_t *bytes, size_t length)
{
	size_t start = out->length;

	buffer_append(out, bytes, length);
	for (size_t i = 0; i < length; i++)
		if ((i == 0 || bytes[i - 1] == '\n') && bytes[i] != '\n')
			out->data[start + i] = '#';
}

static void append_note(struct buffer *out, const struct note *note)
{
	buffer_printf(out, NOTE_FORMAT, note->state, note->head, note->length, note->old,
		      note->place);
}

/*
 * From the commit on: what stands between the head and the copy's note becomes the new tail. Every
 * step may be repeated from the beginning, whichever was under way.
 */
static void finish(const struct note *note, const uint8_t *between, const uint8_t *tail,
		   struct hosts_writes *writes)
{
	size_t room = note->place - note->head;
	struct buffer *bytes;

	append_commented(add_write(writes, note->head), between, room);
	/* One comment to the end, which may be overwritten up to any byte. */
	bytes = add_write(writes, note->head);
	append_fill(bytes, room - 1);
	buffer_append_u8(bytes, '\n');
	bytes = add_write(writes, note->head);
	append_commented(bytes, tail, note->length);
	if (!ends_line(tail, note->length))
		buffer_append_u8(bytes, '\n');
	buffer_append(add_write(writes, note->head), tail, note->length);
	add_sync(writes);
	add_cut(writes, note->head + note->length, note->place + NOTE_LENGTH + 1 + note->length);
	add_sync(writes);
}

/* Appends both notes and the copy, and commits. Returns what stands between head and copy then. */
static struct buffer prepare(const struct buffer *from, const struct note *note,
			     const uint8_t *tail, struct hosts_writes *writes)
{
	struct buffer *bytes = add_write(writes, from->length), between = { 0 };

	writes->items[writes->count - 1].kind = HOSTS_APPEND;
	if (!ends_line(from->data, from->length))
		buffer_append_u8(bytes, '\n');
	append_note(bytes, note);
	append_fill(bytes, note->place - (from->length + bytes->length) - 1);
	buffer_append_u8(bytes, '\n');
	buffer_append(&between, from->data + note->head, from->length - note->head);
	buffer_append(&between, bytes->data, bytes->length);
	append_note(bytes, note);
	buffer_append_u8(bytes, '\n');
	append_commented(bytes, tail, note->length);
	buffer_append_u8(add_write(writes, note->place + NOTE_STATE_AT), COPIED);
	buffer_append(add_write(writes, note->place + NOTE_LENGTH + 1), tail, note->length);
	/* The copy must be on the disk before the commit is, and the commit before the old tail
	 * goes. */
	add_sync(writes);
	buffer_append_u8(add_write(writes, note->place + NOTE_STATE_AT), COMMITTED);
	add_sync(writes);
	return between;
}

void hosts_rewrite(const struct buffer *from, const struct buffer *to, struct hosts_writes *ret)
{
	struct hosts_writes writes = { 0 };
	size_t shorter = from->length < to->length ? from->length : to->length, same = 0;
	struct buffer between;
	struct note note;

	*ret = writes;
	while (same < shorter && from->data[same] == to->data[same])
		same++;
	if (same == from->length && same == to->length)
		return;
	if (same == to->length) {
		add_cut(ret, to->length, from->length);
		add_sync(ret);
		return;
	}
	while (same && to->data[same - 1] != '\n')
		same--;
	note = (struct note){ COPYING, same, to->length - same, from->length, 0 };
	note.place = from->length + !ends_line(from->data, from->length) + NOTE_LENGTH + 1;
	if (note.place < to->length + !ends_line(to->data, to->length))
		note.place = to->length + !ends_line(to->data, to->length);
	between = prepare(from, &note, to->data + same, &writes);
	finish(&note, between.data, to->data + same, &writes);
	buffer_free(&between);
	*ret = writes;
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

/* Reads a line as a note; what follows the numbers is nothing but fill. */
static bool read_note(const uint8_t *line, size_t length, struct note *ret)
{
	struct cursor cursor = cursor_over(line, length);
	const uint8_t *start = cursor_take(&cursor, NOTE_NUMBERS_AT);
	struct note note;

	if (!start || memcmp(start, NOTE_START, NOTE_STATE_AT) || start[NOTE_STATE_AT + 1] != ':' ||
	    start[NOTE_STATE_AT] < COPYING || start[NOTE_STATE_AT] > COMMITTED)
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

/*
 * Finds the last note that stands where its numbers say. *ret_after: where the line behind it
 * begins. A note that was itself torn tells only where it began.
 */
static bool find_note(const struct buffer *text, struct note *ret, size_t *ret_after)
{
	struct cursor cursor = cursor_over(text->data, text->length);
	const uint8_t *line;
	size_t length;
	bool ended, found = false;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		size_t start = (size_t)(line - text->data);
		struct note note;

		if (!ended && length >= NOTE_TORN_MIN && !(found && ret->place == start) &&
		    !memcmp(line, NOTE_START, length < NOTE_STATE_AT ? length : NOTE_STATE_AT)) {
			*ret = (struct note){ COPYING, start, 0, start, text->length };
			*ret_after = text->length;
			return true;
		}
		if (!ended || !read_note(line, length, &note) || note.head > note.old ||
		    note.old >= note.place || note.length > note.place - note.head ||
		    !ends_line(text->data, note.head))
			continue;
		/* The one before the copy, or the one before that, which reaches as far as the
		 * copy's. */
		if (start != note.place &&
		    (note.state != COPYING || cursor.position != note.place ||
		     (start != note.old && start != note.old + 1)))
			continue;
		*ret = note;
		*ret_after = cursor.position;
		found = true;
	}
	return found;
}

/*
 * Where that begins which others have appended. A copy that may be torn consists of comments, so
 * that the first other line is theirs.
 */
static size_t find_appended(const struct buffer *text, const struct note *note, size_t after)
{
	struct cursor cursor = cursor_over(text->data + after, text->length - after);
	const uint8_t *line;
	size_t length;
	bool ended;

	if (note->state != COPYING)
		return after + note->length < text->length ? after + note->length : text->length;
	while (cursor_line(&cursor, &line, &length, &ended))
		if (length && line[0] != '#')
			return (size_t)(line - text->data);
	return text->length;
}

bool hosts_rewrite_recover(const struct buffer *text, struct hosts_writes *ret)
{
	struct hosts_writes writes = { 0 };
	struct buffer wanted = { 0 };
	size_t after, appended;
	struct note note;

	if (!find_note(text, &note, &after))
		return false;
	appended = find_appended(text, &note, after);
	if (note.state == COMMITTED && text->length == after + note.length) {
		finish(&note, text->data + note.head, text->data + after, &writes);
	} else if (note.state == COMMITTED) {
		buffer_append(&wanted, text->data, note.head);
		buffer_append(&wanted, text->data + after, text->length - after);
		hosts_rewrite(text, &wanted, &writes);
	} else {
		buffer_append(&wanted, text->data, note.old);
		if (appended < text->length && !ends_line(wanted.data, wanted.length))
			buffer_append_u8(&wanted, '\n');
		buffer_append(&wanted, text->data + appended, text->length - appended);
		hosts_rewrite(text, &wanted, &writes);
	}
	buffer_free(&wanted);
	*ret = writes;
	return true;
}
