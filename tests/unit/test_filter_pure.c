/* test_filter_pure.c: the filter's pure parts: judgement, heads of CONNECT, answers, lines of the log. */
#include "filter/answer.h"
#include "filter/http_reader.h"
#include "filter/http_request.h"
#include "filter/judge.h"
#include "filter/log_line.h"

#include "suite.h"

#include <jansson.h>
#include <string.h>

static struct policy policy_of(const char *text)
{
	struct policy policy;
	struct err err;

	ck_assert_msg(policy_parse(text, strlen(text), &policy, &err), "%s", err.text);
	return policy;
}

static struct target target_of(const char *text)
{
	struct target target;
	struct err err;

	ck_assert_msg(target_parse(text, &target, &err), "%s: %s", text, err.text);
	return target;
}

#define ALLOWLIST                                                                                                      \
	"{\"network_mode\": \"allowlist\", \"users\": [1], \"allowed_hosts\": [\"a.test\", \"*.w.test\", "             \
	"\"198.51.100.0/24:443\", \"10.1.0.0/16:8080\"], \"model_endpoints\": [\"https://m.test/v1\"], \"allow_private\": [\"10.0.0.0/24\"]}"
#define BLOCKLIST                                                                                                      \
	"{\"network_mode\": \"blocklist\", \"users\": [1], \"blocked_urls\": [\"b.test\", \"203.0.113.9\", "           \
	"\"p.test/secret\", \"203.0.113.8/secret\"], \"model_endpoints\": [\"https://m.b.test/\"]}"
/* Whoever lists as much as that does not mean this host. */
#define WIDE                                                                                                           \
	"{\"network_mode\": \"allowlist\", \"users\": [1], \"allowed_hosts\": [\"*.w.test\", \"0.0.0.0/8:*\", \"[::/8]:*\"], "    \
	"\"allow_private\": [\"0.0.0.0/8\", \"::/8\"]}"
#define NO_LANE                                                                                                        \
	"{\"network_mode\": \"blocklist\", \"users\": [1], \"blocked_urls\": [\"203.0.113.9\"], \"model_endpoints\": "         \
	"[\"https://m.test/\"], \"allow_model_endpoint\": false}"
/* Loopback is no destination, but a name may lead there where it is said. */
#define INWARDS                                                                                                        \
	"{\"network_mode\": \"blocklist\", \"users\": [1], \"blocked_urls\": [\"b.test\"], \"loopback\": [8080], "              \
	"\"allow_private\": [\"127.0.0.0/8\"]}"
#define NOTHING                                                                                                        \
	"{\"network_mode\": \"no-network\", \"users\": [1], \"model_endpoints\": [\"https://m.test\"], "      \
	"\"allow_model_endpoint\": false}"

