/* fuzz_dns_message.c: any octets as the answer of a nameserver: no address but from the message. */
#include "system/resolver_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Labels of 1 to 63 octets up to the zero octet, which is the last one. */
static void require_name(const struct dns_name *name)
{
	size_t at = 0;

	while (name->octets[at]) {
		require(name->octets[at] <= 63);
		at += 1U + name->octets[at];
		require(at < name->length);
	}
	require(at + 1 == name->length);
}

static void require_addresses(const uint8_t *data, size_t size, enum family family,
			      const struct addresses *found)
{
	for (size_t i = 0; i < found->count; i++) {
		require(found->items[i].family == family);
		require(memmem(data, size, found->items[i].bytes, address_width(family)) != NULL);
	}
}

/* What an alias leads to can be asked for, and what is asked is no answer. */
static void require_question(const struct dns_name *target, enum family family)
{
	struct buffer question = { 0 };
	struct dns_answer answer;

	dns_question_write(1, target, family, true, &question);
	dns_answer_read(question.data, question.length, target, family, &answer);
	require(answer.status == RESOLVE_MALFORMED);
	question.data[2] |= 0x80;
	dns_answer_read(question.data, question.length, target, family, &answer);
	require(answer.status == RESOLVE_NO_ADDRESS);
	buffer_free(&question);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_answer answer;
	struct dns_name name;

	require(dns_name_from_text("x.test", &name));
	for (int family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		dns_answer_read(data, size, &name, (enum family)family, &answer);
		require(answer.unfinished
				? answer.status == RESOLVE_FOUND && !answer.found.count
				: (answer.status == RESOLVE_FOUND) == (answer.found.count > 0));
		require(answer.aliases <= DNS_ALIASES_MAX);
		require_addresses(data, size, (enum family)family, &answer.found);
		if (answer.unfinished) {
			require(answer.aliases > 0);
			require_name(&answer.target);
			require_question(&answer.target, (enum family)family);
		}
		free(answer.found.items);
	}
	return 0;
}
