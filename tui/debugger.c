#include "tui/debugger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "engine/verbs.h"

#define LOOK_MS 300 /* how often an idle machine is asked whether it lives */

struct order {
	char *line;
	bool typed;
};

struct debugger {
	pthread_t thread;
	pthread_mutex_t mutex; /* guards all up to `ended` */
	pthread_cond_t wake;
	struct order queue[DEBUGGER_QUEUE_MAX];
	size_t queued;
	char *working;                  /* what the thread is at; NULL: nothing */
	int64_t since_ms, cancelled_ms; /* cancelled_ms: what it works on shall end since then; 0: it need not */
	int qemu;                       /* a pidfd; -1: not known */
	bool ending, ended;
	struct debug_picture *picture;
	struct debug_answer *first, *last;
	char *note;
	bool note_is_error;
	int news; /* eventfd */
	/* The thread's own. */
	struct cancel cancel; /* its fd is the reading end of a pipe */
	int cancel_end;       /* the writing end */
	char *path;
	uint64_t start;
	struct verbs verbs;
	struct bookmarks bookmarks;
	struct breaks breaks;
	unsigned generation; /* of the walk */
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void tell(struct debugger *d)
{
	uint64_t one = 1;
	ssize_t ignored = write(d->news, &one, sizeof one);
	(void)ignored;
}

static void note(struct debugger *d, bool is_error, const char *text)
{
	pthread_mutex_lock(&d->mutex);
	free(d->note);
	d->note = mem_str(text);
	d->note_is_error = is_error;
	pthread_mutex_unlock(&d->mutex);
	tell(d);
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

/* With the mutex held: what was asked to stop before does not concern what begins now. */
static void begin(struct debugger *d, const char *what)
{
	struct signalfd_siginfo drop;
	while (read(d->cancel.fd, &drop, sizeof drop) > 0)
		;
	d->cancel.requested = d->ending;
	free(d->working);
	d->working = mem_str(what);
	d->since_ms = now_ms();
	d->cancelled_ms = 0;
}

static void done(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	free(d->working);
	d->working = NULL;
	pthread_mutex_unlock(&d->mutex);
	tell(d);
}

/* A machine that died while nobody used it: another one is brought to the same place. */
static bool revive(struct debugger *d, struct err *err)
{
	struct session *s = d->verbs.session;
	struct walk *walk = session_walk(s);
	struct walk_trip trip;
	uint64_t back = walk_now(walk), other = back > walk_start(walk) ? walk_start(walk) : back + 1;
	bool ok = walk_to(walk, other, &trip, err) && walk_to(walk, back, &trip, err);
	session_moved(s);
	return ok;
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

static void take_picture(struct debugger *d)
{
	struct err err = {0};
	struct debug_picture *p = debug_picture_take(&d->verbs, &err);
	if (!p && err.code == ERR_QEMU && revive(d, &err))
		p = debug_picture_take(&d->verbs, &err);
	say_restarted(d);
	if (!p) {
		note(d, true, err.text);
		return;
	}
	pthread_mutex_lock(&d->mutex);
	debug_picture_destroy(d->picture);
	d->picture = p;
	pthread_mutex_unlock(&d->mutex);
	tell(d);
}

/* True when it was cancelled. */
static bool run_order(struct debugger *d, struct order *order)
{
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
	pthread_mutex_lock(&d->mutex);
	if (d->last)
		d->last->next = a;
	else
		d->first = a;
	d->last = a;
	pthread_mutex_unlock(&d->mutex);
	tell(d);
	return !ok && err.code == ERR_CANCELLED;
}

static bool machine_lives(struct debugger *d)
{
	struct machine *m = walk_machine(session_walk(d->verbs.session));
	if (!m)
		return false;
	struct pollfd monitor = {.fd = machine_fd(m), .events = POLLIN};
	return poll(&monitor, 1, 0) <= 0 || !(monitor.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Waits for an order; false at the end. An idle machine is looked after meanwhile. */
static bool next_order(struct debugger *d, struct order *ret)
{
	bool got = false;
	pthread_mutex_lock(&d->mutex);
	while (!d->ending && !(got = d->queued > 0)) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (pthread_cond_timedwait(&d->wake, &d->mutex, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&d->mutex);
		bool lives = machine_lives(d);
		pthread_mutex_lock(&d->mutex);
		if (lives || d->ending)
			continue;
		begin(d, "starting QEMU again");
		pthread_mutex_unlock(&d->mutex);
		struct err err = {0};
		if (!revive(d, &err))
			note(d, true, err.text);
		take_picture(d);
		done(d);
		pthread_mutex_lock(&d->mutex);
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
	struct order order;
	bool stale = true; /* the picture shows another place */
	do {
		uint64_t before = session_icount(d->verbs.session);
		unsigned generation = d->generation;
		if (stale && is_last(d)) { /* of a row of steps only the last place is looked at */
			take_picture(d);
			stale = false;
		}
		done(d);
		if (!next_order(d, &order))
			return;
		/* A QEMU that was given up took the place with it. */
		if (run_order(d, &order) && walk_generation(session_walk(d->verbs.session)) != generation)
			return_to(d, before);
		say_restarted(d);
		stale |= session_icount(d->verbs.session) != before || d->generation != generation;
	} while (true);
}

static void *thread(void *argument)
{
	struct debugger *d = argument;
	struct err err = {0};
	struct session_options options = {.run = d->path, .cancel = &d->cancel};
	d->verbs.session = session_open(&options, &err);
	if (d->verbs.session) {
		struct session *s = d->verbs.session;
		struct walk_trip trip;
		/* Without a place to keep them there are no bookmarks, which is said when one is made. */
		bookmarks_load(&d->bookmarks, timeline_name(session_timeline(s)), &(struct err){0});
		d->verbs.bookmarks = &d->bookmarks;
		d->verbs.breaks = &d->breaks;
		d->verbs.cancel = &d->cancel;
		d->generation = walk_generation(session_walk(s));
		publish(d);
		if (!session_go(s, d->start, &trip, &err))
			note(d, true, err.text);
		serve(d);
		bookmarks_finish(&d->bookmarks);
		session_close(s);
	} else {
		note(d, true, err.text);
	}
	pthread_mutex_lock(&d->mutex);
	d->ended = true;
	pthread_mutex_unlock(&d->mutex);
	done(d);
	return NULL;
}

/* ---- from outside ---------------------------------------------------------------------------------------------- */

static bool make_thread(struct debugger *d, struct err *err)
{
	sigset_t all, before;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&d->mutex, NULL);
	pthread_cond_init(&d->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Signals are for the main thread: only its poll wakes up by them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&d->thread, NULL, thread, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed ? err_sys(err, failed, "no thread for the debug session") : true;
}

static void release(struct debugger *d)
{
	int ends[] = {d->news, d->cancel.fd, d->cancel_end, d->qemu};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	for (size_t i = 0; i < d->queued; i++)
		free(d->queue[i].line);
	for (uint32_t i = 0; i < d->breaks.count; i++)
		free(d->breaks.text[i]);
	for (struct debug_answer *a; (a = d->first) != NULL;) {
		d->first = a->next;
		debug_answer_destroy(a);
	}
	debug_picture_destroy(d->picture);
	free(d->working);
	free(d->note);
	free(d->path);
	free(d);
}

struct debugger *debugger_start(const char *path, uint64_t icount, struct err *err)
{
	struct debugger *d = mem_alloc(sizeof *d);
	int ends[2] = {-1, -1};
	bool ok = pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
	d->cancel.fd = ends[0];
	d->cancel_end = ends[1];
	d->qemu = -1;
	d->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->path = mem_str(path);
	d->start = icount;
	d->working = mem_str("opening the run");
	d->since_ms = now_ms();
	if (!ok || d->news < 0)
		err_sys(err, errno, "no pipe for the debug session");
	else if (make_thread(d, err))
		return d;
	release(d);
	return NULL;
}

/* What engine/cancel takes for a signal. */
static void press_cancel(struct debugger *d)
{
	struct signalfd_siginfo signal = {0};
	ssize_t ignored = write(d->cancel_end, &signal, sizeof signal); /* a full pipe has been asked often enough */
	(void)ignored;
}

void debugger_end(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	d->ending = true;
	press_cancel(d);
	d->cancelled_ms = now_ms();
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->mutex);
}

bool debugger_ended(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool ended = d->ended;
	pthread_mutex_unlock(&d->mutex);
	return ended;
}

void debugger_destroy(struct debugger *d)
{
	if (!d)
		return;
	debugger_end(d);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->mutex);
	release(d);
}

int debugger_fd(const struct debugger *d)
{
	return d->news;
}

/* With the mutex held. */
static bool queue(struct debugger *d, const char *line, bool typed, struct err *err)
{
	if (d->queued == DEBUGGER_QUEUE_MAX)
		return err_set(err, ERR_USAGE, "%d moves wait already: Esc stops them", DEBUGGER_QUEUE_MAX);
	d->queue[d->queued++] = (struct order){mem_str(line), typed};
	pthread_cond_signal(&d->wake);
	return true;
}

bool debugger_run(struct debugger *d, const char *line, bool typed, struct err *err)
{
	pthread_mutex_lock(&d->mutex);
	bool ok = queue(d, line, typed, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

static void drop_moves(struct debugger *d, bool typed_too)
{
	size_t kept = 0;
	for (size_t i = 0; i < d->queued; i++)
		if (d->queue[i].typed && !typed_too)
			d->queue[kept++] = d->queue[i];
		else
			free(d->queue[i].line);
	d->queued = kept;
}

bool debugger_goto(struct debugger *d, uint64_t icount, struct err *err)
{
	char line[48];
	snprintf(line, sizeof line, "goto %" PRIu64, icount);
	pthread_mutex_lock(&d->mutex);
	drop_moves(d, false);
	/* A playhead that is dragged does not wait for each place that it passes. */
	if (d->working && !strncmp(d->working, "goto ", 5))
		press_cancel(d);
	bool ok = queue(d, line, false, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

bool debugger_cancel(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool any = d->working || d->queued;
	drop_moves(d, true);
	if (d->working) {
		press_cancel(d);
		d->cancelled_ms = d->cancelled_ms ? d->cancelled_ms : now_ms();
	}
	pthread_mutex_unlock(&d->mutex);
	return any;
}

void debugger_watch(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	if (d->working && d->cancelled_ms && now_ms() - d->cancelled_ms > DEBUGGER_PATIENCE_MS && d->qemu >= 0) {
		pidfd_send_signal(d->qemu, SIGKILL, NULL, 0);
		d->cancelled_ms = 0;
	}
	pthread_mutex_unlock(&d->mutex);
}

bool debugger_busy(struct debugger *d, char **ret_what, int64_t *ret_since_ms)
{
	pthread_mutex_lock(&d->mutex);
	bool busy = d->working || d->queued;
	if (ret_what)
		*ret_what = d->working ? mem_str(d->working) : NULL;
	if (ret_since_ms)
		*ret_since_ms = d->since_ms;
	pthread_mutex_unlock(&d->mutex);
	return busy;
}

struct debug_picture *debugger_take_picture(struct debugger *d)
{
	uint64_t count;
	ssize_t ignored = read(d->news, &count, sizeof count);
	(void)ignored;
	pthread_mutex_lock(&d->mutex);
	struct debug_picture *p = d->picture;
	d->picture = NULL;
	pthread_mutex_unlock(&d->mutex);
	return p;
}

struct debug_answer *debugger_take_answer(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	struct debug_answer *a = d->first;
	if (a)
		d->first = a->next;
	if (!d->first)
		d->last = NULL;
	pthread_mutex_unlock(&d->mutex);
	return a;
}

char *debugger_take_note(struct debugger *d, bool *ret_is_error)
{
	pthread_mutex_lock(&d->mutex);
	char *text = d->note;
	*ret_is_error = d->note_is_error;
	d->note = NULL;
	pthread_mutex_unlock(&d->mutex);
	return text;
}

void debug_answer_destroy(struct debug_answer *a)
{
	if (!a)
		return;
	free(a->line);
	free(a->output);
	free(a->problem);
	free(a);
}

const char *debugger_verb(size_t i, const char **ret_operands, const char **ret_about)
{
	if (i >= verbs_count())
		return NULL;
	const struct verb *verb = verbs_get(i);
	if (ret_operands)
		*ret_operands = verb->operands;
	if (ret_about)
		*ret_about = verb->about;
	return verb->name;
}

bool debugger_knows(const char *line, bool exact)
{
	struct err ignored;
	char *word = mem_strn(line, strcspn(line, " "));
	const struct verb *verb = verbs_find(word, &ignored);
	bool known = verb && (!exact || !strcmp(verb->name, word) || (verb->alias && !strcmp(verb->alias, word)));
	free(word);
	return known;
}
