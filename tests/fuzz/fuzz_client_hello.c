/* fuzz_client_hello.c: any octets of a TLS client: one answer however they are cut, and only good names. */
#include "filter/hello_watch.h"

#include "policy/host.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 4096 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static enum hello_status read_in_steps(const uint8_t *data, size_t size, size_t step,
				       struct client_hello *ret, enum hello_fault *ret_fault)
{
	enum hello_status status = HELLO_MORE;
	struct hello_reader reader;

	hello_reader_start(&reader, LIMIT);
	for (size_t length = 0; status == HELLO_MORE && length < size;) {
		length = size - length < step ? size : length + step;
		status = hello_read(&reader, data, length, ret, ret_fault);
		require(reader.message.length <= LIMIT + TLS_FRAGMENT_MAX);
	}
	hello_reader_free(&reader);
	return status;
}

static void require_name(const char *name)
{
	char again[HOST_TEXT_SIZE];
	struct err err;

	require(!name[0] || (host_normalise_request(name, again, &err) && !strcmp(name, again)));
}

/* What is let through behind a hello is never a hello with another name. */
static void watch(const uint8_t *data, size_t size, const struct client_hello *first)
{
	enum watch_status status = WATCH_ON;
	enum hello_fault fault;
	struct hello_watch watch;
	size_t passed = 0, pass;

	hello_watch_start(&watch, first, LIMIT);
	for (size_t length = 1; length <= size && status == WATCH_ON; length++) {
		status = hello_watch_client(&watch, data + passed, length - passed, &pass, &fault);
		require(pass <= length - passed);
		passed += pass;
	}
	if (status == WATCH_ON && size)
		hello_watch_server(&watch, data, size);
	hello_watch_free(&watch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client_hello whole = { .name = "" }, pieces = { .name = "" };
	enum hello_fault fault = HELLO_NOT_TLS, other = HELLO_NOT_TLS;
	enum hello_status status = read_in_steps(data, size, size ? size : 1, &whole, &fault);

	require(read_in_steps(data, size, 1, &pieces, &other) == status);
	require(status != HELLO_REFUSED || (fault == other && hello_fault_name(fault)));
	if (status != HELLO_READ)
		return 0;
	require(!strcmp(whole.name, pieces.name) && whole.length == pieces.length);
	require(whole.length <= size && whole.length <= LIMIT);
	require_name(whole.name);
	watch(data + whole.length, size - whole.length, &whole);
	return 0;
}
