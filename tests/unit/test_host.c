/* test_host.c: host names come into one form or are refused. */
#include "policy/host.h"

#include "suite.h"

#include <string.h>

struct row {
	const char *text;
	const char *name; /* NULL: refused */
	const char *why;  /* part of the sentence */
};

static void check(const struct row *row, bool (*normalise)(const char *, char *, struct err *))
{
	char name[HOST_TEXT_SIZE] = "untouched";
	struct err err = { "untouched" };
	bool taken = normalise(row->text, name, &err);

	ck_assert_msg(taken == (row->name != NULL), "%s is %s", row->text,
		      taken ? "taken" : err.text);
	ck_assert_str_eq(name, taken ? row->name : "untouched");
	if (taken)
		ck_assert_str_eq(err.text, "untouched");
	else
		ck_assert_msg(strstr(err.text, row->why), "%s: %s", row->text, err.text);
}

#define LABEL_63 "a23456789012345678901234567890123456789012345678901234567890123"

START_TEST(names_have_one_form)
{
	static const struct row rows[] = {
		{ "example.com", "example.com", NULL },
		{ "Example.COM.", "example.com", NULL },
		{ "db", "db", NULL },
		{ "1a.test", "1a.test", NULL },
		{ "61000047.r.h.test", "61000047.r.h.test", NULL },
		{ "r3---sn-5hne6.example", "r3---sn-5hne6.example", NULL },
		{ "xn--bcher-kva.test", "xn--bcher-kva.test", NULL },
		{ "XN--BCHER-KVA.test", "xn--bcher-kva.test", NULL },
		{ "xn--i-7iq.test", "xn--i-7iq.test", NULL },
		{ "a.0xg", "a.0xg", NULL },
		{ "localhost.test", "localhost.test", NULL },
		{ "notlocalhost", "notlocalhost", NULL },
		{ LABEL_63 ".test", LABEL_63 ".test", NULL },
		{ LABEL_63 "4.test", NULL, "a label of 64 characters" },
		{ LABEL_63 "." LABEL_63 "." LABEL_63 "."
			   "a234567890123456789012345678901234567890123456789"
			   "012345678901",
		  LABEL_63 "." LABEL_63 "." LABEL_63 "."
			   "a234567890123456789012345678901234567890123456789"
			   "012345678901",
		  NULL },
		{ LABEL_63 "." LABEL_63 "." LABEL_63 "."
			   "a234567890123456789012345678901234567890123456789"
			   "0123456789012",
		  NULL, "more than 253" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		check(&rows[i], host_normalise);
		check(&rows[i], host_normalise_request);
	}
}
END_TEST

START_TEST(case_B5)
{
	static const struct row rows[] = {
		{ "", NULL, "is empty" },
		{ "a.test\n127.0.0.1 evil.test", NULL, "the character \"\\n\"" },
		{ "a.test b.test", NULL, "the character \" \"" },
		{ "a.test\tb", NULL, "the character \"\\t\"" },
		{ "a.test#", NULL, "the character \"#\"" },
		{ "-a.test", NULL, "begins or ends with a hyphen" },
		{ "a-.test", NULL, "begins or ends with a hyphen" },
		{ "a.-test", NULL, "begins or ends with a hyphen" },
		{ "_dns.test", NULL, "the character \"_\"" },
		{ "localhost", NULL, "governed by \"loopback\"" },
		{ "LOCALHOST.", NULL, "governed by \"loopback\"" },
		{ "a.localhost", NULL, "governed by \"loopback\"" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		check(&rows[i], host_normalise);
		check(&rows[i], host_normalise_request);
	}
}
END_TEST

START_TEST(case_G5)
{
	static const struct row rows[] = {
		{ "2130706433", NULL, "did you mean \"127.0.0.1\"?" },
		{ "0x7f000001", NULL, "did you mean \"127.0.0.1\"?" },
		{ "0X7F.1", NULL, "did you mean \"127.0.0.1\"?" },
		{ "0177.0.0.1", NULL, "did you mean \"127.0.0.1\"?" },
		{ "127.1", NULL, "did you mean \"127.0.0.1\"?" },
		{ "017700000001", NULL, "did you mean \"127.0.0.1\"?" },
		{ "127.0.0.1.", NULL, "did you mean \"127.0.0.1\"?" },
		{ "0", NULL, "did you mean \"0.0.0.0\"?" },
		{ "08.1.1.1", NULL, "neither a host name nor an address" },
		{ "1.0x1.1", NULL, "did you mean \"1.1.0.1\"?" },
		{ "1.2.3.4.5", NULL, "neither a host name nor an address" },
		{ "a.test.1", NULL, "neither a host name nor an address" },
		{ "a.0x", NULL, "neither a host name nor an address" },
		{ "256.256.256.256", NULL, "neither a host name nor an address" },
		{ "192.0.2.1", NULL, "another spelling" },
	};
	static const struct row full_width = { "\xef\xbc\x91.1.1.1", NULL, "IDNA2008" };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		check(&rows[i], host_normalise);
		check(&rows[i], host_normalise_request);
	}
	check(&full_width, host_normalise);
}
END_TEST

START_TEST(case_G6)
{
	static const struct row rows[] = {
		{ "a..test", NULL, "an empty label" },
		{ ".a.test", NULL, "an empty label" },
		{ "a.test..", NULL, "an empty label" },
		{ ".", NULL, "an empty label" },
		{ "a.test%00.evil.test", NULL, "the character \"%\"" },
		{ "a.test%2eevil", NULL, "the character \"%\"" },
		{ "evil.test%23.allowed.test", NULL, "the character \"%\"" },
		{ "a@b.test", NULL, "the character \"@\"" },
		{ "a.test\\", NULL, "the character \"\\\\\"" },
		{ "a\x1b[2J.test", NULL, "the character \"\\u001b\"" },
	};
	static const struct row converted[] = {
		{ "b\xc3\xbc"
		  "cher.test",
		  "xn--bcher-kva.test", NULL },
		{ "B\xc3\xbc"
		  "CHER.Test.",
		  "xn--bcher-kva.test", NULL },
		{ "fa\xc3\x9f.test", "xn--fa-hia.test", NULL },
		{ "\xd0\xbf\xd1\x80\xd0\xb8.xn--p1ai", "xn--h1and.xn--p1ai", NULL },
		/* Nothing is mapped to something else: capitals, the Kelvin sign, full width,
		   composition. */
		{ "B\xc3\x9c"
		  "CHER.test",
		  NULL, "IDNA2008 does not allow" },
		{ "\xe2\x84\xaa"
		  "a.test",
		  NULL, "not in composed form" },
		{ "\xef\xbd\x85xample.test", NULL, "IDNA2008 does not allow" },
		{ "u\xcc\x88.test", NULL, "not in composed form" },
		{ "a\xe3\x80\x82test", NULL, "IDNA2008 does not allow" },
		{ "\xe2\x98\x83.test", NULL, "IDNA2008 does not allow" },
		{ "a\xe2\x80\x8b.test", NULL, "IDNA2008 does not allow" },
		{ "\xd7\x90"
		  "a.test",
		  NULL, "not a name by the rules" },
		{ "\xff\xfe.test", NULL, "not a name by the rules" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		check(&rows[i], host_normalise);
		check(&rows[i], host_normalise_request);
	}
	for (size_t i = 0; i < COUNT_OF(converted); i++) {
		struct row request = { converted[i].text, NULL, "is not ASCII" };

		check(&converted[i], host_normalise);
		check(&request, host_normalise_request);
	}
}
END_TEST

START_TEST(a_normal_form_is_its_own)
{
	static const char *const names[] = { "Example.COM.",
					     "b\xc3\xbc"
					     "cher.test",
					     "a-b.c" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char once[HOST_TEXT_SIZE], twice[HOST_TEXT_SIZE];
		struct err err;

		ck_assert(host_normalise(names[i], once, &err));
		ck_assert(host_normalise_request(once, twice, &err));
		ck_assert_str_eq(once, twice);
	}
}
END_TEST

START_TEST(below_means_at_a_labels_border)
{
	ck_assert(host_is_below("a.example.test", "example.test"));
	ck_assert(host_is_below("a.b.example.test", "example.test"));
	ck_assert(!host_is_below("example.test", "example.test"));
	ck_assert(!host_is_below("notexample.test", "example.test"));
	ck_assert(!host_is_below("example.test.evil.test", "example.test"));
	ck_assert(!host_is_below("axexample.test", "example.test"));
	ck_assert(!host_is_below("test", "example.test"));
	ck_assert(!host_is_below("", "example.test"));
}
END_TEST

START_TEST(public_suffixes_are_known)
{
	static const char *const suffixes[] = { "com",	    "test",
						"co.uk",    "github.io",
						"x.ck",	    "kawasaki.jp",
						"xn--p1ai", "s3.amazonaws.com" };
	static const char *const narrow[] = { "example.com", "example.co.uk", "me.github.io",
					      "www.ck", "example.xn--p1ai" };

	for (size_t i = 0; i < COUNT_OF(suffixes); i++)
		ck_assert_msg(host_is_public_suffix(suffixes[i]), "%s", suffixes[i]);
	for (size_t i = 0; i < COUNT_OF(narrow); i++)
		ck_assert_msg(!host_is_public_suffix(narrow[i]), "%s", narrow[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names_have_one_form,
		case_B5,
		case_G5,
		case_G6,
		a_normal_form_is_its_own,
		below_means_at_a_labels_border,
		public_suffixes_are_known,
	};

	return suite_run("host", tests, COUNT_OF(tests));
}
