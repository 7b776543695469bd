/* Debug commands that move by lines and calls of the source, forward and back. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/scan.h"
#include "engine/text.h"
#include "engine/verb.h"

enum {
	WINDOW = 50000,   /* instructions looked at first: a line is seldom longer */
	TRIES_MAX = 2000, /* places that are visited to see whether they are of the same call */
	MEMO = 1024,
};

/* The line that the current thread is at, and the call of the function that the line is of. */
struct at {
	uint64_t task, pc, low, high; /* of the function; high 0: its end is not known */
	uint64_t cfa, ret;            /* ret 0: not known */
	uint64_t sp;                  /* at or above the cfa of a call that has returned */
	const char *file;
	int line;
};

struct stepper {
	struct verbs *v;
	struct scan *scan;
	struct walk *walk;
	struct at start;
	struct symbols *symbols; /* owned: of the program as it is at the start, and so all that `start` and `memo` point to */
	struct memo {
		uint64_t pc;
		const char *file;
		int line;
	} memo[MEMO]; /* lines of the addresses seen last: loops come again and again */
};

/* ret_symbols (may be NULL): a share of the program's symbols, without which the strings of *ret end when the machine moves. */
static bool look(struct verbs *v, struct at *ret, struct symbols **ret_symbols, struct err *err)
{
	struct here *here = session_here(v->session);
	const struct frames *frames = here_frames(here, 0, 0, err);
	struct program *program = frames ? here_program(here, 0, err) : NULL;
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	size_t i = 0;
	if (!program)
		return false;
	while (i < frames->count && frames->list[i].kernel)
		i++;
	if (i == frames->count)
		return err_set(err, ERR_INPUT, "the current thread has no user code here");
	const struct frame *f = &frames->list[i];
	*ret = (struct at){
		.task = here_thread(here, err), .pc = f->pc, .cfa = f->has_cfa ? f->cfa : 0, .sp = f->registers.value[FRAME_RSP]};
	uint64_t size = 0;
	const struct symbols *symbols = program_symbols(program);
	ret->high = symbols_extent(symbols, f->pc, &ret->low, &size) && f->pc - ret->low < size ? ret->low + size : 0;
	if (i + 1 < frames->count && !frames->list[i + 1].kernel)
		ret->ret = frames->list[i + 1].pc;
	if (symbols_at(symbols, f->pc, false, places)) {
		ret->file = places[0].file;
		ret->line = places[0].line;
	}
	if (ret_symbols)
		*ret_symbols = program_share_symbols(program);
	return true;
}

static struct memo line_of(struct stepper *s, uint64_t pc)
{
	struct memo *m = &s->memo[pc * 2654435761u % MEMO];
	if (m->pc != pc) {
		struct symbols_place places[SYMBOLS_INLINE_MAX];
		*m = (struct memo){.pc = pc};
		if (symbols_at(s->symbols, pc, false, places)) {
			m->file = places[0].file;
			m->line = places[0].line;
		}
	}
	return *m;
}

static bool same_line(struct memo m, const char *file, int line)
{
	return m.file && file && m.line == line && !strcmp(m.file, file);
}

/* Goes there to see whether it is the same call (or, with outer, one that is further out). */
static bool visit(struct stepper *s, uint64_t icount, struct at *ret, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(s->walk, icount, &trip, err);
	session_moved(s->v->session);
	return ok && look(s->v, ret, NULL, err);
}

static struct scan_request request(const struct stepper *s)
{
	struct scan_request r;
	session_scan_request(s->v->session, &r);
	r.tasks[r.task_count++] = s->start.task;
	return r;
}

static void watch(struct scan_request *r, uint64_t low, uint64_t high)
{
	r->watches[r->count++] = (struct scan_watch){.kind = SCAN_EXEC, .low = low, .high = high};
}

/* ---- into calls: every instruction of the thread is seen ---------------------------------------------------- */

/* A thread that sleeps, or runs what has no lines, is followed in few passes: each costs two restores. */
static uint64_t widened(uint64_t window, const struct scan_hits *hits)
{
	return hits->count < SCAN_LAST / 4 && window < UINT64_MAX / 4 ? window * 4 : window;
}

static bool step_on(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t from = walk_now(s->walk), end = session_zero(s->v->session) + session_end(s->v->session);
	watch(&r, 0, UINT64_C(1) << 47);
	for (uint64_t window = WINDOW; from < end;) {
		struct scan_hits hits;
		bool found = false;
		if (!scan_window(s->scan, s->walk, &r, from, end - from > window ? from + window : end, &hits, err))
			return false;
		for (size_t i = 0; i < hits.count && !found; i++) {
			struct memo m = line_of(s, hits.list[i].pc);
			found = m.file && !same_line(m, s->start.file, s->start.line);
			*ret = hits.list[i].icount;
		}
		window = widened(hits.to - from, &hits);
		from = hits.to;
		scan_hits_finish(&hits);
		if (found)
			return true;
	}
	return err_set(err, ERR_INPUT, "this thread comes to no other line before the end of the run");
}

