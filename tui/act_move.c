/* Actions that move the playhead: by events, faults, failures, bookmarks, searches; and the window of the timeline. */
#include <stdio.h>
#include <string.h>

#include "engine/moment.h"
#include "tui/acts.h"
#include "tui/app_data.h"

#define ZOOM_FACTOR 2.0

static const struct timeline_filter any = {0}; /* every event */

bool act_need_run(struct app *app, struct run **ret, struct err *err)
{
	*ret = app_run(app);
	return *ret ? true : err_set(err, ERR_USAGE, "no run is open: o shows the runs");
}

/* ---- moving ---- */

void app_bring_other_side(struct app *app)
{
	struct run *here = app->model.runs[app->model.side], *there = app->model.runs[1 - app->model.side];
	if (screen_page(&app->screen) != PAGE_DIFF || !there || here->playhead == TIMELINE_NONE)
		return;
	size_t event = TIMELINE_NONE;
	switch (app->model.align) {
	case ALIGN_EVENT:
		if (!app->diff)
			return;
		event = app->model.side == 0 ? diff_to_b(app->diff, here->playhead, NULL)
					     : diff_to_a(app->diff, here->playhead, NULL);
		break;
	case ALIGN_TIME:
		event = timeline_at_vtime(there->timeline, run_vtime(here));
		break;
	case ALIGN_ICOUNT:
		event = timeline_at_icount(there->timeline, run_icount(here));
		break;
	}
	run_goto(there, event == TIMELINE_NONE ? 0 : event, false);
}

void app_goto(struct app *app, size_t event, bool jump)
{
	struct run *run = app_run(app);
	if (!run)
		return;
	run_goto(run, event, jump);
	app_bring_other_side(app);
	debug_follow(app, run);
}

static bool go(struct app *app, size_t event, bool jump, struct err *err, const char *nothing)
{
	if (event == TIMELINE_NONE)
		return err_set(err, ERR_USAGE, "%s", nothing);
	app_goto(app, event, jump);
	return true;
}

bool act_event_next(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) &&
		go(app, timeline_next(run->timeline, run->playhead, &any), false, err, "this is the last event");
}

bool act_event_prev(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	size_t event = run->playhead == TIMELINE_NONE ? TIMELINE_NONE
		: debug_between(app, run)             ? run->playhead
						      : timeline_prev(run->timeline, run->playhead, &any);
	return go(app, event, false, err, "this is the first event");
}

/* A tenth of the window, in the axis' unit. */
static bool tenth(struct app *app, int direction, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err) || timeline_count(run->timeline) == 0)
		return false;
	uint64_t step = (run->window.to - run->window.from) / 10 + 1, at, target;
	size_t here = run->playhead == TIMELINE_NONE ? 0 : run->playhead, event;
	const struct entry *entry = &timeline_entries(run->timeline)[here];
	at = run->window.axis == LANES_VTIME ? entry->vtime_ns : run->window.axis == LANES_ICOUNT ? entry->icount : here;
	target = direction > 0 ? at + step : at > step ? at - step : 0;
	if (run->window.axis == LANES_VTIME)
		event = timeline_at_vtime(run->timeline, target);
	else if (run->window.axis == LANES_ICOUNT)
		event = timeline_at_icount(run->timeline, target);
	else
		event = target < timeline_count(run->timeline) ? (size_t)target : timeline_count(run->timeline) - 1;
	if (event == TIMELINE_NONE)
		event = 0;
	if (event == here && direction > 0)
		return act_event_next(app, NULL, err);
	return go(app, event == here && here > 0 ? here - 1 : event, false, err, "");
}

bool act_event_more(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return tenth(app, 1, err);
}

bool act_event_less(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return tenth(app, -1, err);
}

bool act_fault_next(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) && go(app, run_fault_next(run, false), true, err, "no fault transition after this");
}

bool act_fault_prev(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) && go(app, run_fault_next(run, true), true, err, "no fault transition before this");
}

static bool fail_go(struct app *app, bool backward, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	size_t event = run_failure_next(run, backward);
	if (!go(app, event, true, err, backward ? "no property was decided before this" : "no property is decided after this"))
		return false;
	struct buf text = {0};
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++) {
		const struct timeline_property *p = timeline_property(run->timeline, i);
		bool here = p->decided == event;
		for (size_t w = 0; w < p->fact->witness_count; w++)
			here |= p->witnesses[w] == event;
		if (here && text.size == 0)
			buf_printf(&text, "%s %s%s%s", verdict_name(p->fact->verdict), p->fact->id, p->fact->why[0] ? ": " : "",
				p->fact->why);
	}
	if (text.size)
		app_message(app, false, "%s", text.data);
	buf_free(&text);
	return true;
}

bool act_fail_next(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return fail_go(app, false, err);
}

bool act_fail_prev(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return fail_go(app, true, err);
}

bool act_node_next(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) && go(app, run_node_next(run, false), false, err, "no event of this node after this");
}

bool act_node_prev(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) && go(app, run_node_next(run, true), false, err, "no event of this node before this");
}

