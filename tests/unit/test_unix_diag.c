/* test_unix_diag.c: who opened a UNIX socket, as the kernel tells it, and by which file it is found. */
#include "kernel/netlink.h"
#include "kernel/unix_diag.h"

#include "suite.h"

#include <linux/unix_diag.h>
#include <sys/sysmacros.h>

/* What stands behind family, type and state: inode and cookie of the socket, then attributes. */
static struct buffer answer(bool file, const void *uid, size_t uid_length)
{
	static const uint32_t head[3] = { 7, 8, 9 };
	static const struct unix_diag_vfs vfs = { .udiag_vfs_ino = 77,
						  .udiag_vfs_dev = 0x00800003 };
	struct buffer bytes = { 0 };

	buffer_append(&bytes, head, sizeof(head));
	netlink_put(&bytes, UNIX_DIAG_NAME, "/run/x", 7);
	if (file)
		netlink_put(&bytes, UNIX_DIAG_VFS, &vfs, sizeof(vfs));
	if (uid)
		netlink_put(&bytes, UNIX_DIAG_UID, uid, uid_length);
	return bytes;
}

START_TEST(a_socket_with_a_file_has_an_opener)
{
	static const uint32_t uid = 1500;
	struct unix_socket socket = { 0 };
	struct buffer bytes = answer(true, &uid, sizeof(uid));

	ck_assert(unix_diag_read(cursor_over(bytes.data, bytes.length), &socket));
	ck_assert_uint_eq(socket.uid, 1500);
	ck_assert_uint_eq(socket.inode, 77);
	ck_assert_uint_eq(socket.device, 0x00800003);
	/* Cut anywhere it is none. */
	for (size_t length = 0; length < bytes.length; length++) {
		struct buffer cut = { 0 };

		buffer_append(&cut, bytes.data, length);
		ck_assert(!unix_diag_read(cursor_over(cut.data, cut.length), &socket));
		buffer_free(&cut);
	}
	buffer_free(&bytes);
}
END_TEST

START_TEST(what_does_not_say_it_is_not_known)
{
	static const uint32_t uid = 1500;
	struct unix_socket socket = { .uid = 42 };
	struct buffer rows[] = { answer(false, &uid, sizeof(uid)), answer(true, NULL, 0),
				 answer(true, &uid, 2), answer(false, NULL, 0) };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ck_assert(!unix_diag_read(cursor_over(rows[i].data, rows[i].length), &socket));
		buffer_free(&rows[i]);
	}
	ck_assert_uint_eq(socket.uid, 42);
}
END_TEST

START_TEST(a_file_is_found_by_device_and_inode)
{
	static const struct unix_socket items[] = {
		{ 0x00800003, 77, 1500 }, { 0x00800003, 78, 1500 }, { 0x00800003, 78, 0 },
		{ 0x00800003, 78, 1500 }, { 0x00800004, 79, 0 },
	};
	struct unix_sockets sockets = { 0 };
	uint32_t uid = 42;

	for (size_t i = 0; i < COUNT_OF(items); i++)
		unix_sockets_add(&sockets, &items[i]);
	unix_sockets_sort(&sockets);
	ck_assert(unix_sockets_find(&sockets, makedev(8, 3), 77, 1500, &uid));
	ck_assert_uint_eq(uid, 1500);
	/* Of several the one who is not the user. */
	ck_assert(unix_sockets_find(&sockets, makedev(8, 3), 78, 1500, &uid));
	ck_assert_uint_eq(uid, 0);
	uid = 42;
	ck_assert(!unix_sockets_find(&sockets, makedev(8, 3), 79, 1500, &uid));
	ck_assert(!unix_sockets_find(&sockets, makedev(8, 5), 77, 1500, &uid));
	ck_assert_uint_eq(uid, 42);
	unix_sockets_free(&sockets);
	ck_assert(!unix_sockets_find(&sockets, makedev(8, 3), 77, 1500, &uid));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_socket_with_a_file_has_an_opener,
		what_does_not_say_it_is_not_known,
		a_file_is_found_by_device_and_inode,
	};

	return suite_run("unix_diag", tests, COUNT_OF(tests));
}
