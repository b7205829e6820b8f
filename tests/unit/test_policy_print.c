/* test_policy_print.c: what is printed is read as the same policy, for policies drawn at random. */
#include "policy/policy.h"

#include "suite.h"

#include <string.h>

enum { ROUNDS = 5000 };

static uint32_t state = 20;

static uint32_t draw(uint32_t below)
{
	state = state * 1664525U + 1013904223U;
	return (state >> 8) % below;
}

static const char *pick(const char *const *words, size_t count)
{
	return words[draw((uint32_t)count)];
}

#define PICK(...)                                                                                  \
	pick((const char *const[]){ __VA_ARGS__ }, COUNT_OF(((const char *const[]){ __VA_ARGS__ })))

static void add_list(const char *field, void (*add)(struct buffer *, int), bool filled,
		     struct buffer *out)
{
	int count = (int)draw(5) + filled;

	buffer_printf(out, ",\"%s\":[", field);
	for (int i = 0; i < count; i++) {
		buffer_append_text(out, i ? "," : "");
		add(out, i);
	}
	buffer_append_text(out, "]");
}

/* The index keeps entries apart, since a repeated one is refused. */
static void add_user(struct buffer *out, int index)
{
	switch (draw(3)) {
	case 0:
		buffer_printf(out, "\"user%d\"", index);
		break;
	case 1:
		buffer_printf(out, "%u", 1 + 1000 * (uint32_t)index + draw(1000));
		break;
	default:
		buffer_printf(out, "\"%u-%u\"", 1 + draw(1000), 2000 + (uint32_t)index);
		break;
	}
}

static const char *draw_ports(void)
{
	return PICK("", ":443", ":1", ":65535", ":8000-8010", ":7-7", ":*", ":1-65535");
}

static void add_host(struct buffer *out, int index)
{
	switch (draw(5)) {
	case 0:
		buffer_printf(out, "\"%s%d.Example.TEST%s%s\"", PICK("a", "B", "b\xc3\xbc"), index,
			      PICK("", "."), draw_ports());
		break;
	case 1:
		buffer_printf(out, "\"*.w%d.test%s\"", index, draw_ports());
		break;
	case 2:
		buffer_printf(out, "\"192.%d.2.0%s%s\"", index, PICK("", "/24", "/32"),
			      draw_ports());
		break;
	case 3:
		buffer_printf(out, "\"2001:db8:%x::%s\"", index + 1, PICK("", "/48", "/128"));
		break;
	default:
		buffer_printf(out, "\"[2001:db9:%x::%s]%s\"", index + 1, PICK("1", "/64"),
			      PICK(":443", ":1-2", ":*"));
		break;
	}
}

static void add_blocked(struct buffer *out, int index)
{
	buffer_printf(out, "\"%s%s%d.test%s%s%s\"", PICK("https://", "HTTP://"),
		      PICK("a", "b\xc3\xbc"), index, PICK("", ":80", ":443", ":8443"),
		      PICK("", "/", "/a", "/a/../%62/", "/\xc3\xbc;x/y"),
		      PICK("", "?a=1", "?a&b=%2B+x", "?%00=&&c"));
}

static void add_endpoint(struct buffer *out, int index)
{
	buffer_printf(out, "\"%s://%s%s\"", PICK("http", "https"),
		      PICK("192.0.2.7", "[2001:db8::7]", "m.test", "M\xc3\xbc.test."),
		      index == 0   ? ""
		      : index == 1 ? ":80/v1"
		      : index == 2 ? ":443"
		      : index == 3 ? ":8080/"
				   : ":9");
}

static void add_loopback(struct buffer *out, int index)
{
	if (draw(2))
		buffer_printf(out, "%d", 6000 + index);
	else
		buffer_printf(out, "\"%d-%d\"", 7000 + 10 * index,
			      7000 + 10 * index + (int)draw(30));
}

