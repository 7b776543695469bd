/* A debug session from outside: started and ended, given orders, and asked for what its thread has published. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tui/debugger_parts.h"
#include "tui/fmt.h"

#define WATCH_MS 100 /* how often one that shall end is looked after */

int64_t debugger_clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void debugger_tell(struct debugger *d)
{
	uint64_t one = 1;
	ssize_t ignored = write(d->news, &one, sizeof one);
	(void)ignored;
}

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
	int failed = pthread_create(&d->thread, NULL, debugger_thread, d);
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
	breaks_finish(&d->breaks);
	for (struct debug_answer *a; (a = d->first) != NULL;) {
		d->first = a->next;
		debug_answer_destroy(a);
	}
	debug_picture_destroy(d->picture);
	debug_names_destroy(d->names);
	debug_names_destroy(d->named);
	debug_past_finish(&d->past);
	free(d->working);
	free(d->note);
	free(d->path);
	free(d->runs);
	free(d);
}

struct debugger *debugger_start(const struct debugger_options *options, struct err *err)
{
	struct debugger *d = mem_alloc(sizeof *d);
	int ends[2] = {-1, -1};
	bool ok = pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
	d->cancel.fd = ends[0];
	d->cancel_end = ends[1];
	d->qemu = -1;
	d->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->options = *options;
	d->path = mem_str(options->path);
	d->runs = mem_str(options->runs);
	d->working = mem_str("opening the run");
	d->since_ms = debugger_clock_ms();
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

void debugger_heard(struct debugger *d)
{
	uint64_t count;
	ssize_t ignored = read(d->news, &count, sizeof count);
	(void)ignored;
}

void debugger_end(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	d->ending = true;
	press_cancel(d);
	d->cancelled_ms = debugger_clock_ms();
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
	while (!debugger_ended(d)) { /* a QEMU that hangs would never let it end */
		poll(&(struct pollfd){.fd = d->news, .events = POLLIN}, 1, WATCH_MS);
		debugger_heard(d);
		debugger_watch(d);
	}
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
static bool queue(struct debugger *d, const char *line, bool typed, bool toggles, struct err *err)
{
	if (d->ended)
		return err_set(err, ERR_USAGE, "there is no machine any more");
	if (d->queued == DEBUGGER_QUEUE_MAX)
		return err_set(err, ERR_USAGE, "%d moves wait already: Esc stops them", DEBUGGER_QUEUE_MAX);
	d->queue[d->queued++] = (struct debug_order){mem_str(line), typed, toggles};
	pthread_cond_signal(&d->wake);
	return true;
}

bool debugger_choose(struct debugger *d, const char *line, struct err *err)
{
	size_t word = strcspn(line, " "), kept = 0;
	pthread_mutex_lock(&d->mutex);
	for (size_t i = 0; i < d->queued; i++)
		if (!d->queue[i].typed && !strncmp(d->queue[i].line, line, word) && strchr(" ", d->queue[i].line[word]))
			free(d->queue[i].line);
		else
			d->queue[kept++] = d->queue[i];
	d->queued = kept;
	bool ok = queue(d, line, false, false, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

bool debugger_run(struct debugger *d, const char *line, bool typed, struct err *err)
{
	pthread_mutex_lock(&d->mutex);
	bool ok = queue(d, line, typed, false, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

void debugger_drop_moves(struct debugger *d, bool typed_too)
{
	size_t kept = 0;
	for (size_t i = 0; i < d->queued; i++)
		if (d->queue[i].typed && !typed_too)
			d->queue[kept++] = d->queue[i];
		else
			free(d->queue[i].line);
	d->queued = kept;
}

bool debugger_toggle(struct debugger *d, const char *expression, struct err *err)
{
	pthread_mutex_lock(&d->mutex);
	bool ok = queue(d, expression, false, true, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

bool debugger_goto(struct debugger *d, uint64_t icount, struct err *err)
{
	char line[48];
	snprintf(line, sizeof line, "goto %" PRIu64, icount);
	pthread_mutex_lock(&d->mutex);
	debugger_drop_moves(d, false);
	/* A playhead that is dragged does not wait for each place that it passes. */
	if (d->working && !strncmp(d->working, "goto ", 5))
		press_cancel(d);
	bool ok = queue(d, line, false, false, err);
	pthread_mutex_unlock(&d->mutex);
	return ok;
}

bool debugger_cancel(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool any = d->working || d->queued;
	debugger_drop_moves(d, true);
	if (d->working) {
		press_cancel(d);
		d->cancelled_ms = d->cancelled_ms ? d->cancelled_ms : debugger_clock_ms();
	}
	pthread_mutex_unlock(&d->mutex);
	return any;
}

void debugger_watch(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	int64_t now = debugger_clock_ms();
	bool ends = d->working || d->ending; /* closing the session is no work that has a name */
	if (ends && d->cancelled_ms && now - d->cancelled_ms > DEBUGGER_PATIENCE_MS && d->qemu >= 0) {
		pidfd_send_signal(d->qemu, SIGKILL, NULL, 0);
		d->cancelled_ms = d->ending ? now : 0;
	}
	pthread_mutex_unlock(&d->mutex);
}

bool debugger_busy(struct debugger *d, struct debug_work *ret)
{
	pthread_mutex_lock(&d->mutex);
	bool busy = d->working || d->queued;
	*ret = (struct debug_work){mem_str(d->working), d->since_ms, d->done, d->of, ""};
	memcpy(ret->stage, d->stage, sizeof ret->stage);
	pthread_mutex_unlock(&d->mutex);
	return busy;
}

char *debugger_work_text(const struct debug_work *work, int64_t took_ms)
{
	struct buf text = {0};
	bool counted = work->of && work->done <= work->of;
	buf_printf(&text, "%.24s", work->what);
	if (counted) {
		uint64_t left = work->done
			? (uint64_t)((double)took_ms / 1000 * (double)(work->of - work->done) / (double)work->done)
			: 0;
		char done[FMT_MAX], of[FMT_MAX];
		buf_printf(&text, ": %s of %s, %u%%", fmt_short(work->done, done), fmt_short(work->of, of),
			(unsigned)((double)work->done * 100 / (double)work->of));
		if (work->done)
			buf_printf(&text, ", %" PRIu64 " s left", left);
	} else if (work->stage[0]) {
		buf_printf(&text, ": %.60s", work->stage);
	}
	if (!counted || !work->done) /* else what is left says more */
		buf_printf(&text, ", %" PRId64 ".%" PRId64 " s", took_ms / 1000, took_ms / 100 % 10);
	buf_str(&text, "; Esc stops");
	return buf_take(&text);
}

bool debugger_pending(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool pending = d->working || d->queued || d->picture || d->names || d->first || d->note;
	pthread_mutex_unlock(&d->mutex);
	return pending;
}

struct debug_picture *debugger_take_picture(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	struct debug_picture *p = d->picture;
	d->picture = NULL;
	pthread_mutex_unlock(&d->mutex);
	return p;
}

struct debug_names *debugger_take_names(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	struct debug_names *names = d->names;
	d->names = NULL;
	pthread_mutex_unlock(&d->mutex);
	return names;
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

bool debugger_serves(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	bool serves = d->serving;
	pthread_mutex_unlock(&d->mutex);
	return serves;
}

char *const *debugger_program(struct debugger *d)
{
	pthread_mutex_lock(&d->mutex);
	char *const *argv = d->program;
	pthread_mutex_unlock(&d->mutex);
	return argv;
}

void debugger_started(struct debugger *d, int fd)
{
	pthread_mutex_lock(&d->mutex);
	d->program = NULL;
	d->program_fd = fd;
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->mutex);
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
