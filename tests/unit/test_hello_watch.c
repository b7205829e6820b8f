/* test_hello_watch.c: a second hello repeats the first one's name, or the tunnel is closed. */
#include "filter/hello_watch.h"

#include "hello_recipe.h"
#include "suite.h"

#include <string.h>

#define CHANGE "\x14\3\3\0\1\1"
#define DATA "\x17\3\3\0\5abcde"
#define RETRY_RANDOM                                                                               \
	"\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91"                         \
	"\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c"
#define RETRY "\x16\3\3\0\x58\2\0\0\x54\3\3" RETRY_RANDOM
#define HELLO "\x16\3\3\0\x58\2\0\0\x54\3\3" "another random, as every server makes one: 32"

/* What the client sends behind its first hello for a.test: octets, then another hello. */
struct row {
	const char *what;
	struct octets server;     /* arrives first */
	struct octets client;
	struct octets second;     /* name of a second hello; none where NULL */
	bool nameless;            /* a second hello without a name */
	size_t fragment;
	enum watch_status status;
	enum hello_fault fault;
	size_t pass;              /* octets that are passed on; (size_t)-1: all */
};
#define ALL ((size_t)-1)

static const struct row rows[] = {
	{ "nothing yet", .status = WATCH_ON },
	{ "retry, same name", OCTETS(RETRY), OCTETS(CHANGE), OCTETS("a.test"), .status = WATCH_OVER, .pass = ALL },
	{ "retry, same name in capitals", OCTETS(RETRY), OCTETS(""), OCTETS("A.test."), .status = WATCH_OVER,
	  .pass = ALL },
	{ "retry, other name", OCTETS(RETRY), OCTETS(CHANGE), OCTETS("b.test"), .status = WATCH_REFUSED,
	  .fault = HELLO_SECOND_NAME },
	{ "retry, other name over records", OCTETS(RETRY), OCTETS(CHANGE), OCTETS("b.test"), .fragment = 7,
	  .status = WATCH_REFUSED, .fault = HELLO_SECOND_NAME },
	{ "retry, no name", OCTETS(RETRY), OCTETS(""), .nameless = true, .status = WATCH_REFUSED,
	  .fault = HELLO_SECOND_NAME },
	{ "retry, bad name", OCTETS(RETRY), OCTETS(""), OCTETS("a.test\0x"), .status = WATCH_REFUSED,
	  .fault = HELLO_NAME_MALFORMED },
	{ "other name before the server answers", OCTETS(""), OCTETS(""), OCTETS("b.test"),
	  .status = WATCH_REFUSED, .fault = HELLO_SECOND_NAME },
	{ "other name behind early data", OCTETS(""), OCTETS(CHANGE DATA DATA), OCTETS("b.test"),
	  .status = WATCH_REFUSED, .fault = HELLO_SECOND_NAME },
	{ "same name behind early data", OCTETS(RETRY), OCTETS(DATA CHANGE DATA), OCTETS("a.test"),
	  .status = WATCH_OVER, .pass = ALL },
	{ "early data is let through", OCTETS(""), OCTETS(CHANGE DATA), .status = WATCH_ON, .pass = ALL },
	{ "half a record is let through", OCTETS(""), OCTETS(CHANGE "\x17\3\3\0\5ab"), .status = WATCH_ON,
	  .pass = ALL },
	{ "half a header is held back", OCTETS(""), OCTETS(CHANGE "\x17\3\3"), .status = WATCH_ON, .pass = 6 },
	{ "a handshake record's header is held back", OCTETS(""), OCTETS("\x16\3\3\0\7"), .status = WATCH_ON },
	{ "half a hello is held back", OCTETS(RETRY), OCTETS(CHANGE "\x16\3\3\0\7\1\0\0"), .status = WATCH_ON,
	  .pass = 6 },
	{ "server hello", OCTETS(HELLO), OCTETS(CHANGE DATA), .status = WATCH_OVER, .pass = ALL },
	{ "server alert", OCTETS("\x15\3\3\0\2\2\50"), OCTETS("x"), .status = WATCH_OVER, .pass = ALL },
	{ "server speaks no TLS", OCTETS("HTTP"), OCTETS("x"), .status = WATCH_OVER, .pass = ALL },
	{ "server sends another message", OCTETS("\x16\3\3\0\4\0"), OCTETS("x"), .status = WATCH_OVER, .pass = ALL },
	{ "server cuts its hello", OCTETS("\x16\3\3\0\4\2\0\0\x54"), OCTETS(""), OCTETS("b.test"),
	  .status = WATCH_REFUSED, .fault = HELLO_SECOND_NAME },
	{ "server cuts its hello, and goes on", OCTETS("\x16\3\3\0\4\2\0\0\x54\x16\3\3\0\x54\3\3" RETRY_RANDOM),
	  OCTETS(""), OCTETS("b.test"), .status = WATCH_REFUSED, .fault = HELLO_SECOND_NAME },
	{ "TLS 1.2 key exchange", OCTETS(""), OCTETS("\x16\3\3\0\4\x10\0\0\0"), .status = WATCH_OVER, .pass = ALL },
	{ "alert", OCTETS(RETRY), OCTETS("\x15\3\3\0\2\1\0"), .status = WATCH_ON, .pass = ALL },
	{ "no record", OCTETS(RETRY), OCTETS("GET / HTTP/1.1"), .status = WATCH_REFUSED, .fault = HELLO_MALFORMED },
	{ "record of an unknown kind", OCTETS(""), OCTETS("\x18\3\3\0\1x"), .status = WATCH_REFUSED,
	  .fault = HELLO_MALFORMED },
	{ "record of the kind before", OCTETS(""), OCTETS("\x13\3\3\0\1x"), .status = WATCH_REFUSED,
	  .fault = HELLO_MALFORMED },
	{ "record of another version", OCTETS(""), OCTETS("\x17\2\3\0\1x"), .status = WATCH_REFUSED,
	  .fault = HELLO_MALFORMED },
	{ "record as long as may be", OCTETS(""), OCTETS("\x17\3\3\x48\0x"), .status = WATCH_ON, .pass = ALL },
	{ "record too long", OCTETS(""), OCTETS("\x17\3\3\x48\1x"), .status = WATCH_REFUSED,
	  .fault = HELLO_MALFORMED },
	{ "empty handshake record", OCTETS(""), OCTETS("\x16\3\3\0\0"), .status = WATCH_REFUSED,
	  .fault = HELLO_MALFORMED },
};

