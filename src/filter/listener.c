/* listener.c: where clients come in: accepted at once, but for a while without descriptors. */
#include "filter/listener.h"

#include "base/memory.h"
#include "filter/client.h"
#include "filter/sockets.h"
#include "filter/timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BACKLOG = 4096, /* cut by net.core.somaxconn */
	/*
	 * Clients of one turn. The kernel's queue is one for all users: who comes must not wait behind
	 * more of somebody else's than are taken out of it at once.
	 */
	TURN_MAX = 1024,
	PAUSE_MS = 100, /* without descriptors, unless a client goes before */
};

struct door {
	struct listener *listener;
	struct event *event;
	struct address_port here;
	int descriptor;
};

struct listener {
	struct filter *filter;
	struct door doors[LISTEN_MAX];
	size_t count;
	struct event *resume;
	bool paused;
};

static void resume(struct listener *listener)
{
	event_del(listener->resume);
	listener->paused = false;
	for (size_t i = 0; i < listener->count; i++)
		event_add(listener->doors[i].event, NULL);
}

static void on_resume(evutil_socket_t descriptor, short what, void *context)
{
	(void)descriptor;
	(void)what;
	resume(context);
}

/*
 * Clients wait in the kernel's queue; a loop that tries again and again would take the others'
 * time.
 */
static void pause_accepting(struct listener *listener)
{
	listener->paused = true;
	for (size_t i = 0; i < listener->count; i++)
		event_del(listener->doors[i].event);
	timer_set(listener->resume, PAUSE_MS);
}

static void on_client(evutil_socket_t descriptor, short what, void *context)
{
	struct door *door = context;
	struct filter *filter = door->listener->filter;

	(void)what;
	for (int i = 0; i < TURN_MAX; i++) {
		struct sockaddr_storage storage;
		socklen_t length = sizeof(storage);
		struct address_port peer;
		int client;

		client = accept4(descriptor, (struct sockaddr *)&storage, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (client < 0) {
			if (socket_is_exhausted(errno))
				pause_accepting(door->listener);
			return;
		}
		if (socket_address_read(&storage, &peer))
			client_start(filter, client, &peer, &door->here);
		else
			close(client);
	}
}

void listener_room(struct listener *listener)
{
	if (listener->paused)
		resume(listener);
}

static bool open_door(struct listener *listener, const struct address_port *here, bool *ret_taken,
		      struct err *err)
{
	struct door *door = &listener->doors[listener->count];

	door->listener = listener;
	door->here = *here;
	door->descriptor = socket_open(here->address.family);
	*ret_taken = false;
	if (door->descriptor < 0) {
		err_set_errno(err, errno, "cannot make a socket");
		return false;
	}
	listener->count++;
	socket_settle(door->descriptor);
	if (!socket_bind(door->descriptor, here) || listen(door->descriptor, BACKLOG)) {
		*ret_taken = errno == EADDRINUSE;
		err_set_errno(err, errno, "cannot be listened at");
		return false;
	}
	door->event = event_new(listener->filter->base, door->descriptor, EV_READ | EV_PERSIST,
				on_client, door);
	if (!door->event)
		memory_exhausted();
	return true;
}

bool listener_open(struct filter *filter, struct listener **ret, bool *ret_taken, struct err *err)
{
	const struct address_ports *wanted = &filter->settings.listen;
	struct listener *listener = memory_allocate(1, sizeof(*listener));
	char text[ADDRESS_TEXT_SIZE];

	listener->filter = filter;
	listener->resume = evtimer_new(filter->base, on_resume, listener);
	if (!listener->resume)
		memory_exhausted();
	for (size_t i = 0; i < wanted->count; i++) {
		const struct address_port *here = &wanted->items[i];

		if (open_door(listener, here, ret_taken, err))
			continue;
		err_wrap(err, "listen[%zu]: %s port %u", i, address_format(&here->address, text),
			 here->port);
		listener_close(listener);
		return false;
	}
	*ret = listener;
	return true;
}

void listener_start(struct listener *listener)
{
	resume(listener);
}

void listener_close(struct listener *listener)
{
	for (size_t i = 0; i < listener->count; i++) {
		if (listener->doors[i].event)
			event_free(listener->doors[i].event);
		close(listener->doors[i].descriptor);
	}
	event_free(listener->resume);
	free(listener);
}
