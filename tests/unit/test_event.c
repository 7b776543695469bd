#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include "engine/event.h"
#include "unit.h"

#define SHA  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HEAD "{\"seq\":1,\"icount\":20,\"vtime_ns\":300,\"node\":\"a\",\"kind\":"

/* Every kind, every field, as docs/FORMATS.md has them. */
static const char *const lines[] = {
	"{\"seq\":1,\"icount\":0,\"vtime_ns\":0,\"node\":\"\",\"kind\":\"run.start\",\"plan\":\"" SHA "\"}",
	HEAD "\"node.started\",\"inv\":1,\"pid\":57}",
	HEAD "\"node.ready\",\"inv\":1}",
	HEAD "\"node.launch_failed\",\"inv\":1,\"step\":\"execve /x\",\"errno\":\"ENOENT\"}",
	HEAD "\"node.launch_failed\",\"inv\":1,\"step\":\"?\",\"errno\":\"4000\"}",
	HEAD "\"node.exited\",\"inv\":2,\"exit\":0,\"out_bytes\":5,\"err_bytes\":6,\"out_sha256\":\"" SHA
	     "\",\"err_sha256\":\"" SHA "\"}",
	HEAD "\"node.exited\",\"inv\":2,\"signal\":\"SIGKILL\",\"out_bytes\":5,\"err_bytes\":6,\"out_sha256\":\"\",\"err_"
	     "sha256\":\"\"}",
	HEAD
	"\"node.exited\",\"inv\":2,\"signal\":\"40\",\"out_bytes\":5,\"err_bytes\":6,\"out_sha256\":\"\",\"err_sha256\":\"\"}",
	HEAD "\"node.cleaned\",\"inv\":1}",
	HEAD "\"proc.oom\",\"inv\":1,\"kills\":3}",
	HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":87,\"text\":\"acked 87\"}",
	HEAD "\"io.line\",\"inv\":1,\"stream\":\"err\",\"line\":18446744073709551615,\"text\":\"\",\"cut\":true}",
	HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":"
	     "\"\\\"\\\\\\n\\t\\r\\b\\f\\u0000\\u0001\\u001f\\u007f\xc3\xa9\"}",
	HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"hex\":\"ff00\",\"cut\":true}",
	HEAD "\"fault.selected\",\"fault\":\"kill#1\",\"type\":\"kill\",\"inv\":1,\"why\":\"\"}",
	HEAD "\"fault.applied\",\"fault\":\"kill#1\",\"type\":\"kill\",\"inv\":1,\"why\":\"\"}",
	HEAD "\"fault.rejected\",\"fault\":\"kill#1\",\"type\":\"kill\",\"inv\":0,\"why\":\"not running\"}",
	HEAD "\"fault.observed\",\"fault\":\"kill#1\",\"type\":\"kill\",\"inv\":1,\"why\":\"\"}",
	HEAD "\"fault.healed\",\"fault\":\"kill#1\",\"type\":\"kill\",\"inv\":2,\"why\":\"\"}",
	HEAD "\"user.event\",\"inv\":1,\"text\":\"{\\\"a\\\":1}\"}",
	HEAD "\"user.event\",\"inv\":1,\"hex\":\"80\"}",
	HEAD "\"run.ending\",\"reason\":\"done\"}",
	HEAD "\"run.end\",\"reason\":\"done\",\"why\":\"\"}",
};
#define LINES (sizeof lines / sizeof *lines)

static bool round_trip(const char *line)
{
	struct buf arena = {0}, out = {0};
	struct event e;
	struct err err = {0};
	bool same = event_parse(line, strlen(line), &arena, &e, &err);
	if (same) {
		event_write(&e, &out);
		same = out.size == strlen(line) + 1 && memcmp(out.data, line, out.size - 1) == 0 &&
			out.data[out.size - 1] == '\n';
	}
	buf_free(&arena);
	buf_free(&out);
	return same;
}

