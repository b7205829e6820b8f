/* request_key.c: for which keys the kernel's helper has rules, by request-key.conf(5). */
#include "doctor/request_key.h"

/* "create  dns_resolver  *  *  /sbin/key.dns_resolver %k"; what has no program is no rule. */
static bool read_rule(struct cursor *line, struct word *ret)
{
	struct word operation, type, ignored;

	if (!word_next(line, &operation) || word_begins(operation, "#") || !word_next(line, &type))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!word_next(line, &ignored))
			return false;
	*ret = type;
	return true;
}

bool request_key_next(struct cursor *text, struct word *ret)
{
	struct cursor line;

	while (line_next(text, &line))
		if (read_rule(&line, ret))
			return true;
	return false;
}
