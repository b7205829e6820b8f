/* test_doctor_texts.c: what doctor reads in /proc, passwd, group, nsswitch.conf and mountinfo. */
#include "doctor/accounts.h"
#include "doctor/channels.h"
#include "doctor/mounts.h"
#include "doctor/name_services.h"
#include "doctor/proc_locks.h"
#include "doctor/proc_net.h"
#include "doctor/proc_status.h"
#include "doctor/request_key.h"

#include "base/memory.h"
#include "suite.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

static struct cursor over(const char *text)
{
	return cursor_over(text, strlen(text));
}

START_TEST(words_stand_between_blanks)
{
	struct cursor line = over("  one\t two  "), empty = over(" \t ");
	struct word word;

	ck_assert(word_next(&line, &word) && word_is(word, "one"));
	ck_assert(word_next(&line, &word) && word_is(word, "two"));
	ck_assert(!word_next(&line, &word));
	ck_assert(!word_next(&empty, &word));
	ck_assert(!word_is((struct word){ "one", 3 }, "on"));
	ck_assert(!word_is((struct word){ "on", 2 }, "one"));
	ck_assert(word_begins((struct word){ "one", 3 }, "on"));
	ck_assert(!word_begins((struct word){ "o", 1 }, "on"));
}
END_TEST

