/* hosts_rewrite.c: the writes that turn one hosts text into another, kill-safe at any byte. */
#include "system/hosts_rewrite.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/hosts_note.h"

#include <stdlib.h>
#include <string.h>

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

/*
 * From the commit on: what stands between the head and the copy's note becomes the new tail. Every
 * step may be repeated from the beginning, whichever was under way.
 */
static void finish(const struct hosts_note *note, const uint8_t *between, const uint8_t *tail,
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
	if (!hosts_ends_line(tail, note->length))
		buffer_append_u8(bytes, '\n');
	buffer_append(add_write(writes, note->head), tail, note->length);
	add_sync(writes);
	add_cut(writes, note->head + note->length, note->place + NOTE_LENGTH + 1 + note->length);
	add_sync(writes);
}

/* Appends both notes and the copy, and commits. Returns what stands between head and copy then. */
static struct buffer prepare(const struct buffer *from, const struct hosts_note *note,
			     const uint8_t *tail, struct hosts_writes *writes)
{
	struct buffer *bytes = add_write(writes, from->length), between = { 0 };

	writes->items[writes->count - 1].kind = HOSTS_APPEND;
	if (!hosts_ends_line(from->data, from->length))
		buffer_append_u8(bytes, '\n');
	hosts_note_append(bytes, note);
	append_fill(bytes, note->place - (from->length + bytes->length) - 1);
	buffer_append_u8(bytes, '\n');
	buffer_append(&between, from->data + note->head, from->length - note->head);
	buffer_append(&between, bytes->data, bytes->length);
	hosts_note_append(bytes, note);
	buffer_append_u8(bytes, '\n');
	append_commented(bytes, tail, note->length);
	buffer_append_u8(add_write(writes, note->place + NOTE_STATE_AT), NOTE_COPIED);
	buffer_append(add_write(writes, note->place + NOTE_LENGTH + 1), tail, note->length);
	/* The copy must be on the disk before the commit is, and the commit before the old tail
	 * goes. */
	add_sync(writes);
	buffer_append_u8(add_write(writes, note->place + NOTE_STATE_AT), NOTE_COMMITTED);
	add_sync(writes);
	return between;
}

void hosts_rewrite(const struct buffer *from, const struct buffer *to, struct hosts_writes *ret)
{
	struct hosts_writes writes = { 0 };
	size_t shorter = from->length < to->length ? from->length : to->length, same = 0;
	struct buffer between;
	struct hosts_note note;

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
	note = (struct hosts_note){ NOTE_COPYING, same, to->length - same, from->length, 0 };
	note.place = from->length + !hosts_ends_line(from->data, from->length) + NOTE_LENGTH + 1;
	if (note.place < to->length + !hosts_ends_line(to->data, to->length))
		note.place = to->length + !hosts_ends_line(to->data, to->length);
	between = prepare(from, &note, to->data + same, &writes);
	finish(&note, between.data, to->data + same, &writes);
	buffer_free(&between);
	*ret = writes;
}

/*
 * Where that begins which others have appended. A copy that may be torn consists of comments, so
 * that the first other line is theirs.
 */
static size_t find_appended(const struct buffer *text, const struct hosts_note *note, size_t after)
{
	struct cursor cursor = cursor_over(text->data + after, text->length - after);
	const uint8_t *line;
	size_t length;
	bool ended;

	if (note->state != NOTE_COPYING)
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
	struct hosts_note note;

	if (!hosts_note_find(text, &note, &after))
		return false;
	appended = find_appended(text, &note, after);
	if (note.state == NOTE_COMMITTED && text->length == after + note.length) {
		finish(&note, text->data + note.head, text->data + after, &writes);
	} else if (note.state == NOTE_COMMITTED) {
		buffer_append(&wanted, text->data, note.head);
		buffer_append(&wanted, text->data + after, text->length - after);
		hosts_rewrite(text, &wanted, &writes);
	} else {
		buffer_append(&wanted, text->data, note.old);
		if (appended < text->length && !hosts_ends_line(wanted.data, wanted.length))
			buffer_append_u8(&wanted, '\n');
		buffer_append(&wanted, text->data + appended, text->length - appended);
		hosts_rewrite(text, &wanted, &writes);
	}
	buffer_free(&wanted);
	*ret = writes;
	return true;
}
