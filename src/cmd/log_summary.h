/* log_summary.h: egressfw log --summary, --html: decision logs summed up for people. */
#ifndef EGRESSFW_CMD_LOG_SUMMARY_H
#define EGRESSFW_CMD_LOG_SUMMARY_H

#include "cmd/session.h"

/* Of the files on the command line, else of the log of the filter that is applied. */
int log_summary_run(const struct options *options);

#endif
