/* What a move looks for in one pass over the run: breakpoints where they are, and what makes their places stale. */
#include <string.h>
#include <stdlib.h>

#include "engine/dap_chase.h"
#include "engine/kcode.h"
#include "engine/scan_condition.h"

static bool watch(struct dap_chase *c, uint32_t kind, uint64_t low, uint64_t size, uint32_t pid)
{
	struct scan_request *r = &c->request;
	for (uint32_t i = c->own; i < r->count; i++)
		if (!c->point_of[i] && r->watches[i].kind == kind && r->watches[i].low == low &&
			r->watches[i].high == low + size && r->watches[i].process == pid)
			return true;
	if (r->count == SCAN_WATCHES)
		return false;
	c->point_of[r->count] = 0;
	r->watches[r->count++] = (struct scan_watch){.kind = kind, .low = low, .high = low + size, .process = pid};
	return true;
}

/* A watch of its own for a place whose condition can be evaluated at each time, in the pass. False when it cannot. */
static bool watch_condition(struct dap_chase *c, const struct dap_place *place)
{
	struct dap_server *s = c->s;
	struct scan_request *r = &c->request;
	const struct dap_point *point = &s->points[place->point];
	struct err ignored;
	const struct process_list *list = point->condition && !c->plain ? targets_processes(s->targets, &ignored) : NULL;
	const struct process *p = list ? process_find(list, place->pid) : NULL;
	struct program *program = p ? targets_program(s->targets, p, &ignored) : NULL;
	if (!program || r->count == SCAN_WATCHES)
		return false;
	struct frame frame = {.pc = place->address};
	struct scope scope = program_scope(program, &frame); /* names are those of the code */
	struct expression *e = expression_parse(&scope, point->condition, &ignored);
	struct scan_condition *made = mem_alloc(sizeof *made);
	struct scan_watch w = {.kind = SCAN_EXEC, .low = place->address, .high = place->address + 1};
	bool ok = e && scan_condition_at(e, &scope, place->address, made, &ignored) && scan_condition_add(made, r, &w, &ignored);
	expression_destroy(e);
	free(made);
	if (ok) {
		c->point_of[r->count] = (uint32_t)place->point + 1;
		r->watches[r->count++] = w;
	}
	return ok;
}

/* Code is looked for in everybody, since a child may begin that has it too; data in its process. */
static bool watch_place(struct dap_chase *c, const struct dap_place *place)
{
	const struct dap_point *point = &c->s->points[place->point];
	if (point->kind == DAP_DATA)
		return watch(c, point->access | SCAN_VIRTUAL, place->address, place->size, place->pid);
	return watch_condition(c, place) || watch(c, SCAN_EXEC, place->address, 1, 0);
}

static bool kernel_watch(struct dap_chase *c, const struct guest *guest, const char *name, struct err *err)
{
	uint64_t address;
	if (!kcode_find(guest, name, &address))
		return err_set(err, ERR_QEMU, "this kernel has no symbol %s", name);
	c->request.watches[c->request.count++] = (struct scan_watch){.kind = SCAN_EXEC, .low = address, .high = address + 1};
	return true;
}

/* Is there a point that this process may come to have code for? */
static bool may_load(const struct dap_server *s, uint32_t pid)
{
	for (size_t i = 0; i < s->point_count; i++) {
		bool found = s->points[i].kind != DAP_LINE && s->points[i].kind != DAP_FUNCTION;
		for (size_t k = 0; k < s->place_count && !found; k++)
			found = s->places[k].point == i && s->places[k].pid == pid;
		if (!found)
			return true;
	}
	return false;
}

/* What dynamic linkers call when they have mapped something, so that debuggers can stop there. */
static void watch_loader(struct dap_chase *c, const struct process *p)
{
	struct err ignored;
	uint64_t address, size;
	struct program *program = may_load(c->s, p->pid) ? targets_program(c->s->targets, p, &ignored) : NULL;
	if (program && c->request.count < SCAN_WATCHES / 4 &&
		symbols_find(program_symbols(program), "_dl_debug_state", &address, &size))
		watch(c, SCAN_EXEC, address, 1, 0);
}

static void note_tasks(struct dap_chase *c, const struct process_list *list)
{
	c->task_count = 0;
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->list[i].thread_count; k++)
			ARRAY_PUSH(c->tasks, c->task_count, c->task_room) = (struct dap_task){
				list->list[i].threads[k].task, list->list[i].pid, targets_has(c->s->targets, &list->list[i])};
}

bool dap_look_up(struct dap_chase *c, struct err *err)
{
	struct dap_server *s = c->s;
	struct here *here = session_here(s->verbs->session);
	const struct stop *stop = here_stop(here, err);
	const struct guest *guest = stop ? here_guest(here, err) : NULL;
	const struct process_list *list = guest ? targets_processes(s->targets, err) : NULL;
	if (!list)
		return false;
	c->before = stop->regs;
	c->before_at = walk_now(session_walk(s->verbs->session));
	note_tasks(c, list);
	session_scan_request(s->verbs->session, &c->request);
	/* Back from its begin a process is what it was before. */
	if (!kernel_watch(c, guest, c->backward ? "begin_new_exec" : "start_thread", err) ||
		!kernel_watch(c, guest, "do_group_exit", err))
		return false;
	c->own = c->request.count;
	if (c->target) {
		watch(c, SCAN_EXEC, c->target->address, 1, 0);
		return true;
	}
	dap_points_resolve(s, true);
	for (size_t i = 0; i < list->count && !c->backward; i++)
		if (targets_has(s->targets, &list->list[i]))
			watch_loader(c, &list->list[i]);
	c->own = c->request.count;
	for (size_t i = 0; i < s->place_count; i++) {
		if (!watch_place(c, &s->places[i]))
			return err_set(err, ERR_USAGE,
				"the breakpoints come to more than %d addresses: fewer can be looked for at once",
				SCAN_WATCHES - (int)c->own);
	}
	return true;
}
