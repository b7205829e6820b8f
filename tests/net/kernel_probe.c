/* kernel_probe.c: the kernel part, verb by verb, for the scripts beside it. */
#include "kernel_rulesets.h"

#include "base/memory.h"
#include "kernel/log_group.h"
#include "kernel/nft_commit.h"
#include "plan/judge.h"
#include "plan/ruleset_compare.h"
#include "plan/ruleset_print.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct nft *nft;
static struct err err;

static int complain(const char *what)
{
	printf("%s: %s\n", what, err.text);
	return 1;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void open_kernel(void)
{
	int errnum;

	if (!nft_open(10000, &nft, &errnum, &err)) {
		printf("open: errno %d: %s\n", errnum, err.text);
		exit(1);
	}
}

/*
 * The linker puts this in front of nft_transact(): a commit can be stopped after some transactions.
 */
enum commit_status __real_nft_transact(struct nft *link, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *why);
enum commit_status __wrap_nft_transact(struct nft *link, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *why);
static long transactions, stop_after = -1;
static bool tiny_receive_buffer, full_receive_buffer;

/* Asks for so much and reads none of it that no reply has room any more. */
static void fill_receive_buffer(struct nft *link)
{
	link->timeout_ms = 300;
	for (size_t i = 0; i < 64; i++) {
		struct buffer out = { 0 };
		int errnum;

		netlink_end(&out, netlink_begin(&out, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETGEN,
						NLM_F_ACK, 1, 0, 0));
		nft_send(link, out.data, out.length, &errnum);
		buffer_free(&out);
	}
}

enum commit_status __wrap_nft_transact(struct nft *link, const struct batch *batch,
				       struct refusal *ret_refusal, struct err *why)
{
	const int tiny = 1;

	if (stop_after >= 0 && transactions == stop_after) {
		err_set(why, "stopped by the test");
		return COMMIT_UNKNOWN;
	}
	transactions++;
	if (tiny_receive_buffer)
		setsockopt(link->descriptor, SOL_SOCKET, SO_RCVBUF, &tiny, sizeof(tiny));
	if (full_receive_buffer)
		fill_receive_buffer(link);
	return __real_nft_transact(link, batch, ret_refusal, why);
}

static const char *const statuses[] = {
	[COMMIT_DONE] = "done",       [COMMIT_STALE] = "stale",     [COMMIT_REFUSED] = "refused",
	[COMMIT_UNKNOWN] = "unknown", [COMMIT_PARTIAL] = "partial",
};
static const char *const objects[] = {
	[REFUSED_BATCH] = "batch",       [REFUSED_TABLE] = "table", [REFUSED_SET] = "set",
	[REFUSED_ELEMENTS] = "elements", [REFUSED_CHAIN] = "chain", [REFUSED_RULE] = "rule",
};

static int commit(const struct ruleset *ruleset, uint32_t generation)
{
	enum commit_status status;
	struct refusal refusal;

	if (nft_commit(nft, ruleset, 1, generation, &status, &refusal, &err)) {
		printf("done, transactions %ld\n", transactions);
		return 0;
	}
	printf("%s", statuses[status]);
	if (status == COMMIT_REFUSED)
		printf(" %s \"%s\" rule %zu%s errno %d", objects[refusal.object], refusal.name,
		       refusal.rule, refusal.log_statement ? " log" : "", refusal.errnum);
	printf(": %s\n", err.text);
	return 1;
}

static uint32_t generation_now(void)
{
	uint32_t generation;

	if (!nft_generation(nft, &generation, &err))
		exit(complain("generation"));
	return generation;
}

static int show(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		printf("%s: %s: %s\n", finding_name(findings->items[i].kind),
		       findings->items[i].object, findings->items[i].detail);
	return findings_count_differences(findings) ? 1 : 0;
}

static int do_print(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	struct buffer text = { 0 };

	ruleset_print(&ruleset, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_free(&text);
	ruleset_free(&ruleset);
	return 0;
}

/* RULESET [BATCH-LIMIT [STOP-AFTER]] */
static int do_commit(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	int result;

	if (arguments[1])
		nft_set_batch_limit(nft, strtoul(arguments[1], NULL, 10));
	if (arguments[1] && arguments[2])
		stop_after = strtol(arguments[2], NULL, 10);
	result = commit(&ruleset, generation_now());
	ruleset_free(&ruleset);
	return result;
}

/* RULESET: reads the table back whole and compares. */
static int do_read(char **arguments)
{
	struct ruleset wanted = kernel_ruleset(arguments[0]), found;
	struct findings findings = { 0 };
	uint32_t generation;
	bool present;
	int result;

	if (!nft_read(nft, wanted.family, wanted.table, &found, &present, &generation, &err))
		return complain("read");
	if (!present) {
		puts("absent");
		ruleset_free(&wanted);
		return 1;
	}
	ruleset_compare(&wanted, &found, &findings);
	result = show(&findings);
	printf("generation %s\n", generation == generation_now() ? "current" : "old");
	findings_free(&findings);
	ruleset_free(&found);
	ruleset_free(&wanted);
	return result;
}

static int do_verify(char **arguments)
{
	struct ruleset wanted = kernel_ruleset(arguments[0]);
	struct findings findings = { 0 };
	int result;

	if (!nft_verify(nft, &wanted, &findings, &err))
		return complain("verify");
	if (!nft_foreign_output_chains(nft, wanted.table, &findings, &err))
		return complain("foreign chains");
	result = show(&findings);
	findings_free(&findings);
	ruleset_free(&wanted);
	return result;
}

static int do_remove(char **arguments)
{
	bool present;

	if (!nft_remove(nft, TABLE_INET, arguments[0], &present, &err))
		return complain("remove");
	puts(present ? "removed" : "absent");
	return 0;
}

/* RULESET: a commit for a generation that has passed, then one for this. */
static int do_stale(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	uint32_t generation = generation_now();
	int result = commit(&ruleset, generation + 1);

	result = result == 1 ? commit(&ruleset, generation_now()) : 2;
	ruleset_free(&ruleset);
	return result;
}

/* RULESET COUNT: replaces it so often. */
static int do_replace(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	long count = strtol(arguments[1], NULL, 10);

	for (long i = 0; i < count; i++) {
		enum commit_status status;
		struct refusal refusal;

		if (!nft_commit(nft, &ruleset, 1, 0, &status, &refusal, &err))
			return complain("replace");
	}
	ruleset_free(&ruleset);
	return 0;
}

static volatile sig_atomic_t flood_ends;

static void end_flood(int number)
{
	flood_ends = number;
}

/*
 * UID ADDRESS PORT SECONDS: sends UDP datagrams as fast as it can, until SIGTERM at the latest, and
 * says how many were refused and sent.
 */
static int do_flood(char **arguments)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)atoi(arguments[2])) };
	double end = seconds() + strtod(arguments[3], NULL);
	unsigned long sent = 0, refused = 0;
	int descriptor;

	if (setresgid(65534, 65534, 65534) ||
	    setresuid((uid_t)atoi(arguments[0]), (uid_t)atoi(arguments[0]),
		      (uid_t)atoi(arguments[0])))
		return 2;
	descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (descriptor < 0 || inet_pton(AF_INET, arguments[1], &to.sin_addr) != 1)
		return 2;
	signal(SIGTERM, end_flood);
	while (!flood_ends && seconds() < end) {
		if (sendto(descriptor, "x", 1, 0, (const struct sockaddr *)&to, sizeof(to)) == 1)
			sent++;
		else
			refused++;
	}
	printf("refused %lu sent %lu\n", refused, sent);
	close(descriptor);
	return 0;
}

