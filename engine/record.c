#include "engine/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/buf.h"
#include "engine/check.h"
#include "engine/file.h"
#include "engine/listener.h"
#include "engine/machine.h"
#include "engine/observer.h"
#include "engine/orders.h"
#include "engine/plan.h"
#include "engine/play.h"
#include "engine/rundir.h"
#include "engine/runlist.h"
#include "engine/scenario.h"
#include "engine/zst.h"

struct recording {
	const struct record_options *options;
	struct record_result *result;
	struct scenario *scenario;
	struct plan *plan;
	struct prepared prepared;
	struct rundir *dir;
	struct checks *checks;
	struct machine *machine;
	struct observer_cast cast;
	struct observer *observer;
	struct listener *listener;
	struct buf log;
	struct timespec began;
	uint64_t observed;
};

static uint64_t ms_since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000);
}

/* ---- every event goes to the directory, the checks and the tally ------------------------------------------- */

static void count(struct recording *r, const struct event *e)
{
	struct record_result *result = r->result;
	result->events++;
	switch (e->kind) {
	case EVENT_IO_LINE:
		result->lines++;
		break;
	case EVENT_FAULT_APPLIED:
		result->faults_applied++;
		break;
	case EVENT_FAULT_REJECTED:
		result->faults_rejected++;
		break;
	case EVENT_FAULT_OBSERVED:
		r->observed++;
		break;
	default:
		break;
	}
}

static bool on_event(void *data, const struct event *e, struct err *err)
{
	struct recording *r = data;
	struct event_sink dir = rundir_sink(r->dir), checks = checks_sink(r->checks);
	count(r, e);
	if (r->options->fork && r->options->fork->also.event &&
		!r->options->fork->also.event(r->options->fork->also.data, e, err))
		return false;
	return dir.event(dir.data, e, err) && checks.event(checks.data, e, err);
}

static void on_tick(void *data)
{
	struct recording *r = data;
	rundir_flush(r->dir, NULL); /* for those who follow; a full disk is noticed by the next write */
	char detail[96];
	snprintf(detail, sizeof detail, "t %.3f s, %llu events, %llu faults applied",
		(double)observer_vtime_ns(r->observer) / 1e9, (unsigned long long)r->result->events,
		(unsigned long long)r->result->faults_applied);
	if (r->options->progress.say)
		r->options->progress.say(r->options->progress.data, "recording", detail);
}

/* ---- the steps ---------------------------------------------------------------------------------------------- */

static struct plan *load_plan(const char *path, const struct scenario *scenario, struct err *err)
{
	struct buf bytes = {0};
	struct plan *plan = NULL;
	if (file_read(path, PLAN_BYTES_MAX, &bytes, err))
		plan = plan_parse(bytes.data, bytes.size, path, err);
	buf_free(&bytes);
	if (plan && !plan_validate(plan, scenario, err)) {
		err_prefix(err, "%s", path);
		plan_destroy(plan);
		plan = NULL;
	}
	return plan;
}

/* A fork has its parent's scenario and, unless it has another, plan, copied. */
static bool copy_plan(struct recording *r, const struct record_fork *fork, struct err *err)
{
	const struct recorded *parent = fork->parent;
	struct buf plan = {0};
	plan_write(fork->plan ? fork->plan : parent->plan, &plan);
	r->plan = plan_parse(plan.data, plan.size, "plan.json", err);
	r->scenario = r->plan ? scenario_parse(parent->scenario->bytes, parent->scenario->size, "scenario.yaml", "", err) : NULL;
	buf_free(&plan);
	return r->scenario != NULL;
}

static bool load_or_make_plan(struct recording *r, struct err *err)
{
	const struct record_options *o = r->options;
	if (o->fork)
		return copy_plan(r, o->fork, err);
	r->scenario = scenario_load(o->scenario, err);
	if (!r->scenario || !scenario_check_workloads(r->scenario, err))
		return false;
	r->plan = o->plan ? load_plan(o->plan, r->scenario, err) : plan_make(r->scenario, o->seed, err);
	return r->plan != NULL;
}

static bool make_plan(struct recording *r, struct err *err)
{
	if (!load_or_make_plan(r, err))
		return false;
	snprintf(r->result->scenario, sizeof r->result->scenario, "%s", r->scenario->name);
	r->result->seed = r->plan->seed;
	r->result->faults = r->plan->fault_count;
	return true;
}