static const struct {
	const char *policy, *target;
	enum verdict verdict;
	const char *rule;
} judge_rows[] = {
	{ ALLOWLIST, "a.test:443", VERDICT_ALLOW, "allowed_hosts[0] \"a.test\"" },
	{ ALLOWLIST, "a.test:8443", VERDICT_BLOCK, "allowed_hosts[0] \"a.test\"" },
	{ ALLOWLIST, "x.a.test:443", VERDICT_BLOCK, "default" },
	{ ALLOWLIST, "x.w.test:443", VERDICT_ALLOW, "allowed_hosts[1] \"*.w.test\"" },
	{ ALLOWLIST, "w.test:443", VERDICT_BLOCK, "default" },
	{ ALLOWLIST, "198.51.100.9:443", VERDICT_ALLOW, "allowed_hosts[2] \"198.51.100.0/24:443\"" },
	{ ALLOWLIST, "m.test:443", VERDICT_ALLOW, "model_endpoints[0] \"https://m.test\"" },
	{ ALLOWLIST, "127.0.0.1:3128", VERDICT_BLOCK, "loopback" },
	{ ALLOWLIST, "127.9.9.9:80", VERDICT_BLOCK, "loopback" },
	{ ALLOWLIST, "[::1]:443", VERDICT_BLOCK, "loopback" },
	{ ALLOWLIST, "0.0.0.0:443", VERDICT_BLOCK, "special-purpose" },
	{ WIDE, "0.0.0.0:443", VERDICT_BLOCK, "special-purpose" },
	{ WIDE, "[::]:443", VERDICT_BLOCK, "special-purpose" },
	{ WIDE, "[::1]:443", VERDICT_BLOCK, "loopback" },
	{ WIDE, "0.1.2.3:443", VERDICT_ALLOW, "allowed_hosts[1] \"0.0.0.0/8:*\"" },
	{ ALLOWLIST, "169.254.169.254:80", VERDICT_BLOCK, "default" },
	{ BLOCKLIST, "a.test:22", VERDICT_ALLOW, "default" },
	{ BLOCKLIST, "b.test:443", VERDICT_BLOCK, "blocked_urls[0] \"b.test\"" },
	{ BLOCKLIST, "x.b.test:443", VERDICT_BLOCK, "blocked_urls[0] \"b.test\"" },
	{ BLOCKLIST, "m.b.test:443", VERDICT_ALLOW, "model_endpoints[0] \"https://m.b.test\"" },
	{ BLOCKLIST, "xb.test:443", VERDICT_ALLOW, "default" },
	{ BLOCKLIST, "203.0.113.9:443", VERDICT_BLOCK, "blocked_urls[1] \"203.0.113.9\"" },
	{ BLOCKLIST, "[64:ff9b::cb00:7109]:443", VERDICT_BLOCK, "blocked_urls[1] \"203.0.113.9\"" },
	{ BLOCKLIST, "[2002:cb00:7109::1]:443", VERDICT_BLOCK, "blocked_urls[1] \"203.0.113.9\"" },
	{ BLOCKLIST, "[64:ff9b::cb00:710a]:443", VERDICT_ALLOW, "default" },
	{ BLOCKLIST, "127.0.0.1:443", VERDICT_BLOCK, "loopback" },
	{ BLOCKLIST, "10.0.0.1:443", VERDICT_BLOCK, "special-purpose" },
	{ BLOCKLIST, "[::]:443", VERDICT_BLOCK, "special-purpose" },
	{ BLOCKLIST, "p.test:443", VERDICT_BLOCK, "blocked_urls[2] \"p.test/secret\"" },
	{ BLOCKLIST, "http://p.test/secret", VERDICT_BLOCK, "blocked_urls[2] \"p.test/secret\"" },
	{ BLOCKLIST, "http://p.test/other", VERDICT_ALLOW, "default" },
	{ NOTHING, "127.0.0.1:11434", VERDICT_BLOCK, "loopback" },
	{ NOTHING, "m.test:443", VERDICT_BLOCK, "network_mode \"no-network\"" },
	{ NOTHING, "a.test:443", VERDICT_BLOCK, "network_mode \"no-network\"" },
};

START_TEST(test_judge)
{
	for (size_t i = 0; i < COUNT_OF(judge_rows); i++) {
		struct policy policy = policy_of(judge_rows[i].policy);
		struct target target = target_of(judge_rows[i].target);
		struct decision decision;

		judge(&policy, &target, &decision);
		ck_assert_msg(decision.verdict == judge_rows[i].verdict, "%s: %s", judge_rows[i].target,
			      verdict_name(decision.verdict));
		ck_assert_str_eq(decision.rule, judge_rows[i].rule);
		ck_assert_int_ne(decision.layer, LAYER_KERNEL);
		target_free(&target);
		policy_free(&policy);
	}
}
END_TEST

