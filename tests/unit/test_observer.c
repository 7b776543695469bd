#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/wire.h"
#include "engine/digest.h"
#include "engine/observer.h"

static const char *const nodes[] = {"server", "client"};
static const struct observer_fault faults[] = {{"kill#1", "kill"}};
static const struct observer_cast cast = {nodes, 2, faults, 1};
static const struct observer_limits plenty = {1000, 1000000, 1000000};

/* A made-up agent: frames one after the other, the k-th at count 100 * (k + 1). */
struct story {
	struct buf frames;
	uint64_t counts[256];
	size_t count;
};

static void tell(struct story *s, struct wire_message m)
{
	uint8_t frame[WIRE_PAYLOAD_MAX + WIRE_OVERHEAD];
	m.vtime_ns = 10 * (s->count + 1);
	size_t size = wire_encode(&m, frame, sizeof frame);
	CU_ASSERT_FATAL(size > 0 && s->count < 256);
	buf_add(&s->frames, frame, size);
	s->counts[s->count] = 100 * (s->count + 1);
	s->count++;
}

static struct wire_bytes bytes(const void *data, size_t size)
{
	return (struct wire_bytes){data, size};
}

static struct wire_bytes text(const char *s)
{
	return bytes(s, strlen(s));
}

static const uint8_t plan[WIRE_DIGEST_SIZE] = {0xab};

static void tell_begin(struct story *s)
{
	tell(s, (struct wire_message){.type = WIRE_BEGIN, .bytes = bytes(plan, sizeof plan)});
}

static void tell_output(struct story *s, uint64_t stream, uint64_t offset, uint64_t sequence, const char *what)
{
	tell(s,
		(struct wire_message){.type = WIRE_OUTPUT,
			.node = 1,
			.invocation = 1,
			.stream = stream,
			.offset = offset,
			.sequence = sequence,
			.bytes = text(what)});
}

static void tell_exit(struct story *s, const char *out, const char *err)
{
	uint8_t out_sum[DIGEST_SIZE], err_sum[DIGEST_SIZE];
	digest_sha256(out, strlen(out), out_sum);
	digest_sha256(err, strlen(err), err_sum);
	tell(s,
		(struct wire_message){.type = WIRE_EXITED,
			.node = 1,
			.invocation = 1,
			.code = WIRE_BY_SIGNAL,
			.value = 9,
			.out_total = strlen(out),
			.err_total = strlen(err),
			.out_sha = bytes(out_sum, DIGEST_SIZE),
			.err_sha = bytes(err_sum, DIGEST_SIZE)});
}

static bool keep(void *data, const struct event *e, struct err *err)
{
	(void)err;
	event_write(e, data);
	return true;
}

/* What the observer makes of a story, fed `step` frames at a time. Lines of JSON, or the error's text. */
static char *observe(const struct story *s, const struct observer_limits *limits, size_t step)
{
	struct buf lines = {0};
	struct err err = {0};
	struct observer *o = observer_create(&cast, limits, (struct event_sink){keep, &lines});
	bool ok = true;
	for (size_t counted = 0; ok && counted <= s->count; counted += step)
		ok = observer_feed(o, (const uint8_t *)s->frames.data, s->frames.size, s->counts, counted, &err);
	ok = ok && observer_feed(o, (const uint8_t *)s->frames.data, s->frames.size, s->counts, s->count, &err);
	observer_destroy(o);
	if (!ok) {
		buf_clear(&lines);
		buf_str(&lines, err.text);
	}
	return buf_take(&lines);
}

static void tells_the_same_in_any_steps(void)
{
	struct story s = {0};
	tell_begin(&s);
	tell(&s, (struct wire_message){.type = WIRE_FAULT, .fault = 0, .code = WIRE_SELECTED, .node = 1});
	tell(&s, (struct wire_message){.type = WIRE_STARTED, .node = 1, .invocation = 1, .value = 40});
	tell_output(&s, 1, 0, 0, "one\ntw");
	tell_output(&s, 2, 0, 1, "oops");
	tell_output(&s, 1, 6, 2, "o\nrest");
	tell(&s, (struct wire_message){.type = WIRE_INPUT, .node = 1, .invocation = 1, .value = 4, .bytes = text("ls\n")});
	tell(&s, (struct wire_message){.type = WIRE_INPUT, .node = 1, .invocation = 1, .value = 10});
	tell_exit(&s, "one\ntwo\nrest", "oops");
	tell(&s, (struct wire_message){.type = WIRE_CLEANED, .node = 1, .invocation = 1});
	tell(&s, (struct wire_message){.type = WIRE_ENDING, .code = WIRE_END_DONE});
	tell(&s, (struct wire_message){.type = WIRE_END, .code = WIRE_END_DONE});
	char *whole = observe(&s, &plenty, 1000);
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"kind\":\"user.input\",\"inv\":1,\"text\":\"ls\\n\"}\n"));
	/* One that only says how much was read is no event. */
	CU_ASSERT_EQUAL(strstr(strstr(whole, "user.input") + 1, "user.input"), NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"node\":\"\",\"kind\":\"run.ending\",\"reason\":\"done\"}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole,
		"{\"seq\":4,\"icount\":400,\"vtime_ns\":40,\"node\":\"client\",\"kind\":\"io.line\",\"inv\":1,"
		"\"stream\":\"out\",\"line\":1,\"text\":\"one\"}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole,
		"\"icount\":600,\"vtime_ns\":60,\"node\":\"client\",\"kind\":\"io.line\",\"inv\":1,\"stream\":"
		"\"out\",\"line\":2,\"text\":\"two\"}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"stream\":\"out\",\"line\":3,\"text\":\"rest\",\"cut\":true}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"stream\":\"err\",\"line\":4,\"text\":\"oops\",\"cut\":true}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"signal\":\"SIGKILL\",\"out_bytes\":12,\"err_bytes\":4,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(whole, "\"kind\":\"run.end\",\"reason\":\"done\""));
	for (size_t step = 1; step < s.count; step++) {
		char *parts = observe(&s, &plenty, step);
		CU_ASSERT_STRING_EQUAL(whole, parts);
		free(parts);
	}
	free(whole);
	buf_free(&s.frames);
}

