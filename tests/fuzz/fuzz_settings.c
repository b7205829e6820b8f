/* fuzz_settings.c: any settings: a safe sentence, or a value that prints as itself. */
#include "filter/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer once = { 0 }, twice = { 0 };
	struct settings settings, again;
	struct err err;

	if (!settings_parse((const char *)data, size, &settings, &err)) {
		require(err.text[0]);
		for (const char *at = err.text; *at; at++)
			require(*at >= 0x20 && *at < 0x7f);
		return 0;
	}
	require(settings.listen.count && settings.log[0] == '/');
	settings_print(&settings, &once);
	require(settings_parse(buffer_string(&once), once.length, &again, &err));
	settings_print(&again, &twice);
	require(!strcmp(buffer_string(&once), buffer_string(&twice)));
	settings_free(&settings);
	settings_free(&again);
	buffer_free(&once);
	buffer_free(&twice);
	return 0;
}
