/* resolver_child.h: the process that resolves, and what it writes to the one that waits for it. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_CHILD_H
#define EGRESSFW_SYSTEM_RESOLVER_CHILD_H

#include "policy/policy.h"
#include "system/resolver.h"

#include <stddef.h>
#include <sys/types.h>

/* A frame on the pipe: its kind (one octet), the length of the rest (four octets), the rest. */
enum resolver_frame {
	FRAME_OPEN,   /* how many names are still open: four octets */
	FRAME_RESULT, /* resolved_encode(); the last frame */
	FRAME_ERROR,  /* one sentence; the last frame */
	RESOLVER_FRAMES,
};

enum { FRAME_HEADER_SIZE = 5 };

/*
 * Isolates the process (no privileges, no environment, no descriptors but the pipe and standard
 * error, bounded memory, dead when `parent` is), resolves, writes the frames to `pipe` and ends.
 * All settings must be set.
 */
_Noreturn void resolver_child(const struct policy *policy, const struct resolver_settings *settings,
			      const char *const *names, size_t count, int pipe, pid_t parent);

#endif
