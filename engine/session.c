#include "engine/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/describe.h"

enum {
	HISTORY_MAX = 256,
	TIME_SHOWN_NS = 1000000, /* a place whose time is known less exactly is shown with both ends */
};

struct session {
	struct recorded recorded;
	struct prepared prepared;
	struct lineage lineage;
	struct timeline *timeline;
	struct walk *walk;
	struct scan *scan; /* NULL: scan_missing says why */
	struct err scan_missing;
	struct here *here;
	uint64_t zero, begin, end;
	uint64_t history[HISTORY_MAX]; /* places that were left, then those that were gone back from */
	size_t history_at, history_count;
	unsigned generation;
};

/* The machine is somewhere else: whatever was found out is void. */
static void stand(struct session *s)
{
	here_moved(s->here, walk_machine(s->walk), walk_now(s->walk));
	here_prefer(s->here, session_node(s));
}

static bool start(struct session *s, const struct session_options *o, struct err *err)
{
	const struct recorded *r = &s->recorded;
	struct machine_options options = {.mode = MACHINE_REPLAY,
		.base = &s->lineage.base,
		.orders = r->orders.data,
		.orders_size = r->orders.size,
		.log = r->log.data,
		.log_size = r->log.size,
		.cancel_fd = -1};
	s->scan = scan_create(&s->scan_missing);
	if (s->scan) {
		options.plugins = scan_plugins(s->scan);
		s->walk = walk_create(&options, o->spacing, o->budget_mib, o->cancel, &s->scan_missing);
	}
	if (!s->walk) { /* this QEMU may have been built without plugins: everything else works */
		scan_destroy(s->scan);
		s->scan = NULL;
		options.plugins = NULL;
		s->walk = walk_create(&options, o->spacing, o->budget_mib, o->cancel, err);
	}
	if (!s->walk)
		return false;
	s->zero = lineage_zero(&s->lineage);
	s->begin = walk_start(s->walk) - s->zero;
	s->end = r->manifest.icount;
	/* A guest that died is told by its last instruction: there the log may end one short. */
	if (s->end > walk_end(s->walk) - s->zero)
		s->end = walk_end(s->walk) - s->zero;
	s->generation = walk_generation(s->walk);
	stand(s);
	return true;
}

struct session *session_open(const struct session_options *o, struct err *err)
{
	struct session *s = mem_alloc(sizeof *s);
	s->recorded.dir = -1;
	s->here = here_create(o->debug_dirs, o->debug_dir_count);
	if (o->progress.say)
		o->progress.say(o->progress.data, "opening", o->run);
	if (recorded_load(&s->recorded, o->run, err) && (s->timeline = timeline_open(o->run, err)) != NULL &&
		prepare_recorded(&s->prepared, &s->recorded.manifest, err) &&
		lineage_open(&s->lineage, &s->recorded, o->run, &s->prepared, o->cancel, err) && start(s, o, err))
		return s;
	session_close(s);
	return NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	here_destroy(s->here);
	walk_destroy(s->walk);
	scan_destroy(s->scan);
	lineage_finish(&s->lineage);
	prepare_finish(&s->prepared);
	if (s->timeline)
		timeline_close(s->timeline);
	recorded_finish(&s->recorded);
	free(s);
}

const struct timeline *session_timeline(const struct session *s)
{
	return s->timeline;
}

const struct recorded *session_recorded(const struct session *s)
{
	return &s->recorded;
}

const struct lineage *session_lineage(const struct session *s)
{
	return &s->lineage;
}

struct here *session_here(struct session *s)
{
	return s->here;
}

struct walk *session_walk(struct session *s)
{
	return s->walk;
}

void session_moved(struct session *s)
{
	stand(s);
}

struct scan *session_scan(struct session *s, struct err *err)
{
	if (!s->scan) {
		*err = s->scan_missing;
		err_prefix(err, "scans are not possible");
	}
	return s->scan;
}

uint64_t session_icount(const struct session *s)
{
	return walk_now(s->walk) - s->zero;
}

uint64_t session_begin(const struct session *s)
{
	return s->begin;
}

uint64_t session_end(const struct session *s)
{
	return s->end;
}

uint64_t session_zero(const struct session *s)
{
	return s->zero;
}

size_t session_event(const struct session *s)
{
	return timeline_at_icount(s->timeline, session_icount(s));
}

