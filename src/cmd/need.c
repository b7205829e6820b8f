/* need.c: the capabilities without which a command can do nothing, and the sentence that says so. */
#include "cmd/need.h"

#include "base/buffer.h"

bool need_privileges(const enum privilege *privileges, size_t count, struct failure *failure)
{
	struct buffer names = { 0 };
	size_t missing = 0;

	for (size_t i = 0; i < count; i++)
		if (!privilege_is_permitted(privileges[i]))
			buffer_printf(&names, "%s%s", missing++ ? ", " : "",
				      privilege_name(privileges[i]));
	if (missing)
		err_set(&failure->err,
			"%s %s missing: start the container with %s added, or run this as root",
			buffer_string(&names), missing == 1 ? "is" : "are",
			missing == 1 ? "that capability" : "these capabilities");
	buffer_free(&names);
	return !missing || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

bool need_besides(bool canary, bool filter, struct failure *failure)
{
	static const enum privilege privileges[] = { PRIVILEGE_SETUID, PRIVILEGE_SETGID,
						     PRIVILEGE_CHOWN };
	struct buffer names = { 0 };
	size_t missing = 0;

	for (size_t i = 0; i < sizeof(privileges) / sizeof(*privileges); i++)
		if (!privilege_is_permitted(privileges[i]) &&
		    (filter || (canary && privileges[i] != PRIVILEGE_CHOWN)))
			buffer_printf(&names, "%s%s", missing++ ? ", " : "",
				      privilege_name(privileges[i]));
	if (missing)
		err_set(&failure->err, "%s %s missing, which the %s needs: add %s%s",
			buffer_string(&names), missing == 1 ? "is" : "are",
			filter ? "filter" : "canary", missing == 1 ? "it" : "them",
			filter ? "" : ", or say --no-canary");
	buffer_free(&names);
	return !missing || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}