static void every_kind_comes_back(void)
{
	for (size_t i = 0; i < LINES; i++)
		CU_ASSERT_TRUE(round_trip(lines[i]));
}

static void fields_are_read(void)
{
	struct buf arena = {0};
	struct event e;
	struct err err = {0};

	CU_ASSERT_TRUE(event_parse(lines[13], strlen(lines[13]), &arena, &e, &err));
	CU_ASSERT_EQUAL(e.kind, EVENT_IO_LINE);
	CU_ASSERT_EQUAL(e.seq, 1);
	CU_ASSERT_EQUAL(e.icount, 20);
	CU_ASSERT_EQUAL(e.vtime_ns, 300);
	CU_ASSERT_STRING_EQUAL(e.node, "a");
	CU_ASSERT_EQUAL(e.text.size, 2);
	CU_ASSERT_TRUE(memcmp(e.text.data, "\xff\0", 2) == 0);
	CU_ASSERT_TRUE(e.cut);
	CU_ASSERT_TRUE(event_parse(lines[6], strlen(lines[6]), &arena, &e, &err));
	CU_ASSERT_TRUE(e.by_signal);
	CU_ASSERT_EQUAL(e.status, SIGKILL);
	CU_ASSERT_TRUE(event_parse(lines[3], strlen(lines[3]), &arena, &e, &err));
	CU_ASSERT_EQUAL(e.status, ENOENT);
	CU_ASSERT_STRING_EQUAL(e.why, "execve /x");
	buf_free(&arena);
}

/* No prefix of a line is a line, and none is read past its end (asan sees to that: the copy has exactly that size). */
static void cut_lines_are_refused(void)
{
	struct buf arena = {0};
	struct event e;

	for (size_t i = 0; i < LINES; i++)
		for (size_t size = 0; size < strlen(lines[i]); size++) {
			struct err err = {0};
			char *copy = malloc(size + !size);
			memcpy(copy, lines[i], size);
			CU_ASSERT_FALSE(event_parse(copy, size, &arena, &e, &err));
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
			CU_ASSERT_TRUE(strstr(err.text, "column ") == err.text);
			free(copy);
		}
	buf_free(&arena);
}

static void other_spellings_are_refused(void)
{
	static const char *const bad[] = {
		" " HEAD "\"node.ready\",\"inv\":1}",
		HEAD "\"node.ready\",\"inv\":1} ",
		HEAD "\"node.ready\",\"inv\":01}",
		HEAD "\"node.ready\",\"inv\":-1}",
		HEAD "\"node.ready\",\"inv\":18446744073709551616}",
		HEAD "\"node.ready\",\"inv\":1,\"pid\":1}",
		HEAD "\"node.dreamt\",\"inv\":1}",
		HEAD "\"node.started\",\"pid\":57,\"inv\":1}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"in\",\"line\":1,\"text\":\"\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\",\"cut\":false}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\\u0041\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\\u000a\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\\u001F\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\\/\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\t\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\xff\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"text\":\"\xed\xa0\x80\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"hex\":\"61\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"hex\":\"FF\"}",
		HEAD "\"io.line\",\"inv\":1,\"stream\":\"out\",\"line\":1,\"hex\":\"ff0\"}",
		HEAD "\"run.end\",\"reason\":\"a\\u0000b\",\"why\":\"\"}",
		HEAD "\"node.launch_failed\",\"inv\":1,\"step\":\"\",\"errno\":\"2\"}",
		HEAD "\"node.exited\",\"inv\":2,\"signal\":\"KILL\",\"out_bytes\":5,\"err_bytes\":6,\"out_sha256\":\"\",\"err_"
		     "sha256\":\"\"}",
		HEAD "\"node.exited\",\"inv\":2,\"exit\":4294967296,\"out_bytes\":5,\"err_bytes\":6,\"out_sha256\":\"\",\"err_"
		     "sha256\":\"\"}",
	};
	struct buf arena = {0};
	struct event e;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};
		CU_ASSERT_FALSE(event_parse(bad[i], strlen(bad[i]), &arena, &e, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	}
	struct err err = {0};
	event_parse(HEAD "\"node.ready\",\"inv\":x}", strlen(HEAD) + 21, &arena, &e, &err);
	CU_ASSERT_STRING_EQUAL(err.text, "column 74: expected a number without leading zeros");
	buf_free(&arena);
}

