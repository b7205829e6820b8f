/* tunnel.c: two sockets whose octets are passed on both ways, each end by itself. */
#include "filter/tunnel.h"

#include "base/memory.h"
#include "filter/direction.h"
#include "filter/hello_watch.h"
#include "filter/sockets.h"
#include "filter/timer.h"
#include "filter/turn.h"
#include "system/resolver_question.h"

#include <event2/event_struct.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Theory of operation. Each direction waits for one thing at a time: that its source can be read,
 * or that its destination can be written, with one event. There may be thousands of tunnels that do
 * nothing, hence this is small, and a pipe is there only while octets are under way.
 */
struct half {
	struct tunnel *tunnel;
	struct direction direction;
	struct event event;
	enum direction_wait wait; /* what the event is for; DIRECTION_OVER: it is not pending */
};

struct tunnel {
	struct client *client;
	int upstream;
	struct half up, down;
	struct event idle;
	uint64_t active_ms;
	struct hello_watch *watch; /* NULL: nothing more to see */
	enum hello_fault fault;
	struct record record;
	char *method, *path;
};

static void tunnel_free(struct tunnel *tunnel)
{
	event_del(&tunnel->up.event);
	event_del(&tunnel->down.event);
	event_del(&tunnel->idle);
	direction_free(&tunnel->up.direction);
	direction_free(&tunnel->down.direction);
	if (tunnel->watch)
		hello_watch_free(tunnel->watch);
	free(tunnel->watch);
	close(tunnel->upstream);
	free(tunnel->method);
	free(tunnel->path);
	free(tunnel);
}

void tunnel_stop(struct tunnel *tunnel, const struct decision *decision)
{
	struct record *record = &tunnel->record;

	record->bytes_up += tunnel->up.direction.octets;
	record->bytes_down += tunnel->down.direction.octets;
	if (decision)
		record->decision = *decision;
	/* What failed to be written is counted there, and refuses what comes. */
	decision_log_write(tunnel->client->filter->log, RECORD_END, record);
	tunnel_free(tunnel);
}

static void finish(struct tunnel *tunnel, const struct decision *decision)
{
	struct client *client = tunnel->client;

	tunnel_stop(tunnel, decision);
	client_close(client);
}

static void broken(struct tunnel *tunnel)
{
	struct decision decision = tunnel->record.decision;

	if (tunnel->watch && tunnel->watch->status == WATCH_REFUSED) {
		decision.verdict = VERDICT_BLOCK;
		decision.layer = LAYER_TLS;
		decision.reason = hello_fault_name(tunnel->fault);
	}
	socket_reset(tunnel->client->descriptor);
	socket_reset(tunnel->upstream);
	finish(tunnel, &decision);
}

static void wait_for(struct half *half, enum direction_wait wait)
{
	const struct direction *direction = &half->direction;
	bool reads = wait == DIRECTION_READ;

	if (half->wait == wait)
		return;
	event_del(&half->event);
	half->wait = wait;
	if (wait == DIRECTION_OVER)
		return;
	event_assign(&half->event, half->tunnel->client->filter->base,
		     reads ? direction->from : direction->to,
		     (short)(EV_PERSIST | (reads ? EV_READ : EV_WRITE)),
		     event_get_callback(&half->event), half);
	event_add(&half->event, NULL);
}

/* False: the tunnel is gone. */
static bool pump(struct half *half)
{
	struct tunnel *tunnel = half->tunnel;
	uint64_t before = half->direction.octets;
	enum direction_wait wait = direction_pump(&half->direction);

	if (half->direction.octets != before)
		tunnel->active_ms = milliseconds_now();
	if (wait == DIRECTION_BROKEN) {
		broken(tunnel);
		return false;
	}
	wait_for(half, wait);
	if (half == &tunnel->up && half->direction.shut)
		timer_set(&tunnel->idle, CLIENT_GONE_MS);
	/* A half that was not pumped yet waits for nothing either, and is not over. */
	if (!tunnel->up.direction.shut || !tunnel->down.direction.shut)
		return true;
	finish(tunnel, NULL);
	return false;
}

/* Both directions go on unseen; the other one is woken, since it may hold octets. */
static void end_watch(struct tunnel *tunnel, struct half *other)
{
	hello_watch_free(tunnel->watch);
	free(tunnel->watch);
	tunnel->watch = NULL;
	direction_release(&tunnel->up.direction);
	direction_release(&tunnel->down.direction);
	if (other->direction.passed.length && other->wait == DIRECTION_READ)
		event_active(&other->event, EV_TIMEOUT, 0);
}

