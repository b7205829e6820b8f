/* filter_holder.c: who has a place where the filter should listen. */
#include "cmd/filter_holder.h"

#include "kernel/port_holder.h"
#include "system/socket_process.h"

#include <stdio.h>

/* It is only for a sentence. */
enum { LOOK_MS = 1000 };

static struct holder_text text_of(const struct port_holder *holder)
{
	struct holder_text text = { "" };
	struct socket_process process;

	/* Without CAP_SYS_PTRACE those that have more capabilities than none are not seen. */
	if (holder->listens)
		snprintf(text.text, sizeof(text.text), " (ss -ltnp names the process)");
	if (socket_process_find(holder->uid, holder->inode, LOOK_MS, &process))
		snprintf(text.text, sizeof(text.text), " (process %d, %s)", (int)process.pid,
			 process.name);
	return text;
}

struct holder_text filter_holder_text(const struct address_port *here, uint32_t uid)
{
	struct port_holder holder;

	if (!port_holder_find(here, LOOK_MS, &holder) || holder.uid != uid)
		return (struct holder_text){ "" };
	return text_of(&holder);
}

void filter_name_holder(const struct filter_plan *filter, struct err *err)
{
	struct port_holder holder;

	for (size_t i = 0; i < filter->listen.count; i++) {
		const struct address_port *here = &filter->listen.items[i];
		char text[ADDRESS_TEXT_SIZE];

		if (!port_holder_find(here, LOOK_MS, &holder))
			continue;
		err_append(err, ", or end what has %s port %u: a socket of uid %u%s",
			   address_format(&here->address, text), here->port, holder.uid,
			   text_of(&holder).text);
		return;
	}
	err_append(err, ", or end who has the port, whom this kernel does not name");
}
