/* filter_settings.c: what the filter of a session is told. */
#include "cmd/filter_settings.h"

#include "filter/settings.h"

#include <sha2.h>
#include <string.h>

void filter_settings_print(const struct policy *policy, const struct filter_plan *filter,
			   struct buffer *out)
{
	/* Borrowed: it is printed and forgotten. */
	const struct settings settings = {
		.policy = *policy,
		.listen = filter->listen,
		.nameservers = filter->nameservers,
		.log = filter->log,
		.log_size = LOG_SIZE_DEFAULT,
		.log_files = filter->log_files,
		.log_full = filter->log_full,
		.denial = filter->denial,
		.limits = limits_default,
	};

	settings_print(&settings, out);
}

bool filter_settings_check(const struct filter_plan *filter, const struct buffer *settings,
			   struct err *err)
{
	struct settings read;
	bool good;

	if (settings->length > POLICY_TEXT_MAX) {
		err_set(err,
			"the filter's settings, with the policy in them, have %zu bytes; it reads "
			"%d at most",
			settings->length, POLICY_TEXT_MAX);
		return false;
	}
	if (!settings_parse((const char *)settings->data, settings->length, &read, err)) {
		err_wrap(err, "the filter would not take its settings");
		return false;
	}
	/* What is no UTF-8 is written as something else. */
	good = !strcmp(read.log, filter->log);
	if (!good)
		err_set(err, "the filter would not take its settings: the path of its log is no "
			     "UTF-8, and JSON cannot say it");
	settings_free(&read);
	return good;
}

void filter_settings_digest(const struct buffer *settings, char ret[FILTER_DIGEST_SIZE])
{
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, settings->data, settings->length);
	SHA256End(&context, ret);
}
