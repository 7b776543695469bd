/* Debug commands that look through a stretch of the run: who wrote or executed something, and when. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/describe.h"
#include "engine/maps.h"
#include "engine/moves.h"
#include "engine/scan.h"
#include "engine/verb.h"

enum { SHOWN_MAX = 64 /* writes that one command shows */ };

/* ---- what is looked for ------------------------------------------------------------------------------------- */

static void on_progress(void *data, uint64_t done, uint64_t of)
{
	struct verbs *v = data;
	char detail[64];
	snprintf(detail, sizeof detail, "%" PRIu64 " of %" PRIu64 " M instructions", done / 1000000, of / 1000000);
	if (v->progress.say)
		v->progress.say(v->progress.data, "looking", detail);
	if (v->scanned)
		v->scanned(v->scanned_data, done, of);
}

uint64_t verb_task_at(struct verbs *v)
{
	struct scan_request r;
	session_scan_request(v->session, &r);
	return r.task_at;
}

void verb_prepare(struct verbs *v, struct scan_request *r)
{
	session_scan_request(v->session, r);
	r->progress = on_progress;
	r->data = v;
}

bool verb_add_watch(struct scan_request *r, const struct scan_watch *w, struct err *err)
{
	if (r->count == SCAN_WATCHES)
		return err_set(err, ERR_USAGE, "at most %d places can be looked at in one scan", SCAN_WATCHES);
	r->watches[r->count++] = *w;
	return true;
}

bool verb_memory_watch(struct verbs *v, const char *text, uint64_t size, struct scan_watch *ret, struct err *err)
{
	uint64_t at, own;
	struct memory_page page;
	if (!verb_address(v, text, &at, &own, err))
		return false;
	struct space space;
	if (!here_space(session_here(v->session), &space, err))
		return false;
	size = size ? size : own ? own : 8;
	if (!memory_walk(&space, at, &page))
		return err_set(err, ERR_INPUT, "0x%" PRIx64 " is not mapped here", at);
	if (size > page.left)
		return err_set(err, ERR_INPUT, "%" PRIu64 " bytes from 0x%" PRIx64 " cross a page: expected at most %" PRIu64,
			size, at, page.left);
	*ret = (struct scan_watch){.kind = SCAN_WRITE, .low = page.physical, .high = page.physical + size};
	return true;
}

/* ---- going there -------------------------------------------------------------------------------------------- */

bool verb_return(struct verbs *v, uint64_t icount, bool ok, struct err *err)
{
	struct walk_trip trip;
	struct walk *walk = session_walk(v->session);
	if (v->cancel && !ok)
		v->cancel->requested = false;
	if (ok)
		ok = walk_to(walk, icount, &trip, err);
	else
		walk_put_off(walk, icount);
	session_moved(v->session);
	return ok;
}

bool verb_go_to_hit(struct verbs *v, const struct scan_request *r, bool backward, bool numbered, struct buf *out, struct err *err)
{
	struct session *s = v->session;
	struct walk *walk = session_walk(s);
	struct scan *scan = session_scan(s, err);
	uint64_t now = walk_now(walk), zero = session_zero(s), begin = zero + session_begin(s), end = zero + session_end(s);
	struct scan_hits hits = {0};
	if (!scan || !walk_keep(walk, err))
		return false;
	bool ok = backward ? now == begin || scan_backward(scan, walk, r, begin, now - 1, 1, &hits, err)
			   : scan_forward(scan, walk, r, now, end, 1, &hits, err);
	uint64_t found = hits.count ? hits.list[0].icount : 0;
	uint32_t watch = hits.count ? hits.list[0].watch : 0;
	size_t count = hits.count;
	scan_hits_finish(&hits);
	if (!verb_return(v, now, ok, err))
		return false;
	if (!count)
		return err_set(err, ERR_INPUT, "that does not happen %s here", backward ? "before" : "after");
	if (numbered && r->count > 1)
		buf_printf(out, "break %u\n", watch + 1);
	return verb_go(v, found - zero, out, err);
}

/* ---- writes ------------------------------------------------------------------------------------------------- */

static uint64_t value(uint64_t word, const struct scan_watch *w)
{
	uint64_t size = w->high - w->low;
	return size >= 8 ? word : word & (((uint64_t)1 << (8 * size)) - 1);
}

