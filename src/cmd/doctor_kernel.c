/* doctor_kernel.c: the kernel asked for its features, and for what stands in its tables. */
#include "cmd/doctor_kernel.h"

#include "base/memory.h"
#include "kernel/nft.h"
#include "kernel/xt.h"
#include "plan/plan.h"
#include "plan/ruleset_build.h"
#include "system/child_answer.h"
#include "system/privilege.h"
#include "system/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ask_in_child(void *context, struct buffer *ret, struct err *err)
{
	const struct options *options = context;
	struct features features;

	if (!child_enter_own_namespaces(err))
		return false;
	features_ask(options->timeout_ms, &features);
	buffer_append(ret, &features, sizeof(features));
	return true;
}

static void ask_elsewhere(const struct options *options, struct features *ret)
{
	const struct child_question question = {
		.work = ask_in_child,
		.context = (void *)options,
		.uid = getuid(),
		.timeout_ms = options->timeout_ms + 1000,
		.limit = sizeof(*ret),
	};
	struct buffer answer;
	struct err err;

	/* Sockets can be asked about without privilege; the rest says why it is not known. */
	if (!child_answer(&question, &answer, &err)) {
		features_ask(options->timeout_ms, ret);
		for (int i = 0; i < FEATURES; i++)
			if (ret->states[i] == FEATURE_UNKNOWN)
				err_append(&ret->reasons[i], "; %s", err.text);
		return;
	}
	if (answer.length == sizeof(*ret))
		memcpy(ret, answer.data, sizeof(*ret));
	buffer_free(&answer);
}

static void add_filter(struct doctor_kernel *kernel, const struct ruleset *standing)
{
	uint32_t uid = ruleset_filter_uid(standing);
	struct address_ports places;

	ruleset_filter_places(standing, &places);
	if (!uid)
		places.count = 0;
	kernel->filters = memory_resize(kernel->filters, kernel->filter_count + places.count,
					sizeof(*kernel->filters));
	for (size_t i = 0; i < places.count; i++)
		kernel->filters[kernel->filter_count++] =
			(struct own_filter){ places.items[i], uid };
	free(places.items);
}

/* Tables of one family's own are not looked at: where there is inet, ours are of that. */
static void add_filters_of(struct nft *nft, const char *instance, struct doctor_kernel *kernel)
{
	struct ruleset standing = { 0 };
	char table[RULESET_NAME_SIZE];
	uint32_t generation;
	bool present;
	struct err ignored;

	plan_table_name(instance, table);
	if (nft_read(nft, TABLE_INET, table, &standing, &present, &generation, &ignored))
		add_filter(kernel, &standing);
	ruleset_free(&standing);
}

/* The tables of other instances, as far as there are plans of them. */
static void add_other_filters(struct nft *nft, const struct options *options,
			      struct doctor_kernel *kernel)
{
	struct state_instances instances;
	struct err ignored;

	if (!state_instances(options->state_directory, &instances, &ignored))
		return;
	for (size_t i = 0; i < instances.count; i++)
		if (strcmp(instances.items[i], options->instance))
			add_filters_of(nft, instances.items[i], kernel);
	state_instances_free(&instances);
}

static bool read_standing(struct nft *nft, const char *table, struct doctor_kernel *kernel)
{
	static const enum table_family families[] = { TABLE_INET, TABLE_IP };
	struct err *err = &kernel->no_standing;

	for (size_t i = 0; i < 2; i++) {
		struct ruleset standing = { 0 };
		struct rangeset confined;
		uint32_t generation;
		bool present;

		if (!nft_read(nft, families[i], table, &standing, &present, &generation, err))
			return false;
		confined = ruleset_confined(&standing);
		rangeset_add_all(&kernel->confined, &confined);
		rangeset_free(&confined);
		add_filter(kernel, &standing);
		ruleset_free(&standing);
	}
	return nft_foreign_output_chains(nft, table, &kernel->foreign, err);
}

static enum xt_opened open_xt(const struct options *options, const struct doctor *machine,
			      struct xt **ret)
{
	bool ipv6 = !machine->has_preflight || machine->preflight.ipv6;
	struct err ignored;
	enum xt_opened opened = xt_open(false, ipv6, options->timeout_ms, ret, &ignored);

	if (opened == XT_OPEN_WANTS_RAW && privilege_is_permitted(PRIVILEGE_NET_RAW) &&
	    privilege_raise(PRIVILEGE_NET_RAW, &ignored))
		opened = xt_open(true, ipv6, options->timeout_ms, ret, &ignored);
	return opened;
}

/* The other back end, which apply would take. */
static void ask_xt(const struct options *options, const char *table, struct doctor_kernel *kernel)
{
	struct ruleset standing = { 0 };
	struct xt *xt;
	bool present;

	if (open_xt(options, kernel->machine, &xt) != XT_OPENED)
		return;
	kernel->xt = true;
	kernel->xt_kernel = *xt_kernel(xt);
	kernel->has_standing = xt_read(xt, table, &standing, &present, &kernel->no_standing);
	if (kernel->has_standing) {
		kernel->confined = ruleset_confined(&standing);
		add_filter(kernel, &standing);
	}
	ruleset_free(&standing);
	xt_close(xt);
}

static void ask_here(const struct options *options, struct doctor_kernel *kernel)
{
	char table[RULESET_NAME_SIZE];
	struct nft *nft;
	int errnum;

	features_ask(options->timeout_ms, &kernel->features);
	plan_table_name(options->instance, table);
	if (!nft_open(options->timeout_ms, &nft, &errnum, &kernel->no_standing)) {
		if (errnum == EPROTONOSUPPORT || errnum == EINVAL)
			ask_xt(options, table, kernel);
		return;
	}
	kernel->has_standing = read_standing(nft, table, kernel);
	add_other_filters(nft, options, kernel);
	nft_close(nft);
}

void doctor_kernel_ask(const struct options *options, const struct doctor *machine,
		       struct doctor_kernel *ret)
{
	struct err err;

	*ret = (struct doctor_kernel){ .machine = machine };
	if (!privilege_is_permitted(PRIVILEGE_NET_ADMIN) ||
	    !privilege_raise(PRIVILEGE_NET_ADMIN, &err)) {
		err_set(&ret->no_standing,
			"CAP_NET_ADMIN is needed to see what stands in this network namespace");
		ask_elsewhere(options, &ret->features);
		return;
	}
	ask_here(options, ret);
	if (!privilege_lower(&err)) {
		ret->has_standing = false;
		ret->no_standing = err;
	}
}

void doctor_kernel_free(struct doctor_kernel *kernel)
{
	findings_free(&kernel->foreign);
	rangeset_free(&kernel->confined);
	free(kernel->filters);
}
