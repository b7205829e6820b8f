/* url.c: the target of a decision, from text. */
#include "policy/url.h"

#include "base/memory.h"
#include "policy/url_split.h"

#include <stdlib.h>
#include <string.h>

void target_free(struct target *target)
{
	free(target->path);
	free(target->query);
	*target = (struct target){ .host = "" };
}

bool target_parse(const char *text, struct target *ret, struct err *err)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	autofree char *bracketed = NULL;
	struct target target = { .host = "" };
	struct url_host host;
	struct address address;

	/* An IPv6 address alone needs no brackets. */
	if (address_parse(text, &address) && address.family == FAMILY_IPV6)
		bracketed = memory_format("[%s]", text);
	if (!url_split(bracketed ? bracketed : text, &parts, err) ||
	    !url_host_is_elsewhere(&parts, err) || !url_host_read(&parts, &host, err))
		return false;
	/* A URL without a path asks for "/"; a host alone, with or without a port, for no path. */
	if ((parts.path || parts.query || parts.scheme != SCHEME_NONE) &&
	    !path_canonical(parts.path ? parts.path : "/", &target.path, err))
		return false;
	memcpy(target.host, host.name, sizeof(target.host));
	target.address = host.address;
	target.port = parts.port ? parts.port : url_default_port(parts.scheme);
	target.query = parts.query;
	parts.query = NULL;
	*ret = target;
	return true;
}
