/* resolver_message.c: DNS messages (RFC 1035): a question written, an answer strictly read. */
#include "system/resolver_message.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <string.h>

enum { TYPE_A = 1, TYPE_CNAME = 5, TYPE_SOA = 6, TYPE_AAAA = 28, TYPE_OPT = 41, CLASS_IN = 1 };
enum { FLAG_ANSWER = 0x8000, FLAG_RECURSE = 0x0100, MASK_OPCODE = 0x7800, MASK_RCODE = 0x000f };
enum {
	RCODE_NOERROR = 0,
	RCODE_FORMERR = 1,
	RCODE_NXDOMAIN = 3,
	RCODE_NOTIMP = 4,
	RCODE_REFUSED = 5
};

struct header {
	uint16_t id, flags, questions, answers, authorities, additionals;
};

/* One resource record; `data` is a view of the message that ends where the record does. */
struct record {
	uint32_t ttl;
	struct dns_name owner;
	uint16_t type, class;
	struct cursor data;
};

static uint16_t family_type(enum family family)
{
	return family == FAMILY_IPV4 ? TYPE_A : TYPE_AAAA;
}

void dns_question_write(uint16_t id, const struct dns_name *name, enum family family, bool edns,
			struct buffer *out)
{
	buffer_append_u16(out, id);
	buffer_append_u16(out, FLAG_RECURSE);
	buffer_append_u16(out, 1);
	buffer_append_u16(out, 0);
	buffer_append_u16(out, 0);
	buffer_append_u16(out, edns ? 1 : 0);
	buffer_append(out, name->octets, name->length);
	buffer_append_u16(out, family_type(family));
	buffer_append_u16(out, CLASS_IN);
	if (!edns)
		return;
	/* The OPT record of RFC 6891, section 6.1.2: the root as owner, version 0, no option. */
	buffer_append_u8(out, 0);
	buffer_append_u16(out, TYPE_OPT);
	buffer_append_u16(out, DNS_DATAGRAM_MAX);
	buffer_append_u32(out, 0);
	buffer_append_u16(out, 0);
}

static bool read_header(struct cursor *message, struct header *ret)
{
	return cursor_u16(message, &ret->id) && cursor_u16(message, &ret->flags) &&
	       cursor_u16(message, &ret->questions) && cursor_u16(message, &ret->answers) &&
	       cursor_u16(message, &ret->authorities) && cursor_u16(message, &ret->additionals);
}

/* Whether the one question of the message is this one. */
static bool read_question(struct cursor *message, const struct dns_name *name, enum family family)
{
	struct dns_name asked;
	uint16_t type, class;

	return dns_name_read(message, &asked) && cursor_u16(message, &type) &&
	       cursor_u16(message, &class) && dns_name_equal(&asked, name) &&
	       type == family_type(family) && class == CLASS_IN;
}

static bool read_record(struct cursor *message, struct record *ret)
{
	uint16_t length;

	if (!dns_name_read(message, &ret->owner) || !cursor_u16(message, &ret->type) ||
	    !cursor_u16(message, &ret->class) || !cursor_u32(message, &ret->ttl) ||
	    !cursor_u16(message, &length))
		return false;
	ret->data = *message;
	if (!cursor_take(message, length))
		return false;
	ret->data.length = message->position;
	return true;
}

/* The target of an alias must fill its record to the last octet. */
static bool read_target(const struct record *record, struct dns_name *ret)
{
	struct cursor data = record->data;

	return dns_name_read(&data, ret) && cursor_left(&data) == 0;
}

/* Moves over `count` records, all of which must be sound; those that we use, down to their data. */
static bool skip_records(struct cursor *message, unsigned count)
{
	struct record record;
	struct dns_name target;

	while (count--) {
		if (!read_record(message, &record))
			return false;
		if (record.class != CLASS_IN)
			continue;
		if ((record.type == TYPE_A && cursor_left(&record.data) != 4) ||
		    (record.type == TYPE_AAAA && cursor_left(&record.data) != 16) ||
		    (record.type == TYPE_CNAME && !read_target(&record, &target)))
			return false;
	}
	return true;
}

