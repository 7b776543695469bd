/* The debug command that finds who gave a register its value last. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/disas.h"
#include "engine/scan.h"
#include "engine/verb.h"

enum {
	WINDOW = 50000, /* instructions traced in one pass: fewer than SCAN_LAST, so that none is lost */
	WINDOWS = 40,
	INSTRUCTION_MAX = 15,
};

/* What a thread's own code did with a register: in user code that of the program, in kernel code all. */
struct search {
	struct verbs *v;
	struct scan *scan;
	struct scan_request request;
	struct space
		space; /* the thread's, by registers where it was asked; its memory is the machine's at the time of reading */
	struct stop stop;
	const char *name;
	uint64_t seen; /* address that was looked at last, and what came out */
	bool writes;
};

static bool writes(struct search *s, uint64_t pc)
{
	uint8_t code[INSTRUCTION_MAX];
	if (s->seen == pc)
		return s->writes;
	size_t size = memory_read_some(&s->space, pc, code, sizeof code);
	s->seen = pc;
	s->writes = size && disas_writes(code, size, s->name);
	return s->writes;
}

/* The last instruction before `to` that writes it; 0 if there is none in reach. */
static bool find(struct search *s, uint64_t begin, uint64_t to, uint64_t *ret, struct err *err)
{
	*ret = 0;
	for (int i = 0; i < WINDOWS && to > begin && !*ret; i++) {
		uint64_t from = to - begin > WINDOW ? to - WINDOW : begin;
		struct scan_hits hits;
		if (!scan_backward(s->scan, session_walk(s->v->session), &s->request, from, to, SCAN_LAST, &hits, err))
			return false;
		session_moved(s->v->session);
		for (size_t k = hits.count; k-- > 0 && !*ret;)
			if (writes(s, hits.list[k].pc))
				*ret = hits.list[k].icount;
		scan_hits_finish(&hits);
		to = from;
	}
	return true;
}

static bool value_at(struct verbs *v, uint64_t icount, const char *name, uint64_t *value, uint64_t *pc, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(session_walk(v->session), icount, &trip, err);
	session_moved(v->session);
	const struct stop *stop = ok ? here_stop(session_here(v->session), err) : NULL;
	if (!stop)
		return false;
	*pc = stop->regs.rip;
	return regs_get(&stop->regs, name, value);
}

static bool say(struct verbs *v, const char *name, uint64_t icount, struct buf *out, struct err *err)
{
	uint64_t before, after, pc, next, zero = session_zero(v->session);
	if (!value_at(v, icount, name, &before, &pc, err))
		return false;
	buf_printf(out, "%" PRIu64 "  ", icount - zero);
	size_t at = out->size;
	buf_printf(out, "pc 0x%" PRIx64 " ", pc);
	verb_name_pc(v, pc, out);
	char *tail = mem_strn(out->data + at, out->size - at);
	out->size = at;
	bool ok = value_at(v, icount + 1, name, &after, &next, err);
	if (ok)
		buf_printf(out, "%s 0x%" PRIx64 " -> 0x%" PRIx64 "  %s\n", name, before, after, tail);
	free(tail);
	return ok;
}

bool verb_last_register(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct session *session = v->session;
	struct search s = {.v = v, .scan = session_scan(session, err), .name = w->list[1] + 1};
	const struct stop *stop = here_stop(session_here(session), err);
	const struct process_list *list = s.scan && stop ? here_processes(session_here(session), err) : NULL;
	uint64_t value, hit, now = walk_now(session_walk(session)), begin = session_zero(session) + session_begin(session);
	if (!list)
		return false;
	if (s.name[0] != 'r' || !strcmp(s.name, "rip") || !strcmp(s.name, "rflags") || !regs_get(&stop->regs, s.name, &value))
		return err_set(
			err, ERR_USAGE, "'%.40s' is no register that can be looked for: expected $rax to $r15", w->list[1]);
	verb_prepare(v, &s.request);
	s.request.tasks[0] = list->current_task;
	s.request.task_count = s.request.task_at ? 1 : 0;
	s.request.watches[s.request.count++] =
		(struct scan_watch){.kind = SCAN_EXEC, .high = stop->regs.cpl == 3 ? UINT64_C(1) << 47 : UINT64_MAX};
	s.stop = *stop;
	s.space = memory_current(&s.stop);
	bool ok = walk_keep(session_walk(session), err) && (now == begin || find(&s, begin, now - 1, &hit, err));
	if (ok && now > begin && hit)
		ok = say(v, s.name, hit, out, err);
	else if (ok)
		buf_printf(out, "this thread did not write %s within the last %d instructions\n", s.name, WINDOW * WINDOWS);
	return verb_return(v, now, ok, err);
}