/* To the start of the line before; from the middle of a line to its start. */
static bool step_back(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t to = walk_now(s->walk) - 1, begin = session_zero(s->v->session) + session_begin(s->v->session);
	struct memo line = {0};
	watch(&r, 0, UINT64_C(1) << 47);
	for (uint64_t window = WINDOW; to > begin;) {
		uint64_t from = to - begin > window ? to - window : begin;
		struct scan_hits hits;
		bool over = false;
		if (!scan_backward(s->scan, s->walk, &r, from, to, SCAN_LAST, &hits, err))
			return false;
		for (size_t i = hits.count; i-- > 0 && !over;) {
			struct memo m = line_of(s, hits.list[i].pc);
			if (!m.file)
				continue;
			over = line.file && !same_line(m, line.file, line.line);
			if (!over) {
				line = m;
				*ret = hits.list[i].icount;
			}
		}
		window = widened(window, &hits);
		to = hits.total > hits.count ? hits.list[0].icount - 1 : hits.from;
		scan_hits_finish(&hits);
		if (over)
			return true;
	}
	return line.file ? true : err_set(err, ERR_INPUT, "this thread was at no other line since the run began");
}

/* ---- over calls: only the function's own code, and where it returns to -------------------------------------- */

static bool needs_function(const struct stepper *s, struct err *err)
{
	return s->start.high || err_set(err, ERR_INPUT, "this function's end is not known: use step, stepi or until");
}

static bool next_on(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t from = walk_now(s->walk), end = session_zero(s->v->session) + session_end(s->v->session);
	if (!needs_function(s, err))
		return false;
	watch(&r, s->start.low, s->start.high);
	if (s->start.ret)
		watch(&r, s->start.ret, s->start.ret + 1);
	for (unsigned tries = 0; tries < TRIES_MAX && from < end;) {
		struct scan_hits hits;
		if (!scan_forward(s->scan, s->walk, &r, from, end, SCAN_FIRST, &hits, err))
			return false;
		bool found = false, ok = true;
		for (size_t i = 0; ok && !found && i < hits.count; i++) {
			struct at at;
			*ret = from = hits.list[i].icount;
			if (hits.list[i].watch == 0 && same_line(line_of(s, hits.list[i].pc), s->start.file, s->start.line))
				continue;
			tries++;
			ok = visit(s, *ret, &at, err);
			found = ok && (hits.list[i].watch ? at.sp >= s->start.cfa : at.cfa == s->start.cfa && at.file);
		}
		if (!hits.count)
			from = end;
		scan_hits_finish(&hits);
		if (!ok || found)
			return ok;
	}
	return err_set(err, ERR_INPUT, "this call comes to no other line before the end of the run");
}

static bool next_back(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t to = walk_now(s->walk) - 1, begin = session_zero(s->v->session) + session_begin(s->v->session);
	struct memo line = {0};
	if (!needs_function(s, err))
		return false;
	/* From its first instruction the way back is the call. */
	if (s->start.pc == s->start.low) {
		*ret = to;
		return true;
	}
	watch(&r, s->start.low, s->start.high);
	for (unsigned tries = 0; tries < TRIES_MAX && to > begin;) {
		struct scan_hits hits;
		bool ok = scan_backward(s->scan, s->walk, &r, begin, to, 256, &hits, err), over = false;
		for (size_t i = ok ? hits.count : 0; ok && !over && i-- > 0;) {
			struct memo m = line_of(s, hits.list[i].pc);
			struct at at;
			to = hits.list[i].icount - 1;
			if (!m.file || same_line(m, line.file, line.line)) {
				*ret = line.file ? hits.list[i].icount : *ret;
				over = hits.list[i].pc == s->start.low;
				continue;
			}
			tries++;
			ok = visit(s, hits.list[i].icount, &at, err);
			if (!ok || at.cfa != s->start.cfa)
				continue;
			over = line.file != NULL;
			if (!over) {
				line = m;
				*ret = hits.list[i].icount;
			}
		}
		to = (ok && !hits.count) || (over && !line.file) ? begin : to;
		scan_hits_finish(&hits);
		if (!ok || (over && line.file))
			return ok;
	}
	return line.file ? true : err_set(err, ERR_INPUT, "this call was at no other line before (its code may have none)");
}

/* ---- out of the function ------------------------------------------------------------------------------------ */

static bool finish_on(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t from = walk_now(s->walk), end = session_zero(s->v->session) + session_end(s->v->session);
	if (!s->start.ret)
		return err_set(err, ERR_INPUT, "where this function returns to is not known");
	watch(&r, s->start.ret, s->start.ret + 1);
	for (unsigned tries = 0; tries < TRIES_MAX && from < end; tries++) {
		struct scan_hits hits;
		struct at at;
		if (!scan_forward(s->scan, s->walk, &r, from, end, 1, &hits, err))
			return false;
		*ret = from = hits.count ? hits.list[0].icount : end;
		bool any = hits.count > 0;
		scan_hits_finish(&hits);
		if (any && !visit(s, *ret, &at, err))
			return false;
		if (any && at.sp >= s->start.cfa)
			return true;
	}
	return err_set(err, ERR_INPUT, "this function does not return before the end of the run");
}

