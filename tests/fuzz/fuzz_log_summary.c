/* fuzz_log_summary.c: any bytes as a decision log: bounded, nothing lost, and printed as plain text. */
#include "plan/log_summary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void require_plain(const struct buffer *text)
{
	for (size_t i = 0; i < text->length; i++)
		require(text->data[i] == '\n' || (text->data[i] >= ' ' && text->data[i] <= '~'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_summary summary = { 0 };
	struct log_count sum = { 0 };
	struct buffer text = { 0 };
	size_t begin = 0;

	for (size_t i = 0; i <= size; i++)
		if (i == size || data[i] == '\n') {
			log_summary_add(&summary, data + begin, i - begin);
			begin = i + 1;
		}
	for (size_t i = 0; i < SUMMARY_STRETCHES; i++) {
		sum.allowed += summary.stretches[i].allowed;
		sum.failed += summary.stretches[i].failed;
		sum.refused += summary.stretches[i].refused;
	}
	require(sum.allowed == summary.all.allowed && sum.failed == summary.all.failed &&
		sum.refused == summary.all.refused);
	log_summary_text(&summary, &text);
	require_plain(&text);
	text.length = 0;
	log_summary_html(&summary, &text);
	require_plain(&text);
	require(!memmem(text.data, text.length, "<script", 7));
	text.length = 0;
	log_summary_json(&summary, &text);
	require_plain(&text);
	buffer_free(&text);
	log_summary_free(&summary);
	return 0;
}
