/* log_summary.c: a decision log summed up: its lines read, counted by host and by time. */
#include "plan/log_summary.h"

#include "base/memory.h"
#include "base/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MAX = 255, FIRST_PLACES = 64, FIRST_WIDTH = 60, FAILED = 500 };

void log_summary_free(struct log_summary *summary)
{
	for (size_t i = 0; i < summary->host_count; i++)
		free(summary->hosts[i].name);
	free(summary->hosts);
	free(summary->places);
	*summary = (struct log_summary){ 0 };
}

/* Where the host stands or would stand. There is a limit to how many there are. */
static uint32_t *find_place(const struct log_summary *summary, const char *name)
{
	size_t mask = summary->place_count - 1, at = text_hash(name) & mask;

	while (summary->places[at] &&
	       strcmp(summary->hosts[summary->places[at] - 1].name, name) != 0)
		at = (at + 1) & mask;
	return &summary->places[at];
}

static void grow(struct log_summary *summary)
{
	summary->place_count = summary->place_count ? summary->place_count * 2 : FIRST_PLACES;
	free(summary->places);
	summary->places = memory_allocate(summary->place_count, sizeof(*summary->places));
	summary->hosts =
		memory_resize(summary->hosts, summary->place_count / 2, sizeof(*summary->hosts));
	for (size_t i = 0; i < summary->host_count; i++)
		*find_place(summary, summary->hosts[i].name) = (uint32_t)(i + 1);
}

/* The host's count; beyond the limit that of all others. */
static struct log_count *count_of(struct log_summary *summary, const char *name)
{
	uint32_t *place;

	if (summary->host_count >= summary->place_count / 2 &&
	    summary->host_count < SUMMARY_HOSTS_MAX)
		grow(summary);
	place = find_place(summary, name);
	if (*place)
		return &summary->hosts[*place - 1].count;
	if (summary->host_count == SUMMARY_HOSTS_MAX)
		return &summary->others;
	summary->hosts[summary->host_count] = (struct log_host){ .name = memory_copy_string(name) };
	*place = (uint32_t)++summary->host_count;
	return &summary->hosts[*place - 1].count;
}

/*
 * A log that somebody made up may have more than can be counted: the most, then, and never little.
 */
static void add(uint64_t *to, uint64_t more)
{
	*to = more > UINT64_MAX - *to ? UINT64_MAX : *to + more;
}

static void add_count(struct log_count *to, const struct log_count *more)
{
	add(&to->allowed, more->allowed);
	add(&to->failed, more->failed);
	add(&to->refused, more->refused);
	add(&to->bytes_up, more->bytes_up);
	add(&to->bytes_down, more->bytes_down);
}

/* Days from 1970-01-01 of a day of the proleptic Gregorian calendar, with March as first month. */
static int64_t days_from(int64_t year, int64_t month, int64_t day)
{
	int64_t from_march = month > 2 ? month - 3 : month + 9;
	int64_t y = month > 2 ? year : year - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * from_march + 2) / 5 + day - 1 - 719468;
}

