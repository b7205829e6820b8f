/* path.c: the one canonical form of a path. */
#include "policy/url.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/percent.h"

#include <stdlib.h>
#include <string.h>

enum { DECODING_ROUNDS = 3 };

/* Decodes the unreserved characters once, in place; whether there was one. */
static bool decode_round(char *path)
{
	bool changed = false;
	char *out = path;

	for (const char *at = path; *at;) {
		int byte = percent_byte(at);

		if (byte >= 0 && percent_is_unreserved((uint8_t)byte)) {
			*out++ = (char)byte;
			at += 3;
			changed = true;
		} else {
			*out++ = *at++;
		}
	}
	*out = '\0';
	return changed;
}

/* A server that decodes once more must find nothing behind "%25" that moves a border. */
static bool hides_escape(const char *text)
{
	char again[] = { '%', '\0', '\0', '\0' };
	int byte;

	if (percent_byte(text) != '%')
		return false;
	strncpy(again + 1, text + 3, 2);
	byte = percent_byte(again);
	return byte >= 0 && (percent_is_unreserved((uint8_t)byte) || strchr("/\\%;", byte));
}

/* A byte of ASCII in two bytes, which is not UTF-8 and which some readers decode all the same. */
static bool is_overlong(const char *text)
{
	int escaped = percent_byte(text), byte = escaped >= 0 ? escaped : (uint8_t)text[0];

	if (byte != 0xc0 && byte != 0xc1)
		return false;
	text += escaped >= 0 ? 3 : 1;
	escaped = percent_byte(text);
	byte = escaped >= 0 ? escaped : (uint8_t)text[0];
	return byte >= 0x80 && byte <= 0xbf;
}

/* Refuses what readers of a path understand in different ways. */
static bool check_escapes(const char *path, const char *decoded, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];

	text_quote(path, quoted);
	for (const char *at = decoded; *at; at++) {
		int byte = percent_byte(at);

		if (is_overlong(at))
			err_set(err, "the path %s has an overlong form of a character", quoted);
		else if (*at != '%')
			continue;
		else if (byte < 0)
			err_set(err,
				"the path %s has a \"%%\" that no two hexadecimal digits follow",
				quoted);
		else if (byte == '/' || byte == '\\' || byte == 0)
			err_set(err, "the path %s has an encoded slash, backslash or NUL", quoted);
		else if (hides_escape(at))
			err_set(err, "the path %s is encoded twice", quoted);
		else
			continue;
		return false;
	}
	return true;
}

/* Appends a segment: escapes with capital digits, and what may not stand in a path escaped. */
static void append_segment(const char *segment, size_t length, struct buffer *out)
{
	static const char allowed[] = "!$&'()*+,=:@"; /* RFC 3986, section 3.3, without ";" */

	buffer_append_text(out, "/");
	for (size_t i = 0; i < length; i++) {
		int byte = percent_byte(segment + i);

		if (byte >= 0) {
			buffer_printf(out, "%%%02X", (unsigned)byte);
			i += 2;
		} else if (percent_is_unreserved((uint8_t)segment[i]) ||
			   strchr(allowed, segment[i])) {
			buffer_append_u8(out, (uint8_t)segment[i]);
		} else {
			buffer_printf(out, "%%%02X", (uint8_t)segment[i]);
		}
	}
}

/* Takes the last segment off. */
static void remove_segment(struct buffer *out)
{
	while (out->length && out->data[--out->length] != '/')
		;
}

/* Removes parameters, empty segments and dot segments; a slash at the end stays. */
static char *join_segments(const char *path)
{
	struct buffer out = { 0 };
	bool slash = true;

	for (const char *at = path; *at;) {
		size_t whole = strcspn(++at, "/\\"), length = strcspn(at, ";/\\");

		slash = true;
		if (length == 2 && !strncmp(at, "..", 2)) {
			remove_segment(&out);
		} else if (length && !(length == 1 && at[0] == '.')) {
			append_segment(at, length, &out);
			slash = false;
		}
		at += whole;
	}
	if (slash)
		buffer_append_text(&out, "/");
	return buffer_steal(&out);
}

bool path_canonical(const char *path, char **ret, struct err *err)
{
	autofree char *decoded = memory_copy_string(path);
	char quoted[TEXT_QUOTE_SIZE];

	text_quote(path, quoted);
	if (path[0] != '/' && path[0] != '\\') {
		err_set(err, "the path %s does not begin with \"/\"", quoted);
		return false;
	}
	for (const char *at = path; *at; at++) {
		if ((uint8_t)*at > 0x20 && *at != 0x7f && *at != '?' && *at != '#')
			continue;
		err_set(err, "the path %s has a blank, a control character, \"?\" or \"#\"",
			quoted);
		return false;
	}
	for (int round = 0; decode_round(decoded); round++) {
		if (round < DECODING_ROUNDS)
			continue;
		err_set(err, "the path %s is encoded more than %d times", quoted, DECODING_ROUNDS);
		return false;
	}
	if (!check_escapes(path, decoded, err))
		return false;
	*ret = join_segments(decoded);
	return true;
}
