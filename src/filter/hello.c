/* hello.c: what a client says first in its tunnel, and whether that fits what it asked CONNECT for. */
#include "filter/hello.h"

#include "base/memory.h"
#include "base/text.h"
#include "filter/client_hello.h"
#include "filter/reading.h"
#include "filter/tunnel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hello {
	struct client *client;
	struct http_tunnel tunnel;
	struct reading reading;
	struct hello_reader reader;
	struct record record;
};

/* Leaves the client alone, which may be gone. */
static void hello_free(struct hello *hello)
{
	reading_free(&hello->reading);
	hello_reader_free(&hello->reader);
	free(hello);
}

static void drop(struct hello *hello)
{
	close(hello->tunnel.upstream);
	client_await(hello->client, false);
	hello_free(hello);
}

void hello_stop(struct hello *hello, const struct decision *decision)
{
	hello->record.decision.reason = REASON_ENDED;
	if (decision)
		hello->record.decision = *decision;
	decision_log_write(hello->client->filter->log, RECORD_DECISION, &hello->record);
	drop(hello);
}

const struct target *hello_target(const struct hello *hello)
{
	return &hello->tunnel.target;
}

const struct address *hello_address(const struct hello *hello)
{
	return &hello->tunnel.address;
}

static void close_tunnel(struct hello *hello)
{
	struct client *client = hello->client;

	decision_log_write(client->filter->log, RECORD_DECISION, &hello->record);
	drop(hello);
	client_close(client);
}

static void block(struct hello *hello, const char *rule, const char *reason)
{
	decision_block(&hello->record.decision, LAYER_TLS, rule, reason);
	close_tunnel(hello);
}

/* The hello goes out, and with it the client; its octets stay here until they are copied. */
static void allow(struct hello *hello, const struct client_hello *read)
{
	struct client *client = hello->client;
	const struct buffer *octets = &hello->reading.octets;
	const struct tunnel_start start = {
		.upstream = hello->tunnel.upstream,
		.record = hello->record,
		.to_upstream = octets->data,
		.up_length = read->length,
		.hello = read,
		.behind_hello = octets->data + read->length,
		.behind_length = octets->length - read->length,
	};

	if (!decision_log_write(client->filter->log, RECORD_DECISION, &hello->record)) {
		drop(hello);
		client_close(client);
		return;
	}
	reading_stop(&hello->reading);
	client_await(client, false);
	/* The client is gone behind this where nothing can be written to it. */
	tunnel_start(client, &start);
	hello_free(hello);
}

static void read_tls(struct hello *hello)
{
	const struct buffer *octets = &hello->reading.octets;
	enum hello_fault fault;
	struct client_hello read;

	switch (hello_read(&hello->reader, octets->data, octets->length, &read, &fault)) {
	case HELLO_MORE:
		return;
	case HELLO_REFUSED:
		block(hello, "server name", hello_fault_name(fault));
		return;
	case HELLO_READ:
		break;
	}
	if (hello_suits(&read, &hello->tunnel.target, &fault))
		allow(hello, &read);
	else
		block(hello, "server name", hello_fault_name(fault));
}

static void hand_to_http(struct hello *hello)
{
	const struct buffer *octets = &hello->reading.octets;

	reading_stop(&hello->reading);
	client_await(hello->client, false);
	http_start(hello->client, &hello->tunnel, octets->data, octets->length);
	hello_free(hello);
}

/* A method of HTTP is letters in capitals (RFC 9110, section 9.1); no other protocol may go on. */
static void look(struct hello *hello)
{
	uint8_t first = hello->reading.octets.data[0];

	if (first == TLS_HANDSHAKE)
		read_tls(hello);
	else if (first >= 'A' && first <= 'Z')
		hand_to_http(hello);
	else
		block(hello, "server name", hello_fault_name(HELLO_NOT_TLS));
}

/* Nothing was passed on: that the client went away is no matter of the policy. */
static void gone(struct hello *hello)
{
	hello->record.decision.reason = "the client was gone before it had begun";
	close_tunnel(hello);
}

static void on_reading(void *context, enum reading_outcome outcome)
{
	switch (outcome) {
	case READING_SOME:
		look(context);
		break;
	case READING_FULL:
		block(context, "limits", hello_fault_name(HELLO_TOO_LARGE));
		break;
	case READING_LATE:
		block(context, "limits", "the hello took longer than limits.head_ms");
		break;
	case READING_ENDED:
	case READING_BROKEN:
		gone(context);
		break;
	}
}

void hello_start(struct client *client, const struct http_tunnel *tunnel, uint64_t began_ms,
		 const void *octets, size_t length)
{
	const struct limits *limits = &client->filter->settings.limits;
	struct hello *hello = memory_allocate(1, sizeof(*hello));

	hello->client = client;
	hello->tunnel = *tunnel;
	client_record(client, &hello->record);
	hello->record.began_ms = began_ms;
	hello->record.method = "CONNECT";
	hello->record.status = 200;
	hello->record.decision = tunnel->decision;
	hello->record.has_address = true;
	hello->record.address = tunnel->address;
	record_set_target(&hello->record, &tunnel->target);
	hello_reader_start(&hello->reader, limits->hello_bytes);
	client->part = CLIENT_HELLO;
	client->hello = hello;
	client_await(client, true);
	reading_start(&hello->reading, client, limits->hello_bytes, limits->head_ms, octets, length,
		      on_reading, hello);
}
