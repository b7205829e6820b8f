/* cidr_list_notes.c: what a list of prefixes says otherwise than its policy. */
#include "plan/cidr_list_notes.h"

#include "base/memory.h"

#include <stdlib.h>

static void add(struct cidr_list *list, struct buffer *sentence)
{
	list->notes = memory_resize(list->notes, list->note_count + 1, sizeof(*list->notes));
	list->notes[list->note_count++] = buffer_steal(sentence);
}

/* Wider: no entry of a policy opens more than TCP, and few open all of its ports. */
static void note_ports(struct cidr_list *list, const struct destinations *const open[2])
{
	struct buffer sentence = { 0 };
	const char *separator = "";

	buffer_append_text(&sentence, "wider: every port and protocol is open, and not only TCP to "
				      "these ports: ");
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; open[i] && j < open[i]->count; j++) {
			const struct destination *entry = &open[i]->items[j];
			struct rangeset ports = destination_ports(entry);
			struct destination bare = *entry;
			char text[DESTINATION_TEXT_SIZE];

			bare.first_port = bare.last_port = 0;
			bare.scheme = SCHEME_NONE;
			buffer_printf(&sentence, "%s%s (", separator,
				      destination_format(&bare, text));
			rangeset_print(&ports, &sentence);
			buffer_append_text(&sentence, ")");
			rangeset_free(&ports);
			separator = ", ";
		}
	add(list, &sentence);
}

static void note_users(struct cidr_list *list, const struct policy *policy)
{
	struct buffer sentence = { 0 };

	if (!policy->users.count && !policy->exempt_users.count)
		return;
	buffer_printf(&sentence,
		      "narrower: the list holds for everybody in the sandbox, root too, whatever "
		      "%s says",
		      policy->users.count ? "users" : "exempt_users");
	add(list, &sentence);
}

/* Addresses of a kind that names have, and the list leaves out. */
static void note_addresses(struct cidr_list *list, const struct resolved *resolved, bool special,
			   const char *what)
{
	struct buffer sentence = { 0 };
	const char *separator = "";

	buffer_append_text(&sentence, what);
	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *name = &resolved->items[i];
		const struct addresses *all = special ? &name->refused : &name->found;

		for (size_t j = 0; j < all->count; j++) {
			char text[ADDRESS_TEXT_SIZE];

			if (!special && all->items[j].family == FAMILY_IPV4)
				continue;
			buffer_printf(&sentence, "%s%s (%s)", separator, name->name,
				      address_format(&all->items[j], text));
			separator = ", ";
		}
	}
	if (*separator)
		add(list, &sentence);
	else
		buffer_free(&sentence);
}

/* Fields that are about something else than where to. */
static void note_fields(struct cidr_list *list, const struct policy *policy)
{
	const struct {
		const char *name;
		bool said;
	} fields[] = {
		{ "loopback", !policy->loopback_any },
		{ "own_addresses", policy->own_addresses },
		{ "published_ports", policy->published_ports.count > 0 },
		{ "ownerless", policy->ownerless != OWNERLESS_DROP },
	};
	struct buffer sentence = { 0 };
	const char *separator = "";

	buffer_append_text(&sentence, "not in the list, so that the platform decides: ");
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].said) {
			buffer_printf(&sentence, "%s%s", separator, fields[i].name);
			separator = ", ";
		}
	if (*separator)
		add(list, &sentence);
	else
		buffer_free(&sentence);
}

static void note_names(struct cidr_list *list, const struct resolved *resolved)
{
	struct buffer sentence = { 0 };

	if (!resolved->count)
		return;
	buffer_append_text(&sentence,
			   "narrower: no resolver is in the list; names are found inside "
			   "only by lines in its hosts file (--json prints them)");
	add(list, &sentence);
}

void cidr_list_add_notes(struct cidr_list *list, const struct policy *policy,
			 const struct destinations *const open[2], const struct resolved *resolved)
{
	note_ports(list, open);
	note_users(list, policy);
	note_names(list, resolved);
	note_addresses(list, resolved, false, "narrower: IPv6 addresses are left out: ");
	note_addresses(list, resolved, true,
		       "left out, as apply does, are special-purpose addresses: ");
	note_fields(list, policy);
}
