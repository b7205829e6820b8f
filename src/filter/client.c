/* client.c: one client: who it is, and who looks after its octets. */
#include "filter/client.h"

#include "base/memory.h"
#include "filter/answer.h"
#include "filter/connect.h"
#include "filter/farewell.h"
#include "filter/hello.h"
#include "filter/http.h"
#include "filter/judge.h"
#include "filter/listener.h"
#include "filter/sock_owner.h"
#include "filter/tunnel.h"
#include "system/resolver_question.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who is told so has not been asked what for. */
static void refuse(struct client *client)
{
	static const char reason[] = "there are as many clients as limits.connections";
	static const struct answer_form last = { .keep_alive = false };
	struct buffer text = { 0 };
	struct record record;

	client_record(client, &record);
	record.status = 503;
	record.decision = (struct decision){
		.verdict = VERDICT_BLOCK,
		.layer = LAYER_PROXY,
		.rule = "limits",
		.reason = reason,
	};
	decision_log_write(client->filter->log, RECORD_DECISION, &record);
	answer_failed(503, reason, last, &text);
	client_answer(client, text.data, text.length);
	buffer_free(&text);
}

void client_await(struct client *client, bool awaits)
{
	struct client_list *awaited = &client->filter->awaited;

	if (client->awaited == awaits)
		return;
	client->awaited = awaits;
	if (awaits)
		TAILQ_INSERT_TAIL(awaited, client, awaited_entry);
	else
		TAILQ_REMOVE(awaited, client, awaited_entry);
}

static bool is_full(const struct filter *filter)
{
	return filter->client_count - filter->leaving_count > filter->settings.limits.connections;
}

/* Whoever says nothing must not keep out those who do. */
static void make_room(struct filter *filter)
{
	static const struct decision late = {
		.verdict = VERDICT_BLOCK,
		.layer = LAYER_PROXY,
		.rule = "limits",
		.reason = "others came, and there are as many clients as limits.connections",
	};
	struct client *oldest = TAILQ_FIRST(&filter->awaited);

	if (!oldest)
		return;
	switch (oldest->part) {
	case CLIENT_CONNECT:
		connect_note(oldest->connect, &late);
		break;
	case CLIENT_HTTP:
		http_note(oldest->http, &late);
		break;
	case CLIENT_HELLO:
	case CLIENT_TUNNEL:
	case CLIENT_ANSWER:
		break;
	}
	client_end(oldest, &late);
}

void client_start(struct filter *filter, int descriptor, const struct address_port *peer,
		  const struct address_port *here)
{
	struct client *client = memory_allocate(1, sizeof(*client));

	client->filter = filter;
	client->descriptor = descriptor;
	client->peer = *peer;
	client->here = here;
	client->has_uid = sock_owner_find(filter->owners, peer, here, &client->uid);
	TAILQ_INSERT_TAIL(&filter->clients, client, entry);
	filter->client_count++;
	if (is_full(filter))
		make_room(filter);
	if (is_full(filter))
		refuse(client);
	else
		client_request(client, NULL, 0);
}

void client_request(struct client *client, const void *octets, size_t length)
{
	connect_start(client, octets, length);
}

void client_answer(struct client *client, const void *answer, size_t length)
{
	client->filter->leaving_count++;
	farewell_start(client, answer, length);
}

void client_close(struct client *client)
{
	struct filter *filter = client->filter;

	close(client->descriptor);
	client_await(client, false);
	TAILQ_REMOVE(&filter->clients, client, entry);
	filter->client_count--;
	if (client->part == CLIENT_ANSWER)
		filter->leaving_count--;
	free(client);
	if (filter->listener)
		listener_room(filter->listener);
}

void client_tunnel(struct client *client, int upstream, const struct record *record,
		   const void *to_upstream, size_t up_length, const void *to_client,
		   size_t down_length)
{
	const struct tunnel_start start = {
		.upstream = upstream,
		.record = *record,
		.to_upstream = to_upstream,
		.up_length = up_length,
		.to_client = to_client,
		.down_length = down_length,
	};

	tunnel_start(client, &start);
}

void client_end(struct client *client, const struct decision *decision)
{
	switch (client->part) {
	case CLIENT_CONNECT:
		connect_stop(client->connect, decision);
		break;
	case CLIENT_HELLO:
		hello_stop(client->hello, decision);
		break;
	case CLIENT_HTTP:
		http_stop(client->http, decision);
		break;
	case CLIENT_TUNNEL:
		tunnel_stop(client->tunnel, decision);
		break;
	case CLIENT_ANSWER:
		farewell_stop(client->farewell);
		break;
	}
	client_close(client);
}

/* A tunnel knows its target by the log's line of it: a name, or an address as text. */
static struct target tunnel_target(const struct tunnel *tunnel)
{
	const struct record *record = tunnel_record(tunnel);
	struct target target = { .port = record->port };

	if (!address_parse(record->host, &target.address))
		memcpy(target.host, record->host, sizeof(target.host));
	return target;
}

bool client_is_allowed(const struct client *client, struct decision *ret)
{
	const struct policy *policy = &client->filter->settings.policy;
	const struct target *target = NULL;
	const struct address *address = NULL;
	struct target made;

	switch (client->part) {
	case CLIENT_CONNECT:
		target = connect_target(client->connect);
		break;
	case CLIENT_HELLO:
		target = hello_target(client->hello);
		address = hello_address(client->hello);
		break;
	case CLIENT_HTTP:
		target = http_target(client->http);
		address = http_address(client->http);
		break;
	case CLIENT_TUNNEL:
		made = tunnel_target(client->tunnel);
		target = &made;
		address = &tunnel_record(client->tunnel)->address;
		break;
	case CLIENT_ANSWER:
		break;
	}
	if (!target)
		return true;
	judge(policy, target, ret);
	if (ret->verdict != VERDICT_ALLOW)
		return false;
	return !address || !target->host[0] || judge_address(policy, target, address, ret);
}

bool client_is_gone(const struct client *client)
{
	return sock_owner_is_gone(client->filter->owners, &client->peer, client->here);
}

void client_record(const struct client *client, struct record *ret)
{
	*ret = (struct record){
		.has_uid = client->has_uid,
		.uid = client->uid,
		.peer = client->peer,
		.began_ms = milliseconds_now(),
	};
}
