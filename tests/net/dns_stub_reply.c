/* dns_stub_reply.c: the answers of the DNS server, right and wrong. */
#include "dns_stub.h"

#include "base/cursor.h"

#include <string.h>

enum { HEADER_SIZE = 12, CLASS_IN = 1, ALIASES_MAX = 16, POINTER_TO_QUESTION = 0xc00c };

struct writer {
	struct buffer *out;
	uint16_t answers, authorities;
	enum malformed malformed;
};

static bool name_read(struct cursor *cursor, char ret[STUB_NAME_SIZE])
{
	size_t length = 0;
	uint8_t size;

	while (cursor_u8(cursor, &size) && size) {
		const uint8_t *label = size < 64 ? cursor_take(cursor, size) : NULL;

		if (!label || length + size + 1 >= STUB_NAME_SIZE)
			return false;
		memcpy(ret + length, label, size);
		length += size;
		ret[length++] = '.';
	}
	ret[length ? length - 1 : 0] = '\0';
	return true;
}

bool query_read(const void *bytes, size_t length, struct query *ret)
{
	struct cursor cursor = cursor_over(bytes, length);
	uint16_t flags, questions, answers, authorities, additionals, class;

	if (!cursor_u16(&cursor, &ret->id) || !cursor_u16(&cursor, &flags) ||
	    !cursor_u16(&cursor, &questions) || !cursor_u16(&cursor, &answers) ||
	    !cursor_u16(&cursor, &authorities) || !cursor_u16(&cursor, &additionals) ||
	    questions != 1 || !name_read(&cursor, ret->name) || !cursor_u16(&cursor, &ret->type) ||
	    !cursor_u16(&cursor, &class))
		return false;
	ret->question = (const uint8_t *)bytes + HEADER_SIZE;
	ret->question_length = cursor.position - HEADER_SIZE;
	ret->edns = additionals > 0;
	return true;
}

static void write_name(struct buffer *out, const char *name)
{
	while (*name) {
		size_t label = strcspn(name, ".");

		buffer_append_u8(out, (uint8_t)label);
		buffer_append(out, name, label);
		name += label + (name[label] == '.');
	}
	buffer_append_u8(out, 0);
}

/* The owner: a pointer to the question where it is the name that was asked for. */
static void write_owner(struct writer *writer, const struct query *query, const char *owner)
{
	struct buffer *out = writer->out;

	switch (writer->malformed) {
	case MALFORMED_LOOP:
		buffer_append_u16(out, (uint16_t)(0xc000 | out->length));
		return;
	case MALFORMED_FORWARD:
		buffer_append_u16(out, 0xffff);
		return;
	case MALFORMED_LABEL:
		buffer_append_u8(out, 0x41);
		buffer_append_u8(out, 0);
		return;
	case MALFORMED_NAME:
		for (int i = 0; i < 130; i++)
			buffer_append(out, "\001a", 2);
		buffer_append_u8(out, 0);
		return;
	case MALFORMED_NOT:
	case MALFORMED_EMPTY:
	case MALFORMED_SHORT:
	case MALFORMED_ID:
	case MALFORMED_QUERY:
	case MALFORMED_OPCODE:
	case MALFORMED_NO_QUESTION:
	case MALFORMED_OTHER_QUESTION:
	case MALFORMED_COUNT:
	case MALFORMED_LENGTH:
	case MALFORMED_WIDTH:
	case MALFORMED_ALIAS:
	case MALFORMED_KINDS:
		break;
	}
	if (!strcmp(owner, query->name))
		buffer_append_u16(out, POINTER_TO_QUESTION);
	else
		write_name(out, owner);
}

static void write_record(struct writer *writer, const struct query *query, const char *owner,
			 uint16_t type, uint32_t ttl, const struct buffer *data)
{
	struct buffer *out = writer->out;
	uint16_t extra = writer->malformed == MALFORMED_LENGTH ? 200 : 0;

	write_owner(writer, query, owner);
	buffer_append_u16(out, type);
	buffer_append_u16(out, CLASS_IN);
	buffer_append_u32(out, ttl);
	buffer_append_u16(out, (uint16_t)(data->length + extra));
	buffer_append(out, data->data, data->length);
}

static void write_alias(struct writer *writer, const struct query *query, const char *owner,
			const struct entry *entry)
{
	struct buffer data __attribute__((cleanup(buffer_free))) = { 0 };

	write_name(&data, entry->target);
	if (writer->malformed == MALFORMED_ALIAS)
		buffer_append_u8(&data, 0);
	write_record(writer, query, owner, TYPE_CNAME, entry->ttl, &data);
	writer->answers++;
}

