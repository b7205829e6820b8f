/* connect_head.c: the head of a CONNECT request, strictly read; pure. */
#include "filter/connect_head.h"

#include "base/cursor.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char method[] = "CONNECT ";
enum {
	METHOD_LENGTH = sizeof(method) - 1,
	AUTHORITY_MAX = 320, /* more is no host and port */
	VERSION_LENGTH = sizeof(" HTTP/1.1") - 1,
};

struct fields {
	unsigned hosts;
	bool content;
};

/* RFC 9110, section 5.6.2. */
static bool is_token(uint8_t octet)
{
	return text_is_letter((char)octet) || text_is_digit((char)octet) ||
	       (octet && strchr("!#$%&'*+-.^_`|~", octet));
}

/* RFC 9110, section 5.5: visible, blank, or beyond ASCII. */
static bool is_value(uint8_t octet)
{
	return octet == '\t' || (octet >= ' ' && octet != 0x7f);
}

static bool is_named(const uint8_t *line, size_t length, const char *name)
{
	return length == strlen(name) && !strncasecmp((const char *)line, name, length);
}

static bool is_zero(const uint8_t *value, size_t length)
{
	while (length && (*value == ' ' || *value == '\t')) {
		value++;
		length--;
	}
	while (length && (value[length - 1] == ' ' || value[length - 1] == '\t'))
		length--;
	return length == 1 && value[0] == '0';
}

static bool read_field(const uint8_t *line, size_t length, struct fields *fields)
{
	size_t name = 0;

	while (name < length && is_token(line[name]))
		name++;
	if (!name || name == length || line[name] != ':')
		return false;
	for (size_t i = name + 1; i < length; i++)
		if (!is_value(line[i]))
			return false;
	if (is_named(line, name, "Host"))
		fields->hosts++;
	else if (is_named(line, name, "Transfer-Encoding") ||
		 (is_named(line, name, "Content-Length") &&
		  !is_zero(line + name + 1, length - name - 1)))
		fields->content = true;
	return true;
}

/* A port is required, and nothing else that a target elsewhere may have is allowed. */
static bool read_authority(const uint8_t *text, size_t length, struct target *ret)
{
	char authority[AUTHORITY_MAX + 1];
	struct target target;
	struct err ignored;
	const char *colon, *bracket;

	if (!length || length > AUTHORITY_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("/\\?#@%", text[i]))
			return false;
	memcpy(authority, text, length);
	authority[length] = '\0';
	colon = strrchr(authority, ':');
	bracket = strrchr(authority, ']');
	/* Without brackets a second colon would make the whole an IPv6 address. */
	if (!colon || (bracket ? bracket > colon : strchr(authority, ':') != colon) ||
	    !target_parse(authority, &target, &ignored))
		return false;
	*ret = target;
	return true;
}

static const char *read_request_line(const uint8_t *line, size_t length, struct target *ret,
				     bool *ret_modern)
{
	const uint8_t *version = line + length - VERSION_LENGTH;

	if (length < METHOD_LENGTH + 1 + VERSION_LENGTH || memcmp(version, " HTTP/1.", 8) ||
	    (version[8] != '0' && version[8] != '1'))
		return "the request line is malformed";
	*ret_modern = version[8] == '1';
	if (!read_authority(line + METHOD_LENGTH, length - METHOD_LENGTH - VERSION_LENGTH, ret))
		return "the target of CONNECT is no host with a port";
	return NULL;
}

/* The next line without its CRLF; false where there is none yet, or (*ret_bad) a wrong one. */
static bool next_line(struct cursor *head, const uint8_t **ret, size_t *ret_length, bool *ret_bad)
{
	const uint8_t *line;
	size_t length;
	bool ended;

	*ret_bad = false;
	if (!cursor_line(head, &line, &length, &ended) || !ended)
		return false;
	*ret_bad = !length || line[length - 1] != '\r' || memchr(line, '\r', length - 1);
	*ret = line;
	*ret_length = length - 1;
	return !*ret_bad;
}

static enum head_status malformed(const char *reason, const char **ret_reason)
{
	*ret_reason = reason;
	return HEAD_MALFORMED;
}

enum head_status connect_head_read(const void *octets, size_t length, struct target *ret_target,
				   size_t *ret_length, const char **ret_reason)
{
	struct cursor head = cursor_over(octets, length);
	struct fields fields = { 0 };
	struct target target = { .port = 0 };
	const uint8_t *line;
	const char *reason;
	size_t line_length;
	bool bad, modern;

	if (memcmp(octets, method, length < METHOD_LENGTH ? length : METHOD_LENGTH))
		return HEAD_OTHER;
	if (!next_line(&head, &line, &line_length, &bad))
		return bad ? malformed("a line does not end in CRLF", ret_reason) : HEAD_MORE;
	reason = read_request_line(line, line_length, &target, &modern);
	if (reason)
		return malformed(reason, ret_reason);
	for (;;) {
		if (!next_line(&head, &line, &line_length, &bad))
			return bad ? malformed("a line does not end in CRLF", ret_reason)
				   : HEAD_MORE;
		if (!line_length)
			break;
		if (!read_field(line, line_length, &fields))
			return malformed("a header field is malformed", ret_reason);
	}
	if (fields.hosts > 1 || (modern && !fields.hosts))
		return malformed("there is not one Host field", ret_reason);
	if (fields.content)
		return malformed("CONNECT has no content", ret_reason);
	*ret_target = target;
	*ret_length = head.position;
	return HEAD_READ;
}
