/* test_text.c: strict numbers, quoting that is safe to print, and error sentences. */
#include "base/err.h"
#include "base/text.h"

#include "suite.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

START_TEST(numbers_are_digits_without_leading_zeros)
{
	static const struct {
		const char *text;
		uint32_t value;
	} taken[] = { { "0", 0 }, { "7", 7 }, { "1000", 1000 }, { "4294967295", UINT32_MAX } };
	static const char *const refused[] = {
		"",	    "00",  "01",  "-1",	   "+1",  " 1",		"1 ",
		"0x1",	    "1e3", "1.0", "1,000", "\n1", "4294967296", "18446744073709551617",
		"\xd9\xa1", "10a",
	};
	uint32_t value = 42;

	for (size_t i = 0; i < COUNT_OF(refused); i++)
		ck_assert_msg(!text_number(refused[i], strlen(refused[i]), &value), "%s is taken",
			      refused[i]);
	ck_assert_uint_eq(value, 42);
	for (size_t i = 0; i < COUNT_OF(taken); i++) {
		ck_assert(text_number(taken[i].text, strlen(taken[i].text), &value));
		ck_assert_uint_eq(value, taken[i].value);
	}
	/* The length counts, not a NUL. */
	ck_assert(text_number("12x", 2, &value));
	ck_assert_uint_eq(value, 12);
}
END_TEST

START_TEST(texts_are_put_where_there_is_room)
{
	static const uint32_t numbers[] = { 0, 9, 10, 65535, UINT32_MAX };
	static const char *const texts[] = { "0", "9", "10", "65535", "4294967295" };
	char room[12], *at = room;
	const char *end = room + 8;

	memset(room, '!', sizeof(room));
	at = text_put(at, end, "abc");
	ck_assert_ptr_eq(at, room + 3);
	at = text_put(at, end, "");
	ck_assert_str_eq(room, "abc");
	at = text_put(at, end, "defghijk");
	ck_assert_ptr_eq(at, end - 1);
	ck_assert_str_eq(room, "abcdefg");
	ck_assert_ptr_eq(text_put_decimal(at, end, 17), end - 1);
	ck_assert_str_eq(room, "abcdefg");
	ck_assert_mem_eq(room + 8, "!!!!", 4);
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		ck_assert_ptr_eq(text_put_decimal(room, room + sizeof(room), numbers[i]),
				 room + strlen(texts[i]));
		ck_assert_str_eq(room, texts[i]);
	}
}
END_TEST

START_TEST(quotes_hold_printable_ascii_only)
{
	static const char *const rows[][2] = {
		{ "", "\"\"" },
		{ "a.test", "\"a.test\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\b\t\n\f\r", "\"\\b\\t\\n\\f\\r\"" },
		{ "\x1b[2J\x7f", "\"\\u001b[2J\\u007f\"" },
		{ "b\xc3\xbc", "\"b\\u00fc\"" },
		{ "\xc2\x9b"
		  "2J",
		  "\"\\u009b2J\"" },
		{ "\xe2\x80\xae\xe2\x80\xa8", "\"\\u202e\\u2028\"" },
		{ "\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"" },
		/* Not UTF-8: alone, cut, overlong, a surrogate, beyond the last code point. */
		{ "\xff", "\"\\ufffd\"" },
		{ "\xc3", "\"\\ufffd\"" },
		{ "\xe2\x80"
		  "a",
		  "\"\\ufffd\\ufffda\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	};
	char quoted[TEXT_QUOTE_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct buffer out = { 0 };

		ck_assert_str_eq(text_quote(rows[i][0], quoted), rows[i][1]);
		text_print_json(rows[i][0], &out);
		ck_assert_str_eq(buffer_string(&out), rows[i][1]);
		buffer_free(&out);
	}
}
END_TEST

START_TEST(quotes_are_cut_between_characters)
{
	char text[400], quoted[TEXT_QUOTE_SIZE];

	for (size_t length = 100; length < 130; length++) {
		size_t quoted_length;

		memset(text, 'a', sizeof(text));
		strcpy(text + length, "\xf0\x9f\x98\x80");
		text_quote(text, quoted);
		quoted_length = strlen(quoted);
		ck_assert_uint_lt(quoted_length, TEXT_QUOTE_SIZE);
		if (length + 12 + 2 <= TEXT_QUOTE_SIZE - 4)
			ck_assert_str_eq(quoted + 1 + length, "\\ud83d\\ude00\"");
		else
			ck_assert_str_eq(quoted + quoted_length - 5, "a\"...");
	}
}
END_TEST

START_TEST(every_byte_comes_back_from_json)
{
	for (unsigned byte = 1; byte < 0x80; byte++) {
		char text[] = { 'x', (char)byte, 'y', '\0' };
		struct buffer out = { 0 };
		json_t *value;

		text_print_json(text, &out);
		value = json_loadb((const char *)out.data, out.length, JSON_DECODE_ANY, NULL);
		ck_assert_str_eq(json_string_value(value), text);
		json_decref(value);
		buffer_free(&out);
	}
}
END_TEST

START_TEST(sentences_grow_outwards_and_are_cut_at_the_end)
{
	char long_text[2 * ERR_TEXT_SIZE];
	struct err err;

	err_set(&err, "%s has %d", "it", 3);
	ck_assert_str_eq(err.text, "it has 3");
	err_append(&err, "; %s", "more");
	err_wrap(&err, "list[%d]", 2);
	err_wrap(&err, "file");
	ck_assert_str_eq(err.text, "file: list[2]: it has 3; more");
	err_set_errno(&err, ENOENT, "cannot open %s", "it");
	ck_assert_str_eq(err.text, "cannot open it: No such file or directory");
	err_set_errno(&err, 99999, "odd");
	ck_assert_str_eq(err.text, "odd: error 99999");

	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	err_set(&err, "%s", long_text);
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_SIZE - 1);
	err_append(&err, "y");
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_SIZE - 1);
	err_wrap(&err, "z");
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_SIZE - 1);
	ck_assert(!strncmp(err.text, "z: xxx", 6));
	err_set_errno(&err, ENOENT, "%s", long_text);
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_SIZE - 1);
}
END_TEST

START_TEST(stray_blanks_are_told)
{
	static const char *const rows[][2] = {
		{ "", "is empty" },	      { " ", "is blank" },
		{ "\t\n ", "is blank" },     { " a", "begins with a blank" },
		{ "\na b ", "begins with a blank" }, { "a ", "ends with a blank" },
		{ "a\r", "ends with a blank" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_str_eq(text_stray_blank(rows[i][0]), rows[i][1]);
	ck_assert_ptr_null(text_stray_blank("a"));
	ck_assert_ptr_null(text_stray_blank("a b"));
	ck_assert_ptr_null(text_stray_blank("\xc2\xa0"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		numbers_are_digits_without_leading_zeros,
		texts_are_put_where_there_is_room,
		quotes_hold_printable_ascii_only,
		quotes_are_cut_between_characters,
		every_byte_comes_back_from_json,
		stray_blanks_are_told,
		sentences_grow_outwards_and_are_cut_at_the_end,
	};

	return suite_run("text", tests, COUNT_OF(tests));
}