static void write_addresses(struct writer *writer, const struct query *query, const char *owner,
			    const struct entry *entry)
{
	size_t first = entry->rotate ? entry->asked - 1 : 0;
	enum family family = query->type == TYPE_AAAA ? FAMILY_IPV6 : FAMILY_IPV4;

	for (size_t i = 0; i < entry->address_count; i++) {
		const struct address *address =
			&entry->addresses[(first + i) % entry->address_count];
		struct buffer data __attribute__((cleanup(buffer_free))) = { 0 };

		if (address->family != family)
			continue;
		buffer_append(&data, address->bytes, address_width(address->family));
		if (writer->malformed == MALFORMED_WIDTH)
			buffer_append_u8(&data, 0);
		write_record(writer, query, entry->owner ? entry->owner : owner, query->type,
			     entry->ttl, &data);
		writer->answers++;
	}
}

static void write_soa(struct writer *writer, const struct query *query)
{
	struct buffer data __attribute__((cleanup(buffer_free))) = { 0 };

	write_name(&data, "ns.test");
	write_name(&data, "admin.test");
	for (int i = 0; i < 5; i++)
		buffer_append_u32(&data, 1);
	write_record(writer, query, "test", TYPE_SOA, 1, &data);
	writer->authorities++;
}

/* Follows aliases as a recursive server does; returns the code. */
static unsigned write_answers(struct writer *writer, const struct script *script,
			      const struct query *query, struct entry *entry)
{
	const char *name = query->name;

	for (int aliases = 0; entry->type == TYPE_CNAME && entry->target; aliases++) {
		bool known;

		write_alias(writer, query, name, entry);
		if (entry->bare || aliases >= ALIASES_MAX) {
			if (entry->soa)
				write_soa(writer, query);
			return entry->rcode;
		}
		name = entry->target;
		entry = script_find(script, name, query->type, &known);
		if (!entry) {
			write_soa(writer, query);
			return known ? RCODE_NOERROR : RCODE_NXDOMAIN;
		}
		entry->asked++;
	}
	write_addresses(writer, query, name, entry);
	if (!writer->answers)
		write_soa(writer, query);
	return entry->rcode;
}

static void put_u16(struct buffer *out, size_t offset, unsigned value)
{
	out->data[offset] = (uint8_t)(value >> 8);
	out->data[offset + 1] = (uint8_t)value;
}

/* What is wrong with the message as a whole. */
static void spoil(struct buffer *out, const struct writer *writer)
{
	switch (writer->malformed) {
	case MALFORMED_EMPTY:
		out->length = 0;
		break;
	case MALFORMED_SHORT:
		out->length = HEADER_SIZE / 2;
		break;
	case MALFORMED_ID:
		out->data[1] ^= 1;
		break;
	case MALFORMED_QUERY:
		out->data[2] &= 0x7f;
		break;
	case MALFORMED_OPCODE:
		out->data[2] |= 0x10;
		break;
	case MALFORMED_NO_QUESTION:
		put_u16(out, 4, 0);
		break;
	case MALFORMED_OTHER_QUESTION:
		out->data[HEADER_SIZE + 1] ^= 1;
		break;
	case MALFORMED_COUNT:
		put_u16(out, 6, writer->answers + 5U);
		break;
	case MALFORMED_NOT:
	case MALFORMED_LENGTH:
	case MALFORMED_WIDTH:
	case MALFORMED_LOOP:
	case MALFORMED_FORWARD:
	case MALFORMED_LABEL:
	case MALFORMED_NAME:
	case MALFORMED_ALIAS:
	case MALFORMED_KINDS:
		break;
	}
}

static void write_message(const struct script *script, const struct query *query,
			  struct entry *entry, unsigned code, bool truncate, struct buffer *out)
{
	struct writer writer = { .out = out,
				 .malformed = entry ? entry->malformed : MALFORMED_NOT };

	for (int i = 0; i < HEADER_SIZE; i++)
		buffer_append_u8(out, 0);
	buffer_append(out, query->question, query->question_length);
	if (entry && code == RCODE_NOERROR && !truncate)
		code = write_answers(&writer, script, query, entry);
	else if (!truncate)
		write_soa(&writer, query);
	put_u16(out, 0, query->id);
	put_u16(out, 2, 0x8180U | (truncate ? 0x0200U : 0) | code);
	put_u16(out, 4, 1);
	put_u16(out, 6, writer.answers);
	put_u16(out, 8, writer.authorities);
	spoil(out, &writer);
}

bool reply_make(const struct script *script, const struct query *query, bool tcp, struct reply *ret)
{
	bool known;
	struct entry *entry = script_find(script, query->name, query->type, &known);
	unsigned code = known ? RCODE_NOERROR : RCODE_NXDOMAIN;

	*ret = (struct reply){ .from = -1 };
	if (entry) {
		if (++entry->asked <= entry->drop)
			return false;
		code = entry->no_edns && query->edns ? RCODE_FORMERR : entry->rcode;
		ret->delay_ms = entry->delay_ms;
		ret->from = entry->from;
	}
	write_message(script, query, entry, code, entry && entry->truncate && !tcp, &ret->message);
	return true;
}
