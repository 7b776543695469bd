#include "engine/replay.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/event.h"
#include "engine/listener.h"
#include "engine/lineage.h"
#include "engine/machine.h"
#include "engine/observer.h"
#include "engine/play.h"
#include "engine/recorded.h"
#include "engine/text.h"

enum { SHOWN_MAX = 220 /* bytes of an event in a sentence */, OPEN_SLOWER = 10 /* than its recording, at most */ };

struct replaying {
	const struct replay_options *options;
	struct replay_result *result;
	struct recorded recorded;
	struct prepared prepared;
	struct lineage lineage;
	struct machine *machine;
	struct observer_cast cast;
	struct observer *observer;
	struct listener *listener;
	size_t at;      /* byte of events.jsonl that the next event is compared with */
	size_t last_at; /* ... and that of the one before */
	struct buf line;
};

/* ---- comparing ---------------------------------------------------------------------------------------------- */

static size_t line_size(const struct buf *events, size_t at)
{
	const char *newline = memchr(events->data + at, '\n', events->size - at);
	return newline ? (size_t)(newline + 1 - (events->data + at)) : events->size - at;
}

/* Appends one event, or that there is none, as one shortened line without control characters. */
static void show(struct buf *out, const char *label, const char *line, size_t size)
{
	buf_printf(out, "\n  %-9s ", label);
	if (!size) {
		buf_str(out, "(none)");
		return;
	}
	if (line[size - 1] == '\n')
		size--;
	text_put_safe(out, line, size < SHOWN_MAX ? size : SHOWN_MAX);
	if (size > SHOWN_MAX)
		buf_str(out, "...");
}

static bool diverged(struct replaying *r, const char *what, const char *got, size_t got_size, struct err *err)
{
	const struct buf *events = &r->recorded.events;
	size_t size = r->at < events->size ? line_size(events, r->at) : 0, next = r->at + size;
	struct buf text = {0};
	buf_printf(&text, "the replay diverged at event %llu: %s", (unsigned long long)r->result->events + 1, what);
	if (r->at)
		show(&text, "before", events->data + r->last_at, r->at - r->last_at);
	show(&text, "recorded", events->data + r->at, size);
	show(&text, "replayed", got, got_size);
	if (next < events->size)
		show(&text, "then", events->data + next, line_size(events, next));
	err_set(err, ERR_DIVERGED, "%.2000s", text.data);
	buf_free(&text);
	return false;
}

static bool compare(void *data, const struct event *e, struct err *err)
{
	struct replaying *r = data;
	const struct buf *events = &r->recorded.events;
	buf_clear(&r->line);
	event_write(e, &r->line);
	if (r->at >= events->size)
		return diverged(r, "the recording has no such event", r->line.data, r->line.size, err);
	size_t size = line_size(events, r->at);
	if (size != r->line.size || memcmp(events->data + r->at, r->line.data, size))
		return diverged(r, "it differs", r->line.data, r->line.size, err);
	r->last_at = r->at;
	r->at += size;
	r->result->events++;
	return true;
}

/* ---- executing ---------------------------------------------------------------------------------------------- */

static bool start(struct replaying *r, struct err *err)
{
	const struct recorded *d = &r->recorded;
	struct machine_options options = {.mode = MACHINE_REPLAY,
		.base = &r->lineage.base,
		.orders = d->orders.data,
		.orders_size = d->orders.size,
		.log = d->log.data,
		.log_size = d->log.size,
		.cancel_fd = r->options->cancel ? r->options->cancel->fd : -1};
	r->machine = machine_start(&options, err);
	if (!r->machine)
		return false;
	struct observer_limits cuts = play_limits(d->plan, r->lineage.base.open, lineage_visited(&r->lineage));
	play_cast(d->plan, r->lineage.forked, &r->cast);
	r->observer = observer_create(&r->cast, &cuts, (struct event_sink){compare, r});
	r->listener = listener_create_after(r->machine, r->observer, d->log.data, d->log.size, &r->lineage.past, err);
	return r->listener != NULL;
}

static bool probe(struct replaying *r, struct replay_probe *p, struct err *err)
{
	enum machine_state state;
	struct buf text = {0};
	if (!machine_run_to(r->machine, lineage_zero(&r->lineage) + p->icount, &state, err))
		return false;
	p->reached = state == MACHINE_AT_BREAK;
	if (!p->reached)
		return true;
	bool ok = machine_registers(r->machine, &text, err) && machine_ram_digest(r->machine, p->memory, err);
	if (ok)
		digest_sha256(text.data, text.size, p->registers);
	buf_free(&text);
	return ok;
}

static void on_tick(void *data)
{
	struct replaying *r = data;
	char detail[64];
	snprintf(detail, sizeof detail, "event %llu of %llu", (unsigned long long)r->result->events,
		(unsigned long long)r->recorded.manifest.events);
	if (r->options->progress.say)
		r->options->progress.say(r->options->progress.data, "replaying", detail);
}

/* The limit of the scenario is for a run of it; an open one took as long as its person liked. */
static uint64_t wall_s(const struct replaying *r)
{
	uint64_t limit = r->recorded.plan->limits.wall_s;
	return r->lineage.base.open ? limit + OPEN_SLOWER * r->recorded.manifest.record_ms / 1000 : limit;
}

static bool play_to_end(struct replaying *r, struct err *err)
{
	struct play play = {.machine = r->machine,
		.listener = r->listener,
		.observer = r->observer,
		.cancel = r->options->cancel,
		.wall_s = wall_s(r),
		.tick = on_tick,
		.data = r};
	bool dead = false;
	for (size_t i = 0; i < r->options->probe_count; i++)
		if (!probe(r, &r->options->probes[i], err))
			return false;
	if (machine_state(r->machine) == MACHINE_BARRIER ? !listener_step(r->listener, err) : !play_run(&play, &dead, err))
		return false;
	/* How a guest died is told by its last instruction, which a recording counts to the end of its log. */
	struct buf words = {0};
	if (dead)
		play_last_words(r->machine, &words);
	bool ok = !dead || observer_cut(r->observer, "guest_panic", words.data, r->recorded.manifest.icount, err);
	buf_free(&words);
	return ok;
}

static bool at_the_end(struct replaying *r, struct err *err)
{
	if (r->at < r->recorded.events.size)
		return diverged(r, "the replay ended without it", "", 0, err);
	if (observer_icount(r->observer) != r->recorded.manifest.icount)
		return err_set(err, ERR_DIVERGED, "the replay ended after %llu instructions, the recording after %llu",
			(unsigned long long)observer_icount(r->observer), (unsigned long long)r->recorded.manifest.icount);
	return true;
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool replay_run(const struct replay_options *options, struct replay_result *ret, struct err *err)
{
	struct replaying r = {.options = options, .result = ret};
	*ret = (struct replay_result){0};
	if (!recorded_load(&r.recorded, options->run, err))
		return false;
	uint64_t began = now_ms();
	bool ok = prepare_recorded(&r.prepared, &r.recorded.manifest, err) &&
		lineage_open(&r.lineage, &r.recorded, options->run, &r.prepared, options->cancel, err) && start(&r, err) &&
		play_to_end(&r, err) && at_the_end(&r, err);
	listener_destroy(r.listener);
	observer_destroy(r.observer);
	play_cast_finish(&r.cast);
	machine_destroy(r.machine);
	ret->wall_ms = now_ms() - began;
	lineage_finish(&r.lineage);
	prepare_finish(&r.prepared);
	recorded_finish(&r.recorded);
	buf_free(&r.line);
	return ok;
}