/* To the call that entered it. */
static bool finish_back(struct stepper *s, uint64_t *ret, struct err *err)
{
	struct scan_request r = request(s);
	uint64_t to = walk_now(s->walk), begin = session_zero(s->v->session) + session_begin(s->v->session);
	watch(&r, s->start.low, s->start.low + 1);
	for (unsigned tries = 0; tries < TRIES_MAX && to > begin; tries++) {
		struct scan_hits hits;
		struct at at;
		if (!scan_backward(s->scan, s->walk, &r, begin, to, 1, &hits, err))
			return false;
		uint64_t entered = hits.count ? hits.list[0].icount : begin;
		bool any = hits.count > 0;
		scan_hits_finish(&hits);
		if (any && !visit(s, entered, &at, err))
			return false;
		if (any && at.cfa == s->start.cfa) {
			*ret = entered - 1;
			return true;
		}
		to = entered ? entered - 1 : 0;
	}
	return err_set(err, ERR_INPUT, "this function was entered before the run began");
}

/* ---- verbs -------------------------------------------------------------------------------------------------- */

/* The kernel begins a function that nobody calls: its frame says whether as a handler of a signal, and what that interrupts. */
static void say_begun(struct verbs *v, struct buf *out)
{
	struct err ignored;
	struct here *here = session_here(v->session);
	const struct frames *frames = here_frames(here, 0, 0, &ignored);
	struct program *program = frames ? here_program(here, 0, &ignored) : NULL;
	size_t i = 0;
	while (program && i < frames->count && frames->list[i].kernel)
		i++;
	buf_str(out, "  nobody calls it: the kernel begins it here");
	if (program && i + 2 < frames->count && frames->list[i + 1].is_signal) {
		buf_printf(out, ", for a signal that interrupts 0x%" PRIx64 " ", frames->list[i + 2].pc);
		program_name(program, frames->list[i + 2].pc, out);
	}
	buf_char(out, '\n');
}

/* The line of the innermost user code, which is not that of a call further out. */
static void say_line(struct verbs *v, struct buf *out)
{
	struct at at;
	struct err ignored;
	if (!look(v, &at, NULL, &ignored) || !at.file)
		return;
	const struct frame frame = {.pc = at.pc};
	if (verb_source_of(v, &frame, 1, out, &ignored))
		return;
	/* Without its source there is the place alone. */
	buf_str(out, "  ");
	program_name(here_program(session_here(v->session), 0, &ignored), at.pc, out);
	buf_str(out, ", ");
	text_put_safe(out, at.file, strlen(at.file));
	buf_printf(out, ":%d\n", at.line);
}

static bool go(struct verbs *v, const struct words *w, bool (*find)(struct stepper *s, uint64_t *ret, struct err *err),
	bool backward, struct buf *out, struct err *err)
{
	uint64_t n = 1;
	struct scan *scan = session_scan(v->session, err);
	if (!scan || (w->count > 1 && !verb_number(w->list[1], "how often", &n, err)))
		return false;
	struct stepper *s = mem_alloc(sizeof *s);
	uint64_t to = walk_now(session_walk(v->session)), left = session_icount(v->session);
	bool ok = true;
	for (uint64_t i = 0; ok && i < n; i++) {
		*s = (struct stepper){.v = v, .scan = scan, .walk = session_walk(v->session)};
		uint64_t now = walk_now(s->walk);
		if (backward && now == session_zero(v->session) + session_begin(v->session))
			ok = err_set(err, ERR_INPUT, "this is the begin of the run");
		ok = ok && look(v, &s->start, &s->symbols, err);
		if (ok && !s->start.cfa && find != step_on && find != step_back)
			ok = err_set(err, ERR_INPUT, "the frame of this function is not known: use step, stepi or until");
		ok = ok && walk_keep(s->walk, err) && find(s, &to, err);
		ok = verb_return(v, ok ? to : now, ok, err);
		symbols_destroy(s->symbols);
	}
	free(s);
	session_came(v->session, left);
	if (!ok)
		return false;
	verb_say_place(v, out);
	struct err ignored;
	const struct stop *stop = here_stop(session_here(v->session), &ignored);
	if (find == finish_back && stop && stop->regs.cpl != 3)
		say_begun(v, out);
	say_line(v, out);
	return true;
}

bool verb_step(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, step_on, false, out, err);
}

bool verb_rstep(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, step_back, true, out, err);
}

bool verb_over(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, next_on, false, out, err);
}

bool verb_rover(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, next_back, true, out, err);
}

bool verb_finish(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, finish_on, false, out, err);
}

bool verb_rfinish(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return go(v, w, finish_back, true, out, err);
}