static const struct {
	const char *policy, *target, *address;
	bool good;
} address_rows[] = {
	{ ALLOWLIST, "a.test:443", "203.0.113.5", true },
	{ ALLOWLIST, "a.test:443", "2001:db8::1", true },
	{ ALLOWLIST, "a.test:443", "127.0.0.1", false },
	{ ALLOWLIST, "a.test:443", "0.0.0.0", false },
	{ ALLOWLIST, "a.test:443", "10.9.0.5", false },
	{ ALLOWLIST, "a.test:443", "10.0.0.5", true }, /* allow_private */
	{ ALLOWLIST, "a.test:443", "10.1.0.5", false },
	{ ALLOWLIST, "a.test:8080", "10.1.0.5", true }, /* listed for this port */
	{ ALLOWLIST, "a.test:443", "100.64.0.1", false },
	{ ALLOWLIST, "a.test:443", "169.254.169.254", false },
	{ ALLOWLIST, "a.test:443", "224.0.0.1", false },
	{ ALLOWLIST, "a.test:443", "255.255.255.255", false },
	{ ALLOWLIST, "a.test:443", "::", false },
	{ ALLOWLIST, "a.test:443", "::1", false },
	{ ALLOWLIST, "a.test:443", "fe80::1", false },
	{ ALLOWLIST, "a.test:443", "fc00::1", false },
	{ ALLOWLIST, "a.test:443", "::ffff:169.254.169.254", false },
	{ ALLOWLIST, "a.test:443", "::ffff:203.0.113.5", false },
	{ ALLOWLIST, "a.test:443", "64:ff9b::a9fe:a9fe", false },
	{ ALLOWLIST, "a.test:443", "2002:a9fe:a9fe::1", false },
	{ WIDE, "a.w.test:443", "0.0.0.0", false },
	{ WIDE, "a.w.test:443", "::", false },
	{ WIDE, "a.w.test:443", "::ffff:127.0.0.1", false },
	{ WIDE, "a.w.test:443", "::ffff:203.0.113.5", false },
	{ WIDE, "a.w.test:443", "0.1.2.3", true },
	{ WIDE, "a.w.test:443", "::1", true },
	{ INWARDS, "a.test:443", "127.0.0.1", true },
	{ INWARDS, "a.test:443", "::1", false },
	{ BLOCKLIST, "a.test:443", "203.0.113.5", true },
	{ BLOCKLIST, "a.test:443", "203.0.113.9", false }, /* blocked as an address */
	{ BLOCKLIST, "a.test:443", "64:ff9b::cb00:7109", false }, /* DNS64 leads to it */
	{ BLOCKLIST, "a.test:443", "2002:cb00:7109::1", false },
	{ BLOCKLIST, "a.test:443", "64:ff9b::cb00:710a", true },
	{ BLOCKLIST, "a.test:443", "203.0.113.8", false }, /* only the path could tell */
	{ BLOCKLIST, "m.b.test:443", "203.0.113.9", true }, /* but a lane leads there */
	{ NO_LANE, "m.test:443", "203.0.113.9", false },
	{ BLOCKLIST, "m.b.test:443", "10.0.0.1", false },
	{ BLOCKLIST, "a.test:443", "127.0.0.1", false },
};

START_TEST(test_judge_address)
{
	for (size_t i = 0; i < COUNT_OF(address_rows); i++) {
		struct policy policy = policy_of(address_rows[i].policy);
		struct target target = target_of(address_rows[i].target);
		struct decision decision = { .rule = "" };
		struct address address;

		ck_assert(address_parse(address_rows[i].address, &address));
		ck_assert_msg(judge_address(&policy, &target, &address, &decision) == address_rows[i].good, "%s %s",
			      address_rows[i].target, address_rows[i].address);
		ck_assert(address_rows[i].good || (decision.verdict == VERDICT_BLOCK && decision.rule[0] &&
						   decision.layer == LAYER_DNS && decision.reason));
		target_free(&target);
		policy_free(&policy);
	}
}
END_TEST

/* As connect.c reads it. */
enum head_status { HEAD_MORE, HEAD_OTHER, HEAD_MALFORMED, HEAD_READ };

static enum head_status connect_head_read(const char *octets, size_t length, struct target *ret_target,
					  size_t *ret_length, const char **ret_reason)
{
	enum head_status status = HEAD_MORE;
	struct http_request request = { .method = NULL };
	struct http_reader reader;
	struct http_fault fault = { 0, NULL };
	struct buffer none = { 0 };

	if (memcmp(octets, "CONNECT ", length < 8 ? length : 8))
		return HEAD_OTHER;
	http_reader_start(&reader, HTTP_KIND_REQUEST, 8192);
	switch (http_read(&reader, octets, length, ret_length, &none, &fault)) {
	case HTTP_EVENT_MORE:
	case HTTP_EVENT_END:
		break;
	case HTTP_EVENT_HEAD:
		status = http_request_read(&reader.head, NULL, &request, &fault) ? HEAD_READ : HEAD_MALFORMED;
		break;
	case HTTP_EVENT_FAULT:
		status = HEAD_MALFORMED;
		break;
	}
	*ret_target = request.target;
	if (status == HEAD_MALFORMED)
		*ret_reason = fault.reason;
	http_request_free(&request);
	http_reader_free(&reader);
	return status;
}

