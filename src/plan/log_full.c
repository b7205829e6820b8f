/* log_full.c: what becomes of a decision log whose files are full. */
#include "plan/log_full.h"

const char *log_full_name(enum log_full full)
{
	static const char *const names[LOG_FULL_WORDS] = {
		[LOG_FULL_DROP] = "drop",
		[LOG_FULL_REFUSE] = "refuse",
	};

	return names[full];
}
