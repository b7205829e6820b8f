/* test_hosts_block.c: our lines go into a hosts file and out of it, and no foreign line is lost. */
#include "hosts_sample.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *update(const char *text, size_t length, const struct hosts_block *with,
		    const char *instance, const char *written, size_t *ret_length)
{
	struct buffer result = { 0 };
	struct err err;

	ck_assert(hosts_text_update(text, length, with, instance, written, &result, &err));
	*ret_length = result.length;
	return buffer_steal(&result);
}

static char *update_text(const char *text, const struct hosts_block *with, const char *instance,
			 const char *written)
{
	size_t length;

	return update(text, strlen(text), with, instance, written, &length);
}

static void expect(const char *text, const struct hosts_block *with, const char *written,
		   const char *wanted)
{
	autofree char *result = update_text(text, with, "", written);

	ck_assert_str_eq(result, wanted);
}

/* A text without us, and what it becomes; taking the block out again must give the text. */
static const struct {
	const char *before, *after;
} round_trips[] = {
	{ "", BEGIN PINS END },
	{ "127.0.0.1\tlocalhost\n", "127.0.0.1\tlocalhost\n" BEGIN PINS END },
	/* No newline at the end: one is added, and taken out again. */
	{ "127.0.0.1 localhost", "127.0.0.1 localhost\n" BEGIN "# egressfw newline\n" PINS END },
	{ "\n\n", "\n\n" BEGIN PINS END },
	/* case_B3: before our block, and the other names stay known. */
	{ "10.0.0.9 api.test\n",
	  "#0.0.0.9 api.test\n" BEGIN "# egressfw was 1 10.0.0.9 api.test\n" PINS END },
	{ "10.0.0.9 api.test other.test b.test db\n1.2.3.4 x\n",
	  "#0.0.0.9 api.test other.test b.test db\n1.2.3.4 x\n" BEGIN
	  "# egressfw was 1 10.0.0.9 api.test other.test b.test db\n" PINS
	  "10.0.0.9 other.test # egressfw\n10.0.0.9 db # egressfw\n" END },
	/* Also where the conflict says the same as we do. */
	{ "203.0.113.5 api.test\n",
	  "#03.0.113.5 api.test\n" BEGIN "# egressfw was 1 203.0.113.5 api.test\n" PINS END },
	/*
	 * Upper case, a trailing dot, tabs, a comment without a blank, CRLF, a leading blank, a
	 * zone.
	 */
	{ "::1\tAPI.Test.\n",
	  "#:1\tAPI.Test.\n" BEGIN "# egressfw was 1 ::1\tAPI.Test.\n" PINS END },
	{ "10.0.0.9 api.test#x\n",
	  "#0.0.0.9 api.test#x\n" BEGIN "# egressfw was 1 10.0.0.9 api.test#x\n" PINS END },
	{ "10.0.0.9 api.test c\r\n",
	  "#0.0.0.9 api.test c\r\n" BEGIN "# egressfw was 1 10.0.0.9 api.test c\r\n" PINS
	  "10.0.0.9 c # egressfw\n" END },
	{ " 10.0.0.9 b.test\n",
	  "#10.0.0.9 b.test\n" BEGIN "# egressfw was 1  10.0.0.9 b.test\n" PINS END },
	{ "fe80::1%eth0 api.test Host\n",
	  "#e80::1%eth0 api.test Host\n" BEGIN "# egressfw was 1 fe80::1%eth0 api.test Host\n" PINS
	  "fe80::1%eth0 Host # egressfw\n" END },
	/* Spellings that only some resolvers take are conflicts too. */
	{ "0x0a.9 api.test\n",
	  "#x0a.9 api.test\n" BEGIN "# egressfw was 1 0x0a.9 api.test\n" PINS END },
	/*
	 * A comment, another name, a name in the comment and a line that no resolver reads stay as
	 * they are.
	 */
	{ "#10.0.0.9 api.test\n10.0.0.9 xapi.test api.tes # api.test\nhello api.test\n",
	  "#10.0.0.9 api.test\n10.0.0.9 xapi.test api.tes # api.test\nhello api.test\n" BEGIN PINS
		  END },
	/* Lines that read alike after they were commented out, one of them a real comment. */
	{ "#0.0.0.9 b.test\n20.0.0.9 b.test\n10.0.0.9 b.test\n",
	  "#0.0.0.9 b.test\n#0.0.0.9 b.test\n#0.0.0.9 b.test\n" BEGIN
	  "# egressfw was 2 20.0.0.9 b.test\n# egressfw was 3 10.0.0.9 b.test\n" PINS END },
	/* What would become a line of ours if it lost its first byte. */
	{ "1 egressfw was 1 b.test\n", "1 egressfw was 1 b.test\n" BEGIN PINS END },
	{ "10.0.0.9 b.test", "#0.0.0.9 b.test\n" BEGIN
			     "# egressfw newline\n# egressfw was 1 10.0.0.9 b.test\n" PINS END },
};

