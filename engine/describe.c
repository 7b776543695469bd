#include "engine/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/text.h"

static void put_safe(struct buf *out, const char *text)
{
	text_put_safe(out, text, strlen(text));
}

static void put_fault(const struct event *e, struct buf *out)
{
	put_safe(out, e->fault);
	if (e->why[0]) {
		buf_str(out, ": ");
		put_safe(out, e->why);
	}
}

static void put_exit(const struct event *e, struct buf *out)
{
	char name[16];
	if (e->by_signal)
		buf_printf(out, "killed by %s", event_signal_name(e->status, name));
	else
		buf_printf(out, "exit %d", e->status);
	buf_printf(out, " after %" PRIu64 " bytes", e->out_bytes + e->err_bytes);
}

static void put_text(const struct event *e, struct buf *out)
{
	if (e->is_stderr)
		buf_str(out, "err: ");
	text_put_safe(out, e->text.data, e->text.size);
	if (e->cut)
		buf_str(out, " (cut)");
}

static void put_end(const struct event *e, struct buf *out)
{
	put_safe(out, e->reason);
	if (e->why[0]) {
		buf_str(out, ": ");
		put_safe(out, e->why);
	}
}

void describe_event(const struct event *e, struct buf *out)
{
	char name[16];
	switch (e->kind) {
	case EVENT_RUN_START:
		buf_str(out, "plan ");
		text_put_safe(out, e->plan, strnlen(e->plan, 12));
		break;
	case EVENT_NODE_STARTED:
		buf_printf(out, "invocation %" PRIu64 ", pid %" PRIu64, e->invocation, e->pid);
		break;
	case EVENT_NODE_READY:
	case EVENT_NODE_CLEANED:
		buf_printf(out, "invocation %" PRIu64, e->invocation);
		break;
	case EVENT_NODE_LAUNCH_FAILED:
		buf_printf(out, "invocation %" PRIu64 ": ", e->invocation);
		put_safe(out, e->why);
		buf_printf(out, ": %s", event_errno_name(e->status, name));
		break;
	case EVENT_NODE_EXITED:
		put_exit(e, out);
		break;
	case EVENT_PROC_OOM:
		buf_printf(out, "out of memory, %" PRIu64 " killed", e->kills);
		break;
	case EVENT_IO_LINE:
	case EVENT_USER_EVENT:
	case EVENT_USER_INPUT:
		put_text(e, out);
		break;
	case EVENT_FAULT_SELECTED:
	case EVENT_FAULT_APPLIED:
	case EVENT_FAULT_REJECTED:
	case EVENT_FAULT_OBSERVED:
	case EVENT_FAULT_HEALED:
		put_fault(e, out);
		break;
	case EVENT_RUN_ENDING:
		buf_str(out, e->reason);
		break;
	case EVENT_RUN_END:
		put_end(e, out);
		break;
	case EVENT_KIND_COUNT:
		break;
	}
}

void describe_time(uint64_t vtime_ns, struct buf *out)
{
	uint64_t ms = vtime_ns / 1000000;
	buf_printf(out, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
}

void describe_count(uint64_t count, struct buf *out)
{
	char digits[24];
	size_t size = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count);
	for (size_t i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			buf_char(out, ' ');
		buf_char(out, digits[i]);
	}
}
