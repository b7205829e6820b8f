/*
 * test_log_record.c: records of the log group, with every header that can stand before the ports.
 */
#include "suite.h"

#include "kernel/log_group.h"
#include "kernel/netlink.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <string.h>

#define IPV4(protocol, offset, ...)                                                                \
	0x45, 0, 0, 60, 0, 1, (offset) >> 8, (offset)&0xff, 64, protocol, 0, 0, 192, 0, 2, 2, 203, \
		0, 113, 5, __VA_ARGS__
#define IPV6(next, ...)                                                                            \
	0x60, 0, 0, 0, 0, 40, next, 64, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,    \
		0x20, 1, 0xd, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, __VA_ARGS__
#define PORTS 0x9c, 0x40, 0x01, 0xbb
#define PACKET(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static const struct {
	uint8_t bytes[128];
	size_t length;
	bool ok, has_ports;
	uint8_t protocol;
	uint16_t packet_length;
} packets[] = {
	{ PACKET(IPV4(6, 0, PORTS)), true, true, 6, 60 },
	{ PACKET(IPV4(17, 0, PORTS)), true, true, 17, 60 },
	{ PACKET(IPV4(132, 0, PORTS)), true, true, 132, 60 },
	{ PACKET(IPV4(1, 0, 8, 0, 0, 0)), true, false, 1, 60 },
	{ PACKET(IPV4(17, 0x2000, PORTS)), true, true, 17,
	  60 }, /* the first fragment has the ports */
	{ PACKET(IPV4(17, 0x0001, PORTS)), true, false, 17, 60 }, /* a later one has data there */
	{ PACKET(0x46, 0, 0, 60, 0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 2, 203, 0, 113, 5, 1, 1, 1, 1,
		 PORTS),
	  true, true, 6, 60 },
	{ PACKET(0x44, 0, 0, 60, 0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 2, 203, 0, 113, 5, PORTS),
	  false, false, 0, 0 },
	{ PACKET(0x4f, 0, 0, 60, 0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 2, 203, 0, 113, 5, PORTS),
	  true, false, 6, 60 },
	{ PACKET(IPV4(6, 0, 0x9c)), true, false, 6, 60 },
	{ PACKET(0x45, 0, 0, 60, 0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 2, 203, 0, 113), false, false,
	  0, 0 },
	{ PACKET(IPV6(6, PORTS)), true, true, 6, 80 },
	{ PACKET(IPV6(58, 128, 0)), true, false, 58, 80 },
	{ PACKET(IPV6(0, 17, 0, 0, 0, 0, 0, 0, 0, PORTS)), true, true, 17, 80 },
	{ PACKET(IPV6(60, 43, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		      PORTS)),
	  true, true, 6, 80 },
	{ PACKET(IPV6(44, 17, 0, 0, 1, 0, 0, 0, 9, PORTS)), true, true, 17, 80 },
	{ PACKET(IPV6(44, 17, 0, 0, 8, 0, 0, 0, 9, PORTS)), true, false, 17, 80 },
	{ PACKET(IPV6(51, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, PORTS)), true, true, 6, 80 },
	{ PACKET(IPV6(50, PORTS)), true, false, 50, 80 },
	{ PACKET(IPV6(59)), true, false, 59, 80 },
	{ PACKET(IPV6(0, 17, 9, 0, 0, 0, 0, 0, 0, PORTS)), true, false, 17,
	  80 }, /* longer than what was copied */
	{ PACKET(IPV6(0, 17)), true, false, 0, 80 },
	{ PACKET(0x60, 0, 0, 0, 0, 40), false, false, 0, 0 },
	{ PACKET(0x50, 0, 0, 0), false, false, 0, 0 },
	{ { 0 }, 0, false, false, 0, 0 },
};

static struct buffer record_of(const uint8_t *packet, size_t length)
{
	struct buffer bytes = { 0 };
	size_t start = netlink_begin(&bytes, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET, 0, 0, 2, 9);
	static const uint8_t stamp[] = { 0, 0, 0, 0, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9 };

	netlink_put_text(&bytes, NFULA_PREFIX, "egressfw ");
	netlink_put_u32(&bytes, NFULA_UID, 1500);
	netlink_put_u32(&bytes, NFULA_IFINDEX_OUTDEV, 3);
	netlink_put(&bytes, NFULA_TIMESTAMP, stamp, sizeof(stamp));
	netlink_put(&bytes, NFULA_PAYLOAD, packet, length);
	netlink_end(&bytes, start);
	return bytes;
}

START_TEST(a_packet_is_read_as_far_as_it_was_copied)
{
	struct buffer bytes = record_of(packets[_i].bytes, packets[_i].length);
	struct log_record record;

	ck_assert(log_record_decode(bytes.data, bytes.length, &record) == packets[_i].ok);
	if (packets[_i].ok) {
		ck_assert_uint_eq(record.protocol, packets[_i].protocol);
		ck_assert_uint_eq(record.length, packets[_i].packet_length);
		ck_assert(record.has_ports == packets[_i].has_ports);
		ck_assert_uint_eq(record.source_port, record.has_ports ? 40000 : 0);
		ck_assert_uint_eq(record.destination_port, record.has_ports ? 443 : 0);
	}
	buffer_free(&bytes);
}
END_TEST

START_TEST(what_the_kernel_says_besides_is_read)
{
	struct buffer bytes = record_of(packets[0].bytes, packets[0].length);
	struct log_record record;
	char text[ADDRESS_TEXT_SIZE];

	ck_assert(log_record_decode(bytes.data, bytes.length, &record));
	ck_assert_str_eq(record.prefix, "egressfw ");
	ck_assert(record.has_uid);
	ck_assert_uint_eq(record.uid, 1500);
	ck_assert_uint_eq(record.out_index, 3);
	ck_assert_uint_eq(record.time_us, 0x65000000ULL * 1000000 + 9);
	ck_assert_str_eq(address_format(&record.source, text), "192.0.2.2");
	ck_assert_str_eq(address_format(&record.destination, text), "203.0.113.5");
	buffer_free(&bytes);
}
END_TEST

START_TEST(a_record_cut_anywhere_is_refused_or_read_without_harm)
{
	struct buffer bytes = record_of(packets[11].bytes, packets[11].length);
	struct log_record record;

	for (size_t length = 0; length < bytes.length; length++)
		ck_assert(!log_record_decode(bytes.data, length, &record));
	buffer_free(&bytes);
}
END_TEST

START_TEST(another_message_is_no_record)
{
	struct buffer bytes = { 0 };
	struct log_record record;

	netlink_end(&bytes,
		    netlink_begin(&bytes, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, 0, 0, 2, 9));
	ck_assert(!log_record_decode(bytes.data, bytes.length, &record));
	buffer_free(&bytes);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("log_record");

	tcase_add_loop_test(cases, a_packet_is_read_as_far_as_it_was_copied, 0, COUNT_OF(packets));
	tcase_add_test(cases, what_the_kernel_says_besides_is_read);
	tcase_add_test(cases, a_record_cut_anywhere_is_refused_or_read_without_harm);
	tcase_add_test(cases, another_message_is_no_record);
	return suite_end("log_record", cases);
}