#define HOST "\r\nHost: x\r\n\r\n"
static const struct {
	const char *head;
	enum head_status status;
	const char *host; /* as the log has it */
	uint16_t port;
} head_rows[] = {
	{ "CONNECT h.test:443 HTTP/1.1" HOST, HEAD_READ, "h.test", 443 },
	{ "CONNECT Example.COM.:443 HTTP/1.1" HOST, HEAD_READ, "example.com", 443 },
	{ "CONNECT h.test:443 HTTP/1.0\r\n\r\n", HEAD_READ, "h.test", 443 },
	{ "CONNECT 61000047.r.h.test:443 HTTP/1.1" HOST, HEAD_READ, "61000047.r.h.test", 443 },
	{ "CONNECT h.test:22 HTTP/1.1" HOST, HEAD_READ, "h.test", 22 },
	{ "CONNECT 192.0.2.1:80 HTTP/1.1" HOST, HEAD_READ, "192.0.2.1", 80 },
	{ "CONNECT [2001:db8::1]:443 HTTP/1.1" HOST, HEAD_READ, "2001:db8::1", 443 },
	{ "CONNECT xn--bcher-kva.test:443 HTTP/1.1" HOST, HEAD_READ, "xn--bcher-kva.test", 443 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nUser-Agent: x y\r\nHost: h\r\nContent-Length: 0\r\n\r\nrest", HEAD_READ,
	  "h.test", 443 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: h", HEAD_MORE, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: h\r\n", HEAD_MORE, "", 0 },
	{ "CONN", HEAD_MORE, "", 0 },
	{ "", HEAD_MORE, "", 0 },
	{ "GET http://h.test/ HTTP/1.1" HOST, HEAD_OTHER, "", 0 },
	{ "connect h.test:443 HTTP/1.1" HOST, HEAD_OTHER, "", 0 },
	{ "\x16\x03\x01", HEAD_OTHER, "", 0 },
	{ "CONNECT h.test HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test: HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT :443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:0 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:65536 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443x HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:0443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT u@h.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT http://h.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443/ HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443?a HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT a.test%00.evil.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT a.test%2eevil:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT a.test\\:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT a..test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT .a.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT a.test..:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT b\xc3\xbc" "cher.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT \xe2\x84\xaa.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 2130706433:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 0x7f000001:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 0177.0.0.1:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 127.1:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 017700000001:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 127.0.0.1.:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 0:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 1.0x1.1:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 08.1.1.1:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT [::ffff:7f00:1]:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT [::127.0.0.1]:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT [fe80::1%25eth0]:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT [allowed.test]:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT 2001:db8::1:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT localhost:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/2.0" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.2" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 http/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT  h.test:443 HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443  HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1 " HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 x HTTP/1.1" HOST, HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\nHost: x\n\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost : x\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\x01\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\ry\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", HEAD_MALFORMED, "", 0 },
	{ "CONNECT h.test:443 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_MALFORMED, "", 0 },
};

START_TEST(test_head)
{
	for (size_t i = 0; i < COUNT_OF(head_rows); i++) {
		const char *head = head_rows[i].head, *end = strstr(head, "\r\n\r\n"), *reason = NULL;
		struct record record = { .port = 0 };
		struct target target;
		size_t length = 0;
		enum head_status status = connect_head_read(head, strlen(head), &target, &length, &reason);

		ck_assert_msg(status == head_rows[i].status, "row %zu: %s", i, head);
		ck_assert((reason != NULL) == (status == HEAD_MALFORMED));
		if (status != HEAD_READ)
			continue;
		record_set_target(&record, &target);
		ck_assert_str_eq(record.host, head_rows[i].host);
		ck_assert_uint_eq(record.port, head_rows[i].port);
		ck_assert_uint_eq(length, (size_t)(end - head) + 4);
	}
}
END_TEST

/* Every beginning of a good head asks for more. */
START_TEST(test_head_cut)
{
	const char *head = head_rows[0].head, *reason;
	struct target target;
	size_t length;

	for (size_t i = 0; i < strlen(head); i++)
		ck_assert_int_eq(connect_head_read(head, i, &target, &length, &reason), HEAD_MORE);
}
END_TEST

static json_t *json_of(const struct buffer *text)
{
	json_t *root = json_loadb((const char *)text->data, text->length, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_msg(root != NULL, "%.*s", (int)text->length, (const char *)text->data);
	return root;
}

static const struct log_moment moment = { .wall_ms = 1709210096789, .steady_ms = 5500 };

/* Nothing of a client's octets gets out of its string, or to a terminal. */
START_TEST(test_line)
{
	struct record record = {
		.decision = { .verdict = VERDICT_BLOCK, .layer = LAYER_HTTP, .rule = "r \"x\"", .reason = "why" },
		.method = "GET",
		.host = "a.test",
		.port = 80,
		.path = "/\x1b[2J\"\\\n\x7f\x80\xc2\x85\xe2\x80\xa8%0a",
		.query = "token=1",
		.began_ms = 5000,
		.bytes_up = 7,
	};
	struct buffer line = { 0 };
	json_t *root;

	log_line_print(RECORD_DECISION, &record, moment, &line);
	ck_assert_uint_eq(line.data[line.length - 1], '\n');
	for (size_t i = 0; i + 1 < line.length; i++)
		ck_assert(line.data[i] >= 0x20 && line.data[i] < 0x7f);
	root = json_of(&line);
	ck_assert_str_eq(json_string_value(json_object_get(root, "time")), "2024-02-29T12:34:56.789Z");
	ck_assert_str_eq(json_string_value(json_object_get(root, "path")),
			 "/\x1b[2J\"\\\n\x7f\xef\xbf\xbd\xc2\x85\xe2\x80\xa8%0a?token=1");
	ck_assert(json_is_null(json_object_get(root, "uid")) && json_is_null(json_object_get(root, "dest_ip")) &&
		  json_is_null(json_object_get(root, "status")));
	ck_assert_int_eq(json_integer_value(json_object_get(root, "duration_ms")), 500);
	json_decref(root);
	line.length = 0;
	/* Allowed: the query is a secret of somebody's. */
	record.decision.verdict = VERDICT_ALLOW;
	log_line_print(RECORD_END, &record, moment, &line);
	ck_assert_ptr_null(strstr(buffer_string(&line), "token"));
	ck_assert_ptr_nonnull(strstr(buffer_string(&line), "\"event\":\"end\""));
	buffer_free(&line);
}
END_TEST

START_TEST(test_line_long)
{
	static char path[100000];
	struct record record = { .path = path };
	struct buffer line = { 0 };

	memset(path, 'a', sizeof(path) - 1);
	log_line_print(RECORD_DECISION, &record, moment, &line);
	ck_assert_uint_lt(line.length, 17 * 1024);
	ck_assert_ptr_nonnull(strstr(buffer_string(&line), "aaa...\""));
	json_decref(json_of(&line));
	line.length = 0;
	log_line_print_rotated(moment, &line);
	json_decref(json_of(&line));
	buffer_free(&line);
}
END_TEST

START_TEST(test_time)
{
	static const struct {
		uint64_t wall_ms;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ 951782399999, "2000-02-28T23:59:59.999Z" },
		{ 951782400000, "2000-02-29T00:00:00.000Z" },
		{ 951868800000, "2000-03-01T00:00:00.000Z" },
		{ 1735689599001, "2024-12-31T23:59:59.001Z" },
		{ 4107542400000, "2100-03-01T00:00:00.000Z" },
	};
	char text[LOG_TIME_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_str_eq(log_time_format(rows[i].wall_ms, text), rows[i].text);
}
END_TEST

START_TEST(test_answers)
{
	static const struct answer_form last = { .keep_alive = false },
					head = { .keep_alive = true, .head_only = true };
	const struct decision decision = { .verdict = VERDICT_BLOCK, .rule = "a \"b\"\r\nX: y", .reason = "why" };
	struct buffer text = { 0 };

	answer_denied(DENIAL_PLAIN, &decision, last, &text);
	ck_assert_str_eq(buffer_string(&text),
			 "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 122\r\n"
			 "Cache-Control: no-store\r\nConnection: close\r\nX-Egressfw-Decision: block\r\n"
			 "X-Egressfw-Rule: a \"b\"??X: y\r\n\r\n"
			 "{\"error\":\"denied by policy, which is no fault of the network\",\"decision\":\"block\","
			 "\"rule\":\"a \\\"b\\\"\\r\\nX: y\",\"reason\":\"why\"}\n");
	text.length = 0;
	answer_denied(DENIAL_HIDDEN, &decision, head, &text);
	ck_assert_str_eq(buffer_string(&text),
			 "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n"
			 "Cache-Control: no-store\r\nConnection: keep-alive\r\n\r\n");
	text.length = 0;
	answer_failed(504, "late", last, &text);
	ck_assert_str_eq(buffer_string(&text),
			 "HTTP/1.1 504 Gateway Timeout\r\nContent-Type: application/json\r\nContent-Length: 17\r\n"
			 "Cache-Control: no-store\r\nConnection: close\r\n\r\n{\"error\":\"late\"}\n");
	buffer_free(&text);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_judge,	 test_judge_address, test_head, test_head_cut,
				 test_line,	 test_line_long,     test_time, test_answers };

	return suite_run("filter", tests, COUNT_OF(tests));
}
