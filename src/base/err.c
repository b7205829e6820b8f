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
	const char *name = strerrordesc_np(errnum);

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	if (name)
		err_append(err, ": %s", name);
	else
		err_append(err, ": error %d", errnum);
}

void err_append(struct err *err, const char *format, ...)
{
	size_t length = strlen(err->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text + length, sizeof(err->text) - length, format, arguments);
	va_end(arguments);
}

void err_wrap(struct err *err, const char *format, ...)
{
	struct err inner = *err;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	err_append(err, ": %s", inner.text);
}