static bool read_number(const char *text, size_t digits, int64_t least, int64_t most, int64_t *ret)
{
	int64_t value = 0;

	for (size_t i = 0; i < digits; i++) {
		if (!text_is_digit(text[i]))
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*ret = value;
	return value >= least && value <= most;
}

/* "2026-11-30T08:47:01.086Z", to the second. */
static bool read_time(const char *text, int64_t *ret)
{
	int64_t year, month, day, hour, minute, second;

	if (strnlen(text, 20) < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
	    text[13] != ':' || text[16] != ':' || !read_number(text, 4, 1970, 9999, &year) ||
	    !read_number(text + 5, 2, 1, 12, &month) || !read_number(text + 8, 2, 1, 31, &day) ||
	    !read_number(text + 11, 2, 0, 23, &hour) ||
	    !read_number(text + 14, 2, 0, 59, &minute) ||
	    !read_number(text + 17, 2, 0, 60, &second))
		return false;
	*ret = ((days_from(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}

uint64_t log_count_total(const struct log_count *count)
{
	uint64_t total = count->allowed;

	add(&total, count->failed);
	add(&total, count->refused);
	return total;
}

bool log_count_is_any(const struct log_count *count)
{
	return log_count_total(count) || count->bytes_up || count->bytes_down;
}

/* Lets the stretches begin and be as long that both what is there and this time are in them. */
static void make_room(struct log_summary *summary, int64_t time)
{
	struct log_count moved[SUMMARY_STRETCHES] = { 0 };
	int64_t low = time, high = time, width = summary->width ? summary->width : FIRST_WIDTH;
	int64_t first;

	for (size_t i = 0; summary->width && i < SUMMARY_STRETCHES; i++)
		if (log_count_is_any(&summary->stretches[i])) {
			int64_t at = summary->first + (int64_t)i * summary->width;

			low = at < low ? at : low;
			high = at > high ? at : high;
		}
	while (high / width - low / width >= SUMMARY_STRETCHES)
		width *= 2;
	first = low / width * width;
	for (size_t i = 0; summary->width && i < SUMMARY_STRETCHES; i++)
		if (log_count_is_any(&summary->stretches[i])) {
			int64_t at = summary->first + (int64_t)i * summary->width;

			add_count(&moved[(at - first) / width], &summary->stretches[i]);
		}
	memcpy(summary->stretches, moved, sizeof(moved));
	summary->first = first;
	summary->width = width;
}

static void add_at(struct log_summary *summary, int64_t time, const struct log_count *count)
{
	if (!summary->width || time < summary->first ||
	    time >= summary->first + summary->width * SUMMARY_STRETCHES)
		make_room(summary, time);
	add_count(&summary->stretches[(time - summary->first) / summary->width], count);
}

static uint64_t number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;

	return number > 0 ? (uint64_t)number : 0;
}

static bool is_text(const json_t *value, const char *text)
{
	return json_is_string(value) && !strcmp(json_string_value(value), text);
}

/*
 * A tunnel has a line when it is decided upon, and one with its bytes when it ends. One that has a
 * status of the filter's own (502, 503, 504) from the start came to nothing: what a server answers
 * is not known that early.
 */
static bool read_count(const json_t *object, struct log_count *ret)
{
	const json_t *event = json_object_get(object, "event");
	bool first = !event || is_text(event, "decision");
	const json_t *decision = json_object_get(object, "decision");

	if (!first && !is_text(event, "end"))
		return false;
	if (is_text(decision, "block")) {
		ret->refused = first;
		return true;
	}
	if (first && number_of(object, "status") >= FAILED)
		ret->failed = 1;
	else
		ret->allowed = first;
	ret->bytes_up = number_of(object, "bytes_up");
	ret->bytes_down = number_of(object, "bytes_down");
	return is_text(decision, "allow");
}

static bool add_object(struct log_summary *summary, const json_t *object)
{
	static const char no_host[] = "(names no host)";
	const char *host = json_string_value(json_object_get(object, "host"));
	const char *when = json_string_value(json_object_get(object, "time"));
	struct log_count count = { 0 };
	int64_t time;

	if (!host || strlen(host) > HOST_MAX || !when || !read_time(when, &time) ||
	    !read_count(object, &count))
		return false;
	add_count(count_of(summary, *host ? host : no_host), &count);
	add_count(&summary->all, &count);
	add_at(summary, time, &count);
	return true;
}

/*
 * What the log says of itself, as at its rotation, and of those who asked whether the filter
 * answers.
 */
static bool take_remark(struct log_summary *summary, const json_t *object)
{
	const json_t *event = json_object_get(object, "event");
	bool dropped = is_text(event, "dropped"), full = is_text(event, "full");
	uint64_t files = dropped ? number_of(object, "files") : 0;

	if (is_text(event, "check"))
		return true;
	if (json_object_get(object, "decision") || !(dropped || full || is_text(event, "rotated")))
		return false;
	if (files > summary->dropped)
		summary->dropped = files;
	summary->full |= full;
	return true;
}

void log_summary_add(struct log_summary *summary, const void *line, size_t length)
{
	json_t *object = NULL;

	if (!length)
		return;
	if (length <= SUMMARY_LINE_MAX)
		object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	if (!take_remark(summary, object) && !(object && add_object(summary, object)))
		summary->malformed++;
	json_decref(object);
}

static int compare_hosts(const void *left, const void *right, void *context)
{
	const struct log_host *hosts = context, *one = &hosts[*(const size_t *)left],
			      *other = &hosts[*(const size_t *)right];
	uint64_t one_all = log_count_total(&one->count), other_all = log_count_total(&other->count);

	if (one_all != other_all)
		return one_all > other_all ? -1 : 1;
	return strcmp(one->name, other->name);
}

void log_summary_top(const struct log_summary *summary, size_t ret[SUMMARY_TOP], size_t *ret_count)
{
	autofree size_t *order = memory_allocate(summary->host_count, sizeof(*order));

	for (size_t i = 0; i < summary->host_count; i++)
		order[i] = i;
	if (summary->host_count)
		qsort_r(order, summary->host_count, sizeof(*order), compare_hosts, summary->hosts);
	*ret_count = summary->host_count < SUMMARY_TOP ? summary->host_count : SUMMARY_TOP;
	for (size_t i = 0; i < *ret_count; i++)
		ret[i] = order[i];
}

static bool is_among(size_t host, const size_t *top, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (top[i] == host)
			return true;
	return false;
}

struct log_count log_summary_rest(const struct log_summary *summary, const size_t *top,
				  size_t count)
{
	struct log_count rest = summary->others;

	for (size_t i = 0; i < summary->host_count; i++)
		if (!is_among(i, top, count))
			add_count(&rest, &summary->hosts[i].count);
	return rest;
}

size_t log_summary_last_stretch(const struct log_summary *summary)
{
	size_t last = 0;

	for (size_t i = 0; i < SUMMARY_STRETCHES; i++)
		if (log_count_is_any(&summary->stretches[i]))
			last = i;
	return last;
}
