/* rights.c: whom sudoers(5) and doas.conf(5) let become somebody else; a simple reading. */
#include "doctor/rights.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { ALIASES_MAX = 256 };

/* Aliases of users that the person is in. */
struct aliases {
	struct word names[ALIASES_MAX];
	size_t count;
};

void sudo_join(const void *text, size_t length, struct buffer *out)
{
	const char *from = text;

	for (size_t i = 0; i < length; i++) {
		if (from[i] == '\\' && i + 1 < length && from[i + 1] == '\n') {
			buffer_append_text(out, " ");
			i++;
		} else {
			buffer_append_u8(out, (uint8_t)from[i]);
		}
	}
}

/* "#include FILE", "@include FILE", "#includedir DIRECTORY", "@includedir DIRECTORY" */
bool sudo_include_next(struct cursor *text, struct sudo_include *ret)
{
	struct cursor line;

	while (line_next(text, &line)) {
		struct word key;

		if (!word_next(&line, &key))
			continue;
		ret->directory = word_is(key, "#includedir") || word_is(key, "@includedir");
		if (!ret->directory && !word_is(key, "#include") && !word_is(key, "@include"))
			continue;
		ret->path = word_rest(&line);
		if (ret->path.length > 1 && *ret->path.text == '"' &&
		    ret->path.text[ret->path.length - 1] == '"')
			ret->path = (struct word){ ret->path.text + 1, ret->path.length - 2 };
		if (ret->path.length)
			return true;
	}
	return false;
}

static bool is_group(struct word word, const struct person *person)
{
	uint64_t gid;
	bool by_number =
		word.length && *word.text == '#' &&
		word_number((struct word){ word.text + 1, word.length - 1 }, 10, UINT32_MAX, &gid);

	for (size_t i = 0; i < person->group_count; i++)
		if (by_number ? gid == person->gids[i]
			      : person->group_names[i] && word_is(word, person->group_names[i]))
			return true;
	return false;
}

static bool is_person(struct word word, const struct person *person)
{
	uint64_t uid;

	return (person->name && word_is(word, person->name)) ||
	       (word.length && *word.text == '#' &&
		word_number((struct word){ word.text + 1, word.length - 1 }, 10, UINT32_MAX,
			    &uid) &&
		uid == person->uid);
}

static struct word unquoted(struct word word)
{
	if (word.length > 1 && *word.text == '"' && word.text[word.length - 1] == '"')
		return (struct word){ word.text + 1, word.length - 2 };
	return word;
}

/* One entry of a list of users. */
static bool entry_matches(struct word word, const struct person *person,
			  const struct aliases *aliases)
{
	word = unquoted(word_trim(word));
	if (word_is(word, "ALL") || is_person(word, person))
		return true;
	if (word.length && *word.text == '%')
		return is_group(unquoted((struct word){ word.text + 1, word.length - 1 }), person);
	for (size_t i = 0; i < aliases->count; i++)
		if (word.length == aliases->names[i].length &&
		    !memcmp(word.text, aliases->names[i].text, word.length))
			return true;
	return false;
}

static bool list_matches(struct word list, const struct person *person,
			 const struct aliases *aliases)
{
	struct cursor cursor = cursor_over(list.text, list.length);
	struct word entry;

	while (part_next(&cursor, ',', &entry))
		if (entry_matches(entry, person, aliases))
			return true;
	return false;
}

/* The rest of "User_Alias A = one, two : B = three". True: one was added. */
static bool add_aliases(struct cursor *line, const struct person *person, struct aliases *aliases)
{
	struct word definition, name;
	bool added = false;

	while (part_next(line, ':', &definition)) {
		struct cursor parts = cursor_over(definition.text, definition.length);

		if (!part_next(&parts, '=', &name) || aliases->count == ALIASES_MAX)
			continue;
		name = word_trim(name);
		if (!name.length || entry_matches(name, person, aliases) ||
		    !list_matches(word_rest(&parts), person, aliases))
			continue;
		aliases->names[aliases->count++] = name;
		added = true;
	}
	return added;
}

