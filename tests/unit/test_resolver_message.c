/* test_resolver_message.c: DNS messages, octet by octet. */
#include "base/memory.h"
#include "suite.h"
#include "system/resolver_message.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The question of every answer here: x.test, type A, behind a header that promises records. */
#define HEADER(flags, answers, authorities)                                                        \
	"\x12\x34" flags "\0\1\0" answers "\0" authorities "\0\0"
#define QUESTION "\1x\4test\0\0\1\0\1"
#define OK "\x81\x80"
#define NXDOMAIN "\x81\x83"
#define POINTER "\xc0\x0c" /* to the name of the question */
#define IN_A "\0\1\0\1\0\0\0\1"
#define IN_AAAA "\0\34\0\1\0\0\0\1"
#define IN_CNAME "\0\5\0\1\0\0\0\1"
#define IN_SOA "\0\6\0\1\0\0\0\1"
#define FIVE "\0\4\xcb\0\x71\5" /* 203.0.113.5 */

struct answer_case {
	const char *what;
	const char *bytes;
	size_t length;
	enum resolve_status status;
	size_t found;
	bool unfinished;
};
#define ANSWER(bytes) bytes, sizeof(bytes) - 1

static const struct answer_case answers[] = {
	{ "one address", ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_A FIVE), RESOLVE_FOUND,
	  1, false },
	{ "owner in capitals, without compression",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION "\1X\4TesT\0" IN_A FIVE), RESOLVE_FOUND, 1,
	  false },
	{ "octets behind the last record",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_A FIVE "junk"), RESOLVE_FOUND, 1,
	  false },
	{ "other class", ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER "\0\1\0\3\0\0\0\1" FIVE),
	  RESOLVE_NO_ADDRESS, 0, false },
	{ "other family",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_AAAA
		 "\0\20\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1"),
	  RESOLVE_NO_ADDRESS, 0, false },
	{ "other owner", ANSWER(HEADER(OK, "\1", "\0") QUESTION "\1y\4test\0" IN_A FIVE),
	  RESOLVE_NO_ADDRESS, 0, false },
	{ "owner above", ANSWER(HEADER(OK, "\1", "\0") QUESTION "\xc0\x0e" IN_A FIVE),
	  RESOLVE_NO_ADDRESS, 0, false },
	{ "alias and its target",
	  ANSWER(HEADER(OK, "\2", "\0") QUESTION POINTER IN_CNAME "\0\4\1y\xc0\x0e"
								  "\xc0\x24" IN_A FIVE),
	  RESOLVE_FOUND, 1, false },
	{ "target before its alias",
	  ANSWER(HEADER(OK, "\2", "\0") QUESTION "\1y\4test\0" IN_A FIVE POINTER IN_CNAME
						 "\0\4\1y\xc0\x0e"),
	  RESOLVE_FOUND, 1, false },
	{ "the second alias of a name does not count",
	  ANSWER(HEADER(OK, "\3", "\0") QUESTION POINTER IN_CNAME "\0\4\1y\xc0\x0e" POINTER IN_CNAME
								  "\0\4\1z\xc0\x0e"
								  "\1z\4test\0" IN_A FIVE),
	  RESOLVE_FOUND, 0, true },
	{ "alias alone", ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_CNAME "\0\4\1y\xc0\x0e"),
	  RESOLVE_FOUND, 0, true },
	{ "alias and the zone's word",
	  ANSWER(HEADER(OK, "\1", "\1") QUESTION POINTER IN_CNAME "\0\4\1y\xc0\x0e"
								  "\xc0\x0e" IN_SOA "\0\0"),
	  RESOLVE_NO_ADDRESS, 0, false },
	{ "alias of itself",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_CNAME "\0\2\xc0\x0c"),
	  RESOLVE_MALFORMED, 0, false },
	{ "no record", ANSWER(HEADER(OK, "\0", "\0") QUESTION), RESOLVE_NO_ADDRESS, 0, false },
	{ "no such name", ANSWER(HEADER(NXDOMAIN, "\0", "\0") QUESTION), RESOLVE_NXDOMAIN, 0,
	  false },
	{ "no such name, and an address",
	  ANSWER(HEADER(NXDOMAIN, "\1", "\0") QUESTION POINTER IN_A FIVE), RESOLVE_NXDOMAIN, 0,
	  false },
	{ "server failure without a question", ANSWER("\x12\x34\x81\x82\0\0\0\0\0\0\0\0"),
	  RESOLVE_SERVFAIL, 0, false },
	{ "refused", ANSWER(HEADER("\x81\x85", "\0", "\0") QUESTION), RESOLVE_REFUSED, 0, false },
	{ "some other code", ANSWER(HEADER("\x81\x89", "\0", "\0") QUESTION), RESOLVE_SERVFAIL, 0,
	  false },
	{ "a question", ANSWER(HEADER("\x01\x00", "\1", "\0") QUESTION POINTER IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "another operation", ANSWER(HEADER("\x91\x80", "\1", "\0") QUESTION POINTER IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "another question",
	  ANSWER(HEADER(OK, "\1", "\0") "\1y\4test\0\0\1\0\1" POINTER IN_A FIVE), RESOLVE_MALFORMED,
	  0, false },
	{ "a question for another type",
	  ANSWER(HEADER(OK, "\1", "\0") "\1x\4test\0\0\34\0\1" POINTER IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "two questions", ANSWER("\x12\x34" OK "\0\2\0\0\0\0\0\0" QUESTION QUESTION),
	  RESOLVE_MALFORMED, 0, false },
	{ "a pointer to itself", ANSWER(HEADER(OK, "\1", "\0") QUESTION "\xc0\x18" IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "a pointer forward", ANSWER(HEADER(OK, "\1", "\0") QUESTION "\xc0\x1a" IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "a pointer behind the message",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION "\xff\xff" IN_A FIVE), RESOLVE_MALFORMED, 0,
	  false },
	{ "a label and a pointer back to it",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION "\1y\xc0\x18" IN_A FIVE), RESOLVE_MALFORMED, 0,
	  false },
	{ "a pointer into the header, to a name that has no end before the answer",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION "\xc0\x02" IN_A FIVE), RESOLVE_MALFORMED, 0,
	  false },
	{ "an address of five octets",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_A "\0\5\xcb\0\x71\5\0"),
	  RESOLVE_MALFORMED, 0, false },
	{ "an IPv6 address of four octets among the answers",
	  ANSWER(HEADER(OK, "\2", "\0") QUESTION POINTER IN_A FIVE POINTER IN_AAAA FIVE),
	  RESOLVE_MALFORMED, 0, false },
	{ "an alias with an octet too many",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_CNAME "\0\5\1y\xc0\x0e\0"),
	  RESOLVE_MALFORMED, 0, false },
	{ "an alias that ends behind its data",
	  ANSWER(HEADER(OK, "\1", "\0") QUESTION POINTER IN_CNAME "\0\3\1y\xc0\x0e"),
	  RESOLVE_MALFORMED, 0, false },
	{ "fewer records than promised", ANSWER(HEADER(OK, "\2", "\0") QUESTION POINTER IN_A FIVE),
	  RESOLVE_MALFORMED, 0, false },
};

