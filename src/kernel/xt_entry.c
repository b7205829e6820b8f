/* xt_entry.c: the entries of a legacy xtables table: made of rules, looked at, compared. */
#include "kernel/xt_entry.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "kernel/xt_parts.h"
#include "kernel/xt_shape.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

size_t xt_header_size(enum table_family family)
{
	return family == TABLE_IP6 ? sizeof(struct ip6t_entry) : sizeof(struct ipt_entry);
}

/* Host bits of a prefix's address are zero, so it is the pattern; the mask has its length. */
static void fill_prefix(const struct prefix *prefix, void *address, void *mask)
{
	size_t width = address_width(prefix->address.family);
	uint8_t bytes[16] = { 0 };

	for (size_t bit = 0; bit < prefix->length; bit++)
		bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	memcpy(address, prefix->address.bytes, width);
	memcpy(mask, bytes, width);
}

/* "lo" and its NUL: the whole name. */
static void fill_interface(char *name, unsigned char *mask)
{
	memcpy(name, "lo", sizeof("lo"));
	memset(mask, 0xff, sizeof("lo"));
}

static bool family_is(const struct prefix *prefix, enum family family)
{
	return !prefix || prefix->address.family == family;
}

static uint8_t inversions(const struct xt_parts *parts)
{
	_Static_assert(IPT_INV_VIA_IN == IP6T_INV_VIA_IN, "the same in both families");
	return parts->in_inverted ? IPT_INV_VIA_IN : 0;
}

/* What has the same names in the headers of both families. */
#define FILL_COMMON(parts, ip)                                                                     \
	do {                                                                                       \
		(ip)->proto = (parts)->protocol;                                                   \
		if ((parts)->destination)                                                          \
			fill_prefix((parts)->destination, &(ip)->dst, &(ip)->dmsk);                \
		if ((parts)->source)                                                               \
			fill_prefix((parts)->source, &(ip)->src, &(ip)->smsk);                     \
		if ((parts)->out_loopback)                                                         \
			fill_interface((ip)->outiface, (ip)->outiface_mask);                       \
		if ((parts)->in_loopback)                                                          \
			fill_interface((ip)->iniface, (ip)->iniface_mask);                         \
		(ip)->invflags = inversions(parts);                                                \
	} while (0)

static void fill_header(const struct xt_parts *parts, bool plain, struct ipt_entry *header)
{
	FILL_COMMON(parts, &header->ip);
	header->ip.flags = parts->action->kind == GOTO && !plain ? IPT_F_GOTO : 0;
}

static void fill_header6(const struct xt_parts *parts, bool plain, struct ip6t_entry *header)
{
	FILL_COMMON(parts, &header->ipv6);
	header->ipv6.flags = parts->action->kind == GOTO && !plain ? IP6T_F_GOTO : 0;
	/* Without this flag the protocol is not looked at. */
	header->ipv6.flags |= parts->protocol ? IP6T_F_PROTO : 0;
}

/* The header is put in front of what was appended since `start`, where there is room for it. */
static void finish_entry(struct buffer *out, size_t start, size_t target, enum table_family family,
			 const struct xt_parts *parts, bool plain)
{
	struct ipt_entry header;
	struct ip6t_entry header6;

	/* The padding too. */
	memset(&header, 0, sizeof(header));
	memset(&header6, 0, sizeof(header6));
	if (family == TABLE_IP6) {
		if (parts)
			fill_header6(parts, plain, &header6);
		header6.target_offset = (uint16_t)(target - start);
		header6.next_offset = (uint16_t)(out->length - start);
		memcpy(out->data + start, &header6, sizeof(header6));
	} else {
		if (parts)
			fill_header(parts, plain, &header);
		header.target_offset = (uint16_t)(target - start);
		header.next_offset = (uint16_t)(out->length - start);
		memcpy(out->data + start, &header, sizeof(header));
	}
}

static size_t begin_entry(struct buffer *out, enum table_family family)
{
	size_t start = out->length, size = xt_header_size(family);

	memset(buffer_reserve(out, size), 0, size);
	out->length += size;
	return start;
}

bool xt_entry_encode(const struct rule *rule, enum table_family family,
		     const struct xt_kernel *kernel, struct buffer *out, const char **ret_jump,
		     struct err *err)
{
	enum family addresses = family == TABLE_IP6 ? FAMILY_IPV6 : FAMILY_IPV4;
	struct xt_parts parts;
	size_t start, target;

	if (!xt_parts_of(rule, &parts) || !family_is(parts.destination, addresses) ||
	    !family_is(parts.source, addresses)) {
		err_set(err, "a rule has no form in xtables");
		return false;
	}
	start = begin_entry(out, family);
	xt_parts_append_matches(&parts, kernel->plain, out);
	target = out->length;
	xt_parts_append_target(&parts, family, kernel, out);
	finish_entry(out, start, target, family, &parts, kernel->plain);
	*ret_jump = parts.action->kind == GOTO ? parts.action->name : NULL;
	return true;
}

