/* resolved_store.c: the resolver's answer as bytes for a pipe, and back as untrusted input. */
#include "plan/resolved.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "plan/store_value.h"

#include <stdlib.h>
#include <string.h>

/*
 * magic; u32 names; per name: u8 length, the name, u8 status, then twice (found, refused)
 * u32 count and per address u8 family and its bytes.
 */
static const uint32_t magic = 0x45465231; /* "EFR1" */
enum { ADDRESS_LEAST = 5 };               /* bytes that an address takes */

static void encode_addresses(const struct addresses *addresses, struct buffer *out)
{
	buffer_append_u32(out, (uint32_t)addresses->count);
	for (size_t i = 0; i < addresses->count; i++)
		store_address(&addresses->items[i], out);
}

void resolved_encode(const struct resolved *resolved, struct buffer *out)
{
	buffer_append_u32(out, magic);
	buffer_append_u32(out, (uint32_t)resolved->count);
	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *item = &resolved->items[i];

		store_text(item->name, out);
		buffer_append_u8(out, (uint8_t)item->status);
		encode_addresses(&item->found, out);
		encode_addresses(&item->refused, out);
	}
}

/* Whatever has been read stands in *ret also when the answer is false: the caller frees it. */
static bool decode_addresses(struct cursor *cursor, struct addresses *ret)
{
	uint32_t count;

	if (!load_count(cursor, ADDRESS_LEAST, &count))
		return false;
	if (!count)
		return true;
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (; ret->count < count; ret->count++) {
		if (!load_address(cursor, &ret->items[ret->count]))
			return false;
		if (ret->count &&
		    address_compare(&ret->items[ret->count - 1], &ret->items[ret->count]) >= 0)
			return false;
	}
	return true;
}

static int compare_addresses(const void *one, const void *other)
{
	return address_compare(one, other);
}

/* Addresses that may not be pinned move from found to refused. */
static void sort_out(const struct policy *policy, struct resolved_name *item)
{
	struct addresses *found = &item->found, *refused = &item->refused;
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		if (address_is_pinnable(policy, &found->items[i])) {
			found->items[kept++] = found->items[i];
			continue;
		}
		refused->items =
			memory_resize(refused->items, refused->count + 1, sizeof(*refused->items));
		refused->items[refused->count++] = found->items[i];
	}
	if (kept == found->count)
		return;
	found->count = kept;
	qsort(refused->items, refused->count, sizeof(*refused->items), compare_addresses);
	if (!kept)
		item->status = RESOLVE_SPECIAL;
}

/* Addresses and status must say the same, and no address may be both found and refused. */
static bool is_consistent(const struct resolved_name *item)
{
	for (size_t i = 0; i < item->found.count; i++)
		if (item->refused.count &&
		    bsearch(&item->found.items[i], item->refused.items, item->refused.count,
			    sizeof(*item->refused.items), compare_addresses))
			return false;
	if (item->status == RESOLVE_FOUND)
		return item->found.count > 0;
	if (item->status == RESOLVE_SPECIAL)
		return item->found.count == 0 && item->refused.count > 0;
	return item->found.count == 0 && item->refused.count == 0;
}

static bool decode_name(struct cursor *cursor, const char *wanted, const struct policy *policy,
			struct resolved_name *ret)
{
	char name[HOST_TEXT_SIZE];
	uint8_t status;

	if (!load_text(cursor, name, sizeof(name)) || strcmp(name, wanted) != 0 ||
	    !load_choice(cursor, RESOLVE_STATUSES, &status))
		return false;
	ret->name = memory_copy_string(wanted);
	ret->status = status;
	if (!decode_addresses(cursor, &ret->found) || !decode_addresses(cursor, &ret->refused) ||
	    !is_consistent(ret))
		return false;
	sort_out(policy, ret);
	return true;
}

static bool decode(struct cursor *cursor, const char **names, size_t count,
		   const struct policy *policy, struct resolved *ret, struct err *err)
{
	uint32_t found_magic, found_count;

	if (!cursor_u32(cursor, &found_magic) || found_magic != magic ||
	    !cursor_u32(cursor, &found_count)) {
		err_set(err, "the resolver's answer does not begin like one");
		return false;
	}
	if (found_count != count) {
		err_set(err, "the resolver answered for %u names, %zu were asked for", found_count,
			count);
		return false;
	}
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (size_t i = 0; i < count; i++) {
		ret->count++;
		if (!decode_name(cursor, names[i], policy, &ret->items[i])) {
			err_set(err, "the resolver's answer for name %zu, \"%s\", is not valid",
				i + 1, names[i]);
			return false;
		}
	}
	if (cursor_left(cursor)) {
		err_set(err, "the resolver's answer has %zu bytes too many", cursor_left(cursor));
		return false;
	}
	return true;
}

bool resolved_decode(const void *bytes, size_t length, const struct policy *policy,
		     struct resolved *ret, struct err *err)
{
	struct cursor cursor = cursor_over(bytes, length);
	struct resolved resolved = { 0 };
	autofree const char **names = NULL;
	size_t count;

	if (!policy_names(policy, &names, &count, err))
		return false;
	if (!decode(&cursor, names, count, policy, &resolved, err)) {
		resolved_free(&resolved);
		return false;
	}
	*ret = resolved;
	return true;
}
