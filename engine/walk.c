#include "engine/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/buf.h"
#include "engine/checkpointset.h"
#include "engine/filler.h"

enum {
	POLL_MS = 10,
	SLICE_MIN = 20000,
	SLICE_FIRST = 2000000,
	SLICE_MAX = 64000000,
	HOT_BEHIND = 20000,       /* a hot checkpoint stands so far behind a stop */
	HOT_WORTH = 1000000,      /* ... when the way there was longer than this */
	RESTORE_WORTH = 8000000,  /* instructions that take as long as a restore */
	RESTART_WORTH = 20000000, /* ... as a new machine, which has the states that others saved */
};

struct walk {
	struct machine_options options;
	struct cancel *cancel;
	struct machine *machine;
	struct checkpointset set;
	struct filler filler;
	uint64_t now, start, end, slice;
	unsigned generation, deaths;
	void (*says)(void *data, uint64_t done, uint64_t of); /* NULL: nobody listens */
	void *listener;
	bool dead;  /* the machine must not be used any more */
	bool hung;  /* ... the last one that was lost did not answer */
	bool stale; /* its translated code has callbacks in it: restore before running on */
	bool away;  /* it stands elsewhere than at `now`, where it is brought when somebody needs it */
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool start(struct walk *w, struct err *err)
{
	w->options.states = checkpointset_states(&w->set, ++w->generation);
	w->options.states_data = &w->set;
	w->machine = machine_start(&w->options, err);
	if (!w->machine)
		return false;
	checkpointset_machine(&w->set, w->machine, w->generation);
	w->dead = w->stale = w->away = false;
	w->now = w->start = machine_start_icount(w->machine);
	w->end = machine_end_icount(w->machine);
	return true;
}

/* The checkpoints outlive the machine. */
static void stop(struct walk *w)
{
	checkpointset_machine(&w->set, NULL, 0);
	machine_destroy(w->machine);
	w->machine = NULL;
}

/* It ended, or will not be waited for. */
static void lose(struct walk *w)
{
	if (!w->dead) {
		w->deaths++;
		w->hung = w->machine && machine_lost(w->machine);
	}
	w->dead = true;
	/* Nothing may be asked of it any more, not even to drop a state. */
	checkpointset_machine(&w->set, NULL, 0);
}

uint64_t walk_spacing(uint64_t instructions)
{
	uint64_t spacing = instructions / 32;
	return spacing < WALK_SPACING_MIN ? WALK_SPACING_MIN : spacing > WALK_SPACING ? WALK_SPACING : spacing;
}

struct walk *walk_create(const struct walk_options *o, struct err *err)
{
	struct walk *w = mem_alloc(sizeof *w);
	const struct machine_base *base = o->machine->base;
	w->options = *o->machine;
	w->options.cancel_fd = -1; /* a command of the monitor that was cut short would spoil the next */
	w->options.cancel = w->cancel = o->cancel;
	w->slice = SLICE_FIRST;
	checkpointset_init(&w->set, o->spacing ? o->spacing : WALK_SPACING,
		(size_t)(o->budget_mib ? o->budget_mib : WALK_BUDGET_MIB) << 20,
		(((size_t)base->memory_mib + base->output_mib) << 20) / RAM_PAGE, o->store, o->key);
	filler_init(&w->filler, o->machine, &w->set);
	if (start(w, err))
		return w;
	walk_destroy(w);
	return NULL;
}

void walk_destroy(struct walk *w)
{
	if (!w)
		return;
	filler_finish(&w->filler);
	for (bool more = w->machine != NULL; more;)
		checkpointset_save(&w->set, &more);
	stop(w);
	checkpointset_finish(&w->set);
	free(w);
}

/* ---- running ------------------------------------------------------------------------------------------------ */

static bool died(struct walk *w, struct err *err)
{
	struct buf why = {0};
	machine_diagnosis(w->machine, &why);
	lose(w);
	err_set(err, ERR_QEMU, "QEMU ended by itself (%.300s)", why.data ? why.data : "no reason known");
	buf_free(&why);
	return false;
}

/* A wish to stop: the guest is stopped wherever it is. False. */
static bool stop_running(struct walk *w, struct err *err)
{
	struct err ignored = {0};
	if (!machine_pause(w->machine, WALK_CANCEL_MS, &ignored) || !machine_unbreak(w->machine, &ignored) ||
		!machine_icount(w->machine, &w->now, &ignored))
		lose(w);
	return err_set(err, ERR_CANCELLED, "stopped on request");
}

/* Waits for the end of a slice. A QEMU that executes nothing for long is given up. */
static bool wait_slice(struct walk *w, enum machine_state *state, struct err *err)
{
	uint64_t seen = 0;
	double since = now_ms();
	for (;;) {
		if (!machine_poll(w->machine, POLL_MS, state, err)) {
			lose(w);
			return false;
		}
		if (*state != MACHINE_RUNNING)
			return *state != MACHINE_DIED || died(w, err);
		if (cancel_requested(w->cancel))
			return stop_running(w, err);
		if (now_ms() - since < WALK_HANG_MS)
			continue;
		uint64_t now;
		if (!machine_icount(w->machine, &now, err) || now == seen) {
			lose(w);
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
	return w->now == w->start || checkpointset_take(&w->set, w->machine, w->now, true, hot, err);
}

/* Runs on to `to`, making checkpoints on the way. */
static bool run_on(struct walk *w, uint64_t to, struct walk_trip *trip, struct err *err)
{
	uint64_t from = w->now, hot = to - from > HOT_WORTH ? to - HOT_BEHIND : UINT64_MAX;
	bool ok = true;
	trip->ended = false;
	while (ok && w->now < to && !trip->ended) {
		uint64_t grid = marks_missing(&w->set.marks, w->now, to), next = w->now + w->slice;
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

/* A new machine at the start. Those that were started for its checkpoints are no deaths. */
static bool restart(struct walk *w, struct err *err)
{
	stop(w);
	return start(w, err);
}

static bool from_checkpoint(struct walk *w, size_t i, struct walk_trip *trip, struct err *err)
{
	uint64_t icount = w->set.marks.list[i].icount;
	trip->way = WALK_CHECKPOINT;
	trip->from = icount;
	if (!checkpointset_in_machine(&w->set, i)) {
		if (!restart(w, err))
			return false;
		i = checkpointset_before(&w->set, icount, true);
		if (i == MARKS_NONE || w->set.marks.list[i].icount != icount)
			return err_set(err, ERR_QEMU, "a checkpoint cannot be used");
	}
	if (!checkpointset_restore(&w->set, i, w->machine, err))
		return false;
	w->now = icount;
	w->stale = w->away = false;
	return run_on(w, trip->asked, trip, err);
}

static bool from_start(struct walk *w, struct walk_trip *trip, struct err *err)
{
	trip->way = WALK_START;
	trip->from = w->start;
	if (!checkpoint_restore_ready(w->machine, err))
		return false;
	w->now = w->start;
	w->stale = w->away = false;
	return run_on(w, trip->asked, trip, err);
}

static bool from_fresh(struct walk *w, struct walk_trip *trip, struct err *err)
{
	struct err ignored;
	trip->way = WALK_FRESH;
	trip->from = w->start;
	if (!restart(w, err))
		return false;
	size_t i = checkpointset_before(&w->set, trip->asked, true);
	if (i != MARKS_NONE && checkpointset_restore(&w->set, i, w->machine, &ignored))
		w->now = trip->from = w->set.marks.list[i].icount;
	else if (i != MARKS_NONE && !checkpoint_restore_ready(w->machine, err))
		return false;
	return run_on(w, trip->asked, trip, err);
}

/* Which checkpoint to begin from, if any: one that only a new machine would have must save more than that costs. */
static size_t choose(const struct walk *w, uint64_t asked)
{
	size_t own = checkpointset_before(&w->set, asked, true), any = checkpointset_before(&w->set, asked, false);
	uint64_t from = own == MARKS_NONE ? w->start : w->set.marks.list[own].icount;
	if (any != MARKS_NONE && w->set.marks.list[any].icount > from + RESTART_WORTH)
		return any;
	return own;
}

/* The next way that is left to try. */
static bool try_one(struct walk *w, unsigned attempt, struct walk_trip *trip, struct err *err)
{
	if (!w->machine || w->dead)
		return from_fresh(w, trip, err);
	size_t i = choose(w, trip->asked);
	bool mark = i != MARKS_NONE;
	uint64_t base = mark ? w->set.marks.list[i].icount : w->start;
	uint64_t worth = mark && !checkpointset_in_machine(&w->set, i) ? RESTART_WORTH : RESTORE_WORTH;
	if (attempt == 0 && !w->stale && !w->away && w->now <= trip->asked && (base <= w->now || base - w->now < worth)) {
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
		if (!ok && w->machine && !w->dead && !machine_is_alive(w->machine))
			lose(w);
		if (!ok && local.code == ERR_CANCELLED)
			err_set(&local, ERR_CANCELLED, "stopped on request");
		if (ok || local.code == ERR_CANCELLED)
			break;
		if (w->set.note.code != ERR_NONE && local.code == ERR_INPUT)
			continue; /* a stored checkpoint that was damaged: that is said by itself */
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
		lose(w);
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
	return w->stale || w->away || keep(w, true, err);
}

uint64_t walk_grid_before(const struct walk *w, uint64_t icount, uint64_t distance)
{
	uint64_t low = icount - w->start > distance ? icount - distance : w->start;
	size_t i = icount ? checkpointset_before(&w->set, icount - 1, true) : MARKS_NONE;
	if (i != MARKS_NONE && w->set.marks.list[i].icount >= low)
		return w->set.marks.list[i].icount;
	uint64_t grid = (icount - 1) / w->set.marks.spacing * w->set.marks.spacing;
	return grid > low ? grid : low;
}

static bool pass(
	struct walk *w, uint64_t from, uint64_t to, void (*armed)(void *data, struct machine *m), void *data, struct err *err)
{
	struct walk_trip trip;
	if (!walk_to(w, from, &trip, err) || !keep(w, true, err))
		return false;
	armed(data, w->machine);
	size_t i = checkpointset_before(&w->set, from, true);
	w->stale = true;
	trip = (struct walk_trip){.asked = to};
	return (from == w->start ? checkpoint_restore_ready(w->machine, err)
				 : checkpointset_restore(&w->set, i, w->machine, err)) &&
		run_on(w, to, &trip, err);
}

bool walk_pass(
	struct walk *w, uint64_t from, uint64_t to, void (*armed)(void *data, struct machine *m), void *data, struct err *err)
{
	struct err local = {0};
	bool ok = false;
	/* A QEMU that ends on the way is replaced once. */
	for (int attempt = 0; !ok && attempt < 2 && local.code != ERR_CANCELLED; attempt++) {
		ok = pass(w, from, to, armed, data, &local);
		/* Slices were short, for the callbacks: moves learn their own again. */
		w->slice = SLICE_FIRST;
		if (!ok && (local.code != ERR_CANCELLED || !w->machine || !machine_is_alive(w->machine)))
			lose(w);
	}
	if (!ok && local.code == ERR_CANCELLED)
		err_set(&local, ERR_CANCELLED, "stopped on request");
	if (!ok && err)
		*err = local;
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
	return w->dead || w->away ? NULL : w->machine;
}

unsigned walk_generation(const struct walk *w)
{
	return w->generation;
}

unsigned walk_deaths(const struct walk *w)
{
	return w->deaths;
}

const char *walk_death(const struct walk *w)
{
	return w->hung ? "did not answer" : "had ended";
}

bool walk_is_alive(const struct walk *w)
{
	return w->machine && !w->dead && machine_is_alive(w->machine);
}

bool walk_ensure(struct walk *w, struct err *err)
{
	struct walk_trip trip;
	uint64_t here = w->now;
	if (!walk_is_alive(w))
		lose(w);
	else if (!w->away)
		return true;
	if (walk_to(w, here, &trip, err))
		return true;
	w->now = here; /* for the next time */
	w->away = true;
	return false;
}

void walk_put_off(struct walk *w, uint64_t icount)
{
	if (!w->machine || w->dead || !machine_answers(w->machine, WALK_CANCEL_MS))
		lose(w);
	w->now = icount;
	w->away = true;
}

bool walk_idle(struct walk *w, uint64_t to, bool (*wanted)(void *data), void *data)
{
	/* Nothing is asked of the other machine here, not even to free the room of a state. */
	struct machine *m = w->set.machine;
	w->set.machine = NULL;
	bool more = filler_step(&w->filler, w->start, to, wanted, data);
	w->set.machine = m;
	if (more)
		return true;
	/* What was made is kept at once when all is made, so that nothing is lost with a session that is killed. */
	if (filler_fd(&w->filler) < 0)
		checkpointset_save(&w->set, &more);
	return more;
}

int walk_idle_fd(const struct walk *w)
{
	return filler_fd(&w->filler);
}

void walk_checkpoints(const struct walk *w, struct walk_checkpoints *ret)
{
	*ret = (struct walk_checkpoints){.count = w->set.marks.count,
		.stored = checkpointset_stored(&w->set),
		.bytes = checkpointset_bytes(&w->set),
		.filling = w->filler.machine != NULL,
		.unfilled = w->filler.failures >= FILLER_FAILURES_MAX ? w->filler.problem.text : NULL,
		.not_stored = w->set.problem.code != ERR_NONE ? w->set.problem.text : NULL};
}

char *walk_take_note(struct walk *w)
{
	if (w->set.note.code == ERR_NONE)
		return NULL;
	w->set.note.code = ERR_NONE;
	return mem_printf("%s; they are not used, and made again", w->set.note.text);
}
