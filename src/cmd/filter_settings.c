/* filter_settings.c: what the filter of a session is told. */
#include "cmd/filter_settings.h"

#include "filter/settings.h"

#include <sha2.h>

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

void filter_settings_digest(const struct buffer *settings, char ret[FILTER_DIGEST_SIZE])
{
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, settings->data, settings->length);
	SHA256End(&context, ret);
}
