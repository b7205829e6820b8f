/* test_hosts_rewrite.c: a kill at any byte of any write loses no line and is repaired. */
#include "system/hosts_rewrite.h"

#include "plan/hosts_block.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "127.0.0.1 localhost\n# kept\n\n172.17.0.2 box\n"
#define OLD "# egressfw begin\n203.0.113.5 api.test # egressfw\n# egressfw end\n"
#define NEW                                                                                        \
	"# egressfw begin\n203.0.113.77 api.test # egressfw\n2001:db8::5 b.test # egressfw\n"      \
	"# egressfw end\n"
#define LATER "172.17.0.3 other\n"

static const struct {
	const char *from, *to;
} changes[] = {
	{ HEAD, HEAD NEW },
	{ HEAD NEW, HEAD },
	{ HEAD OLD, HEAD NEW },
	{ HEAD NEW, HEAD OLD },
	{ HEAD OLD LATER, HEAD LATER NEW },
	{ HEAD OLD LATER, HEAD LATER },
	{ HEAD OLD "172.17.0.3 other", HEAD "172.17.0.3 other" },
	{ HEAD "172.17.0.3 other", HEAD "172.17.0.3 other\n" NEW },
	{ HEAD "172.17.0.3 other\n" NEW, HEAD "172.17.0.3 other" },
	{ "10.0.0.9 api.test\n" HEAD, "#0.0.0.9 api.test\n" HEAD NEW },
	{ "#0.0.0.9 api.test\n" HEAD NEW, "10.0.0.9 api.test\n" HEAD },
	{ "", NEW },
	{ NEW, "" },
	{ HEAD, HEAD },
	{ HEAD NEW "x", HEAD OLD OLD OLD OLD OLD "y z" },
};
enum { CHANGES = sizeof(changes) / sizeof(changes[0]) };

static struct buffer buffer_of(const char *text)
{
	struct buffer buffer = { 0 };

	buffer_append_text(&buffer, text);
	return buffer;
}

static struct buffer copy_of(const struct buffer *buffer)
{
	struct buffer copy = { 0 };

	buffer_append(&copy, buffer->data, buffer->length);
	return copy;
}

static bool same(const struct buffer *one, const struct buffer *other)
{
	return one->length == other->length &&
	       (!one->length || !memcmp(one->data, other->data, one->length));
}

/* The first `count` bytes of a write, as a kill leaves it; a write never leaves a hole. */
static void apply(struct buffer *file, const struct hosts_write *write, size_t count)
{
	if (write->kind == HOSTS_SYNC)
		return;
	if (write->kind == HOSTS_CUT) {
		ck_assert_uint_eq(file->length, write->expected);
		ck_assert_uint_le(write->offset, file->length);
		file->length = write->offset;
		return;
	}
	ck_assert_uint_le(write->offset, file->length);
	if (write->offset + count > file->length) {
		buffer_reserve(file, write->offset + count - file->length);
		file->length = write->offset + count;
	}
	if (count)
		memcpy(file->data + write->offset, write->bytes.data, count);
}

static void apply_all(struct buffer *file, const struct hosts_writes *writes)
{
	for (size_t i = 0; i < writes->count; i++)
		apply(file, &writes->items[i], writes->items[i].bytes.length);
}

static bool has_line(struct buffer *file, const char *line, size_t length)
{
	const char *text = buffer_string(file);

	for (const char *at = text; *at; at = *strchrnul(at, '\n') ? strchr(at, '\n') + 1 : "")
		if ((size_t)(strchrnul(at, '\n') - at) == length && !memcmp(at, line, length))
			return true;
	return false;
}

/* What must hold at any moment: lines that both texts have are there, and every line parses. */
static void check_moment(struct buffer *file, const struct buffer *from, const struct buffer *to)
{
	struct buffer wanted = copy_of(to), before = copy_of(from);
	const char *text = buffer_string(&wanted);

	if (hosts_text_parses((const char *)before.data, before.length) &&
	    hosts_text_parses(text, wanted.length))
		ck_assert_msg(hosts_text_parses(buffer_string(file), file->length), "%s",
			      buffer_string(file));
	for (const char *at = text; *at; at = *strchrnul(at, '\n') ? strchr(at, '\n') + 1 : "") {
		size_t length = (size_t)(strchrnul(at, '\n') - at);

		if (has_line(&before, at, length))
			ck_assert_msg(has_line(file, at, length), "lost %.*s in\n%s", (int)length,
				      at, buffer_string(file));
	}
	buffer_free(&wanted);
	buffer_free(&before);
}

static void recover_all(struct buffer *file)
{
	struct hosts_writes writes;

	for (int i = 0; hosts_rewrite_recover(file, &writes); i++) {
		ck_assert_int_lt(i, 8);
		apply_all(file, &writes);
		hosts_writes_free(&writes);
	}
}