START_TEST(answer)
{
	const struct answer_case *test = &answers[_i];
	/* At its exact size on the heap, where a read behind it is seen. */
	autofree uint8_t *bytes = memory_copy(test->bytes, test->length);
	struct dns_name name;
	struct dns_answer got;

	ck_assert(dns_name_from_text("x.test", &name));
	dns_answer_read(bytes, test->length, &name, FAMILY_IPV4, &got);
	ck_assert_msg(got.status == test->status, "%s: %s", test->what,
		      resolve_status_name(got.status));
	ck_assert_msg(got.found.count == test->found, "%s: %zu addresses", test->what,
		      got.found.count);
	ck_assert_msg(got.unfinished == test->unfinished, "%s", test->what);
	free(got.found.items);
}
END_TEST

/* However short it is cut, a good answer becomes no other good one. */
START_TEST(every_prefix)
{
	static const char whole[] =
		HEADER(OK, "\2", "\0") QUESTION POINTER IN_CNAME "\0\4\1y\xc0\x0e"
								 "\xc0\x24" IN_A FIVE;
	struct dns_name name;
	struct dns_answer got;

	ck_assert(dns_name_from_text("x.test", &name));
	for (size_t length = 0; length < sizeof(whole) - 1; length++) {
		autofree uint8_t *bytes = memory_copy(whole, length);

		dns_answer_read(bytes, length, &name, FAMILY_IPV4, &got);
		ck_assert_int_eq(got.status, RESOLVE_MALFORMED);
		ck_assert_uint_eq(got.found.count, 0);
	}
}
END_TEST

