/* apply_hosts.c: the hosts file of an apply: looked at before, written after the commit. */
#include "cmd/apply.h"

#include "base/memory.h"
#include "system/hosts_file.h"
#include "system/hosts_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool apply_hosts_check(struct apply *apply, struct failure *failure)
{
	const struct options *options = apply->session.options;
	const char *path = apply->session.hosts_file;
	const struct hosts_block nothing = { 0 };
	struct findings ours = { 0 };
	const char **names;
	size_t count;
	bool repaired;

	apply->session.former_hosts = session_kept_hosts_file(&apply->session);
	if (options->no_hosts)
		return true;
	if (options->hosts_given &&
	    !hosts_path_check(path, &apply->session.confined, &failure->err)) {
		err_wrap(&failure->err, "--hosts-file");
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (!policy_names(&apply->session.policy, &names, &count, &failure->err))
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	free(names);
	if (!hosts_file_repair(path, &repaired, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (repaired)
		snprintf(apply->state_left, sizeof(apply->state_left),
			 NOTHING_CHANGED
			 " but for a torn write of the hosts file, which was mended");
	if (!hosts_file_compare(path, &nothing, options->instance, &ours, &failure->err))
		return failure_set(failure, EXIT_CANNOT, "%s", apply->state_left);
	apply->write_hosts = count || ours.count;
	findings_free(&ours);
	if (apply->write_hosts && !hosts_file_check(path, &failure->err)) {
		err_wrap(&failure->err,
			 count ? "the names of the policy must stand in the hosts file"
			       : "lines of an earlier apply must go from the hosts file");
		return failure_set(failure, EXIT_CANNOT, "%s", apply->state_left);
	}
	return true;
}

/*
 * Where an earlier apply wrote to another file, our lines there would be forgotten. First, since
 * both paths may lead to one file.
 */
static void clean_former(struct apply *apply)
{
	const struct options *options = apply->session.options;
	const char *former = apply->session.former_hosts;
	const struct hosts_block nothing = { 0 };
	bool changed = false;
	struct err err;

	if (options->no_hosts || !*former || !strcmp(former, apply->session.hosts_file))
		return;
	if (!hosts_file_update(former, &nothing, options->instance, apply->session.state, &changed,
			       &err))
		snprintf(apply->hosts_note, sizeof(apply->hosts_note),
			 "%s, where an earlier apply wrote, may still have our lines: %.600s",
			 former, err.text);
	else if (changed)
		snprintf(apply->hosts_note, sizeof(apply->hosts_note),
			 "our lines were taken out of %s, where an earlier apply wrote", former);
}

bool apply_hosts_write(struct apply *apply, struct failure *failure)
{
	const struct options *options = apply->session.options;

	clean_former(apply);
	if (!apply->write_hosts ||
	    hosts_file_update(apply->session.hosts_file, &apply->plan.hosts, options->instance,
			      apply->session.state, &apply->hosts_changed, &failure->err))
		return true;
	return failure_set(failure, EXIT_CLOSED, "%s, its names are not in the hosts file",
			   apply->state_left);
}