/* RULESET WHAT: spoils one object of the ruleset and commits it. */
static int do_refuse(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	const char *what = arguments[1];
	struct chain *refuse_chain = NULL;
	int result;
	struct statement bad = { .kind = GOTO, .name = "nowhere" };

	for (size_t i = 0; i < ruleset.chain_count; i++)
		if (!strcmp(ruleset.chains[i].name, "refuse"))
			refuse_chain = &ruleset.chains[i];
	if (!strcmp(what, "goto")) {
		chain_add_rule(refuse_chain, &bad, 1);
	} else if (!strcmp(what, "many")) { /* more errors than a small receive buffer holds */
		for (size_t i = 0; i < 500; i++)
			chain_add_rule(refuse_chain, &bad, 1);
	} else if (!strcmp(what, "set")) { /* a set of this name stands there already */
		snprintf(ruleset.sets[1].name, sizeof(ruleset.sets[1].name), "%s",
			 ruleset.sets[0].name);
	} else if (!strcmp(what, "lookup")) {
		bad = (struct statement){ .kind = MATCH_USER_IN, .name = "nobody" };
		chain_add_rule(refuse_chain, (const struct statement[]){ bad, { .kind = ACCEPT } },
			       2);
	} else if (
		!strcmp(what,
			"family")) { /* the set has another width */
		bad = (struct statement){ .kind = MATCH_DESTINATION_IN,
					  .name = "pin6_1",
					  .family = FAMILY_IPV4 };
		chain_add_rule(refuse_chain, (const struct statement[]){ bad, { .kind = ACCEPT } },
			       2);
	} else if (!strcmp(what, "chain")) { /* a loop */
		bad = (struct statement){ .kind = GOTO, .name = "refuse" };
		chain_add_rule(refuse_chain, &bad, 1);
	} else if (!strcmp(what, "table")) {
		ruleset.flags = 0x80;
	} else if (!strcmp(what, "foreign")) {
		bad = (struct statement){ .kind = FOREIGN, .name = "masquerade" };
		chain_add_rule(refuse_chain, &bad, 1);
	}
	result = commit(&ruleset, generation_now());
	ruleset_free(&ruleset);
	return result;
}

