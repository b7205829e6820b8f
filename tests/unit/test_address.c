/* test_address.c: spellings of addresses, prefixes, and what addresses are reserved for. */
#include "base/address.h"

#include "suite.h"

#include <string.h>

static struct address parsed(const char *text)
{
	struct address address = { 0 };

	ck_assert_msg(address_parse(text, &address), "%s is refused", text);
	return address;
}

START_TEST(no_other_spelling_is_an_address)
{
	static const char *const refused[] = {
		"",
		"1",
		"1.2.3",
		"1.2.3.4.5",
		"1.2.3.256",
		"01.2.3.4",
		"1.2.3.04",
		"0x1.2.3.4",
		"1.2.3.4 ",
		" 1.2.3.4",
		"1.2.3.4.",
		"1.2.3.-4",
		"+1.2.3.4",
		"1..3.4",
		"2130706433",
		"127.1",
		"0x7f000001",
		"017700000001",
		"1.2.3.4/32",
		"1.2.3.4:80",
		"a.test",
		":",
		":::",
		"1::2::3",
		"12345::",
		"00001::",
		"::g",
		"[::1]",
		"fe80::1%eth0",
		"::1%1",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"::1.2.3",
		"::1.2.3.256",
		"::01.2.3.4",
	};
	struct address untouched = { .family = FAMILY_IPV6, .bytes = { 1, 2, 3 } },
		       before = untouched;

	for (size_t i = 0; i < COUNT_OF(refused); i++)
		ck_assert_msg(!address_parse(refused[i], &untouched), "%s is taken", refused[i]);
	ck_assert_mem_eq(&untouched, &before, sizeof(before));
}
END_TEST

START_TEST(text_is_that_of_rfc_5952)
{
	static const char *const pairs[][2] = {
		{ "192.0.2.10", "192.0.2.10" },
		{ "0.0.0.0", "0.0.0.0" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "9.10.99.100", "9.10.99.100" },
		{ "200.101.11.1", "200.101.11.1" },
		{ "2001:DB8:0:0:0:0:0:1", "2001:db8::1" },
		{ "2001:0db8::0001", "2001:db8::1" },
		{ "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },
		{ "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
		{ "::", "::" },
		{ "::1", "::1" },
		{ "::ffff:c000:20a", "::ffff:192.0.2.10" },
	};
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		struct address address = parsed(pairs[i][0]), again;

		ck_assert_ptr_eq(address_format(&address, text), text);
		ck_assert_str_eq(text, pairs[i][1]);
		again = parsed(text);
		ck_assert_int_eq(address_compare(&address, &again), 0);
	}
}
END_TEST

START_TEST(order_is_that_of_the_bytes_with_ipv4_first)
{
	static const char *const ascending[] = {
		"0.0.0.1", "9.255.255.255", "10.0.0.0", "255.0.0.0", "::", "::1", "2001:db8::"
	};

	for (size_t i = 0; i < COUNT_OF(ascending); i++)
		for (size_t j = 0; j < COUNT_OF(ascending); j++) {
			struct address one = parsed(ascending[i]), other = parsed(ascending[j]);
			int order = address_compare(&one, &other);

			ck_assert_int_eq((order > 0) - (order < 0), (i > j) - (i < j));
		}
}
END_TEST

START_TEST(prefixes_hold_what_lies_between_their_ends)
{
	static const struct {
		const char *address;
		uint8_t length;
		const char *text, *first, *last, *inside, *outside;
	} rows[] = {
		{ "10.1.2.3", 8, "10.0.0.0/8", "10.0.0.0", "10.255.255.255", "10.9.9.9",
		  "11.0.0.0" },
		{ "192.0.2.129", 25, "192.0.2.128/25", "192.0.2.128", "192.0.2.255", "192.0.2.200",
		  "192.0.2.127" },
		{ "192.0.2.1", 32, "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1",
		  "192.0.2.0" },
		{ "192.0.2.1", 0, "0.0.0.0/0", "0.0.0.0", "255.255.255.255", "8.8.8.8", "::" },
		{ "2001:db8:ffff::1", 33, "2001:db8:8000::/33", "2001:db8:8000::",
		  "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8:9000::", "2001:db8:7fff::" },
		{ "2001:db8::1", 128, "2001:db8::1", "2001:db8::1", "2001:db8::1", "2001:db8::1",
		  "2001:db8::" },
	};
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct address address = parsed(rows[i].address), first = parsed(rows[i].first),
			       last = parsed(rows[i].last), inside = parsed(rows[i].inside),
			       outside = parsed(rows[i].outside), end;
		struct prefix prefix = prefix_of(&address, rows[i].length);

		ck_assert_str_eq(prefix_format(&prefix, text), rows[i].text);
		end = prefix_first(&prefix);
		ck_assert_int_eq(address_compare(&end, &first), 0);
		end = prefix_last(&prefix);
		ck_assert_int_eq(address_compare(&end, &last), 0);
		ck_assert(prefix_contains(&prefix, &address));
		ck_assert(prefix_contains(&prefix, &first));
		ck_assert(prefix_contains(&prefix, &last));
		ck_assert(prefix_contains(&prefix, &inside));
		ck_assert(!prefix_contains(&prefix, &outside));
	}
}
END_TEST

