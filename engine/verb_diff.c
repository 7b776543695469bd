/* The debug command that compares two moments: what is kept of the first, and where the second is. */
#include <stdlib.h>

#include "engine/kcode.h"
#include "engine/runlist.h"
#include "engine/statediff.h"
#include "engine/verb.h"

/* Everything of a moment that is compared, kept when the machine goes elsewhere. */
struct still {
	struct statediff_side side;
	struct ram copy;
};

static void still_finish(struct still *s)
{
	owners_destroy((struct owners *)(uintptr_t)s->side.owners);
	ram_finish(&s->copy);
}

/* Goes to a moment without leaving a trace in the history of moves. */
static bool stand_at(struct session *s, uint64_t icount, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(session_walk(s), session_zero(s) + icount, &trip, err);
	session_moved(s);
	return ok;
}

static bool side_of(struct session *s, struct statediff_side *ret, struct err *err)
{
	struct here *here = session_here(s);
	const struct process_list *list = here_processes(here, err);
	const struct guest *guest = list ? here_guest(here, err) : NULL;
	if (!guest)
		return false;
	ret->regs = guest->stop->regs;
	ret->ram = machine_memory(walk_machine(session_walk(s)));
	ret->owners = owners_create(guest, list);
	return true;
}

static bool still_take(struct session *s, struct still *ret, struct err *err)
{
	if (!side_of(s, &ret->side, err) || !ram_create(&ret->copy, ret->side.ram->size, err) ||
		!ram_fill(&ret->copy, ret->side.ram, err))
		return false;
	ret->side.ram = &ret->copy;
	return true;
}

static void name(void *data, uint32_t pid, uint64_t address, struct buf *out)
{
	struct here *here = data;
	struct err ignored;
	struct kcode_place place;
	struct program *program = pid ? here_program(here, pid, &ignored) : NULL;
	const struct guest *guest = pid ? NULL : here_guest(here, &ignored);
	if (program)
		program_name(program, address, out);
	else if (guest && kcode_at(guest, address, &place)) {
		buf_str(out, place.name);
		if (place.offset)
			buf_printf(out, "+0x%llx", (unsigned long long)place.offset);
	}
}

/* apart: s is of another run. */
static bool compare(struct still *before, struct session *s, bool apart, struct buf *out, struct err *err)
{
	struct statediff_side after = {0};
	bool ok = side_of(s, &after, err) && statediff_print(&before->side, &after, apart, name, session_here(s), out, err);
	owners_destroy((struct owners *)(uintptr_t)after.owners);
	return ok;
}

static bool in_this_run(struct verbs *v, struct still *before, uint64_t icount, struct buf *out, struct err *err)
{
	return stand_at(v->session, icount, err) && compare(before, v->session, false, out, err);
}

static bool in_other_run(
	struct verbs *v, struct still *before, const char *run, const char *text, struct buf *out, struct err *err)
{
	struct bookmarks none = {.dir = -1};
	uint64_t icount;
	char *path = runlist_find(v->runs ? v->runs : ".", run, err);
	if (!path)
		return false;
	struct session_options options = {.run = path,
		.debug_dirs = v->debug_dirs,
		.debug_dir_count = v->debug_dir_count,
		.cancel = v->cancel,
		.progress = v->progress};
	struct session *s = session_open(&options, err);
	struct verbs other = {.session = s, .bookmarks = &none, .cancel = v->cancel, .progress = v->progress};
	bool ok = s && verb_moment(&other, text, &icount, err) && stand_at(s, icount, err) && compare(before, s, true, out, err);
	session_close(s);
	free(path);
	return ok;
}

bool verb_diff_state(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct still before = {.copy = {.fd = -1}};
	struct err second;
	uint64_t now = session_icount(v->session), first, last = 0;
	bool other = w->count > 3;
	if (!verb_moment(v, w->list[1], &first, err) || (!other && !verb_moment(v, w->list[2], &last, err)))
		return false;
	bool ok = stand_at(v->session, first, err) && still_take(v->session, &before, err) &&
		(other ? in_other_run(v, &before, w->list[2], w->list[3], out, err) : in_this_run(v, &before, last, out, err));
	still_finish(&before);
	if (v->cancel && !ok)
		v->cancel->requested = false;
	bool back = stand_at(v->session, now, ok ? err : &second);
	return ok && back;
}
