/* log_trouble.c: why the decision log cannot be written: kept for who asks, and said once. */
#include "filter/log_trouble.h"

#include "base/memory.h"
#include "system/resolver_question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *remedy(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return "; make room there";
	case EEXIST:
		return "; another file has its name: move that away";
	case EACCES:
	case EPERM:
	case ENOENT:
		return "; its folder must be there, and the user's of the filter";
	case EROFS:
		return "; the file system is read-only";
	default:
		return "";
	}
}

static void say(const struct log_trouble *trouble, const char *more)
{
	autofree char *text = memory_format("%s%s", trouble->text, more);

	trouble->say(text);
}

bool log_trouble_set(struct log_trouble *trouble, int errnum, const char *why)
{
	struct err err;
	uint64_t now = milliseconds_now();

	err_set(&err, "%s: the decision log cannot be written", trouble->path);
	if (why)
		err_append(&err, ": %s", why);
	if (errnum)
		err_append(&err, ": %s%s", strerrordesc_np(errnum), remedy(errnum));
	strcpy(trouble->text, err.text);
	if (!trouble->said && trouble->say && now >= trouble->next_ms) {
		trouble->said = true;
		trouble->next_ms = now + LOG_TROUBLE_PAUSE_MS;
		say(trouble, "; until then every request is refused");
	}
	return false;
}

void log_trouble_end(struct log_trouble *trouble)
{
	snprintf(trouble->text, sizeof(trouble->text), "%s: the decision log is written again",
		 trouble->path);
	if (trouble->said)
		say(trouble, "");
	trouble->said = false;
	trouble->text[0] = '\0';
}
