/* Debug commands that move the playhead, and the bookmarks to move to. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/describe.h"
#include "engine/moment.h"
#include "engine/moves.h"
#include "engine/text.h"
#include "engine/verb.h"

bool verb_number(const char *text, const char *what, uint64_t *ret, struct err *err)
{
	char *end;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	unsigned long long n = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, hex ? 16 : 10) : (end = NULL, 0ull);
	if (!end || *end || errno)
		return err_set(err, ERR_USAGE, "%s is '%.80s': expected a number such as 100 or 0x7fff12340000", what, text);
	*ret = n;
	return true;
}

bool verb_moment(struct verbs *v, const char *text, uint64_t *ret, struct err *err)
{
	struct moment moment;
	const struct bookmark *b = bookmarks_find(v->bookmarks, text);
	if (b) {
		*ret = b->icount;
		return true;
	}
	if (!strcmp(text, "end")) { /* of the run, which may be beyond its last event */
		*ret = session_end(v->session);
		return true;
	}
	/* +N and -N: from here. */
	if (text[0] == '+' || text[0] == '-') {
		uint64_t n, now = session_icount(v->session);
		if (!verb_number(text + 1, "the distance", &n, err))
			return false;
		*ret = text[0] == '+' ? (n > UINT64_MAX - now ? UINT64_MAX : now + n) : n > now ? 0 : now - n;
		return true;
	}
	if (!moment_parse(session_timeline(v->session), text, &moment, err))
		return false;
	*ret = moment.icount;
	return true;
}

static void say_event(struct verbs *v, struct buf *out)
{
	const struct timeline *t = session_timeline(v->session);
	size_t event = session_event(v->session);
	struct timeline_event e = {0};
	if (event != TIMELINE_NONE && timeline_event(t, event, &e, NULL)) {
		const char *node = timeline_node(t, timeline_entries(t)[event].node);
		buf_printf(out, "  ev:%zu  %s  %s  ", event + 1, *node ? node : "-", event_kind_name(e.event.kind));
		describe_event(&e.event, out);
		buf_char(out, '\n');
	}
	timeline_event_finish(&e);
}

void verb_name_pc(struct verbs *v, uint64_t pc, struct buf *out)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	const struct process *p = here_current(here, &ignored);
	struct program *program = p ? here_program(here, p->pid, &ignored) : NULL;
	if (program) {
		program_name(program, pc, out);
		return;
	}
	const struct guest *guest = here_guest(here, &ignored);
	const struct ksym *symbol = guest ? ksyms_at(guest->layout->ksyms, pc) : NULL;
	if (symbol)
		buf_printf(out, "%s+0x%" PRIx64, symbol->name, pc - symbol->address);
}

static void say_pc(struct verbs *v, struct buf *out)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	const struct stop *stop = here_stop(here, &ignored);
	if (!stop)
		return;
	buf_printf(out, "  pc 0x%016" PRIx64, stop->regs.rip);
	const struct process *p = here_current(here, &ignored);
	buf_char(out, ' ');
	verb_name_pc(v, stop->regs.rip, out);
	if (!p)
		buf_str(out, "  in the idle task");
	if (p) {
		buf_printf(out, "  %s ", stop->regs.cpl == 3 ? "in" : "in the kernel for");
		process_put_name(p, here_processes(here, &ignored)->current_task, out);
	}
	buf_char(out, '\n');
}

void verb_say_place(struct verbs *v, struct buf *out)
{
	session_print_place(v->session, out);
	buf_char(out, '\n');
	say_event(v, out);
	say_pc(v, out);
	v->moved = true;
}

void verb_say_restart(struct verbs *v, struct buf *out)
{
	if (session_was_restarted(v->session))
		buf_printf(out, "QEMU %s and was started again\n", walk_death(session_walk(v->session)));
}

static bool arrived(struct verbs *v, const struct walk_trip *trip, bool ok, struct buf *out, struct err *err)
{
	if (!ok) {
		if (err && err->code == ERR_CANCELLED) {
			struct buf place = {0};
			session_print_place(v->session, &place);
			err_set(err, ERR_CANCELLED, "cancelled on the way: %s", place.data);
			buf_free(&place);
		}
		return false;
	}
	verb_say_restart(v, out);
	if (trip->reached != trip->asked)
		buf_printf(out, "stopped at %" PRIu64 ", not at %" PRIu64 ": the guest stopped itself there\n",
			trip->reached - session_zero(v->session), trip->asked - session_zero(v->session));
	verb_say_place(v, out);
	buf_str(out, "  (");
	walk_trip_print(trip, session_zero(v->session), out);
	buf_str(out, ")\n");
	return true;
}