/* One write, told where the instruction is about to do it. */
static bool say_write(
	struct verbs *v, const struct scan_hit *hit, const struct scan_watch *watch, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	struct walk_trip trip;
	struct err ignored;
	uint64_t zero = session_zero(v->session);
	if (!walk_to(session_walk(v->session), hit->icount - 1, &trip, err))
		return false;
	session_moved(v->session);
	size_t event = timeline_at_icount(session_timeline(v->session), hit->icount - zero);
	buf_printf(out, "%" PRIu64 "  0x%" PRIx64 " -> 0x%" PRIx64 "  ", hit->icount - zero, value(hit->before, watch),
		value(hit->after, watch));
	if (event != TIMELINE_NONE)
		buf_printf(out, "ev:%zu  ", event + 1);
	buf_printf(out, "pc 0x%" PRIx64 " ", hit->pc);
	const struct process *p = here_current(here, &ignored);
	struct program *program = p ? here_program(here, 0, &ignored) : NULL;
	verb_name_pc(v, hit->pc, out);
	if (program) {
		struct frame frame = {.pc = hit->pc, .kernel = hit->pc >> 63};
		struct symbols_place places[SYMBOLS_INLINE_MAX];
		if (program_places(program, &frame, places) && places[0].file)
			buf_printf(out, " %s:%d", places[0].file, places[0].line);
	}
	if (p) {
		buf_str(out, "  ");
		process_put_name(p, here_processes(here, &ignored)->current_task, out);
	}
	buf_char(out, '\n');
	const struct stop *stop = here_stop(here, err);
	if (stop && stop->regs.rip != hit->pc)
		buf_str(out, "    (by the processor itself, for an exception near this instruction)\n");
	return stop != NULL;
}

static bool writes(struct verbs *v, const struct words *w, bool backward, struct buf *out, struct err *err)
{
	struct session *s = v->session;
	struct walk *walk = session_walk(s);
	struct scan *scan = session_scan(s, err);
	struct scan_request request;
	struct scan_watch watch;
	struct scan_hits hits = {0};
	uint64_t most = 1, now = walk_now(walk), zero = session_zero(s);
	bool counted = w->count > 2 && strcmp(w->list[2], "if");
	const char *test;
	if (!scan || (counted && !verb_number(w->list[2], "how many", &most, err)) ||
		!verb_take_test(w, counted ? 3 : 2, &test, err))
		return false;
	if (!most || most > SHOWN_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " writes: expected 1 to %d", most, SHOWN_MAX);
	verb_prepare(v, &request);
	if (!verb_add_access(v, SCAN_WRITE, w->list[1], test, &request, &watch, err) || !walk_keep(walk, err))
		return false;
	bool ok = backward ? scan_backward(scan, walk, &request, zero + session_begin(s), now, (size_t)most, &hits, err)
			   : scan_forward(scan, walk, &request, now, zero + session_end(s), (size_t)most, &hits, err);
	for (size_t i = 0; ok && i < hits.count; i++)
		ok = say_write(v, &hits.list[backward ? hits.count - 1 - i : i], &watch, out, err);
	if (ok && !hits.count)
		buf_printf(out, "%s %s here\n", test ? "no such write" : "nobody wrote there", backward ? "before" : "after");
	scan_hits_finish(&hits);
	return verb_return(v, now, ok, err);
}

bool verb_last(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	if (w->list[1][0] == '$' && w->count > 3)
		return err_set(err, ERR_USAGE,
			"'%.60s': conditions are for writes to memory: expected: last VARIABLE [K] if EXPRESSION", w->list[3]);
	if (w->list[1][0] == '$')
		return verb_last_register(v, w, out, err);
	return writes(v, w, true, out, err);
}

bool verb_first(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return writes(v, w, false, out, err);
}

bool verb_count(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct session *s = v->session;
	struct walk *walk = session_walk(s);
	struct scan *scan = session_scan(s, err);
	struct scan_request request;
	struct scan_watch watch;
	struct scan_hits hits = {0};
	uint64_t now = walk_now(walk), to = session_end(s), zero = session_zero(s);
	bool bounded = w->count > 2 && strcmp(w->list[2], "if");
	const char *test;
	verb_prepare(v, &request);
	if (!scan || (bounded && !verb_moment(v, w->list[2], &to, err)) || !verb_take_test(w, bounded ? 3 : 2, &test, err) ||
		!verb_add_access(v, SCAN_WRITE, w->list[1], test, &request, &watch, err) || !walk_keep(walk, err))
		return false;
	uint64_t from = now - zero < to ? now : zero + to, end = now - zero < to ? zero + to : now;
	bool ok = scan_forward(scan, walk, &request, from, end, 0, &hits, err);
	if (ok)
		buf_printf(out, "%" PRIu64 " write%s\n", hits.total, hits.total == 1 ? "" : "s");
	scan_hits_finish(&hits);
	return verb_return(v, now, ok, err);
}