static void add_port(struct buffer *out, int index)
{
	buffer_printf(out, "%d", 1 + 3 * index + (int)draw(3));
}

static void add_canary(struct buffer *out, int index)
{
	buffer_printf(out, "\"%s:%d\"", PICK("192.0.2.1", "[2001:db8::1]"), 1 + index);
}

static void add_private(struct buffer *out, int index)
{
	buffer_printf(out, "\"%s\"", PICK("10.0.0.0/8", "fc00::/7", "127.0.0.0/8") + 0 * index);
}

static void draw_policy(struct buffer *out)
{
	const char *mode = PICK("public", "no-network", "allowlist", "blocklist", "denylist");
	const char *users = PICK("users", "exempt_users", NULL);

	buffer_printf(out, "{\"network_mode\":\"%s\"", mode);
	if (users)
		add_list(users, add_user, true, out);
	if (!strcmp(mode, "allowlist"))
		add_list("allowed_hosts", add_host, true, out);
	if (strstr(mode, "list") && strcmp(mode, "allowlist"))
		add_list("blocked_urls", add_blocked, true, out);
	if (draw(2))
		add_list("model_endpoints", add_endpoint, false, out);
	if (draw(2))
		add_list("loopback", add_loopback, false, out);
	if (draw(2))
		add_list("published_ports", add_port, false, out);
	if (draw(2))
		add_list("canary", add_canary, true, out);
	if (!draw(4))
		add_list("allow_private", add_private, false, out);
	if (draw(2))
		buffer_printf(out, ",\"own_addresses\":%s,\"allow_model_endpoint\":%s",
			      PICK("true", "false"),
			      strcmp(mode, "public") ? PICK("true", "false") : "true");
	if (draw(2))
		buffer_printf(out, ",\"pin_limits\":{\"%s\":%u}", PICK("hosts", "addresses"),
			      1 + draw(PIN_LIMIT_MAX));
	if (draw(2))
		buffer_printf(out, ",\"ownerless\":\"%s\",\"enforcement\":\"%s\"",
			      users && !strcmp(users, "exempt_users") ? "drop"
								      : PICK("drop", "pass"),
			      PICK("auto", "filter"));
	buffer_append_text(out, "}");
}

static bool same_prefix(const struct prefix *one, const struct prefix *other)
{
	return one->length == other->length && !address_compare(&one->address, &other->address);
}

static void check_specs(const struct user_specs *one, const struct user_specs *other)
{
	ck_assert_uint_eq(one->count, other->count);
	for (size_t i = 0; i < one->count; i++) {
		ck_assert_pstr_eq(one->items[i].name, other->items[i].name);
		ck_assert_mem_eq(&one->items[i].range, &other->items[i].range,
				 sizeof(struct range));
	}
}

static void check_host(const struct destination *one, const struct destination *other)
{
	char text[DESTINATION_TEXT_SIZE], other_text[DESTINATION_TEXT_SIZE];

	ck_assert_str_eq(destination_format(one, text), destination_format(other, other_text));
	if (one->kind == DESTINATION_PREFIX) {
		struct prefix prefix = destination_prefix(one);
		struct prefix other_prefix = destination_prefix(other);

		ck_assert(same_prefix(&prefix, &other_prefix));
	} else {
		ck_assert_str_eq(one->name, other->name);
	}
}

static void check_destinations(const struct destinations *one, const struct destinations *other)
{
	ck_assert_uint_eq(one->count, other->count);
	for (size_t i = 0; i < one->count; i++) {
		ck_assert_int_eq(one->items[i].kind, other->items[i].kind);
		ck_assert_uint_eq(one->items[i].first_port, other->items[i].first_port);
		ck_assert_uint_eq(one->items[i].last_port, other->items[i].last_port);
		ck_assert_int_eq(one->items[i].scheme, other->items[i].scheme);
		check_host(&one->items[i], &other->items[i]);
	}
}