bool verb_go(struct verbs *v, uint64_t icount, struct buf *out, struct err *err)
{
	struct walk_trip trip;
	if (icount > session_end(v->session))
		buf_str(out, "that is beyond the end of the run; this is the end\n");
	if (icount < session_begin(v->session))
		buf_str(out, "that is before the begin of the run; this is the begin\n");
	return arrived(v, &trip, session_go(v->session, icount, &trip, err), out, err);
}

/* The guest's clock is known at events, so a time leads to one. */
static void say_time(struct verbs *v, const char *text, uint64_t icount, struct buf *out)
{
	const struct timeline *t = session_timeline(v->session);
	uint64_t asked, at;
	size_t event = timeline_at_icount(t, icount);
	if (bookmarks_find(v->bookmarks, text) || !text_parse(text + 2, TEXT_DURATION, &asked))
		return;
	at = event == TIMELINE_NONE ? 0 : timeline_entries(t)[event].vtime_ns;
	if (at == asked)
		return;
	buf_printf(out, "no event is at %s: ", text);
	if (event == TIMELINE_NONE) {
		buf_str(out, "this is the begin, before the first one\n");
		return;
	}
	buf_printf(out, "this is the last one before, ev:%zu at t:", event + 1);
	text_put(out, TEXT_DURATION, at);
	buf_char(out, '\n');
}

bool verb_goto(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t icount, now = session_icount(v->session), n;
	const char *text = w->list[1];
	if (!verb_moment(v, text, &icount, err))
		return false;
	/* Counts are not negative: what a fork's begin says is said here of a run's. */
	if (text[0] == '-' && !icount && !session_begin(v->session) && verb_number(text + 1, "", &n, NULL) && n > now)
		buf_str(out, "that is before the begin of the run; this is the begin\n");
	if (!strncmp(text, "t:", 2))
		say_time(v, text, icount, out);
	return verb_go(v, icount, out, err);
}

static bool to_event(struct verbs *v, const struct words *w, bool backward, struct buf *out, struct err *err)
{
	const struct timeline *t = session_timeline(v->session);
	struct moves_filter filter;
	size_t event;
	if (!moves_parse(t, (const char *const *)w->list + 1, w->count - 1, &filter, err) ||
		!moves_find(t, &filter, session_icount(v->session), backward, v->cancel, &event, err))
		return false;
	return verb_go(v, timeline_entries(t)[event].icount, out, err);
}

/* "next switch", "prev syscall": the machine has to be watched for them. A node of that name is asked for as `line NODE`. */
static bool is_watched(const struct words *w)
{
	return w->count == 2 && (!strcmp(w->list[1], "switch") || !strcmp(w->list[1], "syscall"));
}

bool verb_next(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	if (is_watched(w))
		return verb_until(v, w, out, err);
	return to_event(v, w, false, out, err);
}

bool verb_prev(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	if (is_watched(w))
		return verb_runtil(v, w, out, err);
	return to_event(v, w, true, out, err);
}

static bool step_count(const struct words *w, uint64_t *n, struct err *err)
{
	*n = 1;
	return w->count < 2 || verb_number(w->list[1], "the number of instructions", n, err);
}

bool verb_stepi(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t n, now = session_icount(v->session);
	return step_count(w, &n, err) && verb_go(v, n > UINT64_MAX - now ? UINT64_MAX : now + n, out, err);
}

bool verb_rstepi(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t n, now = session_icount(v->session);
	if (!step_count(w, &n, err))
		return false;
	if (n > now)
		buf_str(out, "that is before the begin of the run; this is the begin\n");
	return verb_go(v, n > now ? session_begin(v->session) : now - n, out, err);
}

bool verb_back(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	struct walk_trip trip = {0};
	return arrived(v, &trip, session_back(v->session, &trip, err), out, err);
}

bool verb_forward(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	struct walk_trip trip = {0};
	return arrived(v, &trip, session_forward(v->session, &trip, err), out, err);
}

bool verb_here(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w, (void)err;
	verb_say_place(v, out);
	return true;
}

/* ---- bookmarks ---------------------------------------------------------------------------------------------- */

bool verb_bookmark(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t icount = session_icount(v->session);
	if (w->count > 2 && !verb_moment(v, w->list[2], &icount, err))
		return false;
	if (!bookmarks_set(v->bookmarks, w->list[1], icount, err))
		return false;
	buf_printf(out, "%s is %" PRIu64 "\n", w->list[1], icount);
	return true;
}

bool verb_unbookmark(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)out;
	return bookmarks_remove(v->bookmarks, w->list[1], err);
}

bool verb_bookmarks(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w, (void)err;
	for (size_t i = 0; i < v->bookmarks->count; i++)
		buf_printf(out, "%-20s %" PRIu64 "\n", v->bookmarks->list[i].name, v->bookmarks->list[i].icount);
	if (!v->bookmarks->count)
		buf_str(out, "no bookmarks (`bookmark NAME` makes one here)\n");
	return true;
}
