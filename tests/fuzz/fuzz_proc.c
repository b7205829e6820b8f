/* fuzz_proc.c: any text as a file of /proc or /etc that doctor reads. */
#include "doctor/accounts.h"
#include "doctor/channels.h"
#include "doctor/mounts.h"
#include "doctor/name_services.h"
#include "doctor/proc_locks.h"
#include "doctor/proc_net.h"
#include "doctor/proc_status.h"
#include "doctor/request_key.h"
#include "doctor/rights.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool lies_within(struct word word, const void *data, size_t size)
{
	const char *start = data;

	return !word.length || (word.text >= start && word.text + word.length <= start + size);
}

static void read_net(struct cursor text)
{
	struct unix_listener local;
	struct inet_listener listener;
	char address[ADDRESS_TEXT_SIZE];
	struct cursor again = text;

	while (unix_listener_next(&again, &local)) {
		char *path = word_copy(local.path);

		require(lies_within(local.path, text.data, text.length));
		require(channel_of_path(path) < CHECKS);
		free(path);
	}
	for (int tcp = 0; tcp < 2; tcp++) {
		again = text;
		while (inet_listener_next(&again, tcp, &listener)) {
			address_format(&listener.address, address);
			inet_listener_on_loopback(&listener);
		}
	}
}

static void read_accounts(struct cursor text)
{
	struct passwd_entry user;
	struct group_entry group;
	struct mount mount;
	struct cursor again = text;

	while (passwd_next(&again, &user))
		require(user.name.length && lies_within(user.name, text.data, text.length));
	again = text;
	while (group_next(&again, &group)) {
		group_has_member(&group, "agent");
		group_is_privileged(group.name, group.gid);
	}
	again = text;
	while (mount_next(&again, &mount)) {
		require(mount.point && mount.type);
		mount_is_kernels(&mount);
		mount_free(&mount);
	}
}

static void read_rights(const uint8_t *data, size_t size)
{
	static const uint32_t gids[] = { 1500 };
	static const char *const names[] = { "wheel" };
	static const struct person person = { 1500, "agent", gids, names, 1 };
	struct buffer joined = { 0 };
	struct sudo_include include;
	struct cursor cursor;
	struct word line;

	sudo_join(data, size, &joined);
	require(joined.length <= size);
	if (sudo_may(joined.data, joined.length, &person, &line))
		require(line.length && lies_within(line, joined.data, joined.length));
	if (doas_may(joined.data, joined.length, &person, &line))
		require(line.length && lies_within(line, joined.data, joined.length));
	cursor = cursor_over(joined.data, joined.length);
	while (sudo_include_next(&cursor, &include))
		require(include.path.length && lies_within(include.path, joined.data, joined.length));
	buffer_free(&joined);
}

/* The first byte says how the rest is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_status status;
	struct buffer text = { 0 };
	struct cursor cursor;
	struct proc_lock lock;
	struct word type;

	if (!size)
		return 0;
	data++;
	size--;
	switch (data[-1] % 4) {
	case 0:
		read_net(cursor_over(data, size));
		break;
	case 1:
		read_accounts(cursor_over(data, size));
		break;
	case 2:
		read_rights(data, size);
		break;
	case 3:
		hosts_order(data, size);
		cursor = cursor_over(data, size);
		while (request_key_next(&cursor, &type))
			require(type.length && lies_within(type, data, size));
		cursor = cursor_over(data, size);
		while (proc_lock_next(&cursor, &lock))
			require(lies_within(lock.kind, data, size) && lies_within(lock.file, data, size));
		if (process_status_parse(data, size, &status))
			process_print_capabilities(&status, &text);
		buffer_free(&text);
		break;
	}
	return 0;
}
