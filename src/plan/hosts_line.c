/* hosts_line.c: one line of a hosts file: its words, and whose line it is. */
#include "plan/hosts_line.h"

#include "base/address.h"

#include <string.h>

static const char label_start[] = "# egressfw";

struct bytes bytes_of_text(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

bool bytes_equal(struct bytes one, struct bytes other)
{
	return one.length == other.length &&
	       (one.length == 0 || memcmp(one.data, other.data, one.length) == 0);
}

static struct bytes skip(struct bytes bytes, size_t count)
{
	return (struct bytes){ bytes.data + count, bytes.length - count };
}

static bool take_text(struct bytes *bytes, const char *text)
{
	size_t length = strlen(text);

	if (bytes->length < length || memcmp(bytes->data, text, length) != 0)
		return false;
	*bytes = skip(*bytes, length);
	return true;
}

/* What isspace(3) takes in the C locale within a line. */
static bool is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}

static struct bytes without_trailing_blanks(struct bytes line)
{
	while (line.length && is_blank(line.data[line.length - 1]))
		line.length--;
	return line;
}

static size_t comment_start(struct bytes line)
{
	const uint8_t *hash = line.length ? memchr(line.data, '#', line.length) : NULL;

	return hash ? (size_t)(hash - line.data) : line.length;
}

void hosts_label_print(const char *instance, struct buffer *out)
{
	buffer_append_text(out, label_start);
	buffer_append_text(out, *instance ? "-" : "");
	buffer_append_text(out, instance);
}

static bool is_instance_byte(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z') || byte == '-';
}

/* Takes "# egressfw" or "# egressfw-N" off the front; the instance is empty for the first. */
static bool take_label(struct bytes *bytes, struct bytes *ret_instance)
{
	struct bytes rest = *bytes;
	size_t length = 0;

	if (!take_text(&rest, label_start))
		return false;
	if (rest.length && rest.data[0] == '-') {
		rest = skip(rest, 1);
		while (length < rest.length && is_instance_byte(rest.data[length]))
			length++;
		if (!length)
			return false;
	}
	*ret_instance = (struct bytes){ rest.data, length };
	*bytes = skip(rest, length);
	return true;
}

bool hosts_line_word(struct bytes *line, struct bytes *ret)
{
	size_t start = 0, end, limit = comment_start(*line);

	while (start < limit && (is_blank(line->data[start]) || !line->data[start]))
		start++;
	for (end = start; end < limit && !is_blank(line->data[end]) && line->data[end]; end++)
		;
	if (start == end)
		return false;
	*ret = (struct bytes){ line->data + start, end - start };
	*line = skip(*line, end);
	return true;
}

bool hosts_word_is_addressy(struct bytes word)
{
	size_t length = 0;

	while (length < word.length && word.data[length] && word.data[length] != '%' &&
	       strchr("0123456789abcdefABCDEFxX.:", word.data[length]))
		length++;
	return length > 0 && (length == word.length || word.data[length] == '%');
}

static bool is_address(struct bytes word)
{
	char text[ADDRESS_TEXT_SIZE];
	const uint8_t *zone = memchr(word.data, '%', word.length);
	size_t length = zone ? (size_t)(zone - word.data) : word.length;
	struct address address;

	if (length >= sizeof(text) || length + 1 == word.length)
		return false;
	memcpy(text, word.data, length);
	text[length] = '\0';
	return strlen(text) == length && address_parse(text, &address) &&
	       (!zone || address.family == FAMILY_IPV6);
}

bool hosts_line_parses(struct bytes line)
{
	struct bytes address, name;
	size_t limit = comment_start(line);

	if (limit && memchr(line.data, '\0', limit))
		return false;
	return !hosts_line_word(&line, &address) ||
	       (is_address(address) && hosts_line_word(&line, &name));
}

/* Two words with one space between and one behind, as we print them. */
static bool is_printed_entry(struct bytes line)
{
	struct bytes rest = line, address, name;

	return hosts_line_word(&rest, &address) && hosts_line_word(&rest, &name) &&
	       address.data == line.data && name.data == address.data + address.length + 1 &&
	       address.data[address.length] == ' ' && rest.length == 1 && rest.data[0] == ' ';
}

