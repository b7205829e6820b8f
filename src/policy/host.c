/* host.c: host names, strictly read and brought into their one form. */
#include "policy/host.h"

#include "base/memory.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <libpsl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 63, NAME_MAX_OCTETS = HOST_TEXT_SIZE - 3 };

static bool is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((uint8_t)text[i] >= 0x80)
			return false;
	return true;
}

/* A U-label to its A-label, which the caller frees. */
static bool convert_label(const char *text, const char *label, size_t length, char **ret,
			  struct err *err)
{
	autofree char *copy = memory_format("%.*s", (int)length, label);
	char quoted[TEXT_QUOTE_SIZE];
	uint8_t *converted;
	int status;

	for (char *at = copy; *at; at++)
		*at = text_lower(*at);
	status = idn2_lookup_u8((const uint8_t *)copy, &converted, IDN2_NO_TR46);
	if (status == IDN2_MALLOC)
		memory_exhausted();
	if (status == IDN2_OK) {
		*ret = memory_copy_string((const char *)converted);
		idn2_free(converted);
		return true;
	}
	err_set(err,
		"%s %s; write the name in lower case and composed form (NFC), or as an A-label",
		text_quote(text, quoted),
		status == IDN2_NOT_NFC ? "is not in composed form (NFC)"
		: status == IDN2_DISALLOWED
			? "has a character that IDNA2008 does not allow in a name"
			: "is not a name by the rules of IDNA2008");
	return false;
}

static bool check_label(const char *text, const char *label, size_t length, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], character_quoted[TEXT_QUOTE_SIZE];

	if (!length) {
		err_set(err, "%s has an empty label; labels have 1 to 63 characters between dots",
			text_quote(text, quoted));
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		char character[2] = { label[i], '\0' };

		if (text_is_letter(label[i]) || text_is_digit(label[i]) || label[i] == '-')
			continue;
		err_set(err,
			"%s has the character %s; a host name has letters, digits, hyphens and "
			"dots",
			text_quote(text, quoted), text_quote(character, character_quoted));
		return false;
	}
	if (length > LABEL_MAX) {
		err_set(err, "%s has a label of %zu characters; labels have 1 to 63",
			text_quote(text, quoted), length);
		return false;
	}
	if (label[0] == '-' || label[length - 1] == '-') {
		err_set(err, "%s has a label that begins or ends with a hyphen",
			text_quote(text, quoted));
		return false;
	}
	return true;
}

/* Whether resolvers take the name for an address: its last label is a number of some base. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

	if (last[0] == '0' && last[1] == 'x')
		return last[2 + strspn(last + 2, "0123456789abcdef")] == '\0';
	return text_all_digits(last, strlen(last));
}

static bool check_name(const char *text, const char *name, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], address[INET_ADDRSTRLEN];
	struct in_addr meant;

	if (ends_in_number(name)) {
		if (inet_aton(name, &meant) && inet_ntop(AF_INET, &meant, address, sizeof(address)))
			err_set(err, "%s is another spelling of an address; did you mean \"%s\"?",
				text_quote(text, quoted), address);
		else
			err_set(err,
				"%s is neither a host name nor an address; an IPv4 address has "
				"four numbers from 0 to 255 without leading zeros",
				text_quote(text, quoted));
		return false;
	}
	if (!strcmp(name, "localhost") || host_is_below(name, "localhost")) {
		err_set(err, "%s is this host itself; loopback is governed by \"loopback\"",
			text_quote(text, quoted));
		return false;
	}
	return true;
}

/* Appends one label, converted and folded, to `name`. */
static bool append_label(const char *text, const char *label, size_t length, bool convert,
			 char name[HOST_TEXT_SIZE], size_t *used, struct err *err)
{
	autofree char *converted = NULL;
	char quoted[TEXT_QUOTE_SIZE];

	if (!is_ascii(label, length)) {
		if (!convert) {
			err_set(err, "%s is not ASCII; names stand in requests as A-labels",
				text_quote(text, quoted));
			return false;
		}
		if (!convert_label(text, label, length, &converted, err))
			return false;
		label = converted;
		length = strlen(converted);
	}
	if (!check_label(text, label, length, err))
		return false;
	if (*used + (*used ? 1 : 0) + length > NAME_MAX_OCTETS) {
		err_set(err, "%s has more than 253 characters", text_quote(text, quoted));
		return false;
	}
	if (*used)
		name[(*used)++] = '.';
	for (size_t i = 0; i < length; i++)
		name[(*used)++] = text_lower(label[i]);
	name[*used] = '\0';
	return true;
}

static bool normalise(const char *text, bool convert, char ret[HOST_TEXT_SIZE], struct err *err)
{
	char name[HOST_TEXT_SIZE];
	size_t used = 0;

	if (!*text) {
		err_set(err, "\"\" is empty; expected a host name");
		return false;
	}
	for (const char *label = text, *end;; label = end + 1) {
		end = strchrnul(label, '.');
		if (!append_label(text, label, (size_t)(end - label), convert, name, &used, err))
			return false;
		if (!end[0] || !end[1])
			break;
	}
	if (!check_name(text, name, err))
		return false;
	memcpy(ret, name, used + 1);
	return true;
}

bool host_normalise(const char *text, char ret[HOST_TEXT_SIZE], struct err *err)
{
	return normalise(text, true, ret, err);
}

bool host_normalise_request(const char *text, char ret[HOST_TEXT_SIZE], struct err *err)
{
	return normalise(text, false, ret, err);
}

bool host_is_below(const char *name, const char *parent)
{
	size_t length = strlen(name), parent_length = strlen(parent);

	return length > parent_length && name[length - parent_length - 1] == '.' &&
	       !strcmp(name + length - parent_length, parent);
}

bool host_is_public_suffix(const char *name)
{
	const psl_ctx_t *list = psl_builtin();

	/* Without a list nothing is known to be narrow enough. */
	return !strchr(name, '.') || !list || psl_is_public_suffix2(list, name, PSL_TYPE_ANY);
}
