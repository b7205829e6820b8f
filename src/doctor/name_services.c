/* name_services.c: where the C library looks up host names, by nsswitch.conf(5). */
#include "doctor/name_services.h"

#include "doctor/words.h"

#include <string.h>

/* The services behind "hosts:"; actions stand in brackets, with blanks in them. */
static enum hosts_order read_services(struct cursor *line)
{
	struct word word;
	bool in_action = false, others = false;

	while (word_next(line, &word)) {
		bool opens = *word.text == '[';

		if (!in_action && !opens && word_is(word, "files"))
			return others ? HOSTS_FILES_LATER : HOSTS_FILES_FIRST;
		/* "myhostname" knows this machine's own names alone. */
		if (!in_action && !opens && !word_is(word, "myhostname"))
			others = true;
		in_action = (in_action || opens) && word.text[word.length - 1] != ']';
	}
	return HOSTS_FILES_NEVER;
}

enum hosts_order hosts_order(const void *text, size_t length)
{
	struct cursor cursor = cursor_over(text, length), line;

	while (line_next(&cursor, &line)) {
		const char *start = (const char *)line.data;
		const char *comment = line.length ? memchr(start, '#', line.length) : NULL;
		struct word key;

		if (comment)
			line = cursor_over(start, (size_t)(comment - start));
		if (!part_next(&line, ':', &key) || !word_is(word_trim(key), "hosts"))
			continue;
		return read_services(&line);
	}
	return HOSTS_NO_LINE;
}