START_TEST(alias_target)
{
	static const char bytes[] =
		HEADER(OK, "\1", "\0") QUESTION POINTER IN_CNAME "\0\6\3_Y.\xc0\x0e";
	struct dns_name name;
	struct dns_answer got;

	ck_assert(dns_name_from_text("x.test", &name));
	dns_answer_read(bytes, sizeof(bytes) - 1, &name, FAMILY_IPV4, &got);
	ck_assert(got.unfinished);
	ck_assert_uint_eq(got.aliases, 1);
	/* A dot within a label stays one, capitals do not. */
	ck_assert_uint_eq(got.target.length, 10);
	ck_assert_mem_eq(got.target.octets, "\3_y.\4test\0", 10);
}
END_TEST

START_TEST(question)
{
	static const char plain[] = "\xab\xcd\1\0\0\1\0\0\0\0\0\0\1x\4test\0\0\34\0\1";
	static const char edns[] =
		"\xab\xcd\1\0\0\1\0\0\0\0\0\1\1x\4test\0\0\1\0\1\0\0\x29\4\xd0\0\0\0\0\0\0";
	struct buffer out __attribute__((cleanup(buffer_free))) = { 0 };
	struct dns_name name;

	ck_assert(dns_name_from_text("x.test", &name));
	dns_question_write(0xabcd, &name, FAMILY_IPV6, false, &out);
	ck_assert_uint_eq(out.length, sizeof(plain) - 1);
	ck_assert_mem_eq(out.data, plain, out.length);
	buffer_free(&out);
	dns_question_write(0xabcd, &name, FAMILY_IPV4, true, &out);
	ck_assert_uint_eq(out.length, sizeof(edns) - 1);
	ck_assert_mem_eq(out.data, edns, out.length);
}
END_TEST

START_TEST(names)
{
	char text[300] = "";
	struct dns_name name = { .length = 77 };

	ck_assert(!dns_name_from_text("", &name));
	ck_assert(!dns_name_from_text(".", &name));
	ck_assert(!dns_name_from_text("a.", &name));
	ck_assert(!dns_name_from_text(".a", &name));
	ck_assert(!dns_name_from_text("a..b", &name));
	memset(text, 'a', 64);
	ck_assert(!dns_name_from_text(text, &name));
	text[63] = '\0';
	ck_assert_uint_eq(name.length, 77);
	ck_assert(dns_name_from_text(text, &name));
	ck_assert_uint_eq(name.length, 65);
	/* 253 octets of text are 255 on the wire, the most that there can be. */
	memset(text, 0, sizeof(text));
	for (int i = 0; i < 127; i++)
		strcat(text, i ? ".a" : "a");
	ck_assert_uint_eq(strlen(text), 253);
	ck_assert(dns_name_from_text(text, &name));
	ck_assert_uint_eq(name.length, 255);
	strcat(text, "a");
	ck_assert(!dns_name_from_text(text, &name));
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("messages");

	tcase_add_loop_test(cases, answer, 0, sizeof(answers) / sizeof(*answers));
	tcase_add_test(cases, every_prefix);
	tcase_add_test(cases, alias_target);
	tcase_add_test(cases, question);
	tcase_add_test(cases, names);
	return suite_end("resolver_message", cases);
}