void session_time(const struct session *s, uint64_t *earliest, uint64_t *latest)
{
	const struct entry *entries = timeline_entries(s->timeline);
	uint64_t icount = session_icount(s);
	size_t event = session_event(s), next = event == TIMELINE_NONE ? 0 : event + 1;
	*earliest = event == TIMELINE_NONE ? icount * MACHINE_NS_PER_ICOUNT
					   : entries[event].vtime_ns + (icount - entries[event].icount) * MACHINE_NS_PER_ICOUNT;
	*latest = *earliest;
	if (next >= timeline_count(s->timeline))
		return;
	uint64_t left = (entries[next].icount - icount) * MACHINE_NS_PER_ICOUNT;
	if (entries[next].vtime_ns > left && entries[next].vtime_ns - left > *latest)
		*latest = entries[next].vtime_ns - left;
	if (*earliest > entries[next].vtime_ns)
		*earliest = *latest = entries[next].vtime_ns;
}

int session_node(const struct session *s)
{
	const struct entry *entries = timeline_entries(s->timeline);
	/* Number 0 of the timeline is the machine; those after the plan's are visitors of forks. */
	for (size_t i = session_event(s); i != TIMELINE_NONE; i = i ? i - 1 : TIMELINE_NONE)
		if (entries[i].node && entries[i].node <= s->recorded.plan->node_count)
			return (int)entries[i].node - 1;
	return -1;
}

/* ---- moves -------------------------------------------------------------------------------------------------- */

static bool move(struct session *s, uint64_t icount, struct walk_trip *trip, struct err *err)
{
	icount = icount < s->begin ? s->begin : icount > s->end ? s->end : icount;
	bool ok = walk_to(s->walk, s->zero + icount, trip, err);
	session_moved(s);
	return ok;
}

void session_came(struct session *s, uint64_t left)
{
	session_moved(s);
	if (session_icount(s) == left)
		return;
	here_choose_frame(s->here, HERE_FRAME_NONE);
	if (s->history_at == HISTORY_MAX) {
		memmove(s->history, s->history + 1, (HISTORY_MAX - 1) * sizeof *s->history);
		s->history_at--;
	}
	s->history[s->history_at++] = left;
	s->history_count = s->history_at;
}

bool session_go(struct session *s, uint64_t icount, struct walk_trip *trip, struct err *err)
{
	uint64_t left = session_icount(s);
	bool ok = move(s, icount, trip, err);
	session_came(s, left);
	return ok;
}

/* Swaps the position with a place of the history, so that the way back is there as well. */
static bool visit(struct session *s, size_t i, struct walk_trip *trip, struct err *err)
{
	uint64_t left = session_icount(s), to = s->history[i];
	bool ok = move(s, to, trip, err);
	here_choose_frame(s->here, HERE_FRAME_NONE);
	s->history[i] = left;
	return ok;
}

bool session_back(struct session *s, struct walk_trip *trip, struct err *err)
{
	if (!s->history_at)
		return err_set(err, ERR_INPUT, "there is no place to go back to: this is where the session began");
	return visit(s, --s->history_at, trip, err);
}

bool session_forward(struct session *s, struct walk_trip *trip, struct err *err)
{
	if (s->history_at == s->history_count)
		return err_set(
			err, ERR_INPUT, "there is no place to go forward to: `back` was not used, or something moved since");
	return visit(s, s->history_at++, trip, err);
}

bool session_idle(struct session *s, int budget_ms, bool *more, struct err *err)
{
	struct timespec t, began;
	clock_gettime(CLOCK_MONOTONIC, &began);
	do {
		if (!walk_idle(s->walk, s->zero + s->end, more, err)) {
			session_moved(s);
			return false;
		}
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (*more && (t.tv_sec - began.tv_sec) * 1000 + (t.tv_nsec - began.tv_nsec) / 1000000 < budget_ms);
	session_moved(s);
	return true;
}

void session_print_place(const struct session *s, struct buf *out)
{
	uint64_t icount = session_icount(s);
	size_t event = session_event(s);
	buf_str(out, "at ");
	describe_count(icount, out);
	if (event == TIMELINE_NONE) {
		buf_str(out, " (before the first event)");
	} else {
		uint64_t since = timeline_entries(s->timeline)[event].icount, earliest, latest;
		buf_printf(out, " (ev:%zu", event + 1);
		if (icount > since) {
			buf_str(out, " + ");
			describe_count(icount - since, out);
		}
		session_time(s, &earliest, &latest);
		buf_str(out, "), t ");
		describe_time(earliest, out);
		if (latest - earliest >= TIME_SHOWN_NS) {
			buf_str(out, " to ");
			describe_time(latest, out);
		}
		buf_str(out, " s");
	}
	if (icount == s->end)
		buf_str(out, ", the end");
	if (icount == s->begin)
		buf_str(out, ", the begin");
}

bool session_was_restarted(struct session *s)
{
	unsigned generation = walk_generation(s->walk);
	bool restarted = generation != s->generation;
	s->generation = generation;
	return restarted;
}