static bool open_directory(struct recording *r, struct err *err)
{
	struct buf plan = {0};
	plan_write(r->plan, &plan);
	runlist_sweep(r->options->runs, NULL, NULL);
	r->dir = rundir_create(r->options->runs, r->scenario->name, r->plan->seed, (int64_t)time(NULL), err);
	bool ok = r->dir && rundir_write(r->dir, "scenario.yaml", r->scenario->bytes, r->scenario->size, err) &&
		rundir_write(r->dir, "plan.json", plan.data, plan.size, err);
	const struct record_fork *fork = r->options->fork;
	ok = ok && (!fork || rundir_write(r->dir, LINEAGE_REQUEST, fork->request, fork->request_size, err));
	buf_free(&plan);
	return ok;
}

static bool start_machine(struct recording *r, struct err *err)
{
	struct buf orders = {0};
	bool ok = orders_encode(r->plan, &orders, err);
	if (ok) {
		struct machine_options options = {.mode = MACHINE_RECORD,
			.base = r->options->fork ? &r->options->fork->lineage->base : snapshot_base(r->prepared.snapshot),
			.orders = orders.data,
			.orders_size = orders.size,
			.cancel_fd = r->options->cancel ? r->options->cancel->fd : -1};
		r->machine = machine_start(&options, err);
		ok = r->machine != NULL;
	}
	buf_free(&orders);
	if (!ok)
		return false;
	const struct record_fork *fork = r->options->fork;
	struct observer_limits cuts =
		play_limits(r->plan, fork && fork->lineage->base.open, fork ? lineage_visited(fork->lineage) : NULL);
	play_cast(r->plan, fork != NULL, &r->cast);
	r->observer = observer_create(&r->cast, &cuts, (struct event_sink){on_event, r});
	r->listener = listener_create_after(r->machine, r->observer, NULL, 0, fork ? &fork->lineage->past : NULL, err);
	r->result->start_ms = ms_since(&r->began);
	return r->listener != NULL;
}

/* The story is told to its end: by the agent, by a limit, or by us when the guest died. */
static bool hear(struct recording *r, struct err *err)
{
	const struct record_fork *fork = r->options->fork;
	struct play play = {.machine = r->machine,
		.listener = r->listener,
		.observer = r->observer,
		.cancel = r->options->cancel,
		.wall_s = fork && fork->live ? UINT64_MAX : r->plan->limits.wall_s,
		.tick = on_tick,
		.data = r,
		.live = fork ? fork->live : NULL};
	bool dead;
	if (!play_run(&play, &dead, err))
		return false;
	struct buf words = {0};
	if (dead)
		play_last_words(r->machine, &words);
	bool ok = listener_end(r->listener, &r->log, err);
	if (ok && dead)
		ok = observer_cut(r->observer, "guest_panic", words.data, listener_icount(r->listener), err);
	buf_free(&words);
	if (ok && !observer_ended(r->observer))
		return err_set(err, ERR_QEMU, "the agent stopped without saying why");
	return ok;
}

static void take_results(struct recording *r)
{
	struct record_result *result = r->result;
	checks_finish(r->checks);
	result->verdict = checks_verdict(r->checks);
	for (size_t i = 0; i < checks_count(r->checks) && i < RECORD_PROPERTIES_MAX; i++) {
		const struct check_result *c = checks_result(r->checks, i);
		struct record_property *p = &result->properties[result->property_count++];
		snprintf(p->id, sizeof p->id, "%s", c->id);
		snprintf(p->why, sizeof p->why, "%s", c->why);
		p->verdict = c->verdict;
	}
	snprintf(result->end, sizeof result->end, "%s", observer_reason(r->observer));
	result->icount = observer_icount(r->observer);
	result->vtime_ns = observer_vtime_ns(r->observer);
	result->faults_unobserved = result->faults_applied > r->observed ? result->faults_applied - r->observed : 0;
}

