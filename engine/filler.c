#include "engine/filler.h"

void filler_init(struct filler *f, const struct machine_options *options, struct checkpointset *set)
{
	*f = (struct filler){.options = *options, .set = set, .quick = {.fd = -1}};
	f->options.cancel_fd = -1;
	f->options.cancel = NULL;
	f->options.plugins = NULL;
	f->options.background = true;
}

static void stop(struct filler *f)
{
	machine_destroy(f->machine);
	f->machine = NULL;
	f->running = false;
}

void filler_finish(struct filler *f)
{
	stop(f);
}

int filler_fd(const struct filler *f)
{
	return f->machine && f->running ? machine_fd(f->machine) : -1;
}

/* The state of the one checkpoint that the machine is to begin from. */
struct base {
	struct checkpoint *checkpoint;
};

static bool add_state(void *data, struct qcow2_writer *w, struct err *err)
{
	return checkpoint_add_state(((struct base *)data)->checkpoint, w, err);
}

/* A machine at the last checkpoint before the missing one, or at the start. */
static bool launch(struct filler *f, uint64_t next, struct err *err)
{
	size_t i = checkpointset_before(f->set, next, false);
	struct base base = {i == MARKS_NONE ? NULL : checkpointset_get(f->set, i)};
	f->options.states = base.checkpoint ? add_state : NULL;
	f->options.states_data = &base;
	f->options.cancel = &f->quick;
	f->machine = machine_start(&f->options, err);
	if (!f->machine)
		return false;
	f->now = machine_start_icount(f->machine);
	if (!base.checkpoint)
		return true;
	machine_heard(f->machine, &f->set->serial);
	f->now = checkpoint_icount(base.checkpoint);
	return checkpointset_restore(f->set, i, f->machine, err);
}

static bool run_on(struct filler *f, uint64_t next, struct err *err)
{
	f->target = next;
	f->running = machine_break(f->machine, next, err) && machine_cont(f->machine, err);
	return f->running;
}

/* The machine has stopped: at the place it was sent to, or where the guest stopped itself before. */
static bool arrive(struct filler *f, enum machine_state state, struct err *err)
{
	f->running = false;
	f->past_end = state != MACHINE_AT_BREAK;
	if (state == MACHINE_DIED)
		return err_set(err, ERR_QEMU, "QEMU ended by itself");
	if (!machine_unbreak(f->machine, err) || !machine_icount(f->machine, &f->now, err))
		return false;
	if (f->past_end)
		return true;
	f->failures = 0;
	return checkpointset_take(f->set, f->machine, f->now, false, false, err);
}

/* Is it shorter to begin anew from a checkpoint than to run on from here? */
static bool is_far(const struct filler *f, uint64_t next)
{
	size_t i = checkpointset_before(f->set, next, false);
	uint64_t base = i == MARKS_NONE ? 0 : checkpoint_icount(checkpointset_get(f->set, i));
	return next <= f->now || (base > f->now && base - f->now > 2 * f->set->marks.spacing);
}

static bool work(struct filler *f, uint64_t next, bool *more, struct err *err)
{
	enum machine_state state;
	*more = true;
	if (!f->machine)
		return launch(f, next, err);
	if (!f->running) {
		if (is_far(f, next))
			stop(f);
		else
			*more = false;
		return *more || run_on(f, next, err);
	}
	/* Not 0: an open machine is woken by it. */
	if (!machine_poll(f->machine, 1, &state, err))
		return false;
	*more = state != MACHINE_RUNNING;
	return !*more || arrive(f, state, err);
}

bool filler_step(struct filler *f, uint64_t from, uint64_t to, bool (*wanted)(void *data), void *data)
{
	uint64_t next = f->past_end || f->failures >= FILLER_FAILURES_MAX ? UINT64_MAX : marks_missing(&f->set->marks, from, to);
	struct err err = {0};
	bool more = false;
	if (next == UINT64_MAX) {
		stop(f);
		return false;
	}
	f->quick = (struct cancel){.fd = -1, .also = wanted, .data = data};
	if (work(f, next, &more, &err))
		return more;
	f->problem = err;
	f->failures++;
	stop(f);
	return f->failures < FILLER_FAILURES_MAX;
}
