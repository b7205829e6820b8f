/* test_resolver_config.c: the nameservers of resolv.conf. */
#include "base/buffer.h"
#include "base/memory.h"
#include "suite.h"
#include "system/resolver_config.h"

#include <check.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *servers_text(const struct nameservers *servers)
{
	struct buffer out = { 0 };
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < servers->count; i++) {
		buffer_printf(&out, "%s%s", i ? " " : "",
			      address_format(&servers->items[i].address, text));
		if (servers->items[i].scope)
			buffer_append_text(&out, "%");
	}
	return buffer_steal(&out);
}

static const struct {
	const char *text, *want;
} files[] = {
	{ "", "" },
	{ "nameserver 192.0.2.1\n", "192.0.2.1" },
	{ "nameserver 192.0.2.1", "192.0.2.1" },
	{ "nameserver 192.0.2.1\r\n", "192.0.2.1" },
	{ "nameserver\t \t192.0.2.1 # near\nnameserver 2001:db8::1 trailing words\n",
	  "192.0.2.1 2001:db8::1" },
	{ "domain a.test\nsearch .\noptions ndots:5 nameserver\nsortlist 192.0.2.0\nnameserver "
	  "192.0.2.1\n",
	  "192.0.2.1" },
	{ "; nameserver 192.0.2.1\n# nameserver 192.0.2.2\n;nameserver 192.0.2.3\n nameserver "
	  "192.0.2.4\n",
	  "" },
	{ "nameserver\nnameserver \nnameservers 192.0.2.1\nnameserver192.0.2.1\nNAMESERVER "
	  "192.0.2.1\n",
	  "" },
	{ "nameserver 192.0.2\nnameserver 192.0.2.256\nnameserver 0x7f.1\nnameserver 192.0.2.1:53\n"
	  "nameserver [2001:db8::1]:53\nnameserver ns.test\nnameserver 192.0.2.01\n",
	  "" },
	{ "nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.1\n",
	  "192.0.2.1 192.0.2.2" },
	{ "nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nnameserver "
	  "192.0.2.4\n",
	  "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4" },
	{ "nameserver fe80::1\nnameserver fe80::1%\nnameserver fe80::1%nosuch0\nnameserver "
	  "fe80::1%4294967296\n"
	  "nameserver fe80::1%4294967297\nnameserver fe80::1%0\nnameserver fe80::1%1x\nnameserver "
	  "fe80::1%-1\n",
	  "" },
	{ "nameserver 192.0.2.1%1\nnameserver 2001:db8::1%1\n", "" },
};

START_TEST(file)
{
	struct nameservers servers;
	autofree char *text = NULL;

	nameservers_parse(files[_i].text, strlen(files[_i].text), &servers);
	text = servers_text(&servers);
	ck_assert_str_eq(text, files[_i].want);
}
END_TEST

START_TEST(zones)
{
	unsigned lo = if_nametoindex("lo");
	autofree char *text = memory_format("nameserver fe80::1%%lo\nnameserver fe80::2%%%u\n"
					    "nameserver fe80::1%%%u\n",
					    lo, lo);
	struct nameservers servers;

	ck_assert_uint_ne(lo, 0);
	nameservers_parse(text, strlen(text), &servers);
	ck_assert_uint_eq(servers.count, 2);
	ck_assert_uint_eq(servers.items[0].scope, lo);
	ck_assert_uint_eq(servers.items[1].scope, lo);
}
END_TEST

START_TEST(many)
{
	struct buffer text __attribute__((cleanup(buffer_free))) = { 0 };
	struct nameservers servers;

	for (unsigned i = 0; i < 200; i++)
		buffer_printf(&text, "nameserver 192.0.2.%u\n", i);
	nameservers_parse(text.data, text.length, &servers);
	ck_assert_uint_eq(servers.count, NAMESERVERS_MAX);
	ck_assert_uint_eq(servers.items[NAMESERVERS_MAX - 1].address.bytes[3], NAMESERVERS_MAX - 1);
}
END_TEST

/* A long line is left out as a whole, also where a cut would leave an address. */
START_TEST(long_line)
{
	struct buffer text __attribute__((cleanup(buffer_free))) = { 0 };
	struct nameservers servers;

	buffer_append_text(&text, "nameserver");
	for (int i = 0; i < 236; i++)
		buffer_append_text(&text, " ");
	buffer_append_text(&text, "192.0.2.123\nnameserver 192.0.2.9\n");
	nameservers_parse(text.data, text.length, &servers);
	ck_assert_uint_eq(servers.count, 1);
	ck_assert_uint_eq(servers.items[0].address.bytes[3], 9);
}
END_TEST

START_TEST(what_is_left_out_is_kept)
{
	static const struct {
		const char *text, *unusable;
		size_t count;
	} rows[] = {
		{ "nameserver 192.0.2.1\n", "", 1 },
		{ "search example.com\nnameserver\n# nameserver x\n", "", 0 },
		{ "nameserver example.com\nnameserver other.example\n", "example.com", 0 },
		{ "nameserver fe80::1\nnameserver 192.0.2.1\n", "fe80::1", 1 },
		{ "nameserver "
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  " x\n",
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0 },
	};
	struct nameservers servers;

	nameservers_parse(rows[_i].text, strlen(rows[_i].text), &servers);
	ck_assert_uint_eq(servers.count, rows[_i].count);
	ck_assert_str_eq(servers.unusable, rows[_i].unusable);
}
END_TEST

START_TEST(octets)
{
	static const char text[] =
		"nameserver 192.0.2.1\0 1\nnameserver \0 192.0.2.2\nnameserver 192.0.2.3\n";
	struct nameservers servers;

	nameservers_parse(text, sizeof(text) - 1, &servers);
	ck_assert_uint_eq(servers.count, 2);
	ck_assert_uint_eq(servers.items[1].address.bytes[3], 3);
}
END_TEST

START_TEST(unreadable)
{
	static const struct {
		const char *path;
		bool good;
	} paths[] = {
		{ "/nonexistent/resolv.conf", true },
		{ "/dev/null", true },
		{ "/", false },
		{ "/dev/null/resolv.conf", false },
	};
	struct nameservers servers = { .count = 5 };
	struct err err;

	ck_assert(nameservers_read(paths[_i].path, &servers, &err) == paths[_i].good);
	ck_assert_uint_eq(servers.count, paths[_i].good ? 0 : 5);
	if (!paths[_i].good)
		ck_assert_ptr_nonnull(strstr(err.text, "cannot be read"));
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("resolv.conf");

	tcase_add_loop_test(cases, file, 0, sizeof(files) / sizeof(*files));
	tcase_add_test(cases, zones);
	tcase_add_test(cases, many);
	tcase_add_test(cases, long_line);
	tcase_add_loop_test(cases, what_is_left_out_is_kept, 0, 5);
	tcase_add_test(cases, octets);
	tcase_add_loop_test(cases, unreadable, 0, 4);
	return suite_end("resolver_config", cases);
}
