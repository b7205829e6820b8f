/* test_socket_count.c: only a plain zero says that there are no sockets. */
#include "kernel/socket_count.h"

#include "suite.h"

START_TEST(only_a_plain_zero_says_none)
{
	static const struct {
		const char *text;
		bool may;
	} rows[] = {
		{ "sockets: used 12\nTCP: inuse 0 orphan 0 tw 0 alloc 47 mem 256\nUDP: inuse 3 mem 0\n",
		  false },
		{ "sockets: used 12\nTCP: inuse 1 orphan 0 tw 0 alloc 47 mem 256\n", true },
		{ "sockets: used 12\nTCP: inuse 10 orphan 0 tw 0 alloc 47 mem 256\n", true },
		{ "sockets: used 12\nTCP: inuse 01 orphan 0\n", true },
		{ "TCP6: inuse 0\nUDP6: inuse 1\n", false },
		{ "TCP6: inuse 2\nUDP6: inuse 1\n", true },
		{ "TCP6: inuse 0", true },
		{ "TCP: inuse", true },
		{ "UDP: inuse 0\n", true },
		{ "xTCP: inuse 0\n", true },
		{ "", true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_msg(sockstat_may_have_tcp(rows[i].text) == rows[i].may, "%s",
			      rows[i].text);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { only_a_plain_zero_says_none };

	return suite_run("socket count", tests, COUNT_OF(tests));
}
