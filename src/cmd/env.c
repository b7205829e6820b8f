/* env.c: egressfw env: the variables that run sets, for a shell to evaluate. */
#include "cmd/session.h"

#include "plan/filter_environment.h"
#include "plan/run_environment.h"

#include <stdio.h>
#include <stdlib.h>

static void print(const struct session *session)
{
	const struct policy *policy = &session->policy;
	struct address_ports listen = { 0 };
	struct buffer text = { 0 };
	char **variables;

	if (policy->mode == MODE_PUBLIC || policy_enforcement(policy) == ENFORCE_PIN) {
		puts("# this policy needs no filter, and no variables");
		return;
	}
	if (!session->options->filter_listen.count)
		filter_default_listen(&listen);
	variables = filter_environment(listen.count ? &listen : &session->options->filter_listen);
	environment_print_shell(variables, &text);
	fwrite(text.data, 1, text.length, stdout);
	run_environment_free(variables);
	buffer_free(&text);
	free(listen.items);
}

int cmd_env(const struct options *options)
{
	struct session session = { .options = options };
	struct failure failure;
	int status = EXIT_DONE;

	if (session_begin(options, &session, &failure) &&
	    session_read_policy(&session, options->arguments[0], &failure))
		print(&session);
	else
		status = failure_print(&failure, options);
	session_end(&session);
	return status;
}
