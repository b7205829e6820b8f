/* witness.c: what the kernel saw of a probe: our refuse counter and the log group's records. */
#include "cmd/witness.h"

#include "base/memory.h"
#include "plan/ruleset.h"
#include "system/privilege.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool count(void *context, uint64_t *ret_packets, struct err *err)
{
	struct witness *witness = context;

	return firewall_count_refused(witness->firewall, ret_packets, err);
}

/* Moves everything that the kernel has ready into the ring; the oldest records give way. */
static bool collect(struct witness *witness, struct err *err)
{
	for (;;) {
		struct log_record record;
		uint64_t lost = 0;
		bool some;

		if (!log_group_read(witness->log, 0, &record, &some, &lost, err))
			return false;
		if (!some)
			return true;
		witness->records[witness->next] = record;
		witness->next = (witness->next + 1) % WITNESS_RECORDS;
		if (witness->count < WITNESS_RECORDS)
			witness->count++;
	}
}

static bool is_of_probe(const struct log_record *record, const struct probe *probe,
			uint16_t source_port)
{
	uint8_t protocol = probe->protocol == PROBE_TCP ? IPPROTO_TCP : IPPROTO_UDP;

	return !strcmp(record->prefix, LOG_PREFIX) && record->has_uid &&
	       record->uid == probe->uid && record->protocol == protocol && record->has_ports &&
	       record->source_port == source_port &&
	       record->destination_port == probe->target.port &&
	       !address_compare(&record->destination, &probe->target.address);
}

static bool logged(void *context, const struct probe *probe, uint16_t source_port, bool *ret,
		   struct err *err)
{
	struct witness *witness = context;

	if (!collect(witness, err))
		return false;
	*ret = false;
	for (size_t i = 0; i < witness->count; i++)
		*ret = *ret || is_of_probe(&witness->records[i], probe, source_port);
	return true;
}

void witness_open(struct firewall *firewall, struct witness *ret, char why_no_log[ERR_TEXT_SIZE])
{
	struct err err = { "" }, lowering;
	bool busy = false;

	*ret = (struct witness){ .firewall = firewall };
	ret->for_probes.context = ret;
	ret->for_probes.count = count;
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, &err) ||
	    !log_group_open(LOG_GROUP, &ret->log, &busy, &err))
		ret->log = NULL;
	if (!privilege_lower(&lowering) && ret->log) {
		log_group_close(ret->log);
		ret->log = NULL;
		err = lowering;
	}
	snprintf(why_no_log, ERR_TEXT_SIZE, "%s", ret->log ? "" : err.text);
	if (ret->log) {
		ret->records = memory_allocate(WITNESS_RECORDS, sizeof(*ret->records));
		ret->for_probes.logged = logged;
	}
}

void witness_close(struct witness *witness)
{
	if (witness->log)
		log_group_close(witness->log);
	free(witness->records);
	*witness = (struct witness){ 0 };
}