static void long_lines_are_refused(void)
{
	struct buf line = {0}, arena = {0};
	struct event e;
	struct err err = {0};

	buf_str(&line, HEAD "\"run.end\",\"reason\":\"done\",\"why\":\"");
	while (line.size < EVENT_LINE_MAX)
		buf_char(&line, 'a');
	buf_str(&line, "\"}");
	CU_ASSERT_FALSE(event_parse(line.data, line.size, &arena, &e, &err));
	buf_free(&line);
	buf_free(&arena);
}

static void broken_names_stay_json(void)
{
	struct buf out = {0};
	struct event e = {.node = "a", .kind = EVENT_RUN_END, .reason = "x\xff", .why = NULL};

	event_write(&e, &out);
	CU_ASSERT_STRING_EQUAL(out.data,
		"{\"seq\":0,\"icount\":0,\"vtime_ns\":0,\"node\":\"a\",\"kind\":\"run.end\",\"reason\":"
		"\"x\xef\xbf\xbd\",\"why\":\"\"}\n");
	buf_free(&out);
}

static void content_is_what_not_when(void)
{
	struct event_bytes content;
	const char *line = HEAD "\"node.ready\",\"inv\":1}";

	CU_ASSERT_TRUE(event_content(line, strlen(line), &content));
	CU_ASSERT_EQUAL(content.size, strlen("\"node\":\"a\",\"kind\":\"node.ready\",\"inv\":1}"));
	CU_ASSERT_TRUE(memcmp(content.data, "\"node\":\"a\",\"kind\":\"node.ready\",\"inv\":1}", content.size) == 0);
	CU_ASSERT_FALSE(event_content("", 0, &content));
	CU_ASSERT_FALSE(event_content("{}", 2, &content));
	CU_ASSERT_FALSE(event_content(line, strlen(line) - 1, &content));
}

static void names_of_signals_and_errors(void)
{
	char text[16];

	CU_ASSERT_STRING_EQUAL(event_signal_name(SIGKILL, text), "SIGKILL");
	CU_ASSERT_STRING_EQUAL(event_signal_name(0, text), "0");
	CU_ASSERT_EQUAL(event_signal_number("SIGTERM"), SIGTERM);
	CU_ASSERT_EQUAL(event_signal_number("TERM"), SIGTERM);
	CU_ASSERT_EQUAL(event_signal_number("SIGNONE"), 0);
	CU_ASSERT_STRING_EQUAL(event_errno_name(EACCES, text), "EACCES");
	CU_ASSERT_EQUAL(event_errno_number("EACCES"), EACCES);
	CU_ASSERT_EQUAL(event_errno_number("ENOSUCH"), 0);
	enum event_kind kind;
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		CU_ASSERT_TRUE(event_kind_find(event_kind_name((enum event_kind)i), &kind) && kind == (enum event_kind)i);
	CU_ASSERT_FALSE(event_kind_find("io", &kind));
}

const struct test suite_event[] = {
	{"every kind comes back", every_kind_comes_back},
	{"fields are read", fields_are_read},
	{"cut lines are refused", cut_lines_are_refused},
	{"other spellings are refused", other_spellings_are_refused},
	{"long lines are refused", long_lines_are_refused},
	{"broken names stay JSON", broken_names_stay_json},
	{"content is what, not when", content_is_what_not_when},
	{"names of signals and errors", names_of_signals_and_errors},
	{0},
};
