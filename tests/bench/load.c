/* load.c: a policy read, its ruleset built and committed, and nothing else: what `nft -f` does. */
#include "base/memory.h"
#include "kernel/nft_replace.h"
#include "plan/ruleset_build.h"
#include "system/policy_file.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * load POLICY UID [BATCH]
 *
 * `apply` also reads back what it wrote, looks for open sockets, keeps its plan and gives its
 * privileges up; this is the part of it that has a peer. With BATCH the transaction is not sent but
 * stored there, for `raw send`.
 */
static void require(bool good, const struct err *err)
{
	if (good)
		return;
	fprintf(stderr, "load: %s\n", err->text);
	exit(EXIT_FAILURE);
}

static void commit(const struct ruleset *ruleset)
{
	enum commit_status status;
	struct refusal refusal;
	struct nft *nft;
	struct err err;
	int errnum;

	require(nft_open(10000, &nft, &errnum, &err), &err);
	require(nft_commit(nft, ruleset, 1, 0, &status, &refusal, &err), &err);
	nft_close(nft);
}

/* As it is where no table stands. */
static void store(const struct ruleset *ruleset, const char *path)
{
	const struct standing nothing = { 0 };
	struct batch batch = { 0 };
	FILE *file = fopen(path, "we");
	struct err err;

	batch_begin(&batch, 1, 0);
	require(encode_replacement(&batch, ruleset, &nothing, NULL, &err), &err);
	batch_end(&batch);
	if (!file || fwrite(batch.bytes.data, 1, batch.bytes.length, file) != batch.bytes.length ||
	    fclose(file)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	batch_free(&batch);
}

int main(int argc, char **argv)
{
	struct rangeset confined = { 0 };
	const struct resolved resolved = { 0 };
	struct buffer text = { 0 };
	struct ruleset_request request = { 0 };
	struct ruleset ruleset;
	struct policy policy;
	struct err err;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: load POLICY UID [BATCH]\n");
		return EXIT_FAILURE;
	}
	require(policy_file_read(argv[1], true, &text, &err), &err);
	require(policy_parse((const char *)text.data, text.length, &policy, &err), &err);
	buffer_free(&text);
	rangeset_add(&confined, (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[2]));
	request = (struct ruleset_request){ .policy = &policy,
					    .resolved = &resolved,
					    .confined = &confined,
					    .table = "egressfw",
					    .log = true };
	require(ruleset_build(&request, &ruleset, &err), &err);
	if (argc == 4)
		store(&ruleset, argv[3]);
	else
		commit(&ruleset);
	ruleset_free(&ruleset);
	policy_free(&policy);
	rangeset_free(&confined);
	return EXIT_SUCCESS;
}