void xt_entry_head(enum table_family family, const char *name, struct buffer *out)
{
	size_t start = begin_entry(out, family), target = out->length;
	char chain[XT_NAME_SIZE] = "";

	memcpy(chain, name, strnlen(name, XT_NAME_SIZE - 1));
	xt_append_block(XT_ERROR_NAME, 0, chain, sizeof(chain), out);
	finish_entry(out, start, target, family, NULL, false);
}

static void append_unconditional(enum table_family family, int32_t verdict, struct buffer *out)
{
	size_t start = begin_entry(out, family), target = out->length;

	xt_append_verdict(verdict, out);
	finish_entry(out, start, target, family, NULL, false);
}

void xt_entry_return(enum table_family family, struct buffer *out)
{
	append_unconditional(family, XT_RETURN, out);
}

void xt_entry_jump(enum table_family family, struct buffer *out)
{
	append_unconditional(family, 0, out);
}

void xt_entry_set_verdict(uint8_t *bytes, size_t length, int32_t verdict)
{
	size_t size = XT_ALIGN(sizeof(verdict));

	memset(bytes + length - size, 0, size);
	memcpy(bytes + length - size, &verdict, sizeof(verdict));
}

/* Both headers end alike: marks, target_offset, next_offset, marks, counters. */
static void read_header(const uint8_t *bytes, enum table_family family, uint16_t *ret_target,
			uint16_t *ret_next, struct xt_counters *ret_counters)
{
	struct ipt_entry header;
	struct ip6t_entry header6;

	if (family == TABLE_IP6) {
		memcpy(&header6, bytes, sizeof(header6));
		*ret_target = header6.target_offset;
		*ret_next = header6.next_offset;
		*ret_counters = header6.counters;
	} else {
		memcpy(&header, bytes, sizeof(header));
		*ret_target = header.target_offset;
		*ret_next = header.next_offset;
		*ret_counters = header.counters;
	}
}

static void copy_name(char ret[XT_NAME_SIZE], const void *bytes, size_t size)
{
	memset(ret, 0, XT_NAME_SIZE);
	memcpy(ret, bytes, size < XT_NAME_SIZE ? size : XT_NAME_SIZE - 1);
}

/* The target: at its own offset, with a size that ends where the entry does. */
static bool view_target(const uint8_t *bytes, size_t length, struct xt_entry_view *view)
{
	struct cursor cursor = cursor_over(bytes, length);
	struct xt_entry_target target;
	const uint8_t *data = cursor_take(&cursor, sizeof(target));

	if (!data)
		return false;
	memcpy(&target, data, sizeof(target));
	if (target.u.target_size != length)
		return false;
	copy_name(view->target_name, target.u.user.name, sizeof(target.u.user.name));
	view->standard = !*view->target_name;
	if (view->standard) {
		data = cursor_take(&cursor, sizeof(view->verdict));
		if (!data)
			return false;
		memcpy(&view->verdict, data, sizeof(view->verdict));
	} else if (!strcmp(view->target_name, XT_ERROR_NAME)) {
		data = cursor_take(&cursor, XT_NAME_SIZE);
		if (!data)
			return false;
		copy_name(view->chain, data, XT_NAME_SIZE);
	}
	return true;
}

bool xt_entry_view(const uint8_t *bytes, size_t left, enum table_family family,
		   struct xt_entry_view *ret)
{
	struct xt_entry_view view = { 0 };
	size_t header = xt_header_size(family);
	uint16_t target, next;
	struct xt_counters counters;

	if (left < header)
		return false;
	read_header(bytes, family, &target, &next, &counters);
	if (target < header || next < target || next > left ||
	    !view_target(bytes + target, (size_t)next - target, &view))
		return false;
	view.length = next;
	view.target = target;
	view.packets = counters.pcnt;
	view.bytes = counters.bcnt;
	*ret = view;
	return true;
}

/* A copy without what the kernel keeps in an entry; of a jump without its offset. */
static void clear_kept(uint8_t *bytes, size_t length, enum table_family family)
{
	size_t counters = family == TABLE_IP6 ? offsetof(struct ip6t_entry, counters)
					      : offsetof(struct ipt_entry, counters);
	size_t cache = family == TABLE_IP6 ? offsetof(struct ip6t_entry, nfcache)
					   : offsetof(struct ipt_entry, nfcache);
	size_t from = family == TABLE_IP6 ? offsetof(struct ip6t_entry, comefrom)
					  : offsetof(struct ipt_entry, comefrom);
	struct xt_entry_view view;

	if (!xt_entry_view(bytes, length, family, &view))
		return;
	memset(bytes + counters, 0, sizeof(struct xt_counters));
	memset(bytes + cache, 0, sizeof(unsigned));
	memset(bytes + from, 0, sizeof(unsigned));
	if (view.standard && view.verdict >= 0)
		xt_entry_set_verdict(bytes, length, 0);
}

bool xt_entry_equal(const uint8_t *one, size_t one_length, const uint8_t *other,
		    size_t other_length, enum table_family family)
{
	uint8_t *left, *right;
	bool equal;

	if (one_length != other_length)
		return false;
	left = memory_copy(one, one_length);
	right = memory_copy(other, other_length);
	clear_kept(left, one_length, family);
	clear_kept(right, other_length, family);
	equal = !memcmp(left, right, one_length);
	free(left);
	free(right);
	return equal;
}
