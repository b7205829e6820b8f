/* user_spec.c: one confined or exempt user: a name, a uid or a range of uids. */
#include "policy/policy.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { USER_NAME_MAX = 255 };

void user_spec_free(struct user_spec *spec)
{
	free(spec->name);
	*spec = (struct user_spec){ 0 };
}

/* Whether text is meant as a number or a range, valid or not. */
static bool is_numeric(const char *text)
{
	return strpbrk(text, "0123456789") && !text[strspn(text, "0123456789-")];
}

static bool read_range(const char *text, struct range *ret, struct err *err)
{
	const char *hyphen = strchr(text, '-');
	size_t length = hyphen ? (size_t)(hyphen - text) : strlen(text);
	char quoted[TEXT_QUOTE_SIZE];
	struct range range;

	if (!text_number(text, length, &range.first) ||
	    !text_number(hyphen ? hyphen + 1 : text, hyphen ? strlen(hyphen + 1) : length,
			 &range.last)) {
		err_set(err,
			"%s is not a range of uids; a uid is a number from 1 to 4294967294 without "
			"leading zeros",
			text_quote(text, quoted));
		return false;
	}
	if (range.first > range.last) {
		err_set(err, "%s ends before it begins; did you mean \"%u-%u\"?",
			text_quote(text, quoted), range.last, range.first);
		return false;
	}
	if (range.first == 0 || range.last == UINT32_MAX) {
		err_set(err,
			range.first == 0
				? "%s includes uid 0, which is never confined and always exempt; "
				  "expected 1 to 4294967294"
				: "%s includes uid 4294967295, which is no user; expected 1 to "
				  "4294967294",
			text_quote(text, quoted));
		return false;
	}
	*ret = range;
	return true;
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > USER_NAME_MAX || text[0] == '-' || text[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text_is_letter(text[i]) || text_is_digit(text[i]) || strchr("._-", text[i]))
			continue;
		/* Accounts of machines end with a dollar sign. */
		if (text[i] != '$' || i + 1 < length || i == 0)
			return false;
	}
	return true;
}

bool user_spec_parse(const char *text, struct user_spec *ret, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];
	struct range range;

	if (is_numeric(text)) {
		if (!read_range(text, &range, err))
			return false;
		*ret = (struct user_spec){ .range = range };
		return true;
	}
	if (!is_name(text)) {
		err_set(err,
			"%s is not a user name; expected a name, a uid, or a range as in "
			"\"100000-165535\"",
			text_quote(text, quoted));
		return false;
	}
	if (!strcmp(text, "root")) {
		err_set(err, "\"root\" is uid 0, which is never confined and always exempt");
		return false;
	}
	*ret = (struct user_spec){ .name = memory_copy_string(text) };
	return true;
}
