/* system_probe.c: runs a probe with a witness of the test's choice, and prints the result. */
#include "system/probe_run.h"

#include "base/memory.h"
#include "system/privilege.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * system_probe [--control] UID[,UID] tcp|udp ADDRESS:PORT TIMEOUT_MS COUNT LOG
 *
 * The same as the one and then as the other user. COUNT: none, nft (the counters of chain refuse of table inet
 * egressfw), still, one (rises by one at each reading), busy (by three), settles (by three, then by one), falls,
 * broken. LOG: none, yes, no, late (yes at the fifth question), broken.
 */

struct context {
	const char *count, *log;
	unsigned readings, questions;
};

static uint64_t made_up(const char *count, uint64_t reading)
{
	if (!strcmp(count, "one"))
		return reading;
	if (!strcmp(count, "busy"))
		return 3 * reading;
	if (!strcmp(count, "settles"))
		return reading < 2 ? 3 * reading : 8 + reading;
	return !strcmp(count, "falls") ? 1000 - reading : 7;
}

static bool count(void *from, uint64_t *ret, struct err *err)
{
	struct context *context = from;
	unsigned long long packets, sum = 0;
	char line[512];
	FILE *nft;

	if (!strcmp(context->count, "broken")) {
		err_set(err, "broken");
		return false;
	}
	if (strcmp(context->count, "nft")) {
		*ret = made_up(context->count, context->readings++);
		return true;
	}
	nft = popen("nft list chain inet egressfw refuse", "re");
	while (nft && fgets(line, sizeof(line), nft)) {
		const char *at = strstr(line, "counter packets ");

		if (at && sscanf(at, "counter packets %llu", &packets) == 1)
			sum += packets;
	}
	*ret = sum;
	return nft && !pclose(nft);
}

static bool logged(void *from, const struct probe *probe, uint16_t source_port, bool *ret,
		   struct err *err)
{
	struct context *context = from;

	if (!source_port || !probe->target.port || probe->protocol > PROBE_UDP ||
	    !strcmp(context->log, "broken")) {
		err_set(err, "broken");
		return false;
	}
	*ret = !strcmp(context->log, "yes") ||
	       (!strcmp(context->log, "late") && ++context->questions == 5);
	return true;
}

static void print(const struct probe_result *result)
{
	printf("%s proof=%s error=%s timed_out=%d not_routed=%d rise=%llu",
	       probe_outcome_name(result->outcome), probe_proof_name(result->proof),
	       result->errnum ? strerrorname_np(result->errnum) : "0", result->timed_out,
	       result->not_routed, (unsigned long long)result->counter_rise);
	if (result->controlled)
		printf(" control=%d control_error=%s", result->control_connected,
		       result->control_errnum ? strerrorname_np(result->control_errnum) : "0");
	printf("\nms=%llu\n", (unsigned long long)result->elapsed_us / 1000);
}

int main(int argc, char **argv)
{
	bool control = argc == 8 && !strcmp(argv[1], "--control");
	struct context context = { 0 };
	struct probe_witness witness = { .context = &context };
	struct probe_run_settings settings = { .control = control };
	struct probe_results results;
	struct probe both[2];
	struct probes probes = { both, 1 };
	struct err err = { "" };
	char *second;

	argv += control;
	if (argc - control != 7)
		return 2;
	both[0] = (struct probe){
		.origin = PROBE_NAMED,
		.uid = (uint32_t)strtoul(argv[1], &second, 10),
		.protocol = !strcmp(argv[2], "tcp") ? PROBE_TCP : PROBE_UDP,
	};
	settings.timeout_ms = (unsigned)strtoul(argv[4], NULL, 10);
	context.count = argv[5];
	context.log = argv[6];
	witness.count = strcmp(argv[5], "none") ? count : NULL;
	witness.logged = strcmp(argv[6], "none") ? logged : NULL;
	if (!address_port_parse(argv[3], &both[0].target, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	both[1] = both[0];
	if (*second == ',') {
		both[1].uid = (uint32_t)strtoul(second + 1, NULL, 10);
		probes.count = 2;
	}
	if (!privilege_begin(&err) ||
	    !probe_run(&probes, &settings, &witness, &results, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < results.count; i++)
		print(&results.items[i]);
	probe_results_free(&results);
	return 0;
}
