/* usage.c: what there is to call, as text for people, and what they may have meant. */
#include "cmd/usage.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/nearest.h"

static void print(FILE *stream, struct buffer *text)
{
	fwrite(text->data, 1, text->length, stream);
	buffer_free(text);
}

void usage_print_overview(const struct command *commands, int count, FILE *stream)
{
	struct buffer text = { 0 };

	buffer_append_text(&text, "usage: egressfw COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (int i = 0; i < count; i++)
		buffer_printf(&text, "  %-8s %-18s %s\n", commands[i].name, commands[i].arguments,
			      commands[i].does);
	buffer_append_text(
		&text,
		"\nPOLICY may be - (standard input). egressfw COMMAND --help lists the options.\n"
		"See egressfw(8) and egressfw-policy(5).\n");
	print(stream, &text);
}

void usage_print(const struct command *command, FILE *stream)
{
	struct buffer text = { 0 };

	buffer_printf(&text, "usage: egressfw %s [OPTION...]%s%s\n%s\n\n", command->name,
		      *command->arguments ? " " : "", command->arguments, command->does);
	options_print_help(command, &text);
	print(stream, &text);
}

void usage_refuse(const struct command *commands, int count, const char *word, struct err *err)
{
	autofree const char **names = memory_allocate((size_t)count, sizeof(*names));
	const char *stray = text_stray_blank(word), *meant;
	char quoted[TEXT_QUOTE_SIZE];

	for (int i = 0; i < count; i++)
		names[i] = commands[i].name;
	meant = nearest(word, names, (size_t)count);
	err_set(err, "no command %s", text_quote(word, quoted));
	if (stray)
		err_append(err, ", which %s", stray);
	err_append(err, "; ");
	if (meant)
		err_append(err, "did you mean \"%s\"? ", meant);
	err_append(err, "see egressfw --help");
}
