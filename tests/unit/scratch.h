/* scratch.h: a directory for the files of a test program, gone when it ends, also after a failure. */
#ifndef EGRESSFW_TESTS_SCRATCH_H
#define EGRESSFW_TESTS_SCRATCH_H

/* Unchecked fixtures: they run in the process that outlives a failing test. */
void scratch_make(void);
void scratch_remove(void);

/* A path within; the caller frees it. */
char *scratch_path(const char *name);

/* Makes the file at the path hold the text. */
void scratch_put(const char *path, const char *text);

#endif