/* Whether one of the `count` sound records makes `owner` an alias, the first one, and of what. */
static bool find_alias(struct cursor records, unsigned count, const struct dns_name *owner,
		       struct dns_name *ret)
{
	struct record record;

	while (count-- && read_record(&records, &record))
		if (record.type == TYPE_CNAME && record.class == CLASS_IN &&
		    dns_name_equal(&record.owner, owner))
			return read_target(&record, ret);
	return false;
}

static bool is_among(const struct dns_name *name, const struct dns_name *chain, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (dns_name_equal(name, &chain[i]))
			return true;
	return false;
}

static void collect(struct cursor records, unsigned count, const struct dns_name *chain,
		    unsigned links, enum family family, struct addresses *ret)
{
	struct record record;

	while (count-- && read_record(&records, &record)) {
		struct address address = { .family = family };

		if (record.type != family_type(family) || record.class != CLASS_IN ||
		    !is_among(&record.owner, chain, links))
			continue;
		memcpy(address.bytes, cursor_take(&record.data, address_width(family)),
		       address_width(family));
		ret->items = memory_resize(ret->items, ret->count + 1, sizeof(*ret->items));
		ret->items[ret->count++] = address;
	}
}

/* The least of all: records that do not belong to the name only make it shorter. */
static uint32_t least_ttl(struct cursor records, unsigned count)
{
	struct record record;
	uint32_t least = UINT32_MAX;

	while (count-- && read_record(&records, &record)) {
		/* RFC 2181, section 8: with the highest bit set it is zero. */
		uint32_t ttl = record.ttl > INT32_MAX ? 0 : record.ttl;

		least = ttl < least ? ttl : least;
	}
	return least;
}

/*
 * Whether an answer without addresses is the last word about the end of its alias chain: with the
 * SOA record of the zone in the authority section it is (RFC 2308, section 2.2).
 */
static bool has_soa(struct cursor authorities, unsigned count)
{
	struct record record;

	while (count-- && read_record(&authorities, &record))
		if (record.type == TYPE_SOA && record.class == CLASS_IN)
			return true;
	return false;
}

static enum resolve_status read_answers(struct cursor message, const struct header *header,
					const struct dns_name *name, enum family family,
					struct dns_answer *answer)
{
	struct dns_name chain[DNS_ALIASES_MAX + 1] = { *name };
	struct cursor answers = message;
	unsigned links = 1;

	if (!skip_records(&message, header->answers))
		return RESOLVE_MALFORMED;
	while (find_alias(answers, header->answers, &chain[links - 1], &answer->target)) {
		/* Loops end here too. */
		if (links > DNS_ALIASES_MAX)
			return RESOLVE_MALFORMED;
		chain[links++] = answer->target;
	}
	answer->aliases = links - 1;
	answer->ttl = least_ttl(answers, header->answers);
	collect(answers, header->answers, chain, links, family, &answer->found);
	if (answer->found.count)
		return RESOLVE_FOUND;
	if (links == 1 || has_soa(message, header->authorities))
		return RESOLVE_NO_ADDRESS;
	answer->unfinished = true;
	return RESOLVE_FOUND;
}

void dns_answer_read(const void *bytes, size_t length, const struct dns_name *name,
		     enum family family, struct dns_answer *ret)
{
	struct cursor message = cursor_over(bytes, length);
	struct header header;
	unsigned code;

	*ret = (struct dns_answer){ .status = RESOLVE_MALFORMED };
	if (!read_header(&message, &header) || !(header.flags & FLAG_ANSWER) ||
	    header.flags & MASK_OPCODE)
		return;
	code = header.flags & MASK_RCODE;
	if (code != RCODE_NOERROR && code != RCODE_NXDOMAIN) {
		ret->status = code == RCODE_REFUSED ? RESOLVE_REFUSED : RESOLVE_SERVFAIL;
		ret->refuses_edns = code == RCODE_FORMERR || code == RCODE_NOTIMP;
		return;
	}
	if (header.questions != 1 || !read_question(&message, name, family))
		return;
	ret->status = code == RCODE_NXDOMAIN ? RESOLVE_NXDOMAIN
					     : read_answers(message, &header, name, family, ret);
}
