/* memory.h: allocation that either succeeds or ends the process. */
#ifndef EGRESSFW_BASE_MEMORY_H
#define EGRESSFW_BASE_MEMORY_H

#include <stddef.h>

/*
 * A rule that was built short of memory could be a wider rule, so nobody goes on
 * after a failed allocation. Every write to the kernel is one transaction and
 * every write to a file can be torn and is mended later, hence ending anywhere leaves a closed
 * state behind.
 */

/* Writes one line to standard error and aborts. For results of libraries too. */
_Noreturn void memory_exhausted(void);

/* Zeroed memory for count objects of size bytes; the caller frees it. count may be 0. */
void *memory_allocate(size_t count, size_t size);

/* Resizes to count objects of size bytes; what is new is not zeroed. */
void *memory_resize(void *old, size_t count, size_t size);

/* A copy of length bytes, or of a string; the caller frees it. */
void *memory_copy(const void *source, size_t length);
char *memory_copy_string(const char *source);

/* A string of the first length characters, of which none is NUL; the caller frees it. */
char *memory_copy_text(const char *text, size_t length);

/* A formatted string; the caller frees it. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Frees *pointer and sets it to NULL: __attribute__((cleanup(memory_free_pointer))). */
void memory_free_pointer(void *pointer);
#define autofree __attribute__((cleanup(memory_free_pointer)))

#endif
