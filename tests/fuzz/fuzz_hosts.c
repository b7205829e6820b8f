/* fuzz_hosts.c: any hosts file, any block: no foreign byte lost or moved, all undone. */
#include "plan/hosts_block.h"

#include "base/cursor.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names among which some are words of our own lines. */
static const char *const names[] = {
	"a", "api.test", "begin", "end", "was", "1", "egressfw", "x.y"
};
enum { ENTRIES_MAX = 7 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static struct buffer update(const char *text, size_t length, const struct hosts_block *block,
			    const char *instance, const char *written)
{
	struct buffer result = { 0 };
	struct err err;

	require(hosts_text_update(text, length, block, instance, written, &result, &err));
	return result;
}

static void require_same(const struct buffer *one, const struct buffer *other)
{
	require(one->length == other->length &&
		(!one->length || memcmp(one->data, other->data, one->length) == 0));
}

/* Every foreign byte stands where it stood, or is the '#' of a line that was commented out. */
static void require_in_place(const struct buffer *without, const struct buffer *with)
{
	require(with->length >= without->length);
	for (size_t i = 0; i < without->length; i++)
		require(with->data[i] == without->data[i] ||
			(with->data[i] == '#' && (i == 0 || without->data[i - 1] == '\n')));
}

static void check(const char *text, size_t length, const struct hosts_block *block,
		  const char *instance)
{
	const struct hosts_block nothing = { 0 };
	struct buffer without = update(text, length, &nothing, instance, NULL);
	struct buffer with = update(text, length, block, instance, NULL);
	struct buffer again = update((char *)with.data, with.length, block, instance, NULL);
	struct buffer removed = update((char *)with.data, with.length, &nothing, instance, NULL);
	struct buffer written = { 0 }, found;
	struct findings findings = { 0 };

	require_in_place(&without, &with);
	require_same(&with, &again);
	require_same(&removed, &without);
	/* What was commented out may have been broken, so it is the text without us that counts. */
	if (hosts_text_parses((char *)without.data, without.length))
		require(hosts_text_parses((char *)with.data, with.length));
	hosts_text_compare((char *)with.data, with.length, block, instance, &findings);
	for (size_t i = 0; i < findings.count; i++)
		require(findings.items[i].kind == FINDING_HOSTS_CONFLICT ||
			findings.items[i].kind == FINDING_HOSTS_SHARED);
	findings_free(&findings);
	hosts_text_compare(text, length, block, instance, &findings);
	findings_free(&findings);
	hosts_text_extract((char *)with.data, with.length, instance, &written);
	found = update(text, length, block, instance, buffer_string(&written));
	buffer_free(&found);
	buffer_free(&written);
	buffer_free(&removed);
	buffer_free(&again);
	buffer_free(&with);
	buffer_free(&without);
}

/*
 * One byte: how many entries, and whether there is an instance; then a byte for each; then the
 * text.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor cursor = cursor_over(data, size);
	struct hosts_entry entries[ENTRIES_MAX] = { 0 };
	struct hosts_block block = { .items = entries };
	uint8_t head, choice;
	size_t left;

	if (!cursor_u8(&cursor, &head))
		return 0;
	while (block.count < (head & ENTRIES_MAX) && cursor_u8(&cursor, &choice))
		entries[block.count++] = (struct hosts_entry){
			.address = { .family = choice & 1, .bytes = { 10, [3] = choice >> 4 } },
			.name = (char *)(uintptr_t)names[choice >> 1 & 7],
		};
	left = cursor_left(&cursor);
	check((const char *)cursor_take(&cursor, left), left, &block, head & 8 ? "n" : "");
	return 0;
}
