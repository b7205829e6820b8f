/* old_kernel.c: refuses, in front of egressfw's commit, what older kernels refuse. */
#include "kernel/nft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The linker puts this in front of nft_commit(). OLD_KERNEL names what there is not: "inet" (tables
 * of that family, before Linux 3.15 or without CONFIG_NF_TABLES_INET) and "log" (the log statement,
 * without CONFIG_NFT_LOG), or both.
 */
bool __real_nft_commit(struct nft *nft, const struct ruleset *rulesets, size_t count,
		       uint32_t generation, enum commit_status *ret_status,
		       struct refusal *ret_refusal, struct err *err);
bool __wrap_nft_commit(struct nft *nft, const struct ruleset *rulesets, size_t count,
		       uint32_t generation, enum commit_status *ret_status,
		       struct refusal *ret_refusal, struct err *err);

static bool lacks(const char *what)
{
	const char *lacking = getenv("OLD_KERNEL");

	return lacking && strstr(lacking, what);
}

static bool has_log(const struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++) {
			const struct rule *rule = &ruleset->chains[i].rules[j];

			for (size_t k = 0; k < rule->count; k++)
				if (rule->statements[k].kind == LOG)
					return true;
		}
	return false;
}

static bool refuse(const struct refusal *refusal, enum commit_status *ret_status,
		   struct refusal *ret_refusal, struct err *err)
{
	*ret_status = COMMIT_REFUSED;
	*ret_refusal = *refusal;
	err_set_errno(err, refusal->errnum, "the kernel refused an object");
	return false;
}

bool __wrap_nft_commit(struct nft *nft, const struct ruleset *rulesets, size_t count,
		       uint32_t generation, enum commit_status *ret_status,
		       struct refusal *ret_refusal, struct err *err)
{
	static const struct refusal no_family = { .object = REFUSED_TABLE, .errnum = EOPNOTSUPP };
	static const struct refusal no_log = {
		.object = REFUSED_RULE,
		.log_statement = true,
		.errnum = ENOENT,
	};

	if (lacks("inet") && rulesets[0].family == TABLE_INET)
		return refuse(&no_family, ret_status, ret_refusal, err);
	if (lacks("log") && has_log(&rulesets[0]))
		return refuse(&no_log, ret_status, ret_refusal, err);
	return __real_nft_commit(nft, rulesets, count, generation, ret_status, ret_refusal, err);
}
