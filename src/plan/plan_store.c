/* plan_store.c: the plan as bytes for the state directory, and back as untrusted input. */
#include "plan/plan_store.h"

#include "base/memory.h"
#include "plan/plan.h"
#include "policy/host.h"

#include <endian.h>
#include <sha2.h>
#include <string.h>

/*
 * magic with the version of the format; SHA-256 of the next two; u32 length of the body; body; the
 * keys of the sets. The keys are not hashed again, since the ruleset's own digest, which is in the
 * body, is over them: hashing many addresses twice would cost more than all the rest.
 */
static const char magic[8] = { 'e', 'g', 'f', 'w', 'p', 'l', 'n', '8' };

enum { ADDRESS_STORED_MIN = 5, PROBE_STORED_MIN = 8 + ADDRESS_STORED_MIN };

static void store_plan(const struct plan *plan, struct buffer *out)
{
	store_text(plan->instance, out);
	store_ranges(&plan->confined, out);
	store_ruleset(&plan->ruleset, out);
	buffer_append_u32(out, (uint32_t)plan->hosts.count);
	for (size_t i = 0; i < plan->hosts.count; i++) {
		store_address(&plan->hosts.items[i].address, out);
		store_text(plan->hosts.items[i].name, out);
	}
	buffer_append_u32(out, (uint32_t)plan->probes.count);
	for (size_t i = 0; i < plan->probes.count; i++) {
		const struct probe *probe = &plan->probes.items[i];

		buffer_append_u8(out, (uint8_t)probe->protocol);
		buffer_append_u8(out, (uint8_t)probe->origin);
		buffer_append_u32(out, probe->uid);
		store_address(&probe->target.address, out);
		buffer_append_u16(out, probe->target.port);
	}
	buffer_append_u8(out, plan->filtered);
	if (plan->filtered)
		store_filter(&plan->filter, out);
	store_text(plan->hosts_file, out);
	store_named_users(&plan->names, out);
	buffer_append_u8(out, plan->hosts_left);
}

static bool load_hosts_entry(struct cursor *cursor, struct hosts_entry *ret)
{
	char name[HOST_TEXT_SIZE], normal[HOST_TEXT_SIZE];
	struct address address;
	struct err ignored;

	if (!load_address(cursor, &address) || !load_text(cursor, name, sizeof(name)) ||
	    !host_normalise_request(name, normal, &ignored) || strcmp(name, normal) != 0)
		return false;
	*ret = (struct hosts_entry){ address, memory_copy_string(name) };
	return true;
}

/* Grouped by name, and within a name by address: as hosts_block_build() makes them. */
static bool load_hosts(struct cursor *cursor, struct hosts_block *ret)
{
	uint32_t count;

	if (!load_count(cursor, ADDRESS_STORED_MIN + 1, &count))
		return false;
	ret->items = memory_allocate(count, sizeof(*ret->items));
	while (ret->count < count) {
		struct hosts_entry *entry = &ret->items[ret->count];
		int order;

		if (!load_hosts_entry(cursor, entry))
			return false;
		if (ret->count++ == 0)
			continue;
		order = strcmp(entry[-1].name, entry->name);
		if (order > 0 ||
		    (!order && address_compare(&entry[-1].address, &entry->address) >= 0))
			return false;
	}
	return true;
}

static bool load_probe(struct cursor *cursor, const struct rangeset *confined, struct probe *ret)
{
	uint8_t protocol, origin;

	if (!load_choice(cursor, PROBE_PROTOCOLS, &protocol) ||
	    !load_choice(cursor, PROBE_ORIGINS, &origin) || !cursor_u32(cursor, &ret->uid) ||
	    !rangeset_contains(confined, ret->uid) || !load_address(cursor, &ret->target.address) ||
	    !cursor_u16(cursor, &ret->target.port) || !ret->target.port)
		return false;
	ret->protocol = protocol;
	ret->origin = origin;
	return true;
}

static bool load_probes(struct cursor *cursor, const struct rangeset *confined, struct probes *ret)
{
	uint32_t count;

	if (!load_count(cursor, PROBE_STORED_MIN, &count))
		return false;
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (; ret->count < count; ret->count++)
		if (!load_probe(cursor, confined, &ret->items[ret->count]))
			return false;
	return true;
}

