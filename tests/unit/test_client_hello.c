/* test_client_hello.c: one answer for every hello, however it is cut. */
#include "hello_recipe.h"

#include "suite.h"

#include <string.h>

struct answer {
	enum hello_status status;
	enum hello_fault fault;
	struct client_hello hello;
};

/* Reads a stream that arrives in two parts, or octet by octet (cut 0). */
static struct answer read_cut(const struct buffer *stream, size_t limit, size_t cut)
{
	struct answer answer = { .status = HELLO_MORE };
	struct hello_reader reader;

	hello_reader_start(&reader, limit);
	for (size_t length = cut; length <= stream->length; length = cut ? stream->length : length + 1) {
		/* Each read sees its own copy, so that what lies beyond is noticed by valgrind. */
		struct buffer part = { 0 };

		buffer_append(&part, stream->data ? stream->data : (const uint8_t *)"", length);
		answer.status = hello_read(&reader, part.data, length, &answer.hello, &answer.fault);
		buffer_free(&part);
		if (answer.status != HELLO_MORE || length == stream->length)
			break;
	}
	hello_reader_free(&reader);
	return answer;
}

static void check_answer(const struct recipe *recipe, const struct buffer *stream, size_t cut)
{
	struct answer answer = read_cut(stream, recipe_limit(recipe), cut);

	ck_assert_msg(answer.status == recipe->status, "%s, cut at %zu of %zu: status %d (%s)", recipe->what,
		      cut, stream->length, (int)answer.status,
		      answer.status == HELLO_REFUSED ? hello_fault_name(answer.fault) : "");
	if (answer.status == HELLO_REFUSED)
		ck_assert_msg(answer.fault == recipe->fault, "%s, cut at %zu: %s", recipe->what, cut,
			      hello_fault_name(answer.fault));
	if (answer.status != HELLO_READ)
		return;
	ck_assert_msg(!strcmp(answer.hello.name, recipe->read), "%s: %s", recipe->what, answer.hello.name);
	ck_assert_msg(answer.hello.encrypted == recipe->encrypted, "%s", recipe->what);
	ck_assert_msg(answer.hello.length == stream->length - recipe->after.length, "%s: %zu", recipe->what,
		      answer.hello.length);
}

START_TEST(every_hello_has_its_answer)
{
	ck_assert_uint_ge(hello_corpus_count, 120);
	for (size_t i = 0; i < hello_corpus_count; i++) {
		struct buffer stream;

		if (hello_corpus[i].heads)
			continue;
		recipe_make(&hello_corpus[i], &stream);
		check_answer(&hello_corpus[i], &stream, stream.length);
		check_answer(&hello_corpus[i], &stream, 0);
		for (size_t cut = 1; cut < stream.length && stream.length < 3000; cut++)
			check_answer(&hello_corpus[i], &stream, cut);
		buffer_free(&stream);
	}
}
END_TEST

START_TEST(case_H1)
{
	const struct recipe large = { "large", .name = OCTETS("a.test"), .key_share = 1216, .padding = 460,
				      .status = HELLO_READ, .read = "a.test" };
	const struct recipe padded = { "padded", .name = OCTETS("a.test"), .padding = 15886,
				       .status = HELLO_READ, .read = "a.test", .limit = 16000 };
	const struct recipe over = { "over", .name = OCTETS("a.test"), .padding = 15886, .limit = 15999,
				     .status = HELLO_REFUSED, .fault = HELLO_TOO_LARGE };
	struct buffer stream;

	recipe_make(&large, &stream);
	ck_assert_uint_eq(stream.length, 1800);
	for (size_t cut = 0; cut <= stream.length; cut++)
		check_answer(&large, &stream, cut);
	buffer_free(&stream);
	recipe_make(&padded, &stream);
	ck_assert_uint_eq(stream.length, 16000);
	check_answer(&padded, &stream, 0);
	check_answer(&padded, &stream, 16000);
	check_answer(&over, &stream, 0);
	check_answer(&over, &stream, 16000);
	buffer_free(&stream);
}
END_TEST

struct pair {
	const char *target;
	struct octets name;
	const char *fault; /* NULL: it suits */
};

static void check_pair(const struct pair *pair)
{
	struct recipe recipe = { .name = pair->name };
	struct buffer stream;
	struct answer answer;
	struct target target;
	struct err err;

	ck_assert_msg(target_parse(pair->target, &target, &err), "%s", err.text);
	recipe_make(&recipe, &stream);
	answer = read_cut(&stream, 4096, stream.length);
	if (answer.status == HELLO_READ && !hello_suits(&answer.hello, &target, &answer.fault))
		answer.status = HELLO_REFUSED;
	ck_assert_msg((answer.status == HELLO_READ) == !pair->fault, "%s: %s", pair->target, pair->name.bytes);
	if (pair->fault)
		ck_assert_str_eq(hello_fault_name(answer.fault), pair->fault);
	buffer_free(&stream);
	target_free(&target);
}

START_TEST(case_H3)
{
	static const struct pair pairs[] = {
		{ "allowed.test:443", OCTETS("allowed.test"), NULL },
		{ "allowed.test:443", OCTETS("ALLOWED.test"), NULL },
		{ "allowed.test:443", OCTETS("allowed.test."), NULL },
		{ "Allowed.Test.:443", OCTETS("allowed.test"), NULL },
		{ "allowed.test:443", OCTETS("denied.test"), "server_name_other" },
		{ "allowed.test:443", OCTETS("other-allowed.test"), "server_name_other" },
		{ "allowed.test:443", OCTETS("a.allowed.test"), "server_name_other" },
		{ "allowed.test:443", OCTETS("allowed.tes"), "server_name_other" },
		{ "allowed.test:443", OCTETS("allowed.test.evil.test"), "server_name_other" },
		{ "allowed.test:443", OCTETS("allowed.test\0.evil.test"), "server_name_malformed" },
		{ "allowed.test:443", OCTETS(""), "server_name_malformed" },
		{ "allowed.test:443", { NULL, 0 }, "server_name_missing" },
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check_pair(&pairs[i]);
}
END_TEST

START_TEST(case_H6)
{
	static const struct pair pairs[] = {
		{ "203.0.113.5:443", { NULL, 0 }, NULL },
		{ "[2001:db8::1]:443", { NULL, 0 }, NULL },
		{ "203.0.113.5:443", OCTETS("203.0.113.5"), "server_name_address" },
		{ "[2001:db8::1]:443", OCTETS("2001:db8::1"), "server_name_address" },
		{ "203.0.113.5:443", OCTETS("allowed.test"), "server_name_other" },
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check_pair(&pairs[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { every_hello_has_its_answer, case_H1, case_H3, case_H6 };

	return suite_run("client_hello", tests, COUNT_OF(tests));
}
