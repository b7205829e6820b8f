/* fuzz_plan.c: any bytes as a stored plan: refused, or stored the same again. */
#include "plan/plan.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAGIC_SIZE = 8, HEAD_SIZE = MAGIC_SIZE + SHA256_DIGEST_LENGTH + 4 };

/* The fuzzer cannot guess the digest of the body, so that one is made right. */
static void sign(struct buffer *bytes)
{
	uint8_t *signed_part = bytes->data + MAGIC_SIZE + SHA256_DIGEST_LENGTH;
	size_t length = (size_t)signed_part[2] << 8 | signed_part[3];
	SHA2_CTX context;

	if (length > bytes->length - HEAD_SIZE)
		length = bytes->length - HEAD_SIZE;
	memcpy(signed_part, (const uint8_t[]){ 0, 0, (uint8_t)(length >> 8), (uint8_t)length }, 4);
	SHA256Init(&context);
	SHA256Update(&context, signed_part, length + 4);
	SHA256Final(bytes->data + MAGIC_SIZE, &context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer bytes = { 0 }, again = { 0 };
	struct plan plan;
	struct err err;

	if (plan_decode(data, size, &plan, &err))
		plan_free(&plan);
	if (size < HEAD_SIZE || size - HEAD_SIZE > UINT16_MAX)
		return 0;
	buffer_append(&bytes, data, size);
	sign(&bytes);
	if (plan_decode(bytes.data, bytes.length, &plan, &err)) {
		plan_encode(&plan, &again);
		if (again.length != bytes.length ||
		    memcmp(again.data, bytes.data, bytes.length) != 0)
			abort();
		plan_free(&plan);
	}
	buffer_free(&again);
	buffer_free(&bytes);
	return 0;
}