/* Names the part that is not valid, or NULL where all of them are. */
static const char *load_plan(struct cursor *body, struct cursor *keys, struct plan *ret)
{
	char table[RULESET_NAME_SIZE];

	if (!load_text(body, ret->instance, sizeof(ret->instance)) ||
	    (*ret->instance && !plan_instance_is_valid(ret->instance)))
		return "instance name";
	if (!load_ranges(body, UID_LAST, &ret->confined) || ret->confined.items[0].first == 0)
		return "list of confined users";
	plan_table_name(ret->instance, table);
	if (!load_ruleset(body, &ret->ruleset) || strcmp(ret->ruleset.table, table) != 0)
		return "ruleset";
	if (!load_hosts(body, &ret->hosts))
		return "hosts block";
	if (!load_probes(body, &ret->confined, &ret->probes))
		return "list of probes";
	if (!load_flag(body, &ret->filtered) || (ret->filtered && !load_filter(body, &ret->filter)))
		return "filter";
	if (!load_text(body, ret->hosts_file, sizeof(ret->hosts_file)) ||
	    (*ret->hosts_file ? *ret->hosts_file != '/' : ret->hosts.count > 0))
		return "path of the hosts file";
	if (!load_named_users(body, &ret->names))
		return "list of names";
	if (!load_flag(body, &ret->hosts_left))
		return "hosts flag";
	if (!load_keys(keys, &ret->ruleset))
		return "sets";
	return cursor_left(body) || cursor_left(keys) ? "end" : NULL;
}

static void digest_of(const uint8_t *bytes, size_t length, uint8_t ret[SHA256_DIGEST_LENGTH])
{
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, bytes, length);
	SHA256Final(ret, &context);
}

void plan_encode(const struct plan *plan, struct buffer *out)
{
	struct buffer body = { 0 };
	uint8_t digest[SHA256_DIGEST_LENGTH];

	buffer_append_u32(&body, 0);
	store_plan(plan, &body);
	memcpy(body.data, &(uint32_t){ htobe32((uint32_t)(body.length - sizeof(uint32_t))) },
	       sizeof(uint32_t));
	digest_of(body.data, body.length, digest);
	buffer_append(out, magic, sizeof(magic));
	buffer_append(out, digest, sizeof(digest));
	buffer_append(out, body.data, body.length);
	store_keys(&plan->ruleset, out);
	buffer_free(&body);
}

/* The body behind its digest, and the keys behind the body. */
static bool open_stored(struct cursor *cursor, struct cursor *ret_body, struct cursor *ret_keys)
{
	const uint8_t *digest = cursor_take(cursor, SHA256_DIGEST_LENGTH), *body;
	uint8_t found[SHA256_DIGEST_LENGTH];
	uint32_t length;

	if (!digest || !cursor_u32(cursor, &length))
		return false;
	body = cursor_take(cursor, length);
	if (!body)
		return false;
	digest_of(digest + SHA256_DIGEST_LENGTH, sizeof(length) + length, found);
	if (memcmp(digest, found, sizeof(found)) != 0)
		return false;
	*ret_body = cursor_over(body, length);
	*ret_keys = cursor_over(body + length, cursor_left(cursor));
	return true;
}

bool plan_decode(const void *bytes, size_t length, struct plan *ret, struct err *err)
{
	struct cursor cursor = cursor_over(bytes, length), body, keys;
	const uint8_t *found = cursor_take(&cursor, sizeof(magic));
	struct plan plan = { 0 };
	const char *part;

	if (!found || memcmp(found, magic, sizeof(magic)) != 0) {
		err_set(err, "the stored plan is not one of this version");
		return false;
	}
	if (!open_stored(&cursor, &body, &keys)) {
		err_set(err, "the stored plan is torn or was changed: its digest does not match");
		return false;
	}
	part = load_plan(&body, &keys, &plan);
	if (part) {
		err_set(err, "the stored plan is not valid: %s", part);
		plan_free(&plan);
		return false;
	}
	*ret = plan;
	return true;
}
