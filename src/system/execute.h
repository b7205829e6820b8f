/* execute.h: executing a program along PATH, and telling why it could not be. */
#ifndef EGRESSFW_SYSTEM_EXECUTE_H
#define EGRESSFW_SYSTEM_EXECUTE_H

#include <stdbool.h>

/*
 * Executes words[0], looked for along the PATH of `variables`, which become its environment.
 * Returns only where that failed, with the errno; *ret_found tells whether there is such a file at
 * all.
 */
int execute(char *const *words, char **variables, bool *ret_found);

#endif