/*
 * RULESET: how many of its IPv4 pins and prefixes the kernel's table opens to uid 1500, port 443,
 * judged from what is read.
 */
static int do_opens(char **arguments)
{
	struct ruleset wanted = kernel_ruleset(arguments[0]), found;
	size_t open = 0, all = 0;
	uint32_t generation, mark;
	bool present;

	if (!nft_read(nft, wanted.family, wanted.table, &found, &present, &generation, &err))
		return complain("read");
	for (size_t i = 0; i < wanted.set_count; i++) {
		const struct set *set = &wanted.sets[i];

		for (size_t j = 0; set->type != SET_UID && j < set->keys.count; j++) {
			struct packet packet = {
				.owned = true,
				.uid = 1500,
				.protocol = IPPROTO_TCP,
				.source_port = 40000,
				.destination_port = 443,
				.tcp_flags = 2,
				.tracked = true,
			};

			packet.destination.family =
				set->type == SET_IPV4 ? FAMILY_IPV4 : FAMILY_IPV6;
			packet.source.family = packet.destination.family;
			memcpy(packet.destination.bytes, keyset_first(&set->keys, j),
			       set->keys.width);
			all++;
			open += present && judge_sent(&found, &packet, &mark) == JUDGED_ACCEPT;
		}
	}
	printf("%s of %zu\n", open == 0 ? "none" : open == all ? "all" : "some", all);
	ruleset_free(&found);
	ruleset_free(&wanted);
	return 0;
}

/*
 * RULESET: the dump of its table as the kernel answers, message after message: a seed for the
 * fuzzer.
 */
static bool write_message(void *context, const struct netlink_message *message)
{
	(void)context;
	return fwrite(message->bytes, 1, message->length, stdout) == message->length;
}

static int do_record(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	const uint16_t types[] = { NFT_MSG_GETTABLE, NFT_MSG_GETSET, NFT_MSG_GETSETELEM,
				   NFT_MSG_GETCHAIN, NFT_MSG_GETRULE };
	int errnum;

	/* The table's attribute is the first in each of these requests, the set's the second. */
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct request request = {
			.type = types[i],
			.dump = types[i] != NFT_MSG_GETTABLE,
			.family = NFPROTO_INET,
			.table_attribute = 1,
			.table = ruleset.table,
			.name_attribute = 2,
		};
		size_t sets = types[i] == NFT_MSG_GETSETELEM ? ruleset.set_count + 16 : 1;

		for (size_t j = 0; j < sets; j++) {
			char anonymous[16];

			snprintf(anonymous, sizeof(anonymous), "__set%zu", j - ruleset.set_count);
			if (types[i] == NFT_MSG_GETSETELEM)
				request.name =
					j < ruleset.set_count ? ruleset.sets[j].name : anonymous;
			if (!nft_ask(nft, &request, write_message, NULL, &errnum, &err) &&
			    errnum != ENOENT)
				return complain("record");
		}
	}
	ruleset_free(&ruleset);
	return 0;
}

