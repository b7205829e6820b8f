/* settings_print.c: settings as the JSON that is read as the same settings. */
#include "filter/settings.h"

#include "base/text.h"

#include <inttypes.h>

static void print_address_ports(const char *name, const struct address_ports *list,
				struct buffer *out)
{
	char text[ADDRESS_PORT_TEXT_SIZE];

	buffer_printf(out, ",\n\"%s\": [", name);
	for (size_t i = 0; i < list->count; i++) {
		buffer_append_text(out, i ? ", " : "");
		buffer_printf(out, "\"%s\"", address_port_format(&list->items[i], text));
	}
	buffer_append_text(out, "]");
}

void settings_print(const struct settings *settings, struct buffer *out)
{
	const struct limits *limits = &settings->limits;

	buffer_append_text(out, "{\"policy\": ");
	policy_print(&settings->policy, out);
	print_address_ports("listen", &settings->listen, out);
	print_address_ports("nameservers", &settings->nameservers, out);
	buffer_append_text(out, ",\n\"log\": ");
	text_print_json(settings->log, out);
	buffer_printf(out,
		      ",\n\"log_size\": %" PRIu32 ",\n\"log_files\": %" PRIu32
		      ",\n\"log_full\": \"%s\",\n\"denial\": \"%s\"",
		      settings->log_size, settings->log_files, log_full_name(settings->log_full),
		      denial_name(settings->denial));
	buffer_printf(out,
		      ",\n\"limits\": {\"connections\": %" PRIu32 ", \"header_bytes\": %" PRIu32
		      ", \"hello_bytes\": %" PRIu32 ", \"head_ms\": %" PRIu32
		      ", \"connect_ms\": %" PRIu32 ", \"idle_ms\": %" PRIu32 "}}\n",
		      limits->connections, limits->header_bytes, limits->hello_bytes,
		      limits->head_ms, limits->connect_ms, limits->idle_ms);
}
