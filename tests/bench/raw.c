/* raw.c: a stored batch sent, or a table asked for and thrown away: what the kernel takes alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

/*
 * raw send BATCH
 * raw list TABLE [SET...]
 *
 * `send` gives the kernel the batch that `load POLICY UID BATCH` wrote, and waits for its answer.
 * `list` has the kernel send the table's chains, rules, sets, and the elements of these sets, and
 * looks at none. What our commands take beside these two is what their own work costs; the rest is
 * the kernel's.
 */
enum { RECEIVE_SIZE = 256 * 1024, TABLE_NAME_MAX = 32 };

static uint8_t received[RECEIVE_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
static uint32_t sequence;

static void fail(const char *what)
{
	fprintf(stderr, "raw: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int open_netlink(void)
{
	int result = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (result < 0)
		fail("socket");
	return result;
}

/* Reads until an acknowledgement, an error or the end of a dump. */
static void wait_for_end(int descriptor)
{
	for (;;) {
		ssize_t length = recv(descriptor, received, sizeof(received), 0);
		const struct nlmsghdr *message = (const struct nlmsghdr *)received;

		if (length < 0)
			fail("recv");
		for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
			const struct nlmsgerr *error = NLMSG_DATA(message);

			if (message->nlmsg_type == NLMSG_DONE)
				return;
			if (message->nlmsg_type != NLMSG_ERROR)
				continue;
			errno = -error->error;
			if (errno)
				fail("the kernel's answer");
			return;
		}
	}
}

static void send_stored(int descriptor, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	const void *bytes;
	int size;

	if (file < 0 || fstat(file, &status))
		fail(path);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		fail(path);
	size = (int)status.st_size + 4096;
	if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		fail("SO_SNDBUFFORCE");
	if (send(descriptor, bytes, (size_t)status.st_size, 0) != status.st_size)
		fail("send");
	wait_for_end(descriptor);
}

static void add_string(struct nlmsghdr *message, uint16_t type, const char *text)
{
	struct nlattr *attribute =
		(struct nlattr *)((uint8_t *)message + NLMSG_ALIGN(message->nlmsg_len));
	size_t length = strlen(text) + 1;

	if (length > TABLE_NAME_MAX)
		exit(EXIT_FAILURE);
	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(NLA_HDRLEN + length);
	memcpy((uint8_t *)attribute + NLA_HDRLEN, text, length);
	message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + NLA_ALIGN(attribute->nla_len);
}

static void dump(int descriptor, uint16_t type, uint16_t table_attribute, const char *table,
		 uint16_t set_attribute, const char *set)
{
	uint8_t request[256] __attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr *message = (struct nlmsghdr *)request;
	struct nfgenmsg *header = NLMSG_DATA(message);

	message->nlmsg_len = NLMSG_LENGTH(sizeof(*header));
	message->nlmsg_type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type);
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	message->nlmsg_seq = ++sequence;
	header->nfgen_family = NFPROTO_INET;
	add_string(message, table_attribute, table);
	if (set)
		add_string(message, set_attribute, set);
	if (send(descriptor, request, message->nlmsg_len, 0) < 0)
		fail("send");
	wait_for_end(descriptor);
}

int main(int argc, char **argv)
{
	int descriptor = open_netlink();

	if (argc == 3 && !strcmp(argv[1], "send")) {
		send_stored(descriptor, argv[2]);
	} else if (argc >= 3 && !strcmp(argv[1], "list")) {
		dump(descriptor, NFT_MSG_GETCHAIN, NFTA_CHAIN_TABLE, argv[2], 0, NULL);
		dump(descriptor, NFT_MSG_GETRULE, NFTA_RULE_TABLE, argv[2], 0, NULL);
		dump(descriptor, NFT_MSG_GETSET, NFTA_SET_TABLE, argv[2], 0, NULL);
		for (int i = 3; i < argc; i++)
			dump(descriptor, NFT_MSG_GETSETELEM, NFTA_SET_ELEM_LIST_TABLE, argv[2],
			     NFTA_SET_ELEM_LIST_SET, argv[i]);
	} else {
		fprintf(stderr, "usage: raw send BATCH | raw list TABLE [SET...]\n");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