/*
 * A line that ends with a label: a printed entry, or the seam of a torn write, which nobody can
 * read.
 */
static enum hosts_line_kind tagged_kind(struct bytes line, struct bytes *ret_instance)
{
	size_t start = comment_start(line), torn;
	const uint8_t *hash = line.length ? memrchr(line.data, '#', line.length) : NULL;
	struct bytes tag, label;

	if (!hash)
		return HOSTS_LINE_FOREIGN;
	tag = label = skip(line, (size_t)(hash - line.data));
	if (!take_label(&tag, ret_instance) || tag.length)
		return HOSTS_LINE_FOREIGN;
	/* A tear can leave the beginning of one label in front of a whole one. */
	torn = (size_t)(hash - line.data) - start;
	line.length = start;
	if (torn <= label.length && memcmp(line.data + start, label.data, torn) == 0 &&
	    is_printed_entry(line))
		return HOSTS_LINE_ENTRY;
	return hosts_line_parses(line) ? HOSTS_LINE_FOREIGN : HOSTS_LINE_ENTRY;
}

static bool is_decimal(struct bytes word)
{
	for (size_t i = 0; i < word.length; i++)
		if (word.data[i] < '0' || word.data[i] > '9')
			return false;
	return word.length > 0 && word.length <= 9;
}

static enum hosts_line_kind marker_kind(struct bytes line, struct bytes *ret_instance)
{
	struct bytes number;
	struct bytes words = line;

	if (!take_label(&words, ret_instance))
		return HOSTS_LINE_FOREIGN;
	if (bytes_equal(words, bytes_of_text(" begin")) ||
	    bytes_equal(words, bytes_of_text(" end")))
		return HOSTS_LINE_MARKER;
	if (bytes_equal(words, bytes_of_text(" newline")))
		return HOSTS_LINE_NEWLINE;
	if (take_text(&words, " was ") && hosts_line_word(&words, &number) && is_decimal(number))
		return HOSTS_LINE_RECORD;
	return HOSTS_LINE_FOREIGN;
}

enum hosts_line_kind hosts_line_kind(struct bytes line, const char *instance)
{
	struct bytes found;
	enum hosts_line_kind kind;

	line = without_trailing_blanks(line);
	kind = line.length && line.data[0] == '#' ? marker_kind(line, &found)
						  : tagged_kind(line, &found);
	if (kind != HOSTS_LINE_FOREIGN && !bytes_equal(found, bytes_of_text(instance)))
		return HOSTS_LINE_OTHER;
	return kind;
}

bool hosts_line_record(struct bytes line, const char *instance, uint32_t *ret_number,
		       struct bytes *ret_original)
{
	struct bytes found, number;
	uint32_t value = 0;

	if (!take_label(&line, &found) || !bytes_equal(found, bytes_of_text(instance)) ||
	    !take_text(&line, " was ") || !hosts_line_word(&line, &number) || !is_decimal(number) ||
	    !take_text(&line, " ") || !line.length ||
	    hosts_line_kind(line, instance) != HOSTS_LINE_FOREIGN)
		return false;
	for (size_t i = 0; i < number.length; i++)
		value = value * 10 + (uint32_t)(number.data[i] - '0');
	*ret_number = value;
	*ret_original = line;
	return true;
}

static struct bytes without_dot(struct bytes name)
{
	if (name.length && name.data[name.length - 1] == '.')
		name.length--;
	return name;
}

static uint8_t fold(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte - 'A' + 'a') : byte;
}

int hosts_name_compare(struct bytes one, struct bytes other)
{
	one = without_dot(one);
	other = without_dot(other);
	for (size_t i = 0; i < one.length && i < other.length; i++)
		if (fold(one.data[i]) != fold(other.data[i]))
			return fold(one.data[i]) < fold(other.data[i]) ? -1 : 1;
	return one.length < other.length ? -1 : one.length > other.length;
}
