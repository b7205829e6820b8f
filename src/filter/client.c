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
#include <sys/socket.h>
#include <unistd.h>

/* Clients who are told so, of one user and of all; for more there is no time. */
enum { TOLD_MAX = 16, TOLD_MAX_OF_ALL = 64 };

/* Who is told so has not been asked what for. */
static void refuse(struct client *client)
{
	static const struct answer_form last = { .keep_alive = false };
	struct filter *filter = client->filter;
	const char *reason = filter->client_count <= filter->settings.limits.connections
				     ? "this user has as many clients as others leave it of "
				       "limits.connections"
				     : "there are as many clients as limits.connections";
	struct buffer text = { 0 };
	struct record record;

	client->refused = true;
	client->share->clients--;
	client->share->refused++;
	filter->client_count--;
	filter->refused_count++;
	client_record(client, &record);
	record.status = 503;
	decision_block(&record.decision, LAYER_PROXY, "limits", reason);
	decision_log_write(filter->log, RECORD_DECISION, &record);
	if (client->share->refused > TOLD_MAX || filter->refused_count > TOLD_MAX_OF_ALL) {
		client_close(client);
		return;
	}
	answer_failed(503, reason, last, &text);
	client_answer(client, text.data, text.length);
	buffer_free(&text);
}

void client_await(struct client *client, bool awaits)
{
	struct client_list *awaited = &client->share->awaited;

	if (client->awaited == awaits || client->refused)
		return;
	client->awaited = awaits;
	if (awaits)
		TAILQ_INSERT_TAIL(awaited, client, awaited_entry);
	else
		TAILQ_REMOVE(awaited, client, awaited_entry);
}

/* For the one who has just come, and is counted. */
static bool has_place(const struct filter *filter, const struct share *share)
{
	return share_may(share->clients - 1, filter->client_count - 1,
			 filter->settings.limits.connections);
}

/* Whoever says nothing must not keep out those who do. */
static void end_awaited(struct client *client)
{
	struct decision late;

	decision_block(&late, LAYER_PROXY, "limits",
		       "others came, and there are as many clients as limits.connections");
	client_end(client, &late);
}

/* Of the same user; where there is no place at all, of the one who has most. */
static void make_room(const struct filter *filter, const struct share *share)
{
	while (!has_place(filter, share)) {
		const struct share *from = share;

		if (TAILQ_EMPTY(&share->awaited))
			from = shares_largest_awaited(&filter->shares);
		if (!from ||
		    (from != share && filter->client_count <= filter->settings.limits.connections))
			return;
		end_awaited(TAILQ_FIRST(&from->awaited));
	}
}

/*
 * A client that cannot read an answer, and that nobody can be told from, is served nothing. Whoever
 * has said nothing either was a look at the door.
 */
static void turn_away(const struct client *client)
{
	struct record record;
	char octet;

	if (recv(client->descriptor, &octet, sizeof(octet), MSG_PEEK) > 0) {
		client_record(client, &record);
		decision_block(&record.decision, LAYER_PROXY, "client",
			       "nobody has the client's socket: it was closed, or nat leads it "
			       "here");
		decision_log_write(client->filter->log, RECORD_DECISION, &record);
	}
	close(client->descriptor);
}

void client_start(struct filter *filter, int descriptor, const struct address_port *peer,
		  const struct address_port *here)
{
	struct client *client = memory_allocate(1, sizeof(*client));
	struct share *share;

	client->filter = filter;
	client->descriptor = descriptor;
	client->peer = *peer;
	client->here = here;
	client->has_uid = sock_owner_find(filter->owners, peer, here, &client->uid);
	if (filter->owners && !client->has_uid) {
		turn_away(client);
		free(client);
		return;
	}
	share = share_of(&filter->shares, client->has_uid, client->uid);
	client->share = share;
	TAILQ_INSERT_TAIL(&filter->clients, client, entry);
	share->clients++;
	filter->client_count++;
	make_room(filter, share);
	if (has_place(filter, share))
		client_request(client, NULL, 0);
	else
		refuse(client);
}

void client_request(struct client *client, const void *octets, size_t length)
{
	connect_start(client, octets, length);
}

void client_answer(struct client *client, const void *answer, size_t length)
{
	farewell_start(client, answer, length);
}

void client_close(struct client *client)
{
	struct filter *filter = client->filter;

	close(client->descriptor);
	client_await(client, false);
	TAILQ_REMOVE(&filter->clients, client, entry);
	if (client->refused) {
		filter->refused_count--;
		client->share->refused--;
	} else {
		filter->client_count--;
		client->share->clients--;
	}
	share_less(client->share);
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