static void fill_manifest(const struct recording *r, struct manifest *m)
{
	const struct record_result *result = r->result;
	const struct record_fork *fork = r->options->fork;
	char created[32];
	time_t now = time(NULL);
	struct tm tm;
	gmtime_r(&now, &tm);
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &tm);
	*m = (struct manifest){.polecat = mem_str(POLECAT_VERSION),
		.scenario = mem_str(r->scenario->name),
		.seed = result->seed,
		.created = mem_str(created),
		.kind = mem_str(fork && fork->lineage->base.open ? "open" : "closed"),
		.reproducible = mem_str(fork ? "log" : "seed"),
		.end = mem_str(result->end),
		.verdict = result->verdict,
		.icount = result->icount,
		.vtime_ns = result->vtime_ns,
		.events = result->events,
		.lines = result->lines,
		.faults = result->faults,
		.faults_applied = result->faults_applied,
		.faults_rejected = result->faults_rejected,
		.faults_unobserved = result->faults_unobserved,
		.record_ms = result->record_ms,
		.log_size = r->log.size,
		.identity = mem_str(fork ? fork->parent->manifest.identity : snapshot_identity_json(r->prepared.snapshot))};
	if (fork) {
		m->parent = mem_str(fork->parent_name);
		m->parent_icount = fork->lineage->past.icount;
	}
	uint8_t sum[DIGEST_SIZE];
	digest_sha256(m->identity, strlen(m->identity), sum);
	digest_hex(sum, sizeof sum, m->identity_sha256);
}

static bool keep_it(const struct recording *r)
{
	if (r->options->keep == RECORD_KEEP_FAILED)
		return r->result->verdict != VERDICT_PASS;
	return r->options->keep == RECORD_KEEP_ALL;
}

static bool publish(struct recording *r, struct err *err)
{
	take_results(r);
	r->result->record_ms = ms_since(&r->began);
	if (!keep_it(r))
		return true;
	struct buf properties = {0}, log = {0}, console = {0};
	checks_write(r->checks, &properties);
	machine_console(r->machine, &console);
	bool ok = zst_pack(r->log.data, r->log.size, &log, err) &&
		rundir_write(r->dir, "replay.log.zst", log.data, log.size, err) &&
		rundir_write(r->dir, "properties.json", properties.data, properties.size, err) &&
		rundir_write(r->dir, "console.log", console.data ? console.data : "", console.size, err);
	r->result->log_bytes = log.size;
	if (ok) {
		struct manifest m;
		fill_manifest(r, &m);
		ok = rundir_complete(r->dir, &m, err);
		manifest_finish(&m);
	}
	if (ok)
		snprintf(r->result->run, sizeof r->result->run, "%s", rundir_path(r->dir));
	buf_free(&properties);
	buf_free(&log);
	buf_free(&console);
	return ok;
}

/* QEMU or the guest broke: what is known of it stays, bounded and harmless. A cancelled or misconfigured run leaves nothing. */
static void keep_diagnosis(struct recording *r, struct err *err)
{
	if (!err || err->code != ERR_QEMU)
		return;
	struct buf console = {0}, qemu = {0};
	if (r->machine) {
		machine_console(r->machine, &console);
		machine_diagnosis(r->machine, &qemu);
	}
	struct rundir_note notes[] = {{"console.txt", console.data, console.size}, {"qemu.txt", qemu.data, qemu.size}};
	struct err ignored;
	if (rundir_fail(r->dir, err, notes, sizeof notes / sizeof *notes, &ignored)) {
		size_t used = strlen(err->text);
		snprintf(err->text + used, sizeof err->text - used, " (kept in %s)", rundir_path(r->dir));
	}
	buf_free(&console);
	buf_free(&qemu);
}

static void finish(struct recording *r)
{
	listener_destroy(r->listener);
	observer_destroy(r->observer);
	play_cast_finish(&r->cast);
	machine_destroy(r->machine);
	checks_destroy(r->checks);
	rundir_destroy(r->dir); /* not completed: removed */
	prepare_finish(&r->prepared);
	plan_destroy(r->plan);
	scenario_destroy(r->scenario);
	buf_free(&r->log);
}

bool record_run(const struct record_options *options, struct record_result *ret, struct err *err)
{
	struct recording r = {.options = options, .result = ret};
	*ret = (struct record_result){0};
	bool ok = make_plan(&r, err) &&
		(options->fork || prepare_scenario(&r.prepared, r.scenario, options->progress, options->cancel, err));
	clock_gettime(CLOCK_MONOTONIC, &r.began);
	if (ok) {
		r.checks = checks_create(r.scenario);
		ok = open_directory(&r, err) && start_machine(&r, err) && hear(&r, err) && publish(&r, err);
	}
	if (!ok && r.dir)
		keep_diagnosis(&r, err);
	finish(&r);
	return ok;
}
