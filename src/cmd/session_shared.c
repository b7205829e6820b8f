/* session_shared.c: users whom another instance confines as well. */
#include "cmd/session.h"

#include "base/memory.h"
#include "cmd/firewall_others.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_shared.h"

/* What the policy comes to on loopback, which no name has a part in. */
static bool build_ruleset(const struct session *session, struct ruleset *ret, struct err *err)
{
	static const struct resolved no_names = { 0 };
	struct ruleset_request request = {
		.policy = &session->policy,
		.resolved = &no_names,
		.confined = &session->confined,
		.table = session->firewall.table,
		.filter = session->filtered ? &session->filter : NULL,
	};

	return ruleset_build(&request, ret, err);
}

static void append_uids(const struct rangeset *uids, struct err *err)
{
	struct buffer list = { 0 };

	rangeset_print(uids, &list);
	err_append(err, "uid %.200s", buffer_string(&list));
	buffer_free(&list);
}

/* `filtered` has a filter, which `other` lets users reach. */
static void say_reached(const struct rangeset *shared, const struct reached_filter *reached,
			const char *filtered, const char *other, struct err *err)
{
	const struct address_port *place = &reached->place;
	char address[ADDRESS_TEXT_SIZE];

	err_set(err, "%s", "");
	append_uids(shared, err);
	err_append(err, " would be confined by ");
	err_append_instance(err, filtered);
	err_append(err, " and by ");
	err_append_instance(err, other);
	err_append(err, ", and reach by the filter of the first");
	if (place->port)
		err_append(err, ", at %s port %u,", address_format(&place->address, address),
			   place->port);
	err_append(err, " what the second forbids: confine each user by one instance, or let "
			"\"loopback\" in the policy of ");
	err_append_instance(err, other);
	err_append(err, " list ports without that one");
}

static bool check_other(const struct session *session, const struct ruleset *ours,
			const struct ruleset *other, struct err *err)
{
	struct rangeset shared = ruleset_shared_users(ours, other);
	const char *own = session->options->instance, *name = plan_table_instance(other->table);
	struct reached_filter reached;
	bool good = true;

	if (ruleset_reaches_filter(other, &shared, ours, &reached)) {
		say_reached(&shared, &reached, own, name, err);
		good = false;
	} else if (ruleset_reaches_filter(ours, &shared, other, &reached)) {
		say_reached(&shared, &reached, name, own, err);
		good = false;
	}
	rangeset_free(&shared);
	return good;
}

bool session_check_shared(struct session *session, struct failure *failure)
{
	struct others others = { 0 };
	struct ruleset ours = { 0 };
	bool good = firewall_read_others(&session->firewall, &others, &failure->err) &&
		    (!others.count || build_ruleset(session, &ours, &failure->err));

	for (size_t i = 0; good && i < others.count; i++)
		good = check_other(session, &ours, &others.items[i].ruleset, &failure->err);
	ruleset_free(&ours);
	others_free(&others);
	return good || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* Of the probed users those whom that one confines too. */
static struct rangeset find_shared(const struct session *session, const struct ruleset *other)
{
	struct rangeset theirs = ruleset_confined(other), shared = { 0 };

	for (size_t i = 0; i < session->probed.count; i++)
		for (uint32_t uid = session->probed.items[i].first;
		     uid <= session->probed.items[i].last; uid++)
			if (rangeset_contains(&theirs, uid))
				rangeset_add(&shared, uid, uid);
	rangeset_free(&theirs);
	return shared;
}

static void count_other(struct session *session, const struct other_rules *other, struct err *names,
			struct rangeset *shared)
{
	struct rangeset users = find_shared(session, &other->ruleset);

	if (users.count && !other->beside && ruleset_is_intact(&other->ruleset) &&
	    ruleset_find_chain(&other->ruleset, "refuse")) {
		firewall_count_also(&session->firewall, &other->ruleset);
		if (other->ruleset.family != TABLE_IP6) {
			err_append(names, *names->text ? " and " : "");
			err_append_instance(names, plan_table_instance(other->ruleset.table));
		}
		rangeset_add_all(shared, &users);
	}
	rangeset_free(&users);
}

bool session_count_shared(struct session *session, struct failure *failure)
{
	struct rangeset shared = { 0 };
	struct others others = { 0 };
	struct err names = { "" };

	if (!firewall_read_others(&session->firewall, &others, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	for (size_t i = 0; i < others.count; i++)
		count_other(session, &others.items[i], &names, &shared);
	if (shared.count) {
		err_append(&names, " confines ");
		append_uids(&shared, &names);
		session->shared = memory_format(
			"%s as well: a probe that either refuses is taken for refused", names.text);
	}
	rangeset_free(&shared);
	others_free(&others);
	return true;
}