/* Gives octets to one side in steps; what is not passed on is given again with what follows. */
static enum watch_status give_client(struct hello_watch *watch, const struct buffer *client, size_t step,
				     size_t *passed, enum hello_fault *fault)
{
	enum watch_status status = watch->status;

	for (size_t have = step; status == WATCH_ON || have <= step; have += step) {
		size_t pass, length = have < client->length ? have : client->length;

		status = hello_watch_client(watch, client->data + *passed, length - *passed, &pass, fault);
		ck_assert_uint_le(pass, status == WATCH_REFUSED ? 0 : length - *passed);
		*passed += pass;
		if (length == client->length)
			break;
	}
	if (status == WATCH_OVER)
		*passed = client->length;
	return status;
}

static void check_row(const struct row *row, size_t step)
{
	struct client_hello first = { .name = "a.test" };
	struct recipe recipe = { .name = row->second, .fragment = row->fragment };
	struct buffer client = { 0 }, second = { 0 };
	size_t passed = 0, want;
	enum hello_fault fault;
	struct hello_watch watch;
	enum watch_status status;

	if (row->second.bytes || row->nameless)
		recipe_make(&recipe, &second);
	buffer_append(&client, row->client.bytes ? row->client.bytes : "", row->client.length);
	buffer_append(&client, second.data ? second.data : (const uint8_t *)"", second.length);
	hello_watch_start(&watch, &first, 4096);
	for (size_t at = 0; at < row->server.length; at += step)
		hello_watch_server(&watch, (const uint8_t *)row->server.bytes + at,
				   row->server.length - at < step ? row->server.length - at : step);
	status = give_client(&watch, &client, step, &passed, &fault);
	ck_assert_msg(status == row->status, "%s in steps of %zu: %d", row->what, step, (int)status);
	if (status == WATCH_REFUSED)
		ck_assert_msg(fault == row->fault, "%s: %s", row->what, hello_fault_name(fault));
	want = row->pass == ALL ? client.length : row->pass;
	if (status != WATCH_REFUSED)
		ck_assert_msg(passed == want, "%s in steps of %zu: %zu", row->what, step, passed);
	else
		ck_assert_uint_le(passed, row->client.length);
	hello_watch_free(&watch);
	buffer_free(&client);
	buffer_free(&second);
}

START_TEST(second_hello_repeats_the_name)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t step = 1; step < 200; step++)
			check_row(&rows[i], step);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { second_hello_repeats_the_name };

	return suite_run("hello_watch", tests, COUNT_OF(tests));
}
