#include "engine/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/buf.h"
#include "engine/checkpoint.h"
#include "engine/marks.h"

enum {
	POLL_MS = 10,
	CANCEL_MS = 3 * WALK_SLICE_MS,
	SLICE_MIN = 20000,
	SLICE_FIRST = 2000000,
	SLICE_MAX = 64000000,
	HOT_BEHIND = 20000,      /* a hot checkpoint stands so far behind a stop */
	HOT_WORTH = 1000000,     /* ... when the way there was longer than this */
	RESTORE_WORTH = 8000000, /* instructions that take as long as a restore */
};

struct walk {
	struct machine_options options;
	struct cancel *cancel;
	struct machine *machine;
	struct marks marks;
	const struct checkpoint *latest; /* to share pages with; one of the marks', or NULL */
	uint64_t now, start, end, slice;
	unsigned generation;
	void (*says)(void *data, uint64_t done, uint64_t of); /* NULL: nobody listens */
	void *listener;
	bool dead;  /* the machine must not be used any more */
	bool stale; /* its translated code has callbacks in it: restore before running on */
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void forget(void *data, void *what)
{
	struct walk *w = data;
	if (w->latest == what)
		w->latest = NULL;
	checkpoint_destroy(what, w->dead ? NULL : w->machine);
}

static bool start(struct walk *w, struct err *err)
{
	w->machine = machine_start(&w->options, err);
	if (!w->machine)
		return false;
	w->dead = w->stale = false;
	w->generation++;
	w->now = w->start = machine_start_icount(w->machine);
	w->end = machine_end_icount(w->machine);
	return true;
}

static void stop(struct walk *w)
{
	w->dead = true;
	marks_clear(&w->marks);
	machine_destroy(w->machine);
	w->machine = NULL;
}

struct walk *walk_create(
	const struct machine_options *options, uint64_t spacing, unsigned budget_mib, struct cancel *cancel, struct err *err)
{
	struct walk *w = mem_alloc(sizeof *w);
	w->options = *options;
	w->options.cancel_fd = -1; /* a command of the monitor that was cut short would spoil the next; we look between slices */
	w->cancel = cancel;
	w->slice = SLICE_FIRST;
	marks_init(&w->marks, spacing ? spacing : WALK_SPACING, (size_t)(budget_mib ? budget_mib : WALK_BUDGET_MIB) << 20, forget,
		w);
	if (start(w, err))
		return w;
	walk_destroy(w);
	return NULL;
}

void walk_destroy(struct walk *w)
{
	if (!w)
		return;
	stop(w);
	marks_finish(&w->marks);
	free(w);
}

/* ---- running ------------------------------------------------------------------------------------------------ */

static bool died(struct walk *w, struct err *err)
{
	struct buf why = {0};
	machine_diagnosis(w->machine, &why);
	w->dead = true;
	err_set(err, ERR_QEMU, "QEMU ended by itself (%.300s)", why.data ? why.data : "no reason known");
	buf_free(&why);
	return false;
}

/* Waits for the end of a slice. A QEMU that executes nothing for long is given up. */
static bool wait_slice(struct walk *w, enum machine_state *state, struct err *err)
{
	uint64_t seen = 0;
	double since = now_ms();
	for (;;) {
		if (!machine_poll(w->machine, POLL_MS, state, err)) {
			w->dead = true;
			return false;
		}
		if (*state != MACHINE_RUNNING)
			return *state != MACHINE_DIED || died(w, err);
		/* A slice that takes this long is not going to end soon; the machine cannot be used any more, but another can. */
		if (now_ms() - since > CANCEL_MS && !cancel_check(w->cancel, err)) {
			w->dead = true;
			return false;
		}
		if (now_ms() - since < WALK_HANG_MS)
			continue;
		uint64_t now;
		if (!machine_icount(w->machine, &now, err) || now == seen) {
			w->dead = true;
			return err_set(err, ERR_QEMU, "watchdog: QEMU executed nothing for %d s", WALK_HANG_MS / 1000);
		}
		seen = now;
		since = now_ms();
	}
}

/* Runs to `to`, at most a slice away. *ended: the guest stopped itself before. */
static bool run_slice(struct walk *w, uint64_t to, bool *ended, struct err *err)
{
	enum machine_state state;
	double began = now_ms();
	uint64_t from = w->now;
	if (!machine_break(w->machine, to, err) || !machine_cont(w->machine, err))
		return false;
	if (!wait_slice(w, &state, err))
		return false;
	*ended = state != MACHINE_AT_BREAK;
	if (!machine_unbreak(w->machine, err) || !machine_icount(w->machine, &w->now, err))
		return false;
	double took = now_ms() - began;
	/* Only whole slices teach how long one takes; the first after a restore are slower, which is fine. */
	if (w->now - from == w->slice && took > 0) {
		double want = (double)w->slice * WALK_SLICE_MS / took;
		w->slice = want < SLICE_MIN ? SLICE_MIN : want > SLICE_MAX ? SLICE_MAX : (uint64_t)want;
		if (w->slice > 2 * (w->now - from))
			w->slice = 2 * (w->now - from);
	}
	return true;
}

static bool keep(struct walk *w, bool hot, struct err *err)
{
	size_t i = marks_before(&w->marks, w->now);
	if (w->now == w->start || (i != MARKS_NONE && w->marks.list[i].icount == w->now))
		return true;
	struct checkpoint *c = checkpoint_take(w->machine, w->latest, err);
	if (!c)
		return false;
	w->latest = c;
	marks_add(&w->marks, w->now, checkpoint_bytes(c), hot, c);
	return true;
}

/* Runs on to `to`, making checkpoints on the way. */
static bool run_on(struct walk *w, uint64_t to, struct walk_trip *trip, struct err *err)
{
	uint64_t from = w->now, hot = to - from > HOT_WORTH ? to - HOT_BEHIND : UINT64_MAX;
	bool ok = true;
	trip->ended = false;
	while (ok && w->now < to && !trip->ended) {
		uint64_t grid = marks_missing(&w->marks, w->now, to), next = w->now + w->slice;
		next = next < to ? next : to;
		next = grid < next ? grid : next;
		next = hot > w->now && hot < next ? hot : next;
		ok = cancel_check(w->cancel, err) && run_slice(w, next, &trip->ended, err);
		if (ok && w->says)
			w->says(w->listener, w->now - from, to - from);
		if (ok && !trip->ended && (w->now == grid || w->now == hot))
			ok = keep(w, w->now != grid, err);
	}
	trip->executed += w->now - from;
	return ok;
}

/* ---- the ladder --------------------------------------------------------------------------------------------- */

static bool from_checkpoint(struct walk *w, size_t i, struct walk_trip *trip, struct err *err)
{
	const struct checkpoint *c = w->marks.list[i].what;
	marks_use(&w->marks, i);
	trip->way = WALK_CHECKPOINT;
	trip->from = checkpoint_icount(c);
	if (!checkpoint_restore(w->machine, c, err)) {
		marks_drop(&w->marks, i);
		return false;
	}
	w->now = trip->from;
	w->stale = false;
	return run_on(w, trip->asked, trip, err);
}

static bool from_start(struct walk *w, struct walk_trip *trip, struct err *err)
{
	trip->way = WALK_START;
	trip->from = w->start;
	if (!checkpoint_restore_ready(w->machine, err))
		return false;
	w->now = w->start;
	w->stale = false;
	return run_on(w, trip->asked, trip, err);
}

static bool from_fresh(struct walk *w, struct walk_trip *trip, struct err *err)
{
	stop(w);
	trip->way = WALK_FRESH;
	trip->from = w->start;
	return start(w, err) && run_on(w, trip->asked, trip, err);
}

/* The next way that is left to try. */
static bool try_one(struct walk *w, unsigned attempt, struct walk_trip *trip, struct err *err)
{
	if (!w->machine || w->dead)
		return from_fresh(w, trip, err);
	size_t i = marks_before(&w->marks, trip->asked);
	bool mark = i != MARKS_NONE;
	uint64_t base = mark ? w->marks.list[i].icount : w->start;
	if (attempt == 0 && !w->stale && w->now <= trip->asked && (base <= w->now || base - w->now < RESTORE_WORTH)) {
		trip->way = w->now == trip->asked ? WALK_HERE : WALK_ON;
		trip->from = w->now;
		return run_on(w, trip->asked, trip, err);
	}
	if (mark && attempt < 3)
		return from_checkpoint(w, i, trip, err);
	return attempt < 4 ? from_start(w, trip, err) : from_fresh(w, trip, err);
}

bool walk_to(struct walk *w, uint64_t icount, struct walk_trip *trip, struct err *err)
{
	double began = now_ms();
	*trip = (struct walk_trip){.asked = icount};
	struct err local = {0};
	bool ok = false;
	if (icount < w->start || icount > w->end)
		return err_set(err, ERR_USAGE, "no instruction %" PRIu64 " in this log: it has %" PRIu64 " to %" PRIu64, icount,
			w->start, w->end);
	for (unsigned attempt = 0; !ok && attempt < 5; attempt++) {
		bool was_dead = !w->machine || w->dead;
		ok = try_one(w, attempt, trip, &local);
		if (ok || local.code == ERR_CANCELLED)
			break;
		trip->failed++;
		snprintf(trip->why, sizeof trip->why, "%.190s", local.text);
		if (was_dead)
			break; /* a fresh QEMU could not do it: another one cannot either */
	}
	trip->reached = w->now;
	trip->ms = now_ms() - began;
	if (!ok && err)
		*err = local;
	if (!ok && local.code != ERR_CANCELLED)
		w->dead = true;
	return ok;
}

void walk_trip_print(const struct walk_trip *trip, uint64_t zero, struct buf *out)
{
	static const char *const words[WALK_WAYS] = {
		"already there", "ran on from", "from the checkpoint at", "from the start at", "with a fresh QEMU from"};
	buf_str(out, words[trip->way]);
	if (trip->way != WALK_HERE)
		buf_printf(out, " %" PRIu64, trip->from - zero);
	buf_printf(out, ", %" PRIu64 " instructions, %.0f ms", trip->executed, trip->ms);
	if (trip->failed)
		buf_printf(out, " (%u other way%s failed: %s)", trip->failed, trip->failed == 1 ? "" : "s", trip->why);
}

/* ---- the rest ----------------------------------------------------------------------------------------------- */

bool walk_keep(struct walk *w, struct err *err)
{
	return w->stale || keep(w, true, err);
}

uint64_t walk_grid_before(const struct walk *w, uint64_t icount, uint64_t distance)
{
	uint64_t low = icount - w->start > distance ? icount - distance : w->start;
	size_t i = icount ? marks_before(&w->marks, icount - 1) : MARKS_NONE;
	if (i != MARKS_NONE && w->marks.list[i].icount >= low)
		return w->marks.list[i].icount;
	uint64_t grid = (icount - 1) / w->marks.spacing * w->marks.spacing;
	return grid > low ? grid : low;
}

bool walk_pass(
	struct walk *w, uint64_t from, uint64_t to, void (*armed)(void *data, struct machine *m), void *data, struct err *err)
{
	struct walk_trip trip;
	if (!walk_to(w, from, &trip, err) || !keep(w, true, err))
		return false;
	armed(data, w->machine);
	size_t i = marks_before(&w->marks, from);
	bool ok = from == w->start ? checkpoint_restore_ready(w->machine, err)
				   : checkpoint_restore(w->machine, w->marks.list[i].what, err);
	w->stale = true;
	trip = (struct walk_trip){.asked = to};
	ok = ok && run_on(w, to, &trip, err);
	/* Slices were short, for the callbacks: moves learn their own again. */
	w->slice = SLICE_FIRST;
	if (!ok && (!err || err->code != ERR_CANCELLED))
		w->dead = true;
	return ok;
}

void walk_watch(struct walk *w, void (*says)(void *data, uint64_t done, uint64_t of), void *data)
{
	w->says = says;
	w->listener = data;
}

uint64_t walk_now(const struct walk *w)
{
	return w->now;
}

uint64_t walk_start(const struct walk *w)
{
	return w->start;
}

uint64_t walk_end(const struct walk *w)
{
	return w->end;
}

struct machine *walk_machine(struct walk *w)
{
	return w->dead ? NULL : w->machine;
}

unsigned walk_generation(const struct walk *w)
{
	return w->generation;
}

bool walk_idle(struct walk *w, uint64_t to, bool *more, struct err *err)
{
	uint64_t next = marks_missing(&w->marks, w->start, to), back = w->now;
	struct walk_trip trip;
	*more = false;
	if (next == UINT64_MAX || w->dead)
		return true;
	/* A checkpoint here, so that coming back is cheap. */
	if (!keep(w, true, err) || !walk_to(w, next, &trip, err))
		return false;
	*more = marks_missing(&w->marks, w->start, to) != UINT64_MAX;
	return walk_to(w, back, &trip, err);
}

size_t walk_checkpoints(const struct walk *w, size_t *bytes)
{
	*bytes = w->marks.bytes;
	return w->marks.count;
}
