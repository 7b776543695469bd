/* A debug session from inside: its thread, which takes orders, runs them and publishes what the machine shows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tui/debugger_gdb.h"
#include "tui/debugger_parts.h"

#define LOOK_MS 300 /* how often an idle machine is asked whether it lives */

static void note(struct debugger *d, bool is_error, const char *text)
{
	pthread_mutex_lock(&d->mutex);
	free(d->note);
	d->note = mem_str(text);
	d->note_is_error = is_error;
	pthread_mutex_unlock(&d->mutex);
	debugger_tell(d);
}

/* With the mutex held: what was asked to stop before does not concern what begins now. */
static void begin(struct debugger *d, const char *what)
{
	struct signalfd_siginfo drop;
	while (read(d->cancel.fd, &drop, sizeof drop) > 0)
		;
	d->cancel.requested = d->ending;
	free(d->working);
	d->working = mem_str(what);
	d->since_ms = debugger_clock_ms();
	d->cancelled_ms = d->ending ? d->cancelled_ms : 0;
	d->done = d->of = 0;
	d->stage[0] = '\0';
	d->scans = false;
}

static void counted(struct debugger *d, uint64_t done, uint64_t of, bool scans)
{
	pthread_mutex_lock(&d->mutex);
	if (scans || !d->scans) {
		d->done = done;
		d->of = of;
	}
	d->scans |= scans;
	pthread_mutex_unlock(&d->mutex);
}

static void on_run(void *debugger, uint64_t done, uint64_t of)
{
	counted(debugger, done, of, false);
}

static void on_scan(void *debugger, uint64_t done, uint64_t of)
{
	counted(debugger, done, of, true);
}

static void on_stage(void *debugger, const char *stage, const char *detail)
{
	struct debugger *d = debugger;
	pthread_mutex_lock(&d->mutex);
	if (!strcmp(stage, "opening")) /* the line said so, and the title which run */
		stage = detail = "";
	snprintf(d->stage, sizeof d->stage, "%s%s%.60s", stage, *detail ? " " : "", detail);
	pthread_mutex_unlock(&d->mutex);
}

static void done(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	free(d->working);
	d->working = NULL;
	pthread_mutex_unlock(&d->mutex);
	debugger_tell(d);
}

/* So that the other threads can end a QEMU that answers nothing: by descriptor, since its number may be another's by then. */
static void publish(struct debugger *d)
{
	struct machine *m = walk_machine(session_walk(d->verbs.session));
	int fd = m && machine_pid(m) > 0 ? pidfd_open(machine_pid(m), 0) : -1;
	pthread_mutex_lock(&d->mutex);
	if (d->qemu >= 0)
		close(d->qemu);
	d->qemu = fd;
	pthread_mutex_unlock(&d->mutex);
}

static void say_restarted(struct debugger *d)
{
	unsigned generation = walk_generation(session_walk(d->verbs.session));
	if (generation != d->generation && session_was_restarted(d->verbs.session)) /* said once, here or by a verb */
		note(d, true, "QEMU had ended and was started again: this is the same place");
	if (generation != d->generation)
		publish(d);
	d->generation = generation;
}

static void take_names(struct debugger *d)
{
	struct debug_names *names = debug_names_take(&d->verbs, d->named);
	if (!names)
		return;
	debug_names_destroy(d->named);
	d->named = debug_names_key(names);
	pthread_mutex_lock(&d->mutex);
	debug_names_destroy(d->names);
	d->names = names;
	pthread_mutex_unlock(&d->mutex);
}

static void take_picture(struct debugger *d)
{
	struct err err = {0};
	struct debug_picture *p = debug_picture_take(&d->verbs, &d->past, &err);
	if (!p && err.code == ERR_QEMU && session_ensure(d->verbs.session, &err))
		p = debug_picture_take(&d->verbs, &d->past, &err);
	say_restarted(d);
	if (!p) {
		note(d, true, err.text);
		return;
	}
	pthread_mutex_lock(&d->mutex);
	debug_picture_destroy(d->picture);
	d->picture = p;
	pthread_mutex_unlock(&d->mutex);
	debugger_tell(d);
	take_names(d); /* takes longer, and nobody waits for it */
}

static void give(struct debugger *d, struct debug_answer *a)
{
	pthread_mutex_lock(&d->mutex);
	if (d->last)
		d->last->next = a;
	else
		d->first = a;
	d->last = a;
	pthread_mutex_unlock(&d->mutex);
	debugger_tell(d);
}

static void on_gdb_line(struct debugger *d, const char *line, const char *text)
{
	struct debug_answer *a = mem_alloc(sizeof *a);
	*a = (struct debug_answer){.line = mem_str(line), .output = mem_str(text), .typed = true};
	give(d, a);
}

static void on_gdb_sentence(struct debugger *d, const char *text)
{
	note(d, false, text);
}

/* True when it was cancelled. */
static bool run_order(struct debugger *d, struct debug_order *order)
{
	if (order->toggles) {
		debug_past_toggle(&d->past, order->line);
		free(order->line);
		return false;
	}
	struct buf out = {0};
	struct err err = {0};
	bool ok = verbs_run(&d->verbs, order->line, strlen(order->line), &out, &err);
	struct debug_answer *a = mem_alloc(sizeof *a);
	a->line = order->line;
	a->typed = order->typed;
	a->quit = d->verbs.quit;
	a->output = out.size ? buf_take(&out) : mem_str("");
	a->problem = ok ? NULL : mem_str(err.text);
	a->cancelled = !ok && err.code == ERR_CANCELLED;
	buf_free(&out);
	give(d, a);
	return !ok && err.code == ERR_CANCELLED;
}