static int do_list(char **arguments)
{
	char **names;
	size_t count;

	(void)arguments;
	if (!nft_list_ours(nft, TABLE_INET, &names, &count, &err))
		return complain("list");
	for (size_t i = 0; i < count; i++) {
		puts(names[i]);
		free(names[i]);
	}
	free(names);
	return 0;
}

/* TABLE CHAIN */
static int do_count(char **arguments)
{
	uint64_t packets;

	if (!nft_count_packets(nft, TABLE_INET, arguments[0], arguments[1], &packets, &err))
		return complain("count");
	printf("%" PRIu64 "\n", packets);
	return 0;
}

/* RULESET WHAT [full]: the same, with a receive buffer that holds a few replies, or none. */
static int do_lost(char **arguments)
{
	tiny_receive_buffer = true;
	full_receive_buffer = arguments[2];
	return do_refuse((char *[]){ arguments[0], arguments[1], NULL });
}

/* RULESET COUNT: the mean time of a commit, and of a verify, in ms. */
static int do_time(char **arguments)
{
	struct ruleset ruleset = kernel_ruleset(arguments[0]);
	long count = strtol(arguments[1], NULL, 10);
	double start = seconds(), committed, verified;

	for (long i = 0; i < count; i++) {
		enum commit_status status;
		struct refusal refusal;

		if (!nft_commit(nft, &ruleset, 1, 0, &status, &refusal, &err))
			return complain("commit");
	}
	committed = seconds();
	for (long i = 0; i < count; i++) {
		struct findings findings = { 0 };

		if (!nft_verify(nft, &ruleset, &findings, &err))
			return complain("verify");
		findings_free(&findings);
	}
	verified = seconds();
	printf("commit %.3f ms, verify %.3f ms\n", (committed - start) * 1e3 / (double)count,
	       (verified - committed) * 1e3 / (double)count);
	ruleset_free(&ruleset);
	return 0;
}

/*
 * GROUP COUNT TIMEOUT-MS: says "ready", then prints records until there are so many or none comes.
 */
static int do_log(char **arguments)
{
	struct log_group *log;
	struct log_record record;
	uint64_t lost = 0;
	bool busy, some;

	if (!log_group_open((uint16_t)atoi(arguments[0]), &log, &busy, &err)) {
		printf("%s: %s\n", busy ? "busy" : "failed", err.text);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < atoi(arguments[1]); i++) {
		char source[ADDRESS_TEXT_SIZE], destination[ADDRESS_TEXT_SIZE];

		if (!log_group_read(log, atoi(arguments[2]), &record, &some, &lost, &err))
			return complain("log");
		if (!some)
			break;
		printf("prefix=%s uid=%" PRId64 " protocol=%u %s:%u %s:%u length=%u out=%s\n",
		       record.prefix, record.has_uid ? (int64_t)record.uid : -1, record.protocol,
		       address_format(&record.source, source),
		       record.has_ports ? record.source_port : 0,
		       address_format(&record.destination, destination),
		       record.has_ports ? record.destination_port : 0, record.length,
		       record.out_interface);
		fflush(stdout);
	}
	printf("lost %" PRIu64 "\n", lost);
	log_group_close(log);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int arguments;
		bool offline;
		int (*run)(char **arguments);
	} verbs[] = {
		{ "print", 1, true, do_print },      { "commit", 1, false, do_commit },
		{ "read", 1, false, do_read },       { "verify", 1, false, do_verify },
		{ "remove", 1, false, do_remove },   { "stale", 1, false, do_stale },
		{ "replace", 2, false, do_replace }, { "flood", 4, true, do_flood },
		{ "refuse", 2, false, do_refuse },   { "opens", 1, false, do_opens },
		{ "list", 0, false, do_list },       { "count", 2, false, do_count },
		{ "lost", 2, false, do_lost },       { "time", 2, false, do_time },
		{ "log", 3, true, do_log },          { "record", 1, false, do_record },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(*verbs); i++) {
		int result;

		if (strcmp(argv[1], verbs[i].name) != 0 || argc - 2 < verbs[i].arguments)
			continue;
		if (!verbs[i].offline)
			open_kernel();
		result = verbs[i].run(argv + 2);
		nft_close(nft);
		return result;
	}
	fprintf(stderr, "usage: kernel_probe VERB ARGUMENT...\n");
	return 2;
}
