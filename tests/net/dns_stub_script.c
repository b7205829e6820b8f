/* dns_stub_script.c: reads the script of the DNS server. */
#include "dns_stub.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const rcode_names[] = { "NOERROR",  "FORMERR", "SERVFAIL",
					   "NXDOMAIN", "NOTIMP",  "REFUSED" };

static const char *const malformed_names[MALFORMED_KINDS] = {
	[MALFORMED_NOT] = "not",
	[MALFORMED_EMPTY] = "empty",
	[MALFORMED_SHORT] = "short",
	[MALFORMED_ID] = "id",
	[MALFORMED_QUERY] = "query",
	[MALFORMED_OPCODE] = "opcode",
	[MALFORMED_NO_QUESTION] = "no-question",
	[MALFORMED_OTHER_QUESTION] = "other-question",
	[MALFORMED_COUNT] = "count",
	[MALFORMED_LENGTH] = "length",
	[MALFORMED_WIDTH] = "width",
	[MALFORMED_LOOP] = "loop",
	[MALFORMED_FORWARD] = "forward",
	[MALFORMED_LABEL] = "label",
	[MALFORMED_NAME] = "name",
	[MALFORMED_ALIAS] = "alias",
};

_Noreturn static void refuse(unsigned line, const char *word)
{
	fprintf(stderr, "dns_stub: line %u: \"%s\" is not understood\n", line, word);
	exit(EXIT_FAILURE);
}

static unsigned word_index(const char *word, const char *const *words, size_t count, unsigned line)
{
	for (size_t i = 0; i < count; i++)
		if (!strcasecmp(word, words[i]))
			return (unsigned)i;
	refuse(line, word);
}

const char *type_name(uint16_t type)
{
	static char number[16];

	if (type == TYPE_A)
		return "A";
	if (type == TYPE_AAAA)
		return "AAAA";
	if (type == TYPE_CNAME)
		return "CNAME";
	if (type == TYPE_ANY)
		return "ANY";
	snprintf(number, sizeof(number), "TYPE%u", type);
	return number;
}

static uint16_t type_parse(const char *word, unsigned line)
{
	static const uint16_t types[] = { TYPE_A, TYPE_AAAA, TYPE_CNAME, TYPE_ANY };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(word, type_name(types[i])))
			return types[i];
	refuse(line, word);
}

static void flag_parse(struct entry *entry, const char *word, unsigned line)
{
	if (!strcmp(word, "truncate"))
		entry->truncate = true;
	else if (!strcmp(word, "rotate"))
		entry->rotate = true;
	else if (!strcmp(word, "bare"))
		entry->bare = true;
	else if (!strcmp(word, "soa"))
		entry->soa = true;
	else if (!strcmp(word, "no-edns"))
		entry->no_edns = true;
	else
		refuse(line, word);
}

static void option_parse(struct entry *entry, const char *word, const char *value, unsigned line)
{
	if (!strncmp(word, "rcode=", 6))
		entry->rcode = word_index(value, rcode_names,
					  sizeof(rcode_names) / sizeof(*rcode_names), line);
	else if (!strncmp(word, "delay=", 6))
		entry->delay_ms = (unsigned)strtoul(value, NULL, 10);
	else if (!strncmp(word, "ttl=", 4))
		entry->ttl = (uint32_t)strtoul(value, NULL, 10);
	else if (!strncmp(word, "drop=", 5))
		entry->drop = strcmp(value, "all") ? (unsigned)strtoul(value, NULL, 10) : ~0U;
	else if (!strncmp(word, "from=", 5))
		entry->from = atoi(value);
	else if (!strncmp(word, "owner=", 6))
		entry->owner = memory_copy_string(value);
	else if (!strncmp(word, "malformed=", 10))
		entry->malformed = word_index(value, malformed_names, MALFORMED_KINDS, line);
	else
		refuse(line, word);
}

static void word_parse(struct entry *entry, const char *word, unsigned line)
{
	const char *equals = strchr(word, '=');
	struct address address;

	if (equals) {
		option_parse(entry, word, equals + 1, line);
	} else if (address_parse(word, &address)) {
		entry->addresses =
			memory_resize(entry->addresses, entry->address_count + 1, sizeof(address));
		entry->addresses[entry->address_count++] = address;
	} else if (entry->type == TYPE_CNAME && !entry->target) {
		entry->target = memory_copy_string(word);
	} else {
		flag_parse(entry, word, line);
	}
}

struct script script_read(const char *path)
{
	struct script script = { 0 };
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	for (unsigned line = 1; getline(&text, &size, file) > 0; line++) {
		char *name, *word, *rest = NULL;
		struct entry entry = { .from = -1, .ttl = 1 };

		text[strcspn(text, "#\n")] = '\0';
		name = strtok_r(text, " \t", &rest);
		if (!name)
			continue;
		word = strtok_r(NULL, " \t", &rest);
		entry.name = memory_copy_string(name);
		entry.type = type_parse(word ? word : "", line);
		while ((word = strtok_r(NULL, " \t", &rest)))
			word_parse(&entry, word, line);
		script.entries = memory_resize(script.entries, script.count + 1, sizeof(entry));
		script.entries[script.count++] = entry;
	}
	free(text);
	fclose(file);
	return script;
}

static bool name_matches(const char *pattern, const char *name)
{
	size_t length = strlen(name), suffix = strlen(pattern) - 1;

	if (pattern[0] != '*')
		return !strcasecmp(pattern, name);
	return !pattern[1] || (length > suffix && !strcasecmp(name + length - suffix, pattern + 1));
}

struct entry *script_find(const struct script *script, const char *name, uint16_t type,
			  bool *ret_known)
{
	*ret_known = false;
	for (size_t i = 0; i < script->count; i++) {
		struct entry *entry = &script->entries[i];

		if (!name_matches(entry->name, name))
			continue;
		*ret_known = true;
		if (entry->type == type || entry->type == TYPE_CNAME || entry->type == TYPE_ANY)
			return entry;
	}
	return NULL;
}
