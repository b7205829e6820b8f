/* err.h: the one error value: a sentence, grown outwards as it travels up. */
#ifndef EGRESSFW_BASE_ERR_H
#define EGRESSFW_BASE_ERR_H

/*
 * The convention of the whole tree: a function that can fail returns bool and
 * takes a `struct err *` as its last parameter. True: the results are set and
 * *err is untouched. False: *err holds one sentence and the results are
 * untouched. Nothing here allocates, so an error can always be reported. Only
 * commands print it. Which exit status follows is decided by the step that
 * failed, so the value carries none.
 */

enum { ERR_TEXT_SIZE = 1024 };

struct err {
	char text[ERR_TEXT_SIZE];
};

/* Sets the sentence. A text that does not fit is cut at the end, never elsewhere. */
void err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the sentence and appends ": " and the name of the error number. */
void err_set_errno(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends to the sentence that is there. */
void err_append(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the sentence that is there. */
void err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
