/* proc_status.c: what /proc tells of a process, and uname(2) of the kernel. */
#include "doctor/proc_status.h"

#include "doctor/words.h"

#include <linux/capability.h>
#include <string.h>

static const struct {
	const char *line, *name;
} sets[] = {
	[SET_EFFECTIVE] = { "CapEff:", "effective" },
	[SET_PERMITTED] = { "CapPrm:", "permitted" },
	[SET_INHERITABLE] = { "CapInh:", "inheritable" },
	[SET_BOUNDING] = { "CapBnd:", "bounding" },
	[SET_AMBIENT] = { "CapAmb:", "ambient" },
};
_Static_assert(sizeof(sets) / sizeof(*sets) == CAPABILITY_SETS, "one line per set");

/* Those that decide whether a process can be confined, or leave the confinement. */
static const struct {
	unsigned number;
	const char *name;
} deciding[] = {
	{ CAP_NET_ADMIN, "NET_ADMIN" },   { CAP_NET_RAW, "NET_RAW" },
	{ CAP_SETUID, "SETUID" },         { CAP_SETGID, "SETGID" },
	{ CAP_SETPCAP, "SETPCAP" },       { CAP_SYS_ADMIN, "SYS_ADMIN" },
	{ CAP_SYS_PTRACE, "SYS_PTRACE" }, { CAP_CHOWN, "CHOWN" },
};

static int small_number(struct word word)
{
	uint64_t number;

	return word_number(word, 10, 9, &number) ? (int)number : -1;
}

bool process_status_parse(const void *text, size_t length, struct process_status *ret)
{
	struct process_status found = { .no_new_privs = -1, .seccomp = -1 };
	struct cursor cursor = cursor_over(text, length), line;
	unsigned seen = 0;
	bool has_uid = false;

	while (line_next(&cursor, &line)) {
		struct word key, value, effective;
		uint64_t number;

		if (!word_next(&line, &key) || !word_next(&line, &value))
			continue;
		if (word_is(key, "PPid:") && word_number(value, 10, UINT32_MAX, &number))
			found.parent = (uint32_t)number;
		if (word_is(key, "Uid:") && word_next(&line, &effective) &&
		    word_number(effective, 10, UINT32_MAX, &number)) {
			found.uid = (uint32_t)number;
			has_uid = true;
		}
		if (word_is(key, "State:"))
			found.ended = word_is(value, "Z") || word_is(value, "X");
		if (word_is(key, "NoNewPrivs:"))
			found.no_new_privs = small_number(value);
		if (word_is(key, "Seccomp:"))
			found.seccomp = small_number(value);
		for (unsigned i = 0; i < CAPABILITY_SETS; i++)
			if (word_is(key, sets[i].line) &&
			    word_number(value, 16, UINT64_MAX, &found.capabilities[i]))
				seen |= 1U << i;
	}
	/* Kernels before 4.3 have no ambient set. */
	seen |= 1U << SET_AMBIENT;
	if (!has_uid || seen != (1U << CAPABILITY_SETS) - 1)
		return false;
	*ret = found;
	return true;
}

bool process_has(const struct process_status *status, enum capability_set set, unsigned capability)
{
	return status->capabilities[set] >> capability & 1;
}

void process_print_capabilities(const struct process_status *status, struct buffer *out)
{
	for (unsigned i = 0; i < CAPABILITY_SETS; i++) {
		bool any = false;

		buffer_printf(out, "%s%s", i ? ", " : "", sets[i].name);
		for (size_t j = 0; j < sizeof(deciding) / sizeof(*deciding); j++) {
			if (!process_has(status, (enum capability_set)i, deciding[j].number))
				continue;
			buffer_printf(out, " %s", deciding[j].name);
			any = true;
		}
		if (!any)
			buffer_append_text(out, status->capabilities[i] ? " others" : " none");
	}
}

bool kernel_release_parse(const char *release, unsigned *ret_major, unsigned *ret_minor)
{
	struct cursor cursor = cursor_over(release, strlen(release));
	struct word major, rest;
	uint64_t first, second;
	size_t digits = 0;

	if (!part_next(&cursor, '.', &major) || !word_number(major, 10, 1000, &first) ||
	    !part_next(&cursor, '.', &rest))
		return false;
	while (digits < rest.length && rest.text[digits] >= '0' && rest.text[digits] <= '9')
		digits++;
	if (!word_number((struct word){ rest.text, digits }, 10, 1000000, &second))
		return false;
	*ret_major = (unsigned)first;
	*ret_minor = (unsigned)second;
	return true;
}