START_TEST(case_C2)
{
	static const char *const rows[][2] = {
		{ "0.0.0.0", "unspecified" },
		{ "0.255.255.255", "unspecified" },
		{ "10.0.0.5", "private" },
		{ "100.64.0.1", "shared" },
		{ "100.127.255.255", "shared" },
		{ "127.0.0.1", "loopback" },
		{ "127.255.255.255", "loopback" },
		{ "168.63.129.16", "metadata" },
		{ "169.254.169.254", "link-local" },
		{ "172.16.0.0", "private" },
		{ "172.31.255.255", "private" },
		{ "192.0.0.1", "reserved" },
		{ "192.88.99.1", "reserved" },
		{ "192.168.0.1", "private" },
		{ "198.18.0.0", "benchmarking" },
		{ "198.19.255.255", "benchmarking" },
		{ "224.0.0.1", "multicast" },
		{ "239.255.255.255", "multicast" },
		{ "240.0.0.1", "reserved" },
		{ "255.255.255.255", "reserved" },
		{ "::", "unspecified" },
		{ "::1", "loopback" },
		{ "fe80::1", "link-local" },
		{ "febf::1", "link-local" },
		{ "fec0::1", "private" },
		{ "fc00::1", "unique-local" },
		{ "fdff::1", "unique-local" },
		{ "ff02::1", "multicast" },
		{ "::ffff:169.254.169.254", "v4-mapped" },
		{ "::ffff:192.0.2.1", "v4-mapped" },
		{ "::192.0.2.1", "v4-compatible" },
		{ "::2", "v4-compatible" },
		{ "64:ff9b::a9fe:a9fe", "link-local" },
		{ "64:ff9b::7f00:1", "loopback" },
		{ "64:ff9b::a83f:8110", "metadata" },
		{ "2002:a83f:8110::1", "metadata" },
		{ "64:ff9b:1::1", "private" },
		{ "2002:a9fe:a9fe::1", "link-local" },
		{ "2002:a00:5::", "private" },
		{ "2001:2::1", "benchmarking" },
		{ "2001::1", "reserved" },
		{ "2001:1ff::1", "reserved" },
		{ "100::1", "reserved" },
		{ "5f00::1", "reserved" },
		{ "4000::1", "reserved" },
		{ "1fff::1", "reserved" },
		/* Ordinary ones, documentation among them. */
		{ "9.255.255.255", NULL },
		{ "11.0.0.0", NULL },
		{ "100.63.255.255", NULL },
		{ "100.128.0.0", NULL },
		{ "126.255.255.255", NULL },
		{ "128.0.0.0", NULL },
		{ "168.63.129.15", NULL },
		{ "168.63.129.17", NULL },
		{ "169.253.255.255", NULL },
		{ "169.255.0.0", NULL },
		{ "172.15.255.255", NULL },
		{ "172.32.0.0", NULL },
		{ "192.0.1.0", NULL },
		{ "192.0.2.1", NULL },
		{ "192.167.255.255", NULL },
		{ "192.169.0.0", NULL },
		{ "198.17.255.255", NULL },
		{ "198.20.0.0", NULL },
		{ "198.51.100.1", NULL },
		{ "203.0.113.1", NULL },
		{ "223.255.255.255", NULL },
		{ "1.1.1.1", NULL },
		{ "2001:db8::1", NULL },
		{ "2001:200::1", NULL },
		{ "2606:4700:4700::1111", NULL },
		{ "3fff::1", NULL },
		{ "64:ff9b::101:101", NULL },
		{ "2002:c633:6401::1", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct address address = parsed(rows[i][0]);
		const char *special = address_special(&address);

		ck_assert_msg(rows[i][1] ? special && !strcmp(special, rows[i][1]) : !special,
			      "%s is %s", rows[i][0], special ? special : "ordinary");
	}
}
END_TEST

/* Whether the address is in the set, or in none; and whether address_special() says the same. */
static void agree(const struct keyset *special, const struct address *address)
{
	char text[ADDRESS_TEXT_SIZE];

	ck_assert_msg(keyset_contains(special, address->bytes) == (address_special(address) != NULL),
		      "%s", address_format(address, text));
}

START_TEST(the_set_of_special_addresses_is_those_that_have_a_word)
{
	/* Where something begins that is easily missed by chance. */
	static const uint8_t heads[][12] = {
		{ 0, 0x64, 0xff, 0x9b }, { 0x20, 0x02 }, { 0x20, 0x01 }, { 0 }, { 0x20 }, { 0xfe },
		{ [10] = 0xff, 0xff },
	};
	static const size_t kept[] = { 12, 2, 2, 12, 1, 1, 12 };
	uint64_t state = 1;

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		struct keyset special = keyset_new(address_width(family), true);

		address_add_special(family, &special);
		keyset_seal(&special);
		for (size_t i = 0; i < special.count; i++) {
			struct address edge = { .family = family };

			memcpy(edge.bytes, keyset_first(&special, i), special.width);
			agree(&special, &edge);
			if (key_decrement(edge.bytes, special.width))
				agree(&special, &edge);
			memcpy(edge.bytes, keyset_last(&special, i), special.width);
			agree(&special, &edge);
			if (key_increment(edge.bytes, special.width))
				agree(&special, &edge);
		}
		for (size_t i = 0; i < 100000; i++) {
			struct address address = { .family = family };
			size_t head = i % (COUNT_OF(heads) + 1);

			for (size_t byte = 0; byte < special.width; byte++) {
				state = state * 6364136223846793005ULL + 1442695040888963407ULL;
				address.bytes[byte] = (uint8_t)(state >> 56);
			}
			if (family == FAMILY_IPV6 && head < COUNT_OF(heads))
				memcpy(address.bytes, heads[head], kept[head]);
			agree(&special, &address);
		}
		keyset_free(&special);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_other_spelling_is_an_address,
		text_is_that_of_rfc_5952,
		order_is_that_of_the_bytes_with_ipv4_first,
		prefixes_hold_what_lies_between_their_ends,
		case_C2,
		the_set_of_special_addresses_is_those_that_have_a_word,
	};

	return suite_run("address", tests, COUNT_OF(tests));
}
