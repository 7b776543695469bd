#include "engine/batch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/buf.h"

/* Written by the worker, read by the parent after the worker is gone. */
struct shared {
	bool done; /* record_run returned: what follows is whole */
	bool ok;
	struct record_result result;
	struct err err;
};

struct worker {
	pid_t pid; /* 0: free */
	int pidfd;
	size_t at; /* number of its case */
	uint64_t began_ms;
	struct shared *shared;
};

struct batch {
	const struct batch_options *options;
	struct report_case *cases;
	size_t count, next, finished;
	struct worker *workers;
	bool stop; /* start no more */
};

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- the cases -------------------------------------------------------------------------------------------- */

static bool list_cases(struct batch *b, struct err *err)
{
	const struct batch_options *o = b->options;
	uint64_t seeds = o->last_seed - o->first_seed + 1;
	if (seeds == 0 || seeds > BATCH_RUNS_MAX || seeds * o->scenario_count > BATCH_RUNS_MAX)
		return err_set(err, ERR_USAGE, "more than %d runs in one batch", BATCH_RUNS_MAX);
	size_t room = 0, number = 0;
	for (size_t s = 0; s < o->scenario_count; s++) {
		for (uint64_t i = 0; i < seeds; i++) {
			if (number++ % o->shards != o->shard - 1)
				continue;
			struct report_case c = {.path = mem_str(o->scenarios[s]), .seed = o->first_seed + i};
			c.scenario = mem_str(o->scenarios[s]);
			c.verdict = mem_str("error");
			ARRAY_PUSH(b->cases, b->count, room) = c;
		}
	}
	return true;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = mem_str(with);
}

/* What the worker left behind becomes the case's result. */
static void collect(struct batch *b, struct worker *w, int wait_status)
{
	struct report_case *c = &b->cases[w->at];
	const struct shared *s = w->shared;
	c->ran = true;
	c->wall_ms = now_ms() - w->began_ms;
	if (s->result.scenario[0])
		replace(&c->scenario, s->result.scenario);
	if (!s->done || !s->ok) {
		c->status = s->done ? err_exit_status(s->err.code) : 5;
		c->error = s->done ? mem_str(s->err.text)
				   : mem_printf("the worker died (%s %d)", WIFSIGNALED(wait_status) ? "signal" : "status",
					     WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status));
		return;
	}
	const struct record_result *r = &s->result;
	c->status = verdict_exit_status(r->verdict);
	replace(&c->verdict, verdict_name(r->verdict));
	c->run = r->run[0] ? mem_str(r->run) : NULL;
	c->events = r->events;
	c->icount = r->icount;
	c->vtime_ns = r->vtime_ns;
	c->faults_applied = r->faults_applied;
	c->faults_unobserved = r->faults_unobserved;
	c->property_count = r->property_count;
	c->properties = mem_array(r->property_count, sizeof *c->properties);
	for (size_t i = 0; i < r->property_count; i++)
		c->properties[i] = (struct report_property){mem_str(r->properties[i].id),
			mem_str(verdict_name(r->properties[i].verdict)), mem_str(r->properties[i].why)};
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

static void work(const struct batch *b, struct worker *w)
{
	struct shared *s = w->shared;
	struct cancel cancel;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	const struct report_case *c = &b->cases[w->at];
	struct record_options options = {
		.scenario = c->path, .seed = c->seed, .runs = b->options->runs, .keep = b->options->keep, .cancel = &cancel};
	s->ok = cancel_init(&cancel, &s->err) && record_run(&options, &s->result, &s->err);
	s->done = true;
	_exit(0);
}

static bool start(struct batch *b, struct worker *w, struct err *err)
{
	memset(w->shared, 0, offsetof(struct shared, result));
	w->shared->result.scenario[0] = '\0';
	w->at = b->next++;
	w->began_ms = now_ms();
	pid_t pid = fork();
	if (pid < 0)
		return err_sys(err, errno, "start a worker");
	if (pid == 0)
		work(b, w);
	w->pid = pid;
	w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (w->pidfd < 0)
		return err_sys(err, errno, "watch a worker");
	return true;
}

static void reap(struct batch *b, struct worker *w)
{
	int status = 0;
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(w->pidfd);
	w->pid = 0;
	collect(b, w, status);
	struct report_case *c = &b->cases[w->at];
	b->finished++;
	if (c->status && b->options->fail_fast)
		b->stop = true;
	if (b->options->done)
		b->options->done(b->options->data, c, b->finished, b->count);
}

/* Waits until a worker ends or stopping is asked for; reaps those that ended. Returns how many still work. */
static size_t wait_some(struct batch *b)
{
	struct pollfd fds[BATCH_JOBS_MAX + 1];
	size_t who[BATCH_JOBS_MAX], n = 0;
	for (size_t i = 0; i < b->options->jobs; i++) {
		if (!b->workers[i].pid)
			continue;
		fds[n] = (struct pollfd){.fd = b->workers[i].pidfd, .events = POLLIN};
		who[n++] = i;
	}
	if (!n)
		return 0;
	fds[n] = (struct pollfd){.fd = b->options->cancel && !b->stop ? b->options->cancel->fd : -1, .events = POLLIN};
	poll(fds, (nfds_t)n + 1, -1);
	for (size_t i = 0; i < n; i++)
		if (fds[i].revents)
			reap(b, &b->workers[who[i]]);
	return n;
}

static void stop_workers(struct batch *b)
{
	b->stop = true;
	for (size_t i = 0; i < b->options->jobs; i++)
		if (b->workers[i].pid)
			kill(b->workers[i].pid, SIGTERM);
}

static bool work_through(struct batch *b, struct err *err)
{
	bool told = false;
	for (;;) {
		if (cancel_requested(b->options->cancel) && !told) {
			stop_workers(b);
			told = true;
		}
		for (size_t i = 0; i < b->options->jobs && !b->stop && b->next < b->count; i++) {
			if (b->workers[i].pid || start(b, &b->workers[i], err))
				continue;
			stop_workers(b);
			while (wait_some(b))
				;
			return false;
		}
		if (!wait_some(b))
			return true;
	}
}

static bool map_workers(struct batch *b, struct err *err)
{
	b->workers = mem_array(b->options->jobs, sizeof *b->workers);
	for (size_t i = 0; i < b->options->jobs; i++) {
		void *map = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return err_sys(err, errno, "memory for %zu workers", b->options->jobs);
		b->workers[i].shared = map;
	}
	return true;
}

bool batch_run(const struct batch_options *options, struct report *ret, struct err *err)
{
	struct batch b = {.options = options};
	bool ok = list_cases(&b, err) && map_workers(&b, err) && work_through(&b, err);
	for (size_t i = 0; b.workers && i < options->jobs; i++)
		if (b.workers[i].shared)
			munmap(b.workers[i].shared, sizeof(struct shared));
	free(b.workers);
	*ret = (struct report){.cases = b.cases, .count = b.count, .cancelled = options->cancel && options->cancel->requested};
	if (!ok)
		batch_finish(ret);
	return ok;
}

void batch_finish(struct report *r)
{
	struct report_case *cases = (struct report_case *)r->cases;
	for (size_t i = 0; i < r->count; i++)
		report_case_finish(&cases[i]);
	free(cases);
	*r = (struct report){0};
}
