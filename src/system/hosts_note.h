/* hosts_note.h: the notes in a hosts file that say what a torn write has left to do. */
#ifndef EGRESSFW_SYSTEM_HOSTS_NOTE_H
#define EGRESSFW_SYSTEM_HOSTS_NOTE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A note: its state, then the numbers of struct hosts_note. What follows them is nothing but fill. */
#define NOTE_START "# egressfw rewrite "
enum {
	NOTE_STATE_AT = sizeof(NOTE_START) - 1, /* the one byte that changes */
	NOTE_NUMBERS_AT = NOTE_STATE_AT + 2,
	NOTE_DIGITS = 10,
	NOTE_NUMBERS = 4,
	NOTE_LENGTH = NOTE_NUMBERS_AT + NOTE_NUMBERS * (1 + NOTE_DIGITS), /* without the "\n" */
};

/* What a torn write has left to do. */
enum hosts_note_state {
	NOTE_COPYING = '0',   /* undo: the copy may be torn, all of its lines are comments */
	NOTE_COPIED = '1',    /* undo: the copy is whole, its lines may be comments still */
	NOTE_COMMITTED = '2', /* finish from the copy */
};

struct hosts_note {
	enum hosts_note_state state;
	size_t head;   /* where the new tail begins */
	size_t length; /* of the new tail */
	size_t old;    /* length of the text before */
	size_t place;  /* of the note before the copy */
};

/* Appends it, without the "\n". */
void hosts_note_append(struct buffer *out, const struct hosts_note *note);

/*
 * Finds the last note that stands where its numbers say. *ret_after: where the line behind it
 * begins. A note that was itself torn tells only where it began.
 */
bool hosts_note_find(const struct buffer *text, struct hosts_note *ret, size_t *ret_after);

/* Whether a line may begin behind these bytes. */
bool hosts_ends_line(const uint8_t *bytes, size_t length);

#endif
