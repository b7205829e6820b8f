/* witness.h: what the kernel saw of a probe: our refuse counter and the log group's records. */
#ifndef EGRESSFW_CMD_WITNESS_H
#define EGRESSFW_CMD_WITNESS_H

#include "cmd/firewall.h"
#include "kernel/log_group.h"
#include "system/probe_run.h"

enum { WITNESS_RECORDS = 256 };

struct witness {
	struct firewall *firewall;
	struct log_group *log;      /* NULL: not to be had */
	struct log_record *records; /* what was read and not yet asked for; a ring */
	size_t count, next;
	struct probe_witness for_probes;
};

/*
 * Opens the log group if it can be had (`why_no_log` else says why not, "" otherwise). The firewall
 * must outlive the witness. Takes the capability only inside.
 */
void witness_open(struct firewall *firewall, struct witness *ret, char why_no_log[ERR_TEXT_SIZE]);
void witness_close(struct witness *witness);

#endif