/* An alias may be used before it is defined. */
static void collect_aliases(const void *text, size_t length, const struct person *person,
			    struct aliases *aliases)
{
	bool added = true;

	while (added) {
		struct cursor cursor = cursor_over(text, length), line;

		added = false;
		while (line_next(&cursor, &line)) {
			struct word key;

			if (word_next(&line, &key) && word_is(key, "User_Alias"))
				added = add_aliases(&line, person, aliases) || added;
		}
	}
}

/* The list of users at the beginning of a rule: words, as long as commas join them. */
static struct word user_list(struct cursor *line)
{
	struct word list = { NULL, 0 }, word;

	while (word_next(line, &word)) {
		struct cursor ahead = *line;
		struct word following = word_rest(&ahead);

		if (!list.text)
			list.text = word.text;
		list.length = (size_t)(word.text + word.length - list.text);
		if (word.text[word.length - 1] != ',' && !word_begins(following, ","))
			break;
	}
	return list;
}

static bool is_rule(const struct cursor *line)
{
	static const char *const others[] = { "Defaults",   "User_Alias", "Runas_Alias",
					      "Host_Alias", "Cmnd_Alias", "Cmd_Alias",
					      "@include" };
	struct cursor ahead = *line;
	struct word first;

	if (!word_next(&ahead, &first))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (word_begins(first, others[i]))
			return false;
	/* "#1500" is a uid, anything else behind "#" a comment. */
	return *first.text != '#' || (first.length > 1 && text_is_digit(first.text[1]));
}

bool sudo_may(const void *text, size_t length, const struct person *person, struct word *ret_line)
{
	struct cursor cursor = cursor_over(text, length), line;
	struct aliases aliases = { .count = 0 };

	collect_aliases(text, length, person, &aliases);
	while (line_next(&cursor, &line)) {
		struct cursor whole = line;

		if (!is_rule(&line) || !list_matches(user_list(&line), person, &aliases))
			continue;
		*ret_line = word_rest(&whole);
		return true;
	}
	return false;
}

/* Passes over "setenv { ... }", whose words could look like anything. */
static bool skip_braces(struct cursor *line)
{
	struct word word;

	while (word_next(line, &word))
		if (word.text[word.length - 1] == '}')
			return true;
	return false;
}

/* Behind "permit" or "deny": options, then who. */
static bool doas_identity(struct cursor *line, struct word *ret)
{
	static const char *const options[] = { "nopass", "nolog", "persist", "keepenv" };

	while (word_next(line, ret)) {
		bool option = false;

		if (word_is(*ret, "setenv")) {
			if (!skip_braces(line))
				return false;
			continue;
		}
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
			option = option || word_is(*ret, options[i]);
		if (!option)
			return true;
	}
	return false;
}

bool doas_may(const void *text, size_t length, const struct person *person, struct word *ret_line)
{
	struct cursor cursor = cursor_over(text, length), line;
	bool may = false;

	while (line_next(&cursor, &line)) {
		struct cursor whole = line;
		struct word verb, identity, word;
		uint64_t id;
		bool matches;

		if (!word_next(&line, &verb) ||
		    (!word_is(verb, "permit") && !word_is(verb, "deny")) ||
		    !doas_identity(&line, &identity))
			continue;
		identity = unquoted(identity);
		if (*identity.text == ':')
			matches = is_group((struct word){ identity.text + 1, identity.length - 1 },
					   person);
		else
			matches = is_person(identity, person) ||
				  (word_number(identity, 10, UINT32_MAX, &id) && id == person->uid);
		if (!matches)
			continue;
		if (word_is(verb, "permit")) {
			may = true;
			*ret_line = word_rest(&whole);
		} else if (!word_next(&line, &word)) {
			may = false; /* the last rule counts, and this one is for everything */
		}
	}
	return may;
}