/* The old text, the new one, or the old one with what a note too short to be known has left. */
static void check_recovered(struct buffer *file, const struct buffer *from, const struct buffer *to)
{
	struct buffer rest = copy_of(file);
	bool good = same(file, from) || same(file, to);

	if (!good && file->length > from->length &&
	    (!from->length || !memcmp(file->data, from->data, from->length))) {
		const char *left = buffer_string(&rest) + from->length;

		left += *left == '\n';
		good = strlen(left) < 3 && !strncmp("# egressfw r", left, strlen(left));
	}
	ck_assert_msg(good, "neither old nor new:\n%s", buffer_string(file));
	buffer_free(&rest);
}

/* Kills the recovery of `torn` too, at every 97th byte, and repairs again. */
static void kill_recovery(const struct buffer *torn, size_t phase, const struct buffer *from,
			  const struct buffer *to)
{
	struct hosts_writes writes;
	struct buffer file = copy_of(torn);

	if (!hosts_rewrite_recover(torn, &writes)) {
		buffer_free(&file);
		return;
	}
	for (size_t i = 0; i < writes.count; i++) {
		size_t length = writes.items[i].bytes.length;

		for (size_t k = phase % 97; k < length; k += 97) {
			struct buffer again = copy_of(&file);

			apply(&again, &writes.items[i], k);
			check_moment(&again, from, to);
			recover_all(&again);
			check_recovered(&again, from, to);
			buffer_free(&again);
		}
		apply(&file, &writes.items[i], length);
	}
	buffer_free(&file);
	hosts_writes_free(&writes);
}

START_TEST(case_B1_kill_at_any_byte)
{
	struct buffer from = buffer_of(changes[_i].from), to = buffer_of(changes[_i].to);
	struct buffer file = copy_of(&from);
	struct hosts_writes writes;

	hosts_rewrite(&from, &to, &writes);
	ck_assert(same(&from, &to) == (writes.count == 0));
	for (size_t i = 0; i < writes.count; i++) {
		size_t length = writes.items[i].bytes.length;

		for (size_t k = 0; k <= length; k++) {
			struct buffer torn = copy_of(&file);

			apply(&torn, &writes.items[i], k);
			check_moment(&torn, &from, &to);
			kill_recovery(&torn, k, &from, &to);
			recover_all(&torn);
			check_recovered(&torn, &from, &to);
			buffer_free(&torn);
		}
		apply(&file, &writes.items[i], length);
	}
	ck_assert(same(&file, &to));
	hosts_writes_free(&writes);
	buffer_free(&file);
	buffer_free(&from);
	buffer_free(&to);
}
END_TEST

/* Somebody adds a whole line to a torn file before the next run. */
START_TEST(a_line_appended_to_a_torn_file_is_kept)
{
	struct buffer from = buffer_of(HEAD OLD LATER), to = buffer_of(HEAD LATER NEW);
	struct buffer file = copy_of(&from);
	struct hosts_writes writes;

	hosts_rewrite(&from, &to, &writes);
	for (size_t i = 0; i < writes.count; i++) {
		for (size_t k = 0; k <= writes.items[i].bytes.length; k++) {
			struct buffer torn = copy_of(&file);

			apply(&torn, &writes.items[i], k);
			if (torn.data[torn.length - 1] == '\n') {
				buffer_append_text(&torn, "172.17.0.4 third\n");
				recover_all(&torn);
				ck_assert(has_line(&torn, "172.17.0.4 third", 16));
				ck_assert(has_line(&torn, "172.17.0.3 other", 16));
				ck_assert_ptr_null(strstr(buffer_string(&torn), "rewrite"));
				ck_assert_ptr_null(strstr(buffer_string(&torn), "##"));
			}
			buffer_free(&torn);
		}
		apply(&file, &writes.items[i], writes.items[i].bytes.length);
	}
	hosts_writes_free(&writes);
	buffer_free(&file);
	buffer_free(&from);
	buffer_free(&to);
}
END_TEST

static const char *const no_notes[] = {
	"",
	HEAD OLD LATER,
	HEAD "# egressfw rewrite 2: 0000000000 0000000001 0000000000 0000000000\n10.0.0.1 x\n",
	HEAD "# egressfw rewrite 0: 0000000000 0000000001 9999999999 0000000044\n10.0.0.1 x\n",
	HEAD "# egressfw rewrite 2: -000000001 0000000001 0000000000 0000000044\n10.0.0.1 x\n",
	HEAD "# egressfw rewrite about something else\n",
	HEAD "# egressfw\n#", HEAD "# elsewhere",
};

START_TEST(other_comments_are_no_notes)
{
	struct buffer text = buffer_of(no_notes[_i]);
	struct hosts_writes writes;

	ck_assert(!hosts_rewrite_recover(&text, &writes));
	buffer_free(&text);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("hosts_rewrite");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, case_B1_kill_at_any_byte, 0, CHANGES);
	tcase_add_test(tests, a_line_appended_to_a_torn_file_is_kept);
	tcase_add_loop_test(tests, other_comments_are_no_notes, 0,
			    sizeof(no_notes) / sizeof(no_notes[0]));
	return suite_end("hosts_rewrite", tests);
}