START_TEST(numbers_are_digits_and_nothing_else)
{
	static const struct {
		const char *text;
		unsigned base;
		uint64_t limit, value;
		bool good;
	} rows[] = {
		{ "0", 10, 9, 0, true },
		{ "10", 10, 10, 10, true },
		{ "11", 10, 10, 0, false },
		{ "ff", 16, 255, 255, true },
		{ "fF", 16, 255, 255, true },
		{ "ff", 10, 255, 0, false },
		{ "ffffffffffffffff", 16, UINT64_MAX, UINT64_MAX, true },
		{ "10000000000000000", 16, UINT64_MAX, 0, false },
		{ "99999999999999999999999", 10, UINT64_MAX, 0, false },
		{ "", 10, 9, 0, false },
		{ "-1", 10, 9, 0, false },
		{ "1 ", 10, 9, 0, false },
		{ "0x1", 16, 9, 0, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct word word = { rows[i].text, strlen(rows[i].text) };
		uint64_t value = 0;

		ck_assert_msg(word_number(word, rows[i].base, rows[i].limit, &value) == rows[i].good,
			      "%s", rows[i].text);
		ck_assert_uint_eq(value, rows[i].value);
	}
}
END_TEST

#define UNIX_HEAD "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define UNIX_ROW(flags, rest) "0000000000000000: 00000002 00000000 " flags " 0001 01 1234" rest "\n"

START_TEST(unix_listeners)
{
	static const struct {
		const char *text, *path;
		bool abstract;
	} rows[] = {
		{ UNIX_ROW("00010000", " /run/a"), "/run/a", false },
		{ UNIX_ROW("00010000", " @name"), "name", true },
		{ UNIX_ROW("00010000", " @"), "", true },
		{ UNIX_ROW("00010000", " /run/a b  c "), "/run/a b  c ", false },
		{ UNIX_ROW("00010000", " relative"), "relative", false },
		/* Connected, not bound, cut short: nobody listens there. */
		{ UNIX_ROW("00000000", " /run/a"), NULL, false },
		{ UNIX_ROW("00010000", ""), NULL, false },
		{ UNIX_ROW("00010000", " "), NULL, false },
		{ UNIX_ROW("0001000g", " /run/a"), NULL, false },
		{ UNIX_HEAD, NULL, false },
		{ "0000000000000000: 00000002 00000000 00010000", NULL, false },
		{ "", NULL, false },
		{ "\n\n \n", NULL, false },
		/* What is odd hides nothing that follows. */
		{ UNIX_HEAD "nonsense\n" UNIX_ROW("00010000", "") UNIX_ROW("00010000", " /last"), "/last",
		  false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cursor cursor = over(rows[i].text);
		struct unix_listener found;

		ck_assert_msg(unix_listener_next(&cursor, &found) == (rows[i].path != NULL), "row %zu",
			      i);
		if (!rows[i].path)
			continue;
		ck_assert_msg(word_is(found.path, rows[i].path), "row %zu: %.*s", i,
			      (int)found.path.length, found.path.text);
		ck_assert(found.abstract == rows[i].abstract);
		ck_assert(!unix_listener_next(&cursor, &found));
	}
}
END_TEST

/* The kernel prints the words of an address in this machine's byte order. */
static char *hexadecimal(const char *address)
{
	uint32_t words[4];
	struct buffer text = { 0 };
	bool six = strchr(address, ':') != NULL;

	ck_assert_int_eq(inet_pton(six ? AF_INET6 : AF_INET, address, words), 1);
	for (int i = 0; i < (six ? 4 : 1); i++)
		buffer_printf(&text, "%08X", words[i]);
	return buffer_steal(&text);
}

START_TEST(inet_listeners)
{
	static const struct {
		const char *address, *port, *state, *uid;
		bool tcp, found, loopback;
		const char *wanted;
	} rows[] = {
		{ "127.0.0.1", "0C38", "0A", "13", true, true, true, "127.0.0.1" },
		{ "0.0.0.0", "0C38", "0A", "0", true, true, true, "0.0.0.0" },
		{ "192.0.2.1", "0C38", "0A", "0", true, true, false, "192.0.2.1" },
		{ "::1", "0C38", "0A", "0", true, true, true, "::1" },
		{ "::", "0C38", "0A", "0", true, true, true, "::" },
		{ "::ffff:127.0.0.1", "0C38", "0A", "0", true, true, true, "127.0.0.1" },
		{ "2001:db8::1", "0C38", "0A", "4294967294", true, true, false, "2001:db8::1" },
		{ "127.0.0.1", "0C38", "07", "0", false, true, true, "127.0.0.1" },
		/* Connected, or a client; a port or uid that is none. */
		{ "127.0.0.1", "0C38", "01", "0", true, false, false, NULL },
		{ "127.0.0.1", "0C38", "07", "0", true, false, false, NULL },
		{ "127.0.0.1", "0C38", "0A", "0", false, false, false, NULL },
		{ "127.0.0.1", "C38", "0A", "0", true, false, false, NULL },
		{ "127.0.0.1", "10C38", "0A", "0", true, false, false, NULL },
		{ "127.0.0.1", "0C38", "0A", "-1", true, false, false, NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		autofree char *digits = hexadecimal(rows[i].address);
		autofree char *text = memory_format(
			"  sl  local_address rem_address   st\n"
			"   0: %s:%s %s:0000 %s 00000000:00000000 00:00000000 00000000 %5s 0 77 1\n",
			digits, rows[i].port, digits, rows[i].state, rows[i].uid);
		struct cursor cursor = over(text);
		struct inet_listener found;
		char address[ADDRESS_TEXT_SIZE];

		ck_assert_msg(inet_listener_next(&cursor, rows[i].tcp, &found) == rows[i].found, "row %zu",
			      i);
		if (!rows[i].found)
			continue;
		ck_assert_str_eq(address_format(&found.address, address), rows[i].wanted);
		ck_assert_uint_eq(found.port, 3128);
		ck_assert_uint_eq(found.uid, strtoul(rows[i].uid, NULL, 10));
		ck_assert(inet_listener_on_loopback(&found) == rows[i].loopback);
	}
}
END_TEST

START_TEST(lines_cut_anywhere_are_no_listeners)
{
	autofree char *digits = hexadecimal("127.0.0.1");
	autofree char *text =
		memory_format("0: %s:0C38 %s:0000 0A 00000000:00000000 00:00000000 00000000 13", digits,
			      digits);

	for (size_t length = 0; length < strlen(text); length++) {
		/* A copy that ends there, so that a sanitizer sees a byte too many. */
		autofree char *cut = memory_copy(text, length);
		struct cursor cursor = cursor_over(cut, length);
		struct inet_listener found;

		if (inet_listener_next(&cursor, true, &found))
			ck_assert_uint_eq(length, strlen(text) - 1); /* the uid may be shorter */
	}
}
END_TEST

START_TEST(locks_that_are_held)
{
	static const struct {
		const char *text, *kind, *file; /* kind NULL: none */
		uint32_t pid;
	} rows[] = {
		{ "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF\n", "FLOCK", "fe:00:5678", 1234 },
		{ "lock:\t1: OFDLCK ADVISORY  READ -1 00:2b:8 0 EOF\n", "OFDLCK", "00:2b:8", 0 },
		{ "pos:\t0\nflags:\t02\nlock:\t1: POSIX ADVISORY READ 7 00:2b:8 0 EOF", "POSIX", "00:2b:8", 7 },
		{ "1: -> FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF\n", NULL, NULL, 0 },
		{ "1: FLOCK  ADVISORY  WRITE x fe:00:5678 0 EOF\n", NULL, NULL, 0 },
		{ "1: FLOCK  ADVISORY  WRITE 4294967296 fe:00:5678 0 EOF\n", NULL, NULL, 0 },
		{ "1: FLOCK  ADVISORY  WRITE 1234\n", NULL, NULL, 0 },
		{ "1 FLOCK  ADVISORY  WRITE 1234 fe:00:5678\n", NULL, NULL, 0 },
		{ "lock:\n", NULL, NULL, 0 },
		{ "", NULL, NULL, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cursor text = over(rows[i].text);
		struct proc_lock lock;

		ck_assert_msg(proc_lock_next(&text, &lock) == !!rows[i].kind, "row %zu", i);
		if (!rows[i].kind)
			continue;
		ck_assert_msg(word_is(lock.kind, rows[i].kind) && word_is(lock.file, rows[i].file), "row %zu", i);
		ck_assert_uint_eq(lock.pid, rows[i].pid);
		ck_assert(!proc_lock_next(&text, &lock));
	}
}
END_TEST

#define STATUS(uid, permitted, rest)                                                                  \
	"Name:\tsh\nPPid:\t77\nUid:\t0\t" uid "\t0\t0\nCapInh:\t0000000000000000\nCapPrm:\t" permitted \
	"\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n" rest

START_TEST(process_statuses)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t uid;
		bool net_admin;
		int no_new_privs, seccomp;
	} rows[] = {
		{ STATUS("1500", "0000000000001000", "CapAmb:\t0\nNoNewPrivs:\t1\nSeccomp:\t2\n"), true,
		  1500, true, 1, 2 },
		{ STATUS("0", "0000000000000000", ""), true, 0, false, -1, -1 },
		{ STATUS("0", "0000000000000000", "NoNewPrivs:\tx\nSeccomp:\t10\n"), true, 0, false, -1,
		  -1 },
		{ STATUS("x", "0000000000001000", ""), false, 0, false, 0, 0 },
		{ STATUS("0", "g", ""), false, 0, false, 0, 0 },
		{ STATUS("0", "10000000000000000", ""), false, 0, false, 0, 0 },
		{ "Uid:\t0\t0\t0\t0\n", false, 0, false, 0, 0 },
		{ "", false, 0, false, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct process_status status;

		ck_assert_msg(process_status_parse(rows[i].text, strlen(rows[i].text), &status) ==
				      rows[i].good,
			      "row %zu", i);
		if (!rows[i].good)
			continue;
		ck_assert_uint_eq(status.uid, rows[i].uid);
		ck_assert_uint_eq(status.parent, 77);
		ck_assert(process_has(&status, SET_PERMITTED, CAP_NET_ADMIN) == rows[i].net_admin);
		ck_assert(process_has(&status, SET_BOUNDING, CAP_NET_RAW));
		ck_assert_int_eq(status.no_new_privs, rows[i].no_new_privs);
		ck_assert_int_eq(status.seccomp, rows[i].seccomp);
	}
}
END_TEST

START_TEST(capabilities_are_printed_by_set)
{
	struct process_status status = {
		.capabilities = { [SET_PERMITTED] = 1U << CAP_NET_ADMIN | 1U << CAP_FOWNER,
				  [SET_EFFECTIVE] = 1U << CAP_FOWNER },
	};
	struct buffer text = { 0 };

	process_print_capabilities(&status, &text);
	ck_assert_str_eq(buffer_string(&text), "effective others, permitted NET_ADMIN, "
					       "inheritable none, bounding none, ambient none");
	buffer_free(&text);
}
END_TEST

START_TEST(kernel_releases)
{
	static const struct {
		const char *text;
		bool good;
		unsigned major, minor;
	} rows[] = {
		{ "6.1.0-18-amd64", true, 6, 1 }, { "4.4.0", true, 4, 4 },  { "6.18-rc1", true, 6, 18 },
		{ "5.15", true, 5, 15 },          { "6", false, 0, 0 },     { "6.", false, 0, 0 },
		{ "", false, 0, 0 },              { "a.b", false, 0, 0 },   { ".1", false, 0, 0 },
		{ "6.x", false, 0, 0 },           { "-6.1", false, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		unsigned major = 0, minor = 0;

		ck_assert_msg(kernel_release_parse(rows[i].text, &major, &minor) == rows[i].good, "%s",
			      rows[i].text);
		ck_assert_uint_eq(major, rows[i].major);
		ck_assert_uint_eq(minor, rows[i].minor);
	}
}
END_TEST

START_TEST(mounts)
{
	struct cursor cursor = over("22 1 0:20 / /proc rw,nosuid shared:1 - proc proc rw\n"
				    "nonsense\n"
				    "23 1 8:1 / /with\\040blank\\134 rw - ext4 /dev/sda1 rw\n"
				    "24 1 8:1 / /short rw master:1\n"
				    "25 1 8:1 / /dash rw -\n"
				    "26 1 8:1 / /odd\\9 rw shared:1 master:2 - tmpfs t rw\n"
				    "27 1 0:9 / /far rw - nfs4 h:/ rw\n"
				    "28 1 0:9 / /user rw - fuse.sshfs h: rw\n"
				    "29 1 0:9 / /fusectl rw - fusectl none rw\n");
	static const struct {
		const char *point, *type;
		bool kernels, remote;
	} wanted[] = {
		{ "/proc", "proc", true, false },
		{ "/with blank\\", "ext4", false, false },
		{ "/odd\\9", "tmpfs", false, false },
		{ "/far", "nfs4", false, true },
		{ "/user", "fuse.sshfs", false, true },
		{ "/fusectl", "fusectl", true, false },
	};

	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		struct mount mount;

		ck_assert(mount_next(&cursor, &mount));
		ck_assert_str_eq(mount.point, wanted[i].point);
		ck_assert_str_eq(mount.type, wanted[i].type);
		ck_assert(mount_is_kernels(&mount) == wanted[i].kernels);
		ck_assert(mount_is_remote(&mount) == wanted[i].remote);
		mount_free(&mount);
	}
	ck_assert(!mount_next(&cursor, &(struct mount){ 0 }));
}
END_TEST

START_TEST(orders_of_host_names)
{
	static const struct {
		const char *text;
		enum hosts_order order;
	} rows[] = {
		{ "hosts: files dns\n", HOSTS_FILES_FIRST },
		{ "passwd: files\nhosts:\tfiles mdns4_minimal [NOTFOUND=return] dns\n",
		  HOSTS_FILES_FIRST },
		{ "hosts:files\n", HOSTS_FILES_FIRST },
		{ "  hosts : files # dns\n", HOSTS_FILES_FIRST },
		{ "hosts: myhostname files dns", HOSTS_FILES_FIRST },
		{ "hosts: resolve [!UNAVAIL=return] files dns\n", HOSTS_FILES_LATER },
		{ "hosts: dns files\n", HOSTS_FILES_LATER },
		{ "hosts: dns [NOTFOUND=return files]\n", HOSTS_FILES_NEVER },
		{ "hosts: dns [ files ] mdns\n", HOSTS_FILES_NEVER },
		{ "hosts: dns # files\n", HOSTS_FILES_NEVER },
		{ "hosts: filesystem\n", HOSTS_FILES_NEVER },
		{ "hosts:\n", HOSTS_FILES_NEVER },
		{ "#hosts: dns\n", HOSTS_NO_LINE },
		{ "passwd: files\n", HOSTS_NO_LINE },
		{ "hosts files\n", HOSTS_NO_LINE },
		{ "", HOSTS_NO_LINE },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_msg(hosts_order(rows[i].text, strlen(rows[i].text)) == rows[i].order, "%s",
			      rows[i].text);
}
END_TEST

START_TEST(rules_of_the_helper_for_keys)
{
	static const struct {
		const char *text, *types;
	} rows[] = {
		{ "create dns_resolver * * /sbin/key.dns_resolver %k\n", "dns_resolver," },
		{ "# create user * * /bin/a\n\n#\tx y z a b\ncreate\tuser\tdebug:*\t*\t/bin/b",
		  "user," },
		{ "create user a b c\ncreate * a b c\nnegate cifs.spnego a b c d e\n",
		  "user,*,cifs.spnego," },
		{ "create user * *\ncreate user\ncreate\n", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cursor text = over(rows[i].text);
		struct buffer types = { 0 };
		struct word type;

		while (request_key_next(&text, &type))
			buffer_printf(&types, "%.*s,", (int)type.length, type.text);
		ck_assert_str_eq(buffer_string(&types), rows[i].types);
		buffer_free(&types);
	}
}
END_TEST

START_TEST(accounts)
{
	struct cursor passwd = over("root:x:0:0:root:/root:/bin/sh\n#agent:x:1:1\nx:y\n:x:1:1\n"
				    "bad:x:uid:1::\nagent:x:1500:1600::/:/bin/sh\n");
	struct cursor group = over("root:x:0:\nsudo:x:27:other, agent\nempty\ndocker:x:998:agentx");
	struct passwd_entry user;
	struct group_entry entry;

	ck_assert(passwd_next(&passwd, &user) && word_is(user.name, "root") && user.uid == 0);
	ck_assert(passwd_next(&passwd, &user) && word_is(user.name, "#agent"));
	ck_assert(passwd_next(&passwd, &user) && word_is(user.name, "agent"));
	ck_assert(user.uid == 1500 && user.gid == 1600);
	ck_assert(!passwd_next(&passwd, &user));
	ck_assert(group_next(&group, &entry) && word_is(entry.name, "root"));
	ck_assert(!group_has_member(&entry, "agent") && !group_has_member(&entry, ""));
	ck_assert(group_is_privileged(entry.name, entry.gid));
	ck_assert(group_next(&group, &entry) && group_has_member(&entry, "agent"));
	ck_assert(group_next(&group, &entry) && !group_has_member(&entry, "agent"));
	ck_assert(group_is_privileged(entry.name, entry.gid));
	ck_assert(!group_next(&group, &entry));
	ck_assert(!group_is_privileged((struct word){ "dockers", 7 }, 5));
	ck_assert(group_is_privileged((struct word){ "anything", 8 }, 0));
}
END_TEST

START_TEST(sockets_are_known_by_path)
{
	static const struct {
		const char *path;
		enum check check;
	} rows[] = {
		{ "/run/docker.sock", CHECK_CONTAINER_ENGINE },
		{ "/mnt/host/docker.sock", CHECK_CONTAINER_ENGINE },
		{ "/run/containerd/containerd.sock", CHECK_CONTAINER_ENGINE },
		{ "/run/systemd/resolve/io.systemd.Resolve", CHECK_SYSTEMD_RESOLVED },
		{ "/run/nscd/socket", CHECK_NSCD },
		{ "/run/dbus/system_bus_socket", CHECK_DBUS },
		{ "/run/user/1500/bus", CHECK_DBUS },
		{ "/tmp/ssh-abc/agent.77", CHECK_KEY_AGENTS },
		{ "/run/user/1500/gnupg/S.gpg-agent", CHECK_KEY_AGENTS },
		{ "/run/mysqld/mysqld.sock", CHECK_UNIX_SOCKETS },
		{ "/", CHECK_UNIX_SOCKETS },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_msg(channel_of_path(rows[i].path) == rows[i].check, "%s", rows[i].path);
	for (size_t i = 0; channel_paths[i]; i++)
		ck_assert_msg(channel_of_path(channel_paths[i]) != CHECK_UNIX_SOCKETS, "%s",
			      channel_paths[i]);
	ck_assert(port_is_refused(53) && port_is_refused(853) && port_is_refused(5353));
	ck_assert(!port_is_refused(80) && !port_is_resolver(53) && port_is_resolver(5335));
	ck_assert(port_is_proxy(3128) && port_is_proxy(9050) && !port_is_proxy(80));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		words_stand_between_blanks, numbers_are_digits_and_nothing_else, unix_listeners,
		inet_listeners, lines_cut_anywhere_are_no_listeners, process_statuses, locks_that_are_held,
		capabilities_are_printed_by_set, kernel_releases, mounts, orders_of_host_names, accounts,
		rules_of_the_helper_for_keys,
		sockets_are_known_by_path,
	};

	return suite_run("doctor_texts", tests, COUNT_OF(tests));
}
