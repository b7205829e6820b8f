/* err.c: the one error value: a sentence, grown outwards as it travels up. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_set(struct err *err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
}

void err_set_errno(struct err *err, int errnum, const char *format, ...)
{
	va_list arguments;
	size_t length;
	const char *name = strerrordesc_np(errnum);

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	length = strlen(err->text);
	if (name)
		snprintf(err->text + length, sizeof(err->text) - length, ": %s", name);
	else
		snprintf(err->text + length, sizeof(err->text) - length, ": error %d", errnum);
}

void err_wrap(struct err *err, const char *format, ...)
{
	struct err inner = *err;
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, ": %s", inner.text);
}
