/* doctor_filter.c: what policies need that are not about addresses alone: a filter, and nameservers. */
#include "system/doctor.h"

#include "system/filter_process.h"
#include "system/resolver_config.h"

void doctor_filter_program(const struct doctor *doctor, struct check_result *ret)
{
	struct err err;

	if (filter_program_check(doctor->filter_program, &err))
		check_pass(ret, "%s can be executed, and nobody but root may write it",
			   doctor->filter_program);
	else
		check_warn(
			ret, "install egressfilter beside egressfw, or name it by --filter-program",
			"policies with wildcards or blocked hosts cannot be applied: %s", err.text);
}

void doctor_nameservers(const struct doctor *doctor, struct check_result *ret)
{
	static const char path[] = "/etc/resolv.conf";
	struct nameservers servers;
	struct buffer list = { 0 };
	size_t count = 0, for_filter = 0;
	struct err err;

	(void)doctor;
	if (!nameservers_read(path, &servers, &err)) {
		check_unknown(ret, "run doctor as root", "%s", err.text);
		return;
	}
	for (size_t i = 0; i < servers.count; i++) {
		char text[ADDRESS_TEXT_SIZE];

		doctor_list(&list, &count, address_format(&servers.items[i].address, text));
		for_filter += !servers.items[i].scope;
	}
	doctor_list_end(&list, count);
	if (!count)
		check_warn(ret, "write a line \"nameserver ADDRESS\" there",
			   "%s has no nameserver: names of a policy cannot be resolved, and its "
			   "filter refuses every name",
			   path);
	else if (!for_filter)
		check_warn(ret, "write a nameserver there that is not link-local",
			   "%s has link-local nameservers alone, which the filter does not ask, so "
			   "that it refuses every name: %s",
			   path, buffer_string(&list));
	else
		check_pass(ret, "%s has %zu nameserver%s: %s", path, count, count == 1 ? "" : "s",
			   buffer_string(&list));
	buffer_free(&list);
}
