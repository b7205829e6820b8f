/* fuzz_log_record.c: any bytes as a record of the log group. */
#include "kernel/log_group.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_record record;
	char text[ADDRESS_TEXT_SIZE];

	if (!log_record_decode(data, size, &record))
		return 0;
	if (strnlen(record.prefix, sizeof(record.prefix)) == sizeof(record.prefix) ||
	    *record.out_interface)
		abort();
	address_format(&record.source, text);
	address_format(&record.destination, text);
	if (!record.has_ports && (record.source_port || record.destination_port))
		abort();
	return 0;
}