static void check_blocked(const struct blocked_url *one, const struct blocked_url *other)
{
	ck_assert_pstr_eq(one->host, other->host);
	ck_assert_int_eq(address_compare(&one->address, &other->address), 0);
	ck_assert_uint_eq(one->port, other->port);
	ck_assert_str_eq(one->path, other->path);
	ck_assert_uint_eq(one->parameter_count, other->parameter_count);
	for (size_t i = 0; i < one->parameter_count; i++) {
		ck_assert_str_eq(one->parameters[i].key, other->parameters[i].key);
		ck_assert_pstr_eq(one->parameters[i].value, other->parameters[i].value);
	}
	ck_assert_str_eq(one->text, other->text);
}

static void check_scalars(const struct policy *one, const struct policy *other)
{
	ck_assert_int_eq(one->mode, other->mode);
	ck_assert_int_eq(one->allow_model_endpoint, other->allow_model_endpoint);
	ck_assert_int_eq(one->enforcement, other->enforcement);
	ck_assert_int_eq(one->loopback_any, other->loopback_any);
	ck_assert(rangeset_equal(&one->loopback_ports, &other->loopback_ports));
	ck_assert_int_eq(one->ownerless, other->ownerless);
	ck_assert_int_eq(one->own_addresses, other->own_addresses);
	ck_assert(rangeset_equal(&one->published_ports, &other->published_ports));
	ck_assert_uint_eq(one->pin_hosts_max, other->pin_hosts_max);
	ck_assert_uint_eq(one->pin_addresses_max, other->pin_addresses_max);
}

static void check_same(const struct policy *one, const struct policy *other)
{
	check_scalars(one, other);
	check_specs(&one->users, &other->users);
	check_specs(&one->exempt_users, &other->exempt_users);
	check_destinations(&one->allowed_hosts, &other->allowed_hosts);
	check_destinations(&one->model_endpoints, &other->model_endpoints);
	ck_assert_uint_eq(one->blocked_urls.count, other->blocked_urls.count);
	for (size_t i = 0; i < one->blocked_urls.count; i++)
		check_blocked(&one->blocked_urls.items[i], &other->blocked_urls.items[i]);
	ck_assert_uint_eq(one->canary.count, other->canary.count);
	for (size_t i = 0; i < one->canary.count; i++) {
		ck_assert_uint_eq(one->canary.items[i].port, other->canary.items[i].port);
		ck_assert(!address_compare(&one->canary.items[i].address,
					   &other->canary.items[i].address));
	}
	ck_assert_uint_eq(one->allow_private.count, other->allow_private.count);
	for (size_t i = 0; i < one->allow_private.count; i++)
		ck_assert(
			same_prefix(&one->allow_private.items[i], &other->allow_private.items[i]));
}

START_TEST(what_is_printed_is_the_same_policy)
{
	int taken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct buffer text = { 0 }, printed = { 0 }, again = { 0 };
		struct policy policy, second;
		struct err err;

		draw_policy(&text);
		if (policy_parse(buffer_string(&text), text.length, &policy, &err)) {
			policy_print(&policy, &printed);
			ck_assert_msg(policy_parse(buffer_string(&printed), printed.length, &second,
						   &err),
				      "%s\n%s\n%s", buffer_string(&text), buffer_string(&printed),
				      err.text);
			check_same(&policy, &second);
			policy_print(&second, &again);
			ck_assert_str_eq(buffer_string(&printed), buffer_string(&again));
			policy_free(&policy);
			policy_free(&second);
			taken++;
		} else {
			/* Entries drawn alike are the only reason there may be. */
			ck_assert_msg(strstr(err.text, "is the same as"), "%s: %s",
				      buffer_string(&text), err.text);
		}
		buffer_free(&text);
		buffer_free(&printed);
		buffer_free(&again);
	}
	ck_assert_int_gt(taken, ROUNDS / 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { what_is_printed_is_the_same_policy };

	return suite_run("policy_print", tests, COUNT_OF(tests));
}