/* Does a line wait, or the end? */
static bool is_wanted(void *data)
{
	struct debugger *d = data;
	pthread_mutex_lock(&d->mutex);
	bool wanted = d->queued > 0 || d->ending;
	pthread_mutex_unlock(&d->mutex);
	return wanted;
}

/* With the mutex held: a machine that died while nobody used it is replaced at the same place. */
static void revive(struct debugger *d)
{
	struct err err = {0};
	begin(d, "starting QEMU again");
	pthread_mutex_unlock(&d->mutex);
	if (!session_ensure(d->verbs.session, &err))
		note(d, true, err.text);
	take_picture(d);
	done(d);
	pthread_mutex_lock(&d->mutex);
}

static void add_ms(struct timespec *t, int ms)
{
	t->tv_nsec += ms * 1000000L;
	t->tv_sec += t->tv_nsec / 1000000000L;
	t->tv_nsec %= 1000000000L;
}

/* Waits for an order; false at the end. An idle machine is looked after meanwhile, and checkpoints are made. */
static bool next_order(struct debugger *d, struct debug_order *ret)
{
	bool got = false;
	int quiet_ms = LOOK_MS;
	pthread_mutex_lock(&d->mutex);
	while (!d->ending && !(got = d->queued > 0)) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		add_ms(&until, quiet_ms);
		if (pthread_cond_timedwait(&d->wake, &d->mutex, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&d->mutex);
		quiet_ms = session_idle(d->verbs.session, is_wanted, d);
		quiet_ms = quiet_ms < 0 ? LOOK_MS : quiet_ms;
		bool lives = session_is_alive(d->verbs.session);
		pthread_mutex_lock(&d->mutex);
		bool other = walk_generation(session_walk(d->verbs.session)) != d->generation; /* what was idle replaced it */
		if ((!lives || other) && !d->ending)
			revive(d);
	}
	if (got) {
		*ret = d->queue[0];
		memmove(d->queue, d->queue + 1, --d->queued * sizeof d->queue[0]);
		begin(d, ret->line);
	}
	pthread_mutex_unlock(&d->mutex);
	return got;
}

static void return_to(struct debugger *d, uint64_t icount)
{
	struct session *s = d->verbs.session;
	struct walk_trip trip;
	struct err err = {0};
	pthread_mutex_lock(&d->mutex);
	begin(d, "returning");
	pthread_mutex_unlock(&d->mutex);
	if (!walk_to(session_walk(s), session_zero(s) + icount, &trip, &err))
		note(d, true, err.text);
	session_moved(s);
}

static bool is_last(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool last = !d->queued && !d->ending;
	pthread_mutex_unlock(&d->mutex);
	return last;
}

static void serve(struct debugger *d)
{
	struct debug_order order;
	bool stale = true; /* the picture may show something else than there is */
	do {
		uint64_t before = session_icount(d->verbs.session);
		unsigned deaths = walk_deaths(session_walk(d->verbs.session));
		if (stale && is_last(d)) { /* of a row of steps only the last place is looked at */
			take_picture(d);
			stale = false;
		}
		done(d);
		if (!next_order(d, &order))
			return;
		/* A QEMU that was given up took the place with it. */
		if (run_order(d, &order) && walk_deaths(session_walk(d->verbs.session)) != deaths)
			return_to(d, before);
		say_restarted(d);
		stale = true; /* moves are not all that it shows: also what was chosen, opened, and where breaks are */
	} while (true);
}

static void prepare(struct debugger *d)
{
	struct session *s = d->verbs.session;
	/* Without a place to keep them there are no bookmarks, which is said when one is made. */
	bookmarks_load(&d->bookmarks, timeline_name(session_timeline(s)), &(struct err){0});
	d->verbs.bookmarks = &d->bookmarks;
	d->verbs.breaks = &d->breaks;
	d->verbs.cancel = &d->cancel;
	d->verbs.runs = d->runs;
	d->verbs.debug_dirs = d->options.debug_dirs;
	d->verbs.debug_dir_count = d->options.debug_dir_count;
	d->verbs.source_dirs = d->options.source_dirs;
	d->verbs.source_dir_count = d->options.source_dir_count;
	d->verbs.progress = (struct progress){on_stage, d};
	d->verbs.scanned = on_scan;
	d->verbs.scanned_data = d;
	walk_watch(session_walk(s), on_run, d);
	d->generation = walk_generation(session_walk(s));
	publish(d);
}

void *debugger_thread(void *argument)
{
	struct debugger *d = argument;
	struct err err = {0};
	struct session_options options = {.run = d->path,
		.cancel = &d->cancel,
		.progress = {on_stage, d},
		.debug_dirs = d->options.debug_dirs,
		.debug_dir_count = d->options.debug_dir_count};
	d->verbs.session = session_open(&options, &err);
	if (d->verbs.session) {
		struct walk_trip trip;
		struct debugger_gdb gdb = {.say = on_gdb_sentence, .print = on_gdb_line, .moved = take_picture};
		prepare(d);
		debugger_gdb_init(&gdb, d);
		if (!session_go(d->verbs.session, d->options.icount, &trip, &err))
			note(d, true, err.text);
		serve(d);
		bookmarks_finish(&d->bookmarks);
		session_close(d->verbs.session);
	} else {
		note(d, true, err.text);
	}
	pthread_mutex_lock(&d->mutex);
	debugger_drop_moves(d, true); /* nobody will do them */
	d->ended = true;
	pthread_mutex_unlock(&d->mutex);
	done(d);
	return NULL;
}