static bool inspect_up(void *context, struct direction *direction)
{
	struct tunnel *tunnel = context;
	size_t pass = 0;

	switch (hello_watch_client(tunnel->watch, direction->held.data, direction->held.length,
				   &pass, &tunnel->fault)) {
	case WATCH_REFUSED:
		return false;
	case WATCH_OVER:
		end_watch(tunnel, &tunnel->down);
		return true;
	case WATCH_ON:
		break;
	}
	direction_pass(direction, pass);
	return true;
}

static bool inspect_down(void *context, struct direction *direction)
{
	struct tunnel *tunnel = context;

	if (hello_watch_server(tunnel->watch, direction->held.data, direction->held.length) ==
	    WATCH_OVER)
		end_watch(tunnel, &tunnel->up);
	else
		direction_pass(direction, direction->held.length);
	return true;
}

static void on_event(evutil_socket_t descriptor, short what, void *context)
{
	struct half *half = context;
	struct client *client = half->tunnel->client;
	struct filter *filter = client->filter;

	(void)descriptor;
	if (!turn_begin(client, what))
		return;
	pump(half);
	turn_end(filter);
}

static void on_idle(evutil_socket_t descriptor, short what, void *context)
{
	struct tunnel *tunnel = context;
	uint64_t limit = tunnel->client->filter->settings.limits.idle_ms;
	uint64_t idle = milliseconds_now() - tunnel->active_ms;
	uint64_t left = idle < limit ? limit - idle : 0;
	bool may_be_gone = tunnel->up.direction.shut;
	struct decision decision = tunnel->record.decision;

	(void)descriptor;
	(void)what;
	if (may_be_gone && client_is_gone(tunnel->client)) {
		decision.reason = "the client was gone before the server had ended";
	} else if (!left) {
		decision.reason = "nothing was sent for longer than limits.idle_ms";
	} else {
		timer_set(&tunnel->idle,
			  may_be_gone && left > CLIENT_GONE_MS ? CLIENT_GONE_MS : left);
		return;
	}
	finish(tunnel, &decision);
}

static void begin_half(struct tunnel *tunnel, struct half *half, int from, int to)
{
	half->tunnel = tunnel;
	half->direction.from = from;
	half->direction.to = to;
	half->direction.context = tunnel;
	half->wait = DIRECTION_OVER;
	event_assign(&half->event, tunnel->client->filter->base, -1, 0, on_event, half);
}

static void begin_watch(struct tunnel *tunnel, const struct tunnel_start *start)
{
	tunnel->watch = memory_allocate(1, sizeof(*tunnel->watch));
	hello_watch_start(tunnel->watch, start->hello,
			  tunnel->client->filter->settings.limits.hello_bytes);
	tunnel->up.direction.inspect = inspect_up;
	tunnel->down.direction.inspect = inspect_down;
	buffer_append(&tunnel->up.direction.held, start->behind_hello, start->behind_length);
}

void tunnel_start(struct client *client, const struct tunnel_start *start)
{
	struct tunnel *tunnel = memory_allocate(1, sizeof(*tunnel));
	struct filter *filter = client->filter;

	tunnel->client = client;
	tunnel->upstream = start->upstream;
	tunnel->record = start->record;
	if (start->record.method)
		tunnel->record.method = tunnel->method = memory_copy_string(start->record.method);
	if (start->record.path)
		tunnel->record.path = tunnel->path = memory_copy_string(start->record.path);
	tunnel->record.query = NULL;
	begin_half(tunnel, &tunnel->up, client->descriptor, tunnel->upstream);
	begin_half(tunnel, &tunnel->down, tunnel->upstream, client->descriptor);
	evtimer_assign(&tunnel->idle, filter->base, on_idle, tunnel);
	direction_put(&tunnel->up.direction, start->to_upstream, start->up_length);
	direction_put(&tunnel->down.direction, start->to_client, start->down_length);
	client->part = CLIENT_TUNNEL;
	client->tunnel = tunnel;
	tunnel->active_ms = milliseconds_now();
	timer_set(&tunnel->idle, filter->settings.limits.idle_ms);
	if (start->hello) {
		begin_watch(tunnel, start);
		if (start->behind_length && !inspect_up(tunnel, &tunnel->up.direction)) {
			broken(tunnel);
			return;
		}
	}
	if (!pump(&tunnel->up))
		return;
	if (start->down_length)
		pump(&tunnel->down);
	else
		wait_for(&tunnel->down, DIRECTION_READ);
}

const struct record *tunnel_record(const struct tunnel *tunnel)
{
	return &tunnel->record;
}
