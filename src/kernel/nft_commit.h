/* nft_commit.h: one transaction sent, and what the kernel answered. */
#ifndef EGRESSFW_KERNEL_NFT_COMMIT_H
#define EGRESSFW_KERNEL_NFT_COMMIT_H

#include "kernel/nft_batch.h"
#include "kernel/nft_link.h"

/*
 * Sends an ended batch and reads every reply. *ret_refusal is set with COMMIT_REFUSED, *err unless
 * COMMIT_DONE.
 */
enum commit_status nft_transact(struct nft *nft, const struct batch *batch,
				struct refusal *ret_refusal, struct err *err);

#endif
