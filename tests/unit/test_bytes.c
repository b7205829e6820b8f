/* test_bytes.c: buffers that grow, and the cursor that never reads past the end. */
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/memory.h"

#include "suite.h"

#include <string.h>

START_TEST(a_buffer_holds_what_was_appended)
{
	struct buffer buffer = { 0 };
	char *text;

	ck_assert_str_eq(buffer_string(&buffer), "");
	ck_assert_uint_eq(buffer.length, 0);
	buffer_append(&buffer, NULL, 0);
	for (int i = 0; i < 1000; i++)
		buffer_printf(&buffer, "%d,", i);
	ck_assert_uint_eq(buffer.length, 10 * 2 + 90 * 3 + 900 * 4);
	ck_assert_str_eq(buffer_string(&buffer) + buffer.length - 8, "998,999,");
	text = buffer_steal(&buffer);
	ck_assert(!strncmp(text, "0,1,2,", 6));
	free(text);
	ck_assert_ptr_null(buffer.data);
	ck_assert_uint_eq(buffer.length + buffer.capacity, 0);
	text = buffer_steal(&buffer);
	ck_assert_str_eq(text, "");
	free(text);
	buffer_free(&buffer);
}
END_TEST

START_TEST(numbers_are_written_in_decimal)
{
	static const uint64_t values[] = { 0, 9, 10, 65535, UINT64_MAX };
	struct buffer buffer = { 0 };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		buffer_append_decimal(&buffer, values[i]);
		buffer_append_text(&buffer, " ");
	}
	ck_assert_str_eq(buffer_string(&buffer), "0 9 10 65535 18446744073709551615 ");
	buffer_free(&buffer);
}
END_TEST

START_TEST(integers_stand_in_network_byte_order)
{
	static const uint8_t expected[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct buffer buffer = { 0 };
	struct cursor cursor;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	buffer_append_u8(&buffer, 1);
	buffer_append_u16(&buffer, 0x0203);
	buffer_append_u32(&buffer, 0x04050607);
	buffer_append_u64(&buffer, 0x08090a0b0c0d0e0f);
	ck_assert_uint_eq(buffer.length, sizeof(expected));
	ck_assert_mem_eq(buffer.data, expected, sizeof(expected));

	cursor = cursor_over(buffer.data, buffer.length);
	ck_assert(cursor_u8(&cursor, &u8) && cursor_u16(&cursor, &u16) &&
		  cursor_u32(&cursor, &u32) && cursor_u64(&cursor, &u64));
	ck_assert_uint_eq(u8, 1);
	ck_assert_uint_eq(u16, 0x0203);
	ck_assert_uint_eq(u32, 0x04050607);
	ck_assert_uint_eq(u64, 0x08090a0b0c0d0e0f);
	ck_assert_uint_eq(cursor_left(&cursor), 0);
	buffer_free(&buffer);
}
END_TEST

START_TEST(past_the_end_nothing_moves)
{
	static const uint8_t bytes[7];
	struct cursor cursor = cursor_over(bytes, sizeof(bytes));
	uint64_t u64 = 9;
	uint32_t u32 = 9;
	uint16_t u16 = 9;
	uint8_t u8 = 9;

	ck_assert(!cursor_u64(&cursor, &u64));
	ck_assert_ptr_null(cursor_take(&cursor, 8));
	ck_assert_ptr_null(cursor_take(&cursor, SIZE_MAX));
	ck_assert_uint_eq(cursor_left(&cursor), 7);
	ck_assert_ptr_eq(cursor_take(&cursor, 4), bytes);
	ck_assert(!cursor_u32(&cursor, &u32));
	ck_assert_ptr_eq(cursor_take(&cursor, 2), bytes + 4);
	ck_assert(!cursor_u16(&cursor, &u16));
	ck_assert_ptr_eq(cursor_take(&cursor, 1), bytes + 6);
	ck_assert(!cursor_u8(&cursor, &u8));
	ck_assert_ptr_nonnull(cursor_take(&cursor, 0));
	ck_assert_ptr_null(cursor_take(&cursor, 1));
	ck_assert_uint_eq(u64 + u32 + u16 + u8, 36);

	cursor = cursor_over(NULL, 0);
	ck_assert_ptr_nonnull(cursor_take(&cursor, 0));
	ck_assert_ptr_null(cursor_take(&cursor, 1));
}
END_TEST

START_TEST(lines_keep_their_bytes)
{
	static const struct {
		const char *line;
		bool ended;
	} rows[] = { { "a", true }, { "", true }, { "b\r", true }, { "c", false } };
	struct cursor cursor = cursor_over("a\n\nb\r\nc", 7);
	const uint8_t *line;
	size_t length;
	bool ended;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ck_assert(cursor_line(&cursor, &line, &length, &ended));
		ck_assert_uint_eq(length, strlen(rows[i].line));
		ck_assert_mem_eq(line, rows[i].line, length);
		ck_assert_int_eq(ended, rows[i].ended);
	}
	ck_assert(!cursor_line(&cursor, &line, &length, &ended));

	/* What ends with a newline has no empty line behind it. */
	cursor = cursor_over("x\n", 2);
	ck_assert(cursor_line(&cursor, &line, &length, &ended));
	ck_assert(!cursor_line(&cursor, &line, &length, &ended));
	cursor = cursor_over(NULL, 0);
	ck_assert(!cursor_line(&cursor, &line, &length, &ended));
}
END_TEST

START_TEST(memory_is_zeroed_copied_and_freed)
{
	uint8_t *zeros = memory_allocate(100, 4);
	char *copy = memory_copy_string("text");
	char *formatted = memory_format("%s-%d", copy, 7);
	void *nothing = memory_allocate(0, 16), *empty = memory_copy(NULL, 0);

	for (size_t i = 0; i < 400; i++)
		ck_assert_uint_eq(zeros[i], 0);
	ck_assert_str_eq(formatted, "text-7");
	ck_assert_ptr_nonnull(nothing);
	ck_assert_ptr_nonnull(empty);
	nothing = memory_resize(nothing, 0, 16);
	ck_assert_ptr_nonnull(nothing);
	memory_free_pointer(&copy);
	ck_assert_ptr_null(copy);
	free(zeros);
	free(formatted);
	free(nothing);
	free(empty);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_buffer_holds_what_was_appended, numbers_are_written_in_decimal,
		integers_stand_in_network_byte_order, past_the_end_nothing_moves, lines_keep_their_bytes,
		memory_is_zeroed_copied_and_freed,
	};

	return suite_run("bytes", tests, COUNT_OF(tests));
}
