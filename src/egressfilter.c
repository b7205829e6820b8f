/* egressfilter.c: the table of options. */
#include "filter/program.h"

#include "base/text.h"
#include "config.h"
#include "policy/nearest.h"
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
enum { OPTIONS = sizeof(table) / sizeof(*table) - 1 };

static const char usage[] =
	"usage: egressfilter [OPTION...] SETTINGS\n"
	"the loopback proxy that decides by name; SETTINGS may be - (standard input)\n\n"
	"  --check        read the settings, say what is wrong, and end\n"
	"  --ready-fd N   write a line to descriptor N when clients are answered\n"
	"  --user USER    started as root: become USER first\n"
	"  --help         print this\n"
	"  --version      print the version\n"
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

static int refuse(const struct err *err)
{
	program_say("%s; see egressfilter --help; nothing was started", err->text);
	return PROGRAM_USAGE;
}

/* `answer` is what getopt_long(3) made of `word`: no option, or one that is used wrongly. */
static int refuse_option(int answer, const char *word)
{
	const char *names[OPTIONS], *meant;
	char quoted[TEXT_QUOTE_SIZE], letter[] = { '-', (char)optopt, '\0' };
	struct err err;

	for (int i = 0; i < OPTIONS; i++)
		names[i] = table[i].name;
	for (int i = 0; i < OPTIONS; i++) {
		if (optopt != table[i].val)
			continue;
		err_set(&err, answer == ':' ? "--%s needs a value" : "--%s takes no value",
			table[i].name);
		return refuse(&err);
	}
	/* Of letters behind one hyphen it has not gone past the word. */
	if (optopt)
		word = letter;
	meant = nearest(word + strspn(word, "-"), names, OPTIONS);
	err_set(&err, "no option %s", text_quote(word, quoted));
	if (meant)
		err_append(&err, "; did you mean \"--%s\"?", meant);
	return refuse(&err);
}

static int refuse_count(const char *surplus)
{
	char quoted[TEXT_QUOTE_SIZE];
	struct err err;

	if (surplus)
		err_set(&err, "%s is one argument too many", text_quote(surplus, quoted));
	else
		err_set(&err, "SETTINGS is missing");
	err_append(&err, "; usage: egressfilter [OPTION...] SETTINGS");
	return refuse(&err);
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
	while ((option = getopt_long(argc, argv, ":", table, NULL)) != -1)
		switch (option) {
		case OPTION_CHECK:
			options.check = true;
			break;
		case OPTION_READY:
			if (read_descriptor(optarg, &options.ready_descriptor))
				break;
			err_set(&err, "--ready-fd: expected the number of an open descriptor, "
				      "which is not standard error");
			return refuse(&err);
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
			return refuse_option(option, argv[optind - 1]);
		}
	if (optind != argc - 1)
		return refuse_count(optind < argc ? argv[optind + 1] : NULL);
	options.settings = argv[optind];
	return program_run(&options);
}
