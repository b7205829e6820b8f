/* doctor_kernel_checks.c: what doctor makes of the kernel's answers. */
#include "cmd/doctor_kernel.h"

#include "base/memory.h"

/* The answer for a feature without which nothing can be enforced. */
static void judge(const struct doctor_kernel *kernel, enum feature feature, const char *what,
		  const char *advice, struct check_result *ret)
{
	const char *reason = kernel->features.reasons[feature].text;

	if (kernel->xt && feature != FEATURE_SOCKET_DESTROY) {
		check_pass(ret, "legacy xtables do for %s", what);
		return;
	}
	switch (kernel->features.states[feature]) {
	case FEATURE_THERE:
		check_pass(ret, "the kernel has %s", what);
		return;
	case FEATURE_MISSING:
		check_fail(ret, advice, "the kernel does not have %s: %s", what, reason);
		return;
	case FEATURE_UNKNOWN:
	case FEATURE_STATES:
		break;
	}
	check_unknown(ret, "run doctor with CAP_NET_ADMIN", "%s",
		      *reason ? reason : "the kernel was not asked");
}

void doctor_nf_tables(const struct doctor_kernel *kernel, struct check_result *ret)
{
	if (kernel->xt)
		check_warn(
			ret,
			"know what they leave out: LEGACY XTABLES in egressfw(8); or use a kernel "
			"with CONFIG_NF_TABLES",
			"the kernel has no nf_tables; apply does by legacy xtables%s",
			kernel->xt_kernel.plain ? ", as gVisor has them: start programs by run"
						: "");
	else
		judge(kernel, FEATURE_NF_TABLES, "nf_tables",
		      "use a kernel with CONFIG_NF_TABLES, or load the module nf_tables", ret);
}

/* Where inet is missing, apply takes a table of ip and one of ip6. */
void doctor_inet_family(const struct doctor_kernel *kernel, struct check_result *ret)
{
	bool missing = kernel->features.states[FEATURE_INET] == FEATURE_MISSING;

	if (missing && kernel->features.states[FEATURE_IP] == FEATURE_THERE)
		check_warn(
			ret, "use a kernel with CONFIG_NF_TABLES_INET",
			"the kernel has no tables of family inet; apply uses two, ip and ip6: %s",
			kernel->features.reasons[FEATURE_INET].text);
	else
		judge(kernel, FEATURE_INET, "tables of family inet",
		      "use a kernel with CONFIG_NF_TABLES_INET", ret);
}

void doctor_owner_match(const struct doctor_kernel *kernel, struct check_result *ret)
{
	judge(kernel, FEATURE_OWNER, "rules that match the user of a packet (meta skuid)",
	      "use a kernel with nf_tables' meta expression", ret);
}

void doctor_ruleset(const struct doctor_kernel *kernel, struct check_result *ret)
{
	judge(kernel, FEATURE_RULESET, "everything that a policy without network is made of",
	      "use a kernel with CONFIG_NFT_CT, CONFIG_NFT_REJECT_INET and CONFIG_NFT_FIB_INET, or "
	      "load their modules",
	      ret);
}

void doctor_log_group(const struct doctor_kernel *kernel, struct check_result *ret)
{
	/* Not required: without it refused packets are counted alone. */
	if (kernel->xt && !kernel->xt_kernel.log)
		check_warn(ret, NULL,
			   "the kernel's xtables have no log group: egressfw log shows "
			   "nothing");
	else if (kernel->features.states[FEATURE_LOG] == FEATURE_MISSING &&
		 kernel->features.states[FEATURE_NF_TABLES] == FEATURE_THERE)
		check_warn(ret, "use a kernel with CONFIG_NFT_LOG and CONFIG_NETFILTER_NETLINK_LOG",
			   "the kernel has no log group: refused packets are counted, and "
			   "egressfw log shows none: %s",
			   kernel->features.reasons[FEATURE_LOG].text);
	else
		judge(kernel, FEATURE_LOG, "the log group of refused packets",
		      "use a kernel with CONFIG_NETFILTER_NETLINK_LOG", ret);
}

void doctor_socket_destroy(const struct doctor_kernel *kernel, struct check_result *ret)
{
	const char *reason = kernel->features.reasons[FEATURE_SOCKET_DESTROY].text;

	if (kernel->features.states[FEATURE_SOCKET_DESTROY] == FEATURE_MISSING)
		check_warn(ret,
			   "apply before the user's first program is started, or use a kernel with "
			   "CONFIG_INET_DIAG_DESTROY",
			   "connections that a user had before apply cannot be ended: %s", reason);
	else
		judge(kernel, FEATURE_SOCKET_DESTROY, "a way to end sockets (SOCK_DESTROY)", NULL,
		      ret);
}

void doctor_ipv6(const struct doctor_kernel *kernel, struct check_result *ret)
{
	const struct doctor *machine = kernel->machine;
	const enum feature_state *states = kernel->features.states;

	if (!machine->has_preflight)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", machine->no_preflight.text);
	else if (!machine->preflight.ipv6)
		check_pass(ret, "IPv6 is not there");
	else if (kernel->xt || states[FEATURE_INET] == FEATURE_THERE ||
		 states[FEATURE_IP6] == FEATURE_THERE)
		check_pass(ret, "IPv6 is up, and the kernel has tables that filter it");
	else if (states[FEATURE_IP6] == FEATURE_MISSING)
		check_fail(
			ret,
			"switch IPv6 off (net.ipv6.conf.all.disable_ipv6), or use another kernel",
			"IPv6 is up, and the kernel has no tables that filter it: %s",
			kernel->features.reasons[FEATURE_IP6].text);
	else
		check_unknown(
			ret, "run doctor with CAP_NET_ADMIN",
			"IPv6 is up, and whether the kernel can filter it could not be asked");
}

/* "filter nat": tables of the older iptables, which are not seen by nf_tables. */
static void list_legacy(struct buffer *list, size_t *count)
{
	static const char *const paths[] = { "/proc/self/net/ip_tables_names",
					     "/proc/self/net/ip6_tables_names" };

	for (size_t i = 0; i < 2; i++) {
		struct buffer text = { 0 };
		struct err ignored;
		bool present;

		if (doctor_read(paths[i], &text, &present, &ignored) && text.length)
			doctor_list(list, count,
				    i ? "legacy tables of ip6tables" : "legacy tables of iptables");
		buffer_free(&text);
	}
}

void doctor_foreign_chains(const struct doctor_kernel *kernel, struct check_result *ret)
{
	struct buffer list = { 0 };
	size_t count = 0;

	if (!kernel->has_standing) {
		check_unknown(ret, "run doctor with CAP_NET_ADMIN", "%s", kernel->no_standing.text);
		return;
	}
	for (size_t i = 0; i < kernel->foreign.count; i++) {
		const struct finding *finding = &kernel->foreign.items[i];
		autofree char *text =
			memory_format("%s%s", finding->object,
				      finding->kind == FINDING_OTHER_INSTANCE
					      ? " (by its name another instance of ours)"
					      : "");

		doctor_list(&list, &count, text);
	}
	if (!kernel->xt)
		list_legacy(&list, &count);
	doctor_list_end(&list, count);
	if (count)
		check_warn(
			ret,
			"see that none of them rewrites or reroutes packets of the user; what they "
			"refuse stays refused",
			"others filter outgoing packets too: %s", buffer_string(&list));
	else
		check_pass(ret, kernel->xt ? "in legacy xtables our rules come first"
					   : "nobody else has a chain on output");
	buffer_free(&list);
}
