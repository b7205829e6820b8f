/* reload.c: the settings from their file, at the start and anew. */
#include "filter/reload.h"

#include "filter/client.h"
#include "policy/blocked_url.h"
#include "system/policy_file.h"

#include <string.h>

static bool can_enforce(const struct policy *policy, struct err *err)
{
	if (policy->mode == MODE_PUBLIC) {
		err_set(err, "policy: network_mode \"public\" has no limits, and needs no filter");
		return false;
	}
	for (size_t i = 0; i < policy->blocked_urls.count; i++)
		if (!blocked_url_is_whole(&policy->blocked_urls.items[i])) {
			err_set(err,
				"policy: blocked_urls[%zu]: paths cannot be blocked by this "
				"version; block the host",
				i);
			return false;
		}
	return true;
}

bool settings_read(const char *path, struct settings *ret, bool *ret_cannot, struct err *err)
{
	struct settings settings;
	struct buffer text = { 0 };
	bool good;

	*ret_cannot = false;
	if (!policy_file_read(path, true, &text, err))
		return false;
	good = settings_parse(buffer_string(&text), text.length, &settings, err);
	buffer_free(&text);
	if (good && !can_enforce(&settings.policy, err)) {
		settings_free(&settings);
		*ret_cannot = true;
		good = false;
	}
	if (!good) {
		err_wrap(err, "%s", strcmp(path, "-") ? path : "standard input");
		return false;
	}
	*ret = settings;
	return true;
}

static void end_forbidden(struct filter *filter)
{
	struct client *client, *next;

	for (client = TAILQ_FIRST(&filter->clients); client; client = next) {
		struct decision decision;

		next = TAILQ_NEXT(client, entry);
		if (!client_is_allowed(client, &decision))
			client_end(client, &decision);
	}
}

static bool same_places(const struct address_ports *one, const struct address_ports *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (!address_port_equal(&one->items[i], &other->items[i]))
			return false;
	return true;
}

/* What cannot be changed while it runs must not seem to have been. */
static bool check_fixed(const struct settings *now, const struct settings *next, struct err *err)
{
	const char *member = NULL;

	if (!same_places(&now->listen, &next->listen))
		member = "listen";
	else if (!same_places(&now->nameservers, &next->nameservers))
		member = "nameservers";
	else if (strcmp(now->log, next->log) || now->log_size != next->log_size ||
		 now->log_files != next->log_files || now->log_full != next->log_full)
		member = "log";
	if (member)
		err_set(err, "%s: cannot be changed while the filter runs; start it anew", member);
	return !member;
}

bool reload(struct filter *filter, const char *path, struct err *err)
{
	struct settings next;
	bool cannot;

	if (!strcmp(path, "-")) {
		err_set(err, "the settings came from standard input, which cannot be read again");
		return false;
	}
	if (!settings_read(path, &next, &cannot, err))
		return false;
	if (!check_fixed(&filter->settings, &next, err)) {
		settings_free(&next);
		return false;
	}
	if (next.limits.connections > filter->connections_max)
		next.limits.connections = filter->connections_max;
	settings_free(&filter->settings);
	filter->settings = next;
	end_forbidden(filter);
	return true;
}
