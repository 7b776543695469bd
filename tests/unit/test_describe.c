#include <signal.h>
#include <errno.h>
#include "engine/describe.h"
#include "unit.h"

static void says(struct event e, const char *expected)
{
	struct buf text = {0};
	e.node = "n";
	describe_event(&e, &text);
	CU_ASSERT_STRING_EQUAL(text.data, expected);
	buf_free(&text);
}

static void every_kind_has_words(void)
{
	says((struct event){.kind = EVENT_RUN_START, .plan = "0123456789abcdef"}, "plan 0123456789ab");
	says((struct event){.kind = EVENT_NODE_STARTED, .invocation = 2, .pid = 71}, "invocation 2, pid 71");
	says((struct event){.kind = EVENT_NODE_READY, .invocation = 2}, "invocation 2");
	says((struct event){.kind = EVENT_NODE_CLEANED, .invocation = 2}, "invocation 2");
	says((struct event){.kind = EVENT_NODE_LAUNCH_FAILED, .invocation = 1, .why = "exec", .status = ENOENT},
		"invocation 1: exec: ENOENT");
	says((struct event){.kind = EVENT_NODE_EXITED, .status = 3, .out_bytes = 5, .err_bytes = 6}, "exit 3 after 11 bytes");
	says((struct event){.kind = EVENT_NODE_EXITED, .by_signal = true, .status = SIGKILL}, "killed by SIGKILL after 0 bytes");
	says((struct event){.kind = EVENT_PROC_OOM, .kills = 2}, "out of memory, 2 killed");
	says((struct event){.kind = EVENT_IO_LINE, .text = {"acked 1", 7}}, "acked 1");
	says((struct event){.kind = EVENT_IO_LINE, .is_stderr = true, .cut = true, .text = {"oh", 2}}, "err: oh (cut)");
	says((struct event){.kind = EVENT_USER_EVENT, .text = {"{}", 2}}, "{}");
	says((struct event){.kind = EVENT_USER_INPUT, .text = {"ls\n", 3}}, "ls\\n");
	says((struct event){.kind = EVENT_FAULT_APPLIED, .fault = "kill#1", .type = "kill", .why = ""}, "kill#1");
	says((struct event){.kind = EVENT_FAULT_REJECTED, .fault = "kill#1", .type = "kill", .why = "it is down"},
		"kill#1: it is down");
	says((struct event){.kind = EVENT_RUN_END, .reason = "done", .why = ""}, "done");
	says((struct event){.kind = EVENT_RUN_END, .reason = "guest_panic", .why = "oops"}, "guest_panic: oops");
}

static void bytes_of_the_guest_are_shown_not_obeyed(void)
{
	struct buf text = {0};
	char all[256];
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	struct event e = {.kind = EVENT_IO_LINE, .node = "n", .text = {all, sizeof all}};
	describe_event(&e, &text);
	bool good = true;
	for (size_t i = 0; i < text.size; i++)
		good &= (unsigned char)text.data[i] >= ' ' && text.data[i] != 0x7f;
	CU_ASSERT_TRUE(good);
	buf_free(&text);
}

static void numbers_are_readable(void)
{
	struct buf text = {0};
	describe_time(4391999999, &text);
	buf_char(&text, '|');
	describe_time(0, &text);
	buf_char(&text, '|');
	describe_count(3420118221, &text);
	buf_char(&text, '|');
	describe_count(999, &text);
	buf_char(&text, '|');
	describe_count(1000, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "4.391|0.000|3 420 118 221|999|1 000");
	buf_free(&text);
}

const struct test suite_describe[] = {
	{"every kind has words", every_kind_has_words},
	{"bytes of the guest are shown, not obeyed", bytes_of_the_guest_are_shown_not_obeyed},
	{"numbers are readable", numbers_are_readable},
	{0},
};
