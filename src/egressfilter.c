/* egressfilter.c: the table of options. */
#include "filter/program.h"

#include "base/text.h"
#include "config.h"
#include "system/environment.h"

#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_CHECK = 256, OPTION_READY, OPTION_USER, OPTION_HELP, OPTION_VERSION };

static const struct option table[] = {
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "ready-fd", required_argument, NULL, OPTION_READY },
	{ "user", required_argument, NULL, OPTION_USER },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: egressfilter [OPTION...] SETTINGS\n"
	"the loopback proxy that decides by name; SETTINGS may be - (standard input)\n\n"
	"  --check        read the settings, say what is wrong, and end\n"
	"  --ready-fd N   write a line to descriptor N when clients are answered\n"
	"  --user USER    started as root: become USER first\n"
	"See egressfilter(8).\n";

/*
 * One that whoever started this has opened: any other would be one of our own later. Behind the
 * line it is closed, which standard error must not be.
 */
static bool read_descriptor(const char *text, int *ret)
{
	uint32_t number;

	if (!text_number(text, strlen(text), &number) || number > INT_MAX ||
	    number == STDERR_FILENO || fcntl((int)number, F_GETFD) < 0)
		return false;
	*ret = (int)number;
	return true;
}

int main(int argc, char **argv)
{
	struct program_options options = { .ready_descriptor = -1 };
	struct err err;
	int option;

	if (!environment_settle(&err) || !environment_shed_loader(argv, &err)) {
		program_say("%s; nothing was started", err.text);
		return PROGRAM_CANNOT;
	}
	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1)
		switch (option) {
		case OPTION_CHECK:
			options.check = true;
			break;
		case OPTION_READY:
			if (read_descriptor(optarg, &options.ready_descriptor))
				break;
			program_say("--ready-fd: expected the number of an open descriptor, which "
				    "is not standard error");
			return PROGRAM_USAGE;
		case OPTION_USER:
			options.user = optarg;
			break;
		case OPTION_HELP:
			fputs(usage, stdout);
			return PROGRAM_DONE;
		case OPTION_VERSION:
			puts("egressfilter " PACKAGE_VERSION);
			return PROGRAM_DONE;
		default:
			return PROGRAM_USAGE;
		}
	if (optind != argc - 1) {
		fputs(usage, stderr);
		return PROGRAM_USAGE;
	}
	options.settings = argv[optind];
	return program_run(&options);
}
