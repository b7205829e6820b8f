/* test_http_request.c: every request has its answer, and the server sees what was judged. */
#include "filter/answer.h"
#include "filter/http_reader.h"
#include "filter/http_request.h"
#include "policy/decide.h"
#include "request_corpus.h"

#include "suite.h"

#include <string.h>

/* What a filter makes of a stream, apart from sockets. */
struct outcome {
	struct buffer answers; /* statuses with blanks between */
	struct buffer sent;
};

static void add_status(struct outcome *outcome, unsigned status)
{
	buffer_printf(&outcome->answers, "%s%u", outcome->answers.length ? " " : "", status);
}

static struct policy corpus_policy(void)
{
	static const char text[] = "{\"network_mode\":\"allowlist\",\"users\":[\"agent\"],\"allowed_hosts\":"
				   "[" CORPUS_ALLOWED "]}";
	struct policy policy;
	struct err err;

	ck_assert_msg(policy_parse(text, sizeof(text) - 1, &policy, &err), "%s", err.text);
	return policy;
}

/* Whether the request may go on; its answer is noted. */
static bool judge_head(const struct policy *policy, const struct http_head *head, const struct target *tunnel,
		       struct http_request *ret, bool *ret_allowed, struct outcome *outcome)
{
	struct decision decision;
	struct http_fault fault;

	if (!http_request_read(head, tunnel, ret, &fault)) {
		add_status(outcome, fault.status);
		return false;
	}
	decide(policy, &ret->target, &decision);
	/* Loopback is open to the agent, and not through the filter. */
	*ret_allowed = ret->agrees && decision.verdict == VERDICT_ALLOW && decision.layer == LAYER_PROXY;
	if (*ret_allowed && http_request_ends_here(ret)) {
		add_status(outcome, answer_final_status(head));
		*ret_allowed = false;
		return true;
	}
	add_status(outcome, *ret_allowed ? 200 : 403);
	if (*ret_allowed && ret->form != HTTP_FORM_AUTHORITY)
		http_request_write(head, ret, &outcome->sent);
	return true;
}

struct run {
	const struct policy *policy;
	const struct target *tunnel;
	struct http_reader reader;
	struct http_request request;
	bool allowed, ended;
	struct outcome outcome;
};

static void on_event(struct run *run, enum http_event event, const struct http_fault *fault)
{
	switch (event) {
	case HTTP_EVENT_MORE:
		break;
	case HTTP_EVENT_HEAD:
		if (!judge_head(run->policy, &run->reader.head, run->tunnel, &run->request, &run->allowed,
				&run->outcome))
			run->ended = true;
		else if (run->request.form == HTTP_FORM_AUTHORITY)
			run->ended = true;
		break;
	case HTTP_EVENT_END:
		run->ended = !run->request.keep_alive;
		http_request_free(&run->request);
		break;
	case HTTP_EVENT_FAULT:
		/* What is wrong with a body comes behind the request's own answer, or in its place. */
		if (run->reader.head.octets.length && run->request.method)
			run->outcome.answers.length -= run->outcome.answers.length > 3 ? 4 : 3;
		add_status(&run->outcome, fault->status);
		run->ended = true;
		break;
	}
}

static struct outcome run_stream(const struct policy *policy, const char *tunnel_text, const struct buffer *stream,
				 size_t step)
{
	struct target tunnel = { .host = "" };
	struct run run = { .policy = policy, .tunnel = tunnel_text ? &tunnel : NULL };
	size_t at = 0, have = 0, used;
	struct http_fault fault;
	struct err err;

	if (tunnel_text)
		ck_assert_msg(target_parse(tunnel_text, &tunnel, &err), "%s", err.text);
	http_reader_start(&run.reader, HTTP_KIND_REQUEST, CORPUS_HEADER_BYTES);
	while (!run.ended) {
		struct buffer body = { 0 };
		enum http_event event =
			http_read(&run.reader, stream->data + at, have - at, &used, &body, &fault);

		ck_assert_uint_le(used, have - at);
		at += used;
		if (run.allowed)
			buffer_append(&run.outcome.sent, body.data, body.length);
		buffer_free(&body);
		on_event(&run, event, &fault);
		if (event != HTTP_EVENT_MORE)
			continue;
		ck_assert_uint_eq(at, have);
		if (have == stream->length)
			break;
		have = stream->length - have < step ? stream->length : have + step;
	}
	if (!run.outcome.answers.length)
		buffer_append_text(&run.outcome.answers, "-");
	http_request_free(&run.request);
	http_reader_free(&run.reader);
	target_free(&tunnel);
	return run.outcome;
}

/* What differs is noted in `wrong`, so that one run shows all of it. */
static void check_row(const struct policy *policy, const struct request_row *row, size_t step,
		      struct buffer *wrong)
{
	struct buffer stream;
	struct outcome outcome;

	request_row_make(row, &stream);
	outcome = run_stream(policy, row->tunnel, &stream, step);
	if (strcmp(buffer_string(&outcome.answers), row->answers))
		buffer_printf(wrong, "%s in steps of %zu: %s, not %s\n", row->what, step,
			      buffer_string(&outcome.answers), row->answers);
	else if (row->sent && strcmp(buffer_string(&outcome.sent), row->sent))
		buffer_printf(wrong, "%s in steps of %zu: sent\n%s", row->what, step,
			      buffer_string(&outcome.sent));
	buffer_free(&outcome.answers);
	buffer_free(&outcome.sent);
	buffer_free(&stream);
}

START_TEST(every_request_has_its_answer)
{
	struct policy policy = corpus_policy();
	struct buffer wrong = { 0 };
	static const size_t steps[] = { 100000, 1, 2, 3, 7, 50 };

	ck_assert_uint_ge(request_corpus_count, 300);
	for (size_t i = 0; i < request_corpus_count; i++)
		for (size_t step = 0; step < COUNT_OF(steps) && !request_corpus[i].heads; step++)
			check_row(&policy, &request_corpus[i], steps[step], &wrong);
	ck_assert_msg(!wrong.length, "%s", buffer_string(&wrong));
	buffer_free(&wrong);
	policy_free(&policy);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { every_request_has_its_answer };

	return suite_run("http_request", tests, COUNT_OF(tests));
}
