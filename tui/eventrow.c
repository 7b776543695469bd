#include "tui/eventrow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/describe.h"
#include "tui/fmt.h"
#include "tui/view.h"

static int digits(uint64_t n)
{
	int count = 1;
	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

struct eventrow eventrow_columns(const struct run *run, int width)
{
	const struct timeline *t = run->timeline;
	struct eventrow columns = {.search = run->search};
	int longest = 4;
	for (size_t i = 1; i < timeline_node_count(t); i++) {
		int w = glyph_text_width(timeline_node(t, i));
		longest = w > longest ? w : longest;
	}
	columns.seq_width = digits(timeline_count(t));
	char time[FMT_MAX];
	if (width >= 34)
		columns.time_width = (int)strlen(fmt_seconds(timeline_end_vtime(t), time));
	if (width >= 26)
		columns.node_width = longest > 12 ? 12 : longest;
	if (width >= 100)
		columns.icount_width = digits(timeline_end_icount(t)) * 4 / 3 + 1;
	return columns;
}

enum role eventrow_role(const struct entry *entry)
{
	switch ((enum event_kind)entry->kind) {
	case EVENT_IO_LINE:
		return entry->flags & ENTRY_STDERR ? ROLE_STDERR : ROLE_TEXT;
	case EVENT_NODE_EXITED:
		return entry->flags & ENTRY_BAD_END ? ROLE_FAIL : ROLE_NODE;
	case EVENT_NODE_LAUNCH_FAILED:
	case EVENT_PROC_OOM:
		return ROLE_FAIL;
	case EVENT_FAULT_SELECTED:
	case EVENT_FAULT_APPLIED:
	case EVENT_FAULT_OBSERVED:
	case EVENT_FAULT_REJECTED:
		return ROLE_FAULT;
	case EVENT_FAULT_HEALED:
		return ROLE_HEALED;
	case EVENT_NODE_STARTED:
	case EVENT_NODE_READY:
		return ROLE_NODE;
	default:
		return ROLE_DIM;
	}
}

static void put_name(struct buf *out, const char *name)
{
	glyph_show(name, strlen(name), true, out);
}

static void put_invocation(const struct event *e, struct buf *out)
{
	if (e->invocation > 1)
		buf_printf(out, " #%" PRIu64, e->invocation);
}

/* Lists have little room: what the columns beside it say already, and what is always the same, is left out. */
void eventrow_text(const struct event *e, struct buf *out)
{
	char name[16];
	switch (e->kind) {
	case EVENT_NODE_STARTED:
	case EVENT_NODE_READY:
	case EVENT_NODE_CLEANED:
		buf_str(out, strchr(event_kind_name(e->kind), '.') + 1);
		put_invocation(e, out);
		return;
	case EVENT_NODE_EXITED:
		if (e->by_signal)
			buf_printf(out, "killed by %s", event_signal_name(e->status, name));
		else
			buf_printf(out, "exited with %d", e->status);
		put_invocation(e, out);
		return;
	case EVENT_FAULT_SELECTED:
	case EVENT_FAULT_APPLIED:
	case EVENT_FAULT_REJECTED:
	case EVENT_FAULT_OBSERVED:
	case EVENT_FAULT_HEALED:
		put_name(out, e->fault);
		buf_printf(out, " %s", strchr(event_kind_name(e->kind), '.') + 1);
		if (e->why[0]) {
			buf_str(out, ": ");
			put_name(out, e->why);
		}
		return;
	case EVENT_RUN_START:
		buf_str(out, "run starts");
		return;
	case EVENT_RUN_ENDING:
		buf_str(out, "run is over: ");
		break;
	case EVENT_RUN_END:
		buf_str(out, "run ends: ");
		break;
	case EVENT_NODE_LAUNCH_FAILED:
		buf_str(out, "launch failed: ");
		break;
	case EVENT_USER_EVENT:
		buf_str(out, "event ");
		break;
	case EVENT_USER_INPUT:
		buf_str(out, "typed ");
		break;
	default:
		break;
	}
	describe_event(e, out);
}

bool eventrow_verdict(const struct run *run, size_t event, enum verdict *ret_verdict)
{
	bool found = false;
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++) {
		const struct timeline_property *p = timeline_property(run->timeline, i);
		bool here = p->decided == event && p->fact->decided_at != 0;
		for (size_t w = 0; w < p->fact->witness_count && !here; w++)
			here = p->witnesses[w] == event;
		if (!here)
			continue;
		*ret_verdict = found ? verdict_worse(*ret_verdict, p->fact->verdict) : p->fact->verdict;
		found = true;
	}
	return found;
}

static void draw_sign(struct pen *p, const struct run *run, size_t event)
{
	enum verdict verdict;
	if (event == run->playhead)
		pen_sign(p, ROLE_PLAYHEAD, GLYPH_CURSOR);
	else if (run_bookmark_at(run, event))
		pen_sign(p, ROLE_BOOKMARK, GLYPH_BOOKMARK);
	else if (eventrow_verdict(run, event, &verdict))
		view_verdict_sign(p, verdict);
	else
		pen_text(p, ROLE_TEXT, " ");
}

void eventrow_draw(struct pen *p, const struct run *run, size_t event, const struct eventrow *columns)
{
	const struct entry *entry = &timeline_entries(run->timeline)[event];
	struct timeline_event read = {0};
	struct err err = {0};
	char text[FMT_MAX];
	bool ok = timeline_event(run->timeline, event, &read, &err);
	snprintf(text, sizeof text, "%zu", event + 1);
	pen_number(p, event == run->playhead ? ROLE_PLAYHEAD : ROLE_NUMBER, text, columns->seq_width);
	draw_sign(p, run, event);
	if (columns->time_width) {
		pen_number(p, ROLE_DIM, fmt_seconds(entry->vtime_ns, text), columns->time_width);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (columns->icount_width) {
		pen_number(p, ROLE_DIM, fmt_count(entry->icount, text), columns->icount_width);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (columns->node_width) {
		pen_field(
			p, columns->ahead ? ROLE_DIM : ROLE_NODE, timeline_node(run->timeline, entry->node), columns->node_width);
		pen_text(p, ROLE_TEXT, " ");
	}
	struct buf what = {0};
	if (ok)
		eventrow_text(&read.event, &what);
	else
		buf_str(&what, err.text);
	view_text_matches(p, ok ? columns->ahead ? ROLE_DIM : eventrow_role(entry) : ROLE_ERROR, what.data ? what.data : "",
		columns->search);
	pen_more(p);
	buf_free(&what);
	timeline_event_finish(&read);
}
