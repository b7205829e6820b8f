/* filter_process.h: the filter as a process: started, known again, asked, ended. */
#ifndef EGRESSFW_SYSTEM_FILTER_PROCESS_H
#define EGRESSFW_SYSTEM_FILTER_PROCESS_H

#include "base/buffer.h"
#include "base/err.h"
#include "plan/filter_plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is kept of a filter that was started, so that no other process is ever taken for it. */
struct filter_process {
	pid_t pid;
	uint64_t start_time; /* of proc(5): ticks since the machine's boot */
	uint32_t uid;
	char settings[FILTER_DIGEST_SIZE]; /* SHA-256 of those it was started with, hexadecimal */
};

/* As one line of text, and back; what is read is held to the form. */
void filter_process_print(const struct filter_process *process, struct buffer *out);
bool filter_process_parse(const void *bytes, size_t length, struct filter_process *ret);

struct filter_start {
	const char *program;  /* a regular file that nobody but root or we may write */
	const char *settings; /* path */
	int errors;           /* its standard error; also read from, for the reason of a failure */
	uid_t uid;
	gid_t gid;
	unsigned timeout_ms; /* until it is ready */
};

/*
 * Whether the program, an absolute path, can be executed, and nobody else can have written it or
 * can put another one in its place, by a folder or a link on the way to it.
 */
bool filter_program_check(const char *program, struct err *err);

/*
 * The ends of two pipes that the process was given, and of one from its parent, which tells how it
 * ended, and ends itself when that is closed.
 */
struct filter_link {
	int go, ready, watch;
	pid_t watcher;
};

/*
 * Makes the filter's process, in a session of its own and as nobody's child, which does nothing
 * yet: so it can be written down before it begins. ret->settings is left empty. *ret_link is for
 * filter_process_begin(), and the caller closes it: unless it was begun, the process then ends.
 */
bool filter_process_make(const struct filter_start *start, struct filter_process *ret,
			 struct filter_link *ret_link, struct err *err);

/*
 * Lets it become its user, without any capability, and the program; waits until it says that it is
 * ready. Needs CAP_SETUID and CAP_SETGID permitted. False: it is not, and *err has its program, how
 * it ended, and what it said. *ret_taken, always set: it said that another socket has the address
 * where it should listen.
 */
bool filter_process_begin(const struct filter_start *start, const struct filter_link *link,
			  bool *ret_taken, struct err *err);
void filter_link_close(struct filter_link *link);

/* Whether that process, and not another one of its number, is running. False: nobody can tell. */
bool filter_process_look(const struct filter_process *process, bool *ret_alive, struct err *err);

/*
 * Asks it to end, and makes it, where it does not within a short time; true also where it had ended
 * before. Needs CAP_SETUID permitted.
 */
bool filter_process_end(const struct filter_process *process, struct err *err);

/*
 * Connects as `uid` and asks something that any HTTP proxy answers. Needs CAP_SETUID and CAP_SETGID
 * permitted, but where that is the caller already. False with *ret_unlogged: it answers, and
 * refuses every request, since it cannot write its log; root is told why.
 */
bool filter_ask(const struct address_port *listen, uid_t uid, unsigned timeout_ms,
		bool *ret_unlogged, struct err *err);

#endif
