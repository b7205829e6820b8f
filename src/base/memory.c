/* memory.c: allocation that either succeeds or ends the process. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memory_exhausted(void)
{
	static const char message[] =
		"egressfw: out of memory; what was not yet committed is not applied\n";

	fwrite(message, 1, sizeof(message) - 1, stderr);
	abort();
}

void *memory_allocate(size_t count, size_t size)
{
	void *result = calloc(count ? count : 1, size);

	if (!result)
		memory_exhausted();
	return result;
}

void *memory_resize(void *old, size_t count, size_t size)
{
	void *result = reallocarray(old, count ? count : 1, size);

	if (!result)
		memory_exhausted();
	return result;
}

void *memory_copy(const void *source, size_t length)
{
	void *result = memory_allocate(length, 1);

	if (length)
		memcpy(result, source, length);
	return result;
}

char *memory_copy_string(const char *source)
{
	return memory_copy(source, strlen(source) + 1);
}

char *memory_copy_text(const char *text, size_t length)
{
	char *result = memory_allocate(length + 1, 1);

	if (length)
		memcpy(result, text, length);
	return result;
}

char *memory_format(const char *format, ...)
{
	va_list arguments;
	char *result;
	int length;

	va_start(arguments, format);
	length = vasprintf(&result, format, arguments);
	va_end(arguments);
	if (length < 0)
		memory_exhausted();
	return result;
}

void memory_free_pointer(void *pointer)
{
	void **target = pointer;

	free(*target);
	*target = NULL;
}