bool act_begin(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	return act_need_run(app, &run, err) &&
		go(app, timeline_next(run->timeline, TIMELINE_NONE, &any), true, err, "no events yet");
}

bool act_end(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err) ||
		!go(app, timeline_prev(run->timeline, TIMELINE_NONE, &any), true, err, "no events yet"))
		return false;
	run->follow = true;
	return true;
}

bool act_goto_moment(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	struct moment moment;
	if (!act_need_run(app, &run, err) || !moment_parse(run->timeline, arg, &moment, err))
		return false;
	app_goto(app, moment.event, true);
	if (moment.event != TIMELINE_NONE && timeline_entries(run->timeline)[moment.event].icount != moment.icount)
		app_message(app, false, "the last event at or before %s", arg);
	return true;
}

bool act_jump_back(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	if (!run_jump_back(run))
		return err_set(err, ERR_USAGE, "there was no jump before this");
	app_bring_other_side(app);
	debug_follow(app, run);
	return true;
}

bool act_jump_forward(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	if (!run_jump_forward(run))
		return err_set(err, ERR_USAGE, "there is no jump to do again");
	app_bring_other_side(app);
	debug_follow(app, run);
	return true;
}

/* ---- bookmarks, search ---- */

bool act_bookmark(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	bool set;
	if (!act_need_run(app, &run, err))
		return false;
	if (run->playhead == TIMELINE_NONE)
		return err_set(err, ERR_USAGE, "there is no event here");
	if (!run_bookmark(run, arg, &set))
		return err_set(err, ERR_USAGE, "a run keeps at most %d bookmarks", RUN_BOOKMARKS_MAX);
	app_message(app, false,
		set ? "bookmark set at ev %zu%s%s; ' and \" go from one to the next" : "bookmark at ev %zu taken away%s%s",
		run->playhead + 1, arg ? ": " : "", arg ? arg : "");
	return true;
}

static bool bookmark_go(struct app *app, bool backward, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err) ||
		!go(app, run_bookmark_next(run, backward), true, err,
			backward ? "no bookmark before this" : "no bookmark after this"))
		return false;
	const struct bookmark *b = run_bookmark_at(run, run->playhead);
	if (b && b->name[0])
		app_message(app, false, "bookmark: %s", b->name);
	return true;
}

bool act_bookmark_next(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return bookmark_go(app, false, err);
}

bool act_bookmark_prev(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return bookmark_go(app, true, err);
}

static bool start_search(struct app *app, const char *arg, bool backward, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	if (strlen(arg) > SEARCH_TEXT_MAX)
		return err_set(err, ERR_USAGE, "a text to search for has at most %d bytes", SEARCH_TEXT_MAX);
	snprintf(run->search, sizeof run->search, "%s", arg);
	run->changed = true;
	return app_search(app, backward, err);
}

bool act_search(struct app *app, const char *arg, struct err *err)
{
	return start_search(app, arg, false, err);
}

bool act_search_back(struct app *app, const char *arg, struct err *err)
{
	return start_search(app, arg, true, err);
}

bool act_search_next(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return app_search(app, false, err);
}

bool act_search_prev(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return app_search(app, true, err);
}

/* ---- the timeline ---- */

static bool zoom(struct app *app, double factor, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	struct lanes_window whole = lanes_whole(run->timeline, run->window.axis);
	size_t around = run->playhead == TIMELINE_NONE ? 0 : run->playhead;
	if (timeline_count(run->timeline) == 0)
		return true;
	run->window = lanes_zoom(run->timeline, run->window, around, factor);
	run->whole = run->window.from <= whole.from && run->window.to >= whole.to;
	return true;
}

bool act_zoom_in(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return zoom(app, 1 / ZOOM_FACTOR, err);
}

bool act_zoom_out(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return zoom(app, ZOOM_FACTOR, err);
}

bool act_zoom_all(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	run->window = lanes_whole(run->timeline, run->window.axis);
	run->whole = true;
	return true;
}

bool act_axis(struct app *app, const char *arg, struct err *err)
{
	static const char *const names[] = {[LANES_VTIME] = "time", [LANES_ICOUNT] = "icount", [LANES_EVENT] = "event"};
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	int next = ((int)run->window.axis + 1) % 3;
	if (arg) {
		for (next = 0; next < 3 && strcmp(arg, names[next]) != 0; next++)
			;
		if (next == 3)
			return err_set(err, ERR_USAGE, "'%s' is no axis: expected time, icount or event", arg);
	}
	run->window = run->whole ? lanes_whole(run->timeline, (enum lanes_axis)next)
				 : lanes_convert(run->timeline, run->window, (enum lanes_axis)next);
	run->changed = true;
	app_message(app, false, "the timeline is drawn by %s", names[next]);
	return true;
}

bool act_gaps(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	run->keep_gaps = !run->keep_gaps;
	app_message(app, false, run->keep_gaps ? "idle time is drawn at its length" : "idle time is folded");
	return true;
}
