/* usage.h: what there is to call, as text for people, and what they may have meant. */
#ifndef EGRESSFW_CMD_USAGE_H
#define EGRESSFW_CMD_USAGE_H

#include "cmd/options.h"

#include <stdio.h>

/* A line per command; a command's usage, what it does, and its options. */
void usage_print_overview(const struct command *commands, int count, FILE *stream);
void usage_print(const struct command *command, FILE *stream);

/* Says that `word` is none of the commands, what is odd about it, and which one is near. */
void usage_refuse(const struct command *commands, int count, const char *word, struct err *err);

#endif
