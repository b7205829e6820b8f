/* system_preflight.c: prints what the preflight reads. */
#include "system/preflight.h"

#include <stdio.h>

int main(void)
{
	struct preflight found;
	struct err err = { "" };

	if (!preflight_read(&found, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("ipv6=%d host=%d foreign=%d\n%s\n%s\n", found.ipv6, found.host_network,
	       found.foreign_user_namespace, found.host_network_sign, found.user_namespace_sign);
	return 0;
}
