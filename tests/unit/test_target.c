/* test_target.c: targets of decisions, from URLs and from hosts with ports. */
#include "policy/url.h"

#include "suite.h"

#include <string.h>

START_TEST(targets_are_taken_apart)
{
	static const struct {
		const char *text, *host, *address;
		uint16_t port;
		const char *path, *query;
	} rows[] = {
		{ "a.test", "a.test", NULL, 443, NULL, NULL },
		{ "a.test:8443", "a.test", NULL, 8443, NULL, NULL },
		{ "A.Test.:1", "a.test", NULL, 1, NULL, NULL },
		{ "a.test/x", "a.test", NULL, 443, "/x", NULL },
		{ "a.test?q=1", "a.test", NULL, 443, "/", "q=1" },
		{ "http://a.test", "a.test", NULL, 80, "/", NULL },
		{ "HTTPS://a.test", "a.test", NULL, 443, "/", NULL },
		{ "https://a.test:65535/x/../y?", "a.test", NULL, 65535, "/y", "" },
		{ "http://a.test/x?u=http://b.test/", "a.test", NULL, 80, "/x",
		  "u=http://b.test/" },
		{ "a.test/?u=http://b.test/", "a.test", NULL, 443, "/", "u=http://b.test/" },
		{ "192.0.2.1", "", "192.0.2.1", 443, NULL, NULL },
		{ "192.0.2.1:22", "", "192.0.2.1", 22, NULL, NULL },
		{ "http://192.0.2.1/", "", "192.0.2.1", 80, "/", NULL },
		{ "2001:db8::1", "", "2001:db8::1", 443, NULL, NULL },
		{ "[2001:db8::1]", "", "2001:db8::1", 443, NULL, NULL },
		{ "[2001:db8::1]:8443", "", "2001:db8::1", 8443, NULL, NULL },
		{ "https://[2001:db8::1]/x", "", "2001:db8::1", 443, "/x", NULL },
		{ "127.0.0.1:53", "", "127.0.0.1", 53, NULL, NULL },
		{ "b\xc3\xbc" "cher.test",
		  "xn--bcher-kva.test", NULL, 443, NULL, NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[ADDRESS_TEXT_SIZE];
		struct target target;
		struct err err;

		ck_assert_msg(target_parse(rows[i].text, &target, &err), "%s: %s", rows[i].text,
			      err.text);
		ck_assert_str_eq(target.host, rows[i].host);
		if (rows[i].address)
			ck_assert_str_eq(address_format(&target.address, text), rows[i].address);
		ck_assert_uint_eq(target.port, rows[i].port);
		ck_assert_pstr_eq(target.path, rows[i].path);
		ck_assert_pstr_eq(target.query, rows[i].query);
		target_free(&target);
	}
}
END_TEST

START_TEST(other_targets_are_refused)
{
	static const char *const rows[][2] = {
		{ "", "no host" },
		{ ":443", "no host" },
		{ "/x", "no host" },
		{ "https:///x", "no host" },
		{ "a.test:", "the port \"\"" },
		{ "a.test:0", "the port \"0\"" },
		{ "a.test:65536", "the port \"65536\"" },
		{ "a.test:443x", "the port \"443x\"" },
		{ "a.test:0443", "the port \"0443\"" },
		{ "a.test:+443", "the port \"+443\"" },
		{ "a.test:443:443", "more than one colon" },
		{ "ftp://a.test/", "another scheme" },
		{ "httpsx://a.test/", "another scheme" },
		{ "http:/a.test", "the port \"\"" },
		{ "u@a.test:443", "user information" },
		{ "https://u:p@a.test/", "user information" },
		{ "https://a.test\\@evil.test/", "user information" },
		{ "https://a.test/#f", "a fragment" },
		{ "https://a.test/\x7f", "a blank or a control character" },
		{ "https://a.test/a b", "a blank" },
		{ "https://a.test/\n", "a blank" },
		{ "\thttps://a.test/", "a blank" },
		{ "https://a.test/%2f", "an encoded slash" },
		{ "https://a%2etest/", "the character \"%\"" },
		{ "a.test\\x", "the character \"\\\\\"" },
		{ "localhost:80", "write 127.0.0.1 or [::1]" },
		{ "*.a.test", "the character \"*\"" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct target target;
		struct err err;

		ck_assert_msg(!target_parse(rows[i][0], &target, &err), "%s is taken", rows[i][0]);
		ck_assert_msg(strstr(err.text, rows[i][1]), "%s: %s", rows[i][0], err.text);
	}
}
END_TEST

START_TEST(secrets_are_not_repeated)
{
	struct target target;
	struct err err;

	ck_assert(!target_parse("https://user:hunter2@a.test/", &target, &err));
	ck_assert_ptr_null(strstr(err.text, "hunter2"));
}
END_TEST

/* Beside the spellings without brackets, which test_host.c has. */
START_TEST(case_G5)
{
	static const char *const rows[][2] = {
		{ "http://2130706433/", "did you mean \"127.0.0.1\"?" },
		{ "127.0.0.1.:80", "did you mean \"127.0.0.1\"?" },
		{ "\xef\xbc\x91.1.1.1", "IDNA2008" },
		{ "[::ffff:7f00:1]", "did you mean \"127.0.0.1\"?" },
		{ "[::ffff:127.0.0.1]", "did you mean \"127.0.0.1\"?" },
		{ "[::127.0.0.1]", "did you mean \"127.0.0.1\"?" },
		{ "[2001:DB8::1]", "did you mean \"2001:db8::1\"?" },
		{ "[2001:db8:0::1]", "did you mean \"2001:db8::1\"?" },
		{ "[fe80::1%25eth0]", "is not an address" },
		{ "[allowed.test]", "no IPv6 address" },
		{ "[192.0.2.1]", "no IPv6 address" },
		{ "[2001:db8::1", "unmatched brackets" },
		{ "[2001:db8::1]x", "unmatched brackets" },
		{ "[]", "no host" },
		{ "2001:db8::1/x", "more than one colon" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct target target;
		struct err err;

		ck_assert_msg(!target_parse(rows[i][0], &target, &err), "%s is taken", rows[i][0]);
		ck_assert_msg(strstr(err.text, rows[i][1]), "%s: %s", rows[i][0], err.text);
	}
}
END_TEST

START_TEST(addresses_with_ports)
{
	static const char *const refused[][2] = {
		{ "", "not an address with a port" },
		{ "1.1.1.1", "not an address with a port" },
		{ "2001:db8::1", "not an address with a port" },
		{ "2001:db8::1:443", "not an address with a port" },
		{ "[2001:db8::1]", "not an address with a port" },
		{ "[2001:db8::1", "not an address with a port" },
		{ "[2001:db8::1]x:1", "not an address with a port" },
		{ ":443", "is not an address" },
		{ "1.1.1.1:", "the port \"\"" },
		{ "1.1.1.1:0", "the port \"0\"" },
		{ "1.1.1.1:65536", "the port \"65536\"" },
		{ "1.1.1.1:00443", "the port \"00443\"" },
		{ "1.1.1.1:443-444", "the port \"443-444\"" },
		{ "[2001:db8::1]:443 ", "the port \"443 \"" },
		{ "0x01010101:443", "is not an address" },
		{ "01.1.1.1:443", "is not an address" },
		{ "a.test:443", "is not an address" },
		{ "[1.1.1.1]:443", "did you mean \"1.1.1.1:443\"?" },
		{ "[2001:DB8::1]:443", "did you mean \"2001:db8::1\"?" },
		{ "[::ffff:1.1.1.1]:443", "did you mean \"1.1.1.1\"?" },
	};
	struct address_port target;
	char text[ADDRESS_TEXT_SIZE];
	struct err err;

	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		ck_assert_msg(!address_port_parse(refused[i][0], &target, &err), "%s is taken",
			      refused[i][0]);
		ck_assert_msg(strstr(err.text, refused[i][1]), "%s: %s", refused[i][0], err.text);
	}
	ck_assert(address_port_parse("192.0.2.1:443", &target, &err));
	ck_assert_str_eq(address_format(&target.address, text), "192.0.2.1");
	ck_assert_uint_eq(target.port, 443);
	ck_assert(address_port_parse("[2001:db8::1]:65535", &target, &err));
	ck_assert_str_eq(address_format(&target.address, text), "2001:db8::1");
	ck_assert_uint_eq(target.port, 65535);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		targets_are_taken_apart,  other_targets_are_refused,
		secrets_are_not_repeated, case_G5,
		addresses_with_ports,
	};

	return suite_run("target", tests, COUNT_OF(tests));
}
