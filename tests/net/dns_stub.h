/* dns_stub.h: the parts of the scripted DNS server: its script, and the answers that it makes. */
#ifndef EGRESSFW_TESTS_NET_DNS_STUB_H
#define EGRESSFW_TESTS_NET_DNS_STUB_H

#include "base/address.h"
#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TYPE_A = 1, TYPE_CNAME = 5, TYPE_SOA = 6, TYPE_AAAA = 28, TYPE_OPT = 41, TYPE_ANY = 255 };
enum { RCODE_NOERROR = 0, RCODE_FORMERR = 1, RCODE_NXDOMAIN = 3 };
enum { STUB_NAME_SIZE = 256 };

/* The ways in which an answer can be wrong. */
enum malformed {
	MALFORMED_NOT,
	MALFORMED_EMPTY,  /* no octet at all */
	MALFORMED_SHORT,  /* half a header */
	MALFORMED_ID,     /* the number of another question */
	MALFORMED_QUERY,  /* not marked as an answer */
	MALFORMED_OPCODE, /* an answer to something that is no query */
	MALFORMED_NO_QUESTION,
	MALFORMED_OTHER_QUESTION,
	MALFORMED_COUNT,   /* more records promised than there are */
	MALFORMED_LENGTH,  /* data that ends behind the message */
	MALFORMED_WIDTH,   /* an address with an octet too many */
	MALFORMED_LOOP,    /* an owner that points to itself */
	MALFORMED_FORWARD, /* an owner that points behind the message */
	MALFORMED_LABEL,   /* a label of a kind that there is not */
	MALFORMED_NAME,    /* an owner of more than 255 octets */
	MALFORMED_ALIAS,   /* an alias with octets behind its target */
	MALFORMED_KINDS,
};

/* One line of the script. */
struct entry {
	char *name; /* "*", "*.example.test" or a name */
	uint16_t type;
	struct address *addresses;
	size_t address_count;
	char *target; /* of a CNAME */
	unsigned rcode;
	unsigned delay_ms;
	uint32_t ttl;  /* seconds */
	unsigned drop; /* the first questions, which get no answer */
	bool truncate; /* over UDP: no records and the TC bit */
	bool rotate;   /* each answer begins with the next address */
	bool bare;     /* an alias without what it leads to */
	bool soa;      /* with the SOA record that makes an answer without addresses final */
	bool no_edns;  /* FORMERR for a question with an EDNS record */
	char *owner;   /* whose record it says it is, instead of the name that was asked for */
	int from;      /* index of the bound address that answers; -1: the one that was asked */
	enum malformed malformed;
	unsigned asked; /* questions so far */
};

struct script {
	struct entry *entries;
	size_t count;
};

/* Reads the file; a line that is not understood ends the program with a sentence. */
struct script script_read(const char *path);

/* The entry that answers, or NULL; *ret_known: whether the name is there at all. */
struct entry *script_find(const struct script *script, const char *name, uint16_t type,
			  bool *ret_known);

struct query {
	uint16_t id, type;
	char name[STUB_NAME_SIZE];
	bool edns;
	const uint8_t *question; /* as it stands in the message */
	size_t question_length;
};

bool query_read(const void *bytes, size_t length, struct query *ret);
const char *type_name(uint16_t type);

struct reply {
	struct buffer message;
	unsigned delay_ms;
	int from;
};

/* False: there is no answer to this question (drop=). */
bool reply_make(const struct script *script, const struct query *query, bool tcp,
		struct reply *ret);

#endif
