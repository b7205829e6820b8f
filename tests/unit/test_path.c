/* test_path.c: every spelling of a path comes into one form or is refused. */
#include "policy/url.h"

#include "suite.h"

#include <string.h>

START_TEST(case_G7)
{
	static const char *const same[] = {
		"/secret",
		"/a/../secret",
		"/a/%2e%2e/secret",
		"/a/%2E./secret",
		"//secret",
		"/./secret",
		"/%73ecret",
		"/%2e/%73%65cret",
		"/secret;x=1",
		"/;x/secret;",
		"\\secret",
		"/a\\..\\secret",
		"/a/..;/secret",
		"/a/..;x=y/secret",
		"/../../secret",
		"/%2%65/secret",
		"/b/%2%65%2%65/secret",
	};

	for (size_t i = 0; i < COUNT_OF(same); i++) {
		struct err err;
		char *path;

		ck_assert_msg(path_canonical(same[i], &path, &err), "%s: %s", same[i], err.text);
		ck_assert_msg(!strcmp(path, "/secret"), "%s is %s", same[i], path);
		free(path);
	}
}
END_TEST

START_TEST(other_paths_keep_what_they_mean)
{
	static const char *const rows[][2] = {
		{ "/", "/" },
		{ "//", "/" },
		{ "/.", "/" },
		{ "/..", "/" },
		{ "/secret/", "/secret/" },
		{ "/secret//", "/secret/" },
		{ "/secret/.", "/secret/" },
		{ "/secret/x/..", "/secret/" },
		{ "/secret/;x", "/secret/" },
		{ "/SECRET", "/SECRET" },
		{ "/secretary", "/secretary" },
		{ "/a/b/c/../../d", "/a/d" },
		{ "/...", "/..." },
		{ "/.a/..b", "/.a/..b" },
		{ "/~u/a_b-c.d", "/~u/a_b-c.d" },
		{ "/%7eu", "/~u" },
		{ "/%7e%7E", "/~~" },
		{ "/a%20b", "/a%20b" },
		{ "/%c3%bc", "/%C3%BC" },
		{ "/\xc3\xbc", "/%C3%BC" },
		{ "/a%3bb", "/a%3Bb" },
		{ "/a%3fb%23", "/a%3Fb%23" },
		{ "/<\">{|}^`", "/%3C%22%3E%7B%7C%7D%5E%60" },
		{ "/@scope:1!$&'()*+,=", "/@scope:1!$&'()*+,=" },
		{ "/100%25", "/100%25" },
		{ "/100%2520off", "/100%2520off" },
		{ "/%c3", "/%C3" },
		{ "/%c0a", "/%C0a" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char *path, *again;
		struct err err;

		ck_assert_msg(path_canonical(rows[i][0], &path, &err), "%s: %s", rows[i][0],
			      err.text);
		ck_assert_msg(!strcmp(path, rows[i][1]), "%s is %s", rows[i][0], path);
		ck_assert(path_canonical(path, &again, &err));
		ck_assert_str_eq(path, again);
		free(path);
		free(again);
	}
}
END_TEST

START_TEST(what_readers_understand_differently_is_refused)
{
	static const char *const rows[][2] = {
		{ "", "does not begin" },
		{ "*", "does not begin" },
		{ "secret", "does not begin" },
		{ "%2fsecret", "does not begin" },
		{ "http://h.test/secret", "does not begin" },
		{ "/a%2f..%2fsecret", "an encoded slash" },
		{ "/a%2F", "an encoded slash" },
		{ "/a/..%5csecret", "an encoded slash" },
		{ "/a%00", "an encoded slash" },
		{ "/%2%66", "an encoded slash" },
		{ "/%252e%252e/secret", "encoded twice" },
		{ "/%25%32%65", "encoded twice" },
		{ "/%2573ecret", "encoded twice" },
		{ "/%252fsecret", "encoded twice" },
		{ "/%255csecret", "encoded twice" },
		{ "/%2500", "encoded twice" },
		{ "/%25252e", "encoded twice" },
		{ "/%253bx", "encoded twice" },
		{ "/%c0%ae%c0%ae/secret", "overlong" },
		{ "/%C1%9C", "overlong" },
		{ "/\xc0\xae", "overlong" },
		{ "/\xc0%ae", "overlong" },
		{ "/%c0\xae", "overlong" },
		{ "/%", "two hexadecimal digits" },
		{ "/%2", "two hexadecimal digits" },
		{ "/%zz", "two hexadecimal digits" },
		{ "/%u0073ecret", "two hexadecimal digits" },
		{ "/% 73", "a blank" },
		{ "/a b", "a blank" },
		{ "/a\tb", "a blank" },
		{ "/a\r\nb", "a blank" },
		{ "/a\x7f", "a blank" },
		{ "/a?b", "a blank" },
		{ "/a#b", "a blank" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char untouched[] = "untouched", *path = untouched;
		struct err err;

		ck_assert_msg(!path_canonical(rows[i][0], &path, &err), "%s is %s", rows[i][0],
			      path);
		ck_assert_ptr_eq(path, untouched);
		ck_assert_msg(strstr(err.text, rows[i][1]), "%s: %s", rows[i][0], err.text);
	}
}
END_TEST

START_TEST(decoding_ends_after_three_rounds)
{
	static const char *const rows[] = { "/%61", "/%6%31", "/%6%3%31", "/%6%3%3%31" };
	struct err err;
	char *path;

	for (size_t i = 0; i < 3; i++) {
		ck_assert_msg(path_canonical(rows[i], &path, &err), "%s: %s", rows[i], err.text);
		ck_assert_str_eq(path, "/a");
		free(path);
	}
	ck_assert(!path_canonical(rows[3], &path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "more than 3 times"));
}
END_TEST

/* Whatever comes out stays as it is, begins with a slash, and has no segment that moves. */
START_TEST(a_canonical_path_is_its_own)
{
	static const char *const pieces[] = { "/", "/",	   "\\",  ".",	  "..",	  "%", "2",   "e",
					      "5", "%2e",  "%25", "%2f",  ";",	  "a", "%61", "%3",
					      "1", "\xc3", "%c0", "\xc0", "\x80",
					      "=",   "%20" };
	uint32_t state = 1;
	int taken = 0;

	for (int round = 0; round < 200000; round++) {
		char text[64] = "/", *path, *again;
		struct err err;

		for (int i = 0; i < 10; i++) {
			state = state * 1664525U + 1013904223U;
			strcat(text, pieces[(state >> 8) % COUNT_OF(pieces)]);
		}
		if (!path_canonical(text, &path, &err))
			continue;
		taken++;
		ck_assert_int_eq(path[0], '/');
		ck_assert_ptr_null(strstr(path, "//"));
		ck_assert_ptr_null(strstr(path, "/./"));
		ck_assert_ptr_null(strstr(path, "/../"));
		ck_assert_ptr_null(strpbrk(path, "\\;"));
		ck_assert_msg(path_canonical(path, &again, &err), "%s, %s: %s", text, path,
			      err.text);
		ck_assert_str_eq(path, again);
		free(path);
		free(again);
	}
	ck_assert_int_gt(taken, 1000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		case_G7,
		other_paths_keep_what_they_mean,
		what_readers_understand_differently_is_refused,
		decoding_ends_after_three_rounds,
		a_canonical_path_is_its_own,
	};

	return suite_run("path", tests, COUNT_OF(tests));
}
