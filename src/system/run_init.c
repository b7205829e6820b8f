/* run_init.c: what an init does for one program: reap, pass signals on, end as it ended. */
#include "system/run_init.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALLED = 128 }; /* the status that shells give for an end by signal, without its number */

/*
 * What is waited for: all but what only the program's own fault sends, and what stops a process:
 * with Ctrl-Z, parent and child stop alike, since they are one job.
 */
static void fill_awaited(sigset_t *ret)
{
	static const int left_alone[] = {
		SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGTRAP,
		SIGABRT, SIGSYS, SIGTSTP, SIGTTIN, SIGTTOU,
	};

	sigfillset(ret);
	for (size_t i = 0; i < sizeof(left_alone) / sizeof(*left_alone); i++)
		sigdelset(ret, left_alone[i]);
}

/* What the terminal sends goes to the whole job: the child has got it already. */
static bool is_from_the_terminal(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL &&
	       (info->si_signo == SIGINT || info->si_signo == SIGQUIT ||
		info->si_signo == SIGWINCH);
}

/* Ends this process when the child has ended. */
static void reap(pid_t child)
{
	pid_t ended;
	int status;

	while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
		if (ended == child)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status)
						: SIGNALLED + WTERMSIG(status));
}

static _Noreturn void supervise(pid_t child, const sigset_t *awaited)
{
	/* A reader of the program's output must see its end when the program closes it. */
	for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		close(descriptor);
	for (;;) {
		siginfo_t info;
		int number = sigwaitinfo(awaited, &info);

		if (number == SIGCHLD)
			reap(child);
		else if (number > 0 && !is_from_the_terminal(&info))
			kill(child, number);
	}
}

bool run_init_split(struct err *err)
{
	sigset_t awaited, before;
	pid_t child;

	fill_awaited(&awaited);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) || sigprocmask(SIG_SETMASK, &awaited, &before)) {
		err_set_errno(err, errno, "this process cannot be an init");
		return false;
	}
	child = fork();
	if (child < 0) {
		err_set_errno(err, errno, "no process can be made for the program");
		return false;
	}
	if (child > 0)
		supervise(child, &awaited);
	if (sigprocmask(SIG_SETMASK, &before, NULL)) {
		err_set_errno(err, errno, "signals cannot be set");
		return false;
	}
	return true;
}