START_TEST(goes_in_and_out)
{
	const char *before = round_trips[_i].before;
	autofree char *after = update_text(before, &block, "", NULL);
	autofree char *again = update_text(after, &block, "", NULL);
	autofree char *removed = update_text(after, &nothing, "", NULL);
	struct findings findings = { 0 };

	ck_assert_str_eq(after, round_trips[_i].after);
	ck_assert_str_eq(again, after);
	ck_assert_str_eq(removed, before);
	if (hosts_text_parses(before, strlen(before)))
		ck_assert(hosts_text_parses(after, strlen(after)));
	if (strncmp(before, "1 egressfw", 10) == 0)
		return;
	hosts_text_compare(after, strlen(after), &block, "", &findings);
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(bytes_that_are_no_text)
{
	static const char before[] = "10.0.0.9 one\0api.test two\n\0\n\xff\xfe\n";
	static const char start[] = "#0.0.0.9 one\0api.test two\n\0\n\xff\xfe\n" BEGIN;
	size_t length, removed_length;
	autofree char *after = update(before, sizeof(before) - 1, &block, "", NULL, &length);
	autofree char *removed = update(after, length, &nothing, "", NULL, &removed_length);

	ck_assert_uint_ge(length, sizeof(start) - 1);
	ck_assert_mem_eq(after, start, sizeof(start) - 1);
	/* Only what a C library saw is repeated. */
	ck_assert_ptr_nonnull(memmem(after, length, "10.0.0.9 one # egressfw\n", 24));
	ck_assert_ptr_null(memmem(after, length, "10.0.0.9 two #", 14));
	ck_assert_uint_eq(removed_length, sizeof(before) - 1);
	ck_assert_mem_eq(removed, before, sizeof(before) - 1);
}
END_TEST

START_TEST(very_long_line)
{
	struct buffer text = { 0 };
	size_t length, removed_length;
	autofree char *after = NULL, *removed = NULL;

	buffer_append_text(&text, "10.0.0.9");
	for (int i = 0; i < 20000; i++)
		buffer_printf(&text, " name%d", i);
	buffer_append_text(&text, " api.test\n");
	after = update((char *)text.data, text.length, &block, "", NULL, &length);
	removed = update(after, length, &nothing, "", NULL, &removed_length);
	ck_assert_int_eq(after[0], '#');
	ck_assert_ptr_nonnull(strstr(after, "10.0.0.9 name19999 # egressfw\n"));
	ck_assert_uint_eq(removed_length, text.length);
	ck_assert_mem_eq(removed, text.data, text.length);
	buffer_free(&text);
}
END_TEST

/* case_B4: the engine appended lines behind our block, or wrote the file anew. */
START_TEST(case_B4_lines_behind_the_block_move_up)
{
	expect("1.1.1.1 a\n" BEGIN "198.51.100.1 old.test # egressfw\n" END "2.2.2.2 c\n", &block,
	       NULL, "1.1.1.1 a\n2.2.2.2 c\n" BEGIN PINS END);
	expect("1.1.1.1 a\n" BEGIN PINS END "9.9.9.9 api.test\n", &block, NULL,
	       "1.1.1.1 a\n#.9.9.9 api.test\n" BEGIN
	       "# egressfw was 1 9.9.9.9 api.test\n" PINS END);
	/* The newline that we added now ends a line with lines behind it. */
	expect("1.1.1.1 a\n" BEGIN "# egressfw newline\n" PINS END "2.2.2.2 c\n", &nothing, NULL,
	       "1.1.1.1 a\n2.2.2.2 c\n");
}
END_TEST

/*
 * Whatever was torn, doubled or nested: one whole block afterwards, and every foreign line is still
 * there.
 */
static const struct {
	const char *torn, *foreign;
} broken[] = {
	{ "1.1.1.1 a\n" BEGIN, "1.1.1.1 a\n" },
	{ "1.1.1.1 a\n" BEGIN "203.0.113.5 api.test # egressfw\n203.0", "1.1.1.1 a\n203.0" },
	{ BEGIN "203.0.113.5 api.test # egressfw\n2.2.2.2 cid\n", "2.2.2.2 cid\n" },
	{ "203.0.113.5 old.test # egressfw\n" END "2.2.2.2 cid\n", "2.2.2.2 cid\n" },
	{ BEGIN BEGIN PINS "2.2.2.2 cid\n" END END, "2.2.2.2 cid\n" },
	{ BEGIN PINS END "2.2.2.2 cid\n" BEGIN PINS END, "2.2.2.2 cid\n" },
	{ END "2.2.2.2 cid\n" BEGIN "2.2.2.3 did\n", "2.2.2.2 cid\n2.2.2.3 did\n" },
	/* Seams: new bytes up to the tear, the old ones behind it. */
	{ BEGIN "203.0.113.203.0.113.6 api.test # egressfw\n" END "x # egressfw\n" END
		"3.3.3.3 e\n",
	  "3.3.3.3 e\n" },
	{ BEGIN "203.0.113.5 api.test # egr# egressfw\n" END "3.3.3.3 e\n", "3.3.3.3 e\n" },
	/* An administrator's own line and comment between the markers are no line of ours. */
	{ BEGIN "203.0.113.5 api.test # egressfw\n4.4.4.4 x y\n# mine\n" END,
	  "4.4.4.4 x y\n# mine\n" },
	{ BEGIN PINS END "5.5.5.5 db # note # egressfw\n", "5.5.5.5 db # note # egressfw\n" },
	{ "# egressfw beginning\n# egressfw\n# egressfwx begin\n#egressfw begin\n",
	  "# egressfw beginning\n# egressfw\n# egressfwx begin\n#egressfw begin\n" },
};

START_TEST(broken_blocks_lose_no_foreign_line)
{
	autofree char *removed = update_text(broken[_i].torn, &nothing, "", NULL);
	autofree char *updated = update_text(broken[_i].torn, &block, "", NULL);
	const char *begin = strstr(updated, BEGIN);

	ck_assert_str_eq(removed, broken[_i].foreign);
	ck_assert_ptr_nonnull(begin);
	ck_assert_ptr_null(strstr(begin + 1, BEGIN));
	ck_assert_ptr_nonnull(strstr(begin, PINS END));
}
END_TEST

START_TEST(a_kill_at_any_byte_is_mended)
{
	static const char foreign[] = "127.0.0.1 localhost\n10.0.0.9 api.test other\n10.0.0.8 c\n";
	static struct hosts_block shorter = { pins + 2, 1 };
	autofree char *old = update_text(foreign, &shorter, "", NULL);
	autofree char *new = update_text(foreign, &block, "", NULL);
	size_t old_length = strlen(old), new_length = strlen(new);

	/*
	 * The file held one text and was overwritten by the other up to `cut`, in either direction.
	 */
	for (size_t cut = 0; cut <= new_length; cut++) {
		size_t start = strlen(foreign);
		char *torn = memory_allocate(old_length + new_length + 1, 1);
		autofree char *mended = NULL, *removed = NULL;

		memcpy(torn, old, old_length);
		memcpy(torn, new, cut);
		mended = update_text(torn, &block, "", NULL);
		removed = update_text(torn, &nothing, "", NULL);
		free(torn);
		ck_assert_ptr_nonnull(strstr(mended, "\n" BEGIN));
		ck_assert_ptr_nonnull(strstr(mended, PINS));
		ck_assert_ptr_nonnull(strstr(removed, "127.0.0.1 localhost\n"));
		ck_assert_ptr_nonnull(strstr(removed, "\n10.0.0.8 c\n"));
		ck_assert_msg(strlen(removed) >= start, "a foreign line was lost at %zu: %s", cut,
			      removed);
	}
}
END_TEST

/* An engine that strips comments leaves pins that look like anybody's lines. */
START_TEST(found_where_comments_were_stripped)
{
	static const char stripped[] =
		"1.1.1.1 a\n203.0.113.5\tapi.test\n2001:db8::5 api.test\n203.0.113.9 b.test \n"
		"10.0.0.9 other\n2.2.2.2 cid\n";
	autofree char *whole =
		update_text("1.1.1.1 a\n10.0.0.9 api.test other\n", &block, "", NULL);
	struct buffer written = { 0 };
	struct findings findings = { 0 };

	hosts_text_extract(whole, strlen(whole), "", &written);
	/* The line that was commented out comes back, since the engine has lost it. */
	expect(stripped, &nothing, buffer_string(&written),
	       "1.1.1.1 a\n2.2.2.2 cid\n10.0.0.9 api.test other\n");
	hosts_text_compare(stripped, strlen(stripped), &block, "", &findings);
	ck_assert_uint_eq(findings.count, 0);
	/* A part of them is not the block: perhaps it is the engine's own. */
	expect("203.0.113.5 api.test\n", &nothing, buffer_string(&written),
	       "203.0.113.5 api.test\n");
	expect("1.1.1.1 a\n203.0.113.5 api.test\n2.2.2.2 b\n3.3.3.3 c\n4.4.4.4 d\n", &nothing,
	       buffer_string(&written),
	       "1.1.1.1 a\n203.0.113.5 api.test\n2.2.2.2 b\n3.3.3.3 c\n4.4.4.4 d\n");
	/* With markers there the text decides. */
	expect(BEGIN END "203.0.113.9 b.test\n", &nothing, "203.0.113.9 b.test # egressfw\n",
	       "203.0.113.9 b.test\n");
	/* Written anew from nothing: what was recorded is not put back a second time. */
	expect("1.1.1.1 a\n10.0.0.9 api.test other\n", &nothing, buffer_string(&written),
	       "1.1.1.1 a\n10.0.0.9 api.test other\n");
	buffer_free(&written);
}
END_TEST

START_TEST(edits_above_do_not_hinder_the_way_back)
{
	autofree char *after = update_text("10.0.0.9 api.test\n", &block, "", NULL);
	autofree char *edited = memory_format("# new\n8.8.8.8 dns\n%s3.3.3.3 e\n", after);
	autofree char *removed = update_text(edited, &nothing, "", NULL);

	ck_assert_str_eq(removed, "# new\n8.8.8.8 dns\n10.0.0.9 api.test\n3.3.3.3 e\n");
	/* Somebody deleted the commented line: it stays deleted. */
	expect(strchr(after, '\n') + 1, &nothing, NULL, "");
}
END_TEST

START_TEST(instances_stand_side_by_side)
{
	autofree char *one = update_text("127.0.0.1 localhost\n", &block, "", NULL);
	autofree char *two = update_text(one, &(struct hosts_block){ pins, 1 }, "b-2", NULL);
	autofree char *only_two = update_text(two, &nothing, "", NULL);
	autofree char *only_one = update_text(two, &nothing, "b-2", NULL);
	struct findings findings = { 0 };

	ck_assert_str_eq(only_one, one);
	ck_assert_str_eq(only_two, "127.0.0.1 localhost\n# egressfw-b-2 begin\n"
				   "203.0.113.5 api.test # egressfw-b-2\n# egressfw-b-2 end\n");
	hosts_text_compare(two, strlen(two), &block, "", &findings);
	ck_assert_uint_eq(findings.count, 0);
	/* Another address for a name that both pin is said, and is no difference. */
	hosts_text_compare(two, strlen(two), &(struct hosts_block){ pins, 1 }, "b-2", &findings);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_int_eq(findings.items[0].kind, FINDING_HOSTS_SHARED);
	ck_assert_uint_eq(findings_count_differences(&findings), 0);
	findings_free(&findings);
}
END_TEST

START_TEST(built_from_what_was_resolved)
{
	struct address addresses[] = { pins[0].address, pins[1].address };
	struct resolved_name names[] = {
		{ (char *)(uintptr_t) "api.test", RESOLVE_FOUND, { addresses, 2 }, { 0 } },
		{ (char *)(uintptr_t) "gone.test", RESOLVE_NXDOMAIN, { 0 }, { 0 } },
	};
	struct hosts_block built;
	struct buffer text = { 0 };

	hosts_block_build(&(struct resolved){ names, 2 }, &built);
	hosts_block_print(&built, "n", &text);
	ck_assert_str_eq(buffer_string(&text),
			 "# egressfw-n begin\n203.0.113.5 api.test # egressfw-n\n"
			 "2001:db8::5 api.test # egressfw-n\n# egressfw-n end\n");
	buffer_free(&text);
	hosts_block_free(&built);
}
END_TEST

START_TEST(a_text_without_bound_is_refused)
{
	struct buffer result = { 0 };
	struct err err;

	ck_assert(!hosts_text_update("", (size_t)HOSTS_TEXT_MAX + 1, &block, "", NULL, &result,
				     &err));
	ck_assert_ptr_nonnull(strstr(err.text, "67108865"));
	ck_assert_uint_eq(result.length, 0);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("hosts_block");

	tcase_add_loop_test(cases, goes_in_and_out, 0, COUNT_OF(round_trips));
	tcase_add_test(cases, bytes_that_are_no_text);
	tcase_add_test(cases, very_long_line);
	tcase_add_test(cases, case_B4_lines_behind_the_block_move_up);
	tcase_add_loop_test(cases, broken_blocks_lose_no_foreign_line, 0, COUNT_OF(broken));
	tcase_add_test(cases, a_kill_at_any_byte_is_mended);
	tcase_add_test(cases, found_where_comments_were_stripped);
	tcase_add_test(cases, edits_above_do_not_hinder_the_way_back);
	tcase_add_test(cases, instances_stand_side_by_side);
	tcase_add_test(cases, built_from_what_was_resolved);
	tcase_add_test(cases, a_text_without_bound_is_refused);
	return suite_end("hosts_block", cases);
}
