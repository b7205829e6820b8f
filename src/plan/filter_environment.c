/* filter_environment.c: the variables by which programs find the filter. */
#include "plan/filter_environment.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* What is on this machine is reached directly; nothing else is. */
#define DIRECT "localhost,127.0.0.1,::1"
#define DIRECT_JAVA "localhost|127.0.0.1|[::1]"

char **filter_environment(const struct address_ports *listen)
{
	static const char *const names[] = { "http_proxy", "https_proxy", "all_proxy",
					     "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY" };
	enum { NAMES = sizeof(names) / sizeof(*names), OTHERS = 4 };
	const struct address_port *first = listen->items;
	char **variables = memory_allocate(NAMES + OTHERS + 1, sizeof(*variables));
	char place[ADDRESS_PORT_TEXT_SIZE], address[ADDRESS_TEXT_SIZE];
	size_t count = 0;

	address_format(&first->address, address);
	for (size_t i = 0; i < NAMES; i++)
		variables[count++] =
			memory_format("%s=http://%s", names[i], address_port_format(first, place));
	variables[count++] = memory_copy_string("no_proxy=" DIRECT);
	variables[count++] = memory_copy_string("NO_PROXY=" DIRECT);
	variables[count++] = memory_copy_string("NODE_USE_ENV_PROXY=1");
	variables[count++] = memory_format(
		"JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=%s -Dhttp.proxyPort=%u -Dhttps.proxyHost=%s "
		"-Dhttps.proxyPort=%u -Dhttp.nonProxyHosts=" DIRECT_JAVA,
		address, first->port, address, first->port);
	return variables;
}

static bool is_name(const char *variable)
{
	const char *at = variable;

	if (!text_is_letter(*at) && *at != '_')
		return false;
	while (text_is_letter(*at) || text_is_digit(*at) || *at == '_')
		at++;
	return *at == '=';
}

/* Within quotation marks of this kind nothing means anything but such a mark. */
static void print_quoted(const char *value, struct buffer *out)
{
	buffer_append_text(out, "'");
	for (; *value; value++)
		if (*value == '\'')
			buffer_append_text(out, "'\\''");
		else
			buffer_append_u8(out, (uint8_t)*value);
	buffer_append_text(out, "'");
}

void environment_print_shell(char *const *variables, struct buffer *out)
{
	for (size_t i = 0; variables[i]; i++) {
		const char *equals = strchr(variables[i], '=');

		if (!is_name(variables[i]))
			continue;
		buffer_printf(out, "export %.*s=", (int)(equals - variables[i]), variables[i]);
		print_quoted(equals + 1, out);
		buffer_append_text(out, "\n");
	}
}