static void expect_refused(const struct story *s, const char *why)
{
	char *got = observe(s, &plenty, 1);
	if (!strstr(got, why))
		printf("got: %s\n", got);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, why));
	free(got);
}

static void refuses_what_no_agent_says(void)
{
	struct story gap = {0}, early = {0}, node = {0}, digest = {0}, twice = {0}, order = {0}, fault = {0};
	tell(&early, (struct wire_message){.type = WIRE_STARTED, .node = 0, .invocation = 1});
	expect_refused(&early, "before it began");
	tell_begin(&gap);
	tell(&gap, (struct wire_message){.type = WIRE_STARTED, .node = 1, .invocation = 1});
	tell_output(&gap, 1, 5, 0, "x");
	expect_refused(&gap, "not whole");
	tell_begin(&node);
	tell(&node, (struct wire_message){.type = WIRE_READY, .node = 2, .invocation = 1});
	expect_refused(&node, "spoke of node 2");
	tell_begin(&digest);
	tell(&digest, (struct wire_message){.type = WIRE_STARTED, .node = 1, .invocation = 1});
	tell_output(&digest, 1, 0, 0, "abc");
	tell_exit(&digest, "abd", "");
	expect_refused(&digest, "is not what it wrote");
	tell_begin(&twice);
	tell_begin(&twice);
	expect_refused(&twice, "began twice");
	tell_begin(&order);
	tell(&order, (struct wire_message){.type = WIRE_RUN});
	expect_refused(&order, "only it may receive");
	tell_begin(&fault);
	tell(&fault, (struct wire_message){.type = WIRE_FAULT, .fault = 1, .code = WIRE_APPLIED});
	expect_refused(&fault, "fault 1");
	struct story *all[] = {&gap, &early, &node, &digest, &twice, &order, &fault};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		buf_free(&all[i]->frames);
}

static void refuses_every_broken_byte(void)
{
	struct story s = {0};
	tell_begin(&s);
	tell(&s, (struct wire_message){.type = WIRE_END, .code = WIRE_END_DONE});
	for (size_t i = 0; i < s.frames.size; i++) {
		s.frames.data[i] ^= 0x10;
		char *got = observe(&s, &plenty, 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(got, "frame "));
		free(got);
		s.frames.data[i] ^= 0x10;
	}
	buf_free(&s.frames);
}

static size_t count_lines(const char *text_)
{
	size_t n = 0;
	for (; *text_; text_++)
		n += *text_ == '\n';
	return n;
}

static void cuts_at_limits(void)
{
	struct story s = {0};
	tell_begin(&s);
	tell(&s, (struct wire_message){.type = WIRE_STARTED, .node = 1, .invocation = 1});
	tell_output(&s, 1, 0, 0, "a\nb\nc\nd\n");
	tell(&s, (struct wire_message){.type = WIRE_END, .code = WIRE_END_DONE});
	char *got = observe(&s, &(struct observer_limits){5, 1000, 1000}, 1);
	CU_ASSERT_EQUAL(count_lines(got), 5);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		got, "{\"seq\":5,\"icount\":300,\"vtime_ns\":30,\"node\":\"\",\"kind\":\"run.end\",\"reason\":\"event_limit\""));
	free(got);
	got = observe(&s, &(struct observer_limits){100, 4, 1000}, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "\"text\":\"b\"}\n"));
	CU_ASSERT_PTR_NULL(strstr(got, "\"text\":\"c\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "byte_limit"));
	free(got);
	got = observe(&s, &(struct observer_limits){100, 1000, 250}, 1);
	CU_ASSERT_EQUAL(count_lines(got), 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "\"seq\":3,\"icount\":250,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "instruction_limit"));
	free(got);
	buf_free(&s.frames);
}

static void cuts_long_lines_into_pieces(void)
{
	struct story s = {0};
	size_t size = OBSERVER_LINE_MAX + 10;
	char *line = mem_alloc(size + 2);
	memset(line, 'x', size);
	line[size] = '\n';
	tell_begin(&s);
	tell(&s, (struct wire_message){.type = WIRE_STARTED, .node = 1, .invocation = 1});
	tell_output(&s, 1, 0, 0, line);
	tell_output(&s, 1, size + 1, 1, "next\n");
	char *got = observe(&s, &plenty, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "x\",\"cut\":true}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "\"line\":1,\"text\":\"xxxxxxxxxx\"}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "\"line\":2,\"text\":\"next\"}\n"));
	free(got);
	free(line);
	buf_free(&s.frames);
}

const struct test suite_observer[] = {
	{"tells the same in any steps", tells_the_same_in_any_steps},
	{"refuses what no agent says", refuses_what_no_agent_says},
	{"refuses every broken byte", refuses_every_broken_byte},
	{"cuts at limits", cuts_at_limits},
	{"cuts long lines into pieces", cuts_long_lines_into_pieces},
	{0},
};
