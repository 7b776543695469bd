/* The moves that a client asks for. Each is checked, answered, and then made: it ends in a `stopped` event, whatever happens. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"
#include "engine/disas.h"
#include "engine/lines.h"
#include "engine/tracee.h"

/* ---- on and back ------------------------------------------------------------------------------------------------- */

static bool pursue(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	return dap_hits_pursue(s, s->move.backward, stop, err);
}

static bool resume(struct dap_server *s, bool backward)
{
	s->move = (struct dap_move){.kind = DAP_CONTINUE, .backward = backward};
	json_put_bool(s->body, "allThreadsContinued", true);
	s->after = pursue;
	return true;
}

bool dap_continue(struct dap_server *s, struct err *err)
{
	(void)err;
	return resume(s, false);
}

bool dap_reverse_continue(struct dap_server *s, struct err *err)
{
	(void)err;
	return resume(s, true);
}

bool dap_pause(struct dap_server *s, struct err *err)
{
	/* What went on has stopped when this is read: see dap_interrupted. */
	(void)s, (void)err;
	return true;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* By a line, with the verbs of `polecat debug`, about the thread that is meant. */
static bool step_line(struct dap_server *s, struct err *err)
{
	struct here *here = session_here(s->verbs->session);
	struct here_choice choice = here_choice(here);
	struct buf said = {0};
	here_choose(here, s->move.pid, s->move.thread);
	bool ok = verbs_run(s->verbs, s->move.verb, strlen(s->move.verb), &said, err);
	here_set_choice(here, &choice);
	targets_moved(s->targets);
	buf_free(&said);
	return ok;
}

static bool note_call(void *data, const struct disas_instruction *one)
{
	if (!one->bad && !strncmp(one->text, "call", 4))
		*(uint64_t *)data = one->address + one->size;
	return false;
}

/* Where a call at an address returns to; 0: it is none. */
static uint64_t behind_call(struct tracee *tracee, uint64_t address)
{
	struct err ignored;
	uint64_t behind = 0;
	struct program *program = tracee_program(tracee, &ignored);
	struct disas disas = {program_read, NULL, program, false};
	if (program)
		disas_each(&disas, address, 1, note_call, &behind, &ignored);
	return behind;
}

/* Out of a call that was just made, which may call itself: to where its thread has the stack of before. */
static bool until_returned(struct dap_server *s, struct tracee *tracee, const struct frame_registers *before, uint64_t behind,
	struct tracee_stop *stop, struct err *err)
{
	struct tracee_move move = {.locked = true, .thread = s->move.thread};
	struct tracee_registers now;
	if (!tracee_add_point(tracee, TRACEE_CODE, behind, 1, err))
		return false;
	do {
		if (!tracee_move(tracee, &move, stop, err))
			return false;
		if (!tracee_registers(tracee, s->move.thread, &now))
			break;
	} while (stop->why == TRACEE_BREAK && now.general.value[FRAME_RSP] < before->value[FRAME_RSP]);
	/* What does not return ends where the process does. */
	stop->why = TRACEE_STEPPED;
	return true;
}

static bool step_instruction(struct dap_server *s, struct err *err)
{
	struct tracee *tracee = tracee_create(s->verbs->session, s->verbs->cancel, s->move.pid, err);
	struct tracee_stop stop;
	struct tracee_registers before = {0};
	uint64_t behind = 0;
	if (tracee && s->move.over && !s->move.backward && tracee_registers(tracee, s->move.thread, &before))
		behind = behind_call(tracee, before.general.value[FRAME_PC]);
	bool ok = tracee && tracee_step(tracee, s->move.thread, s->move.backward, &stop, err);
	if (ok && stop.why == TRACEE_STEPPED && behind)
		ok = until_returned(s, tracee, &before.general, behind, &stop, err);
	tracee_destroy(tracee);
	targets_moved(s->targets);
	if (ok && stop.why != TRACEE_STEPPED)
		return err_set(err, ERR_INPUT, "thread %u has no instruction %s here", s->move.thread,
			s->move.backward ? "before" : "after");
	return ok;
}

/* Others are heard while one thread steps, and what it calls: a breakpoint between is where it stops. */
static bool make_step(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	struct session *session = s->verbs->session;
	uint64_t origin = session_icount(session);
	bool looks = dap_hits_wanted(s);
	if ((looks && !walk_keep(session_walk(session), err)) ||
		!(s->move.by_instruction ? step_instruction(s, err) : step_line(s, err)) ||
		(looks && !dap_hits_between(s, origin, stop, err)))
		return false;
	if (!stop->reason) {
		stop->reason = "step";
		s->thread = s->move.thread;
	}
	return true;
}

static bool step(struct dap_server *s, const char *verb, bool backward, struct err *err)
{
	const char *granularity = dap_string(s->arguments, "granularity");
	const struct process *p;
	const struct thread *thread;
	bool line = !granularity || !strcmp(granularity, "line") || !strcmp(granularity, "statement");
	if (!line && strcmp(granularity, "instruction") != 0)
		return err_set(err, ERR_INPUT, "granularity is '%.40s': expected statement, line or instruction", granularity);
	if (json_member(s->arguments, "threadId"))
		thread = targets_thread(s->targets, dap_number(s->arguments, "threadId", 0), &p, err);
	else
		thread = dap_focus(s, &p, err);
	if (!thread)
		return false;
	s->move = (struct dap_move){.kind = DAP_STEP,
		.backward = backward,
		.verb = verb,
		.by_instruction = !line,
		.over = !strcmp(verb, "over"),
		.pid = p->pid,
		.thread = thread->id};
	s->after = make_step;
	return true;
}

bool dap_step_over(struct dap_server *s, struct err *err)
{
	return step(s, "over", false, err);
}

bool dap_step_in(struct dap_server *s, struct err *err)
{
	return step(s, "step", false, err);
}

bool dap_step_out(struct dap_server *s, struct err *err)
{
	const char *granularity = dap_string(s->arguments, "granularity");
	bool ok = step(s, "finish", false, err);
	/* Out of a function is out of it, however small the steps are. */
	s->move.by_instruction = s->move.by_instruction && !granularity;
	return ok;
}

bool dap_step_back(struct dap_server *s, struct err *err)
{
	return step(s, "rover", true, err);
}

/* ---- to a place -------------------------------------------------------------------------------------------------- */

static void push_target(struct dap_server *s, uint32_t pid, uint64_t address, int line, bool backward, struct json *list)
{
	if (s->goto_count == DAP_TARGETS_MAX)
		s->goto_count = 0; /* the oldest are no longer known */
	s->goto_targets[s->goto_count] = (struct dap_target){address, pid, backward};
	struct json *j = json_new_object();
	char *label = mem_printf(backward ? "line %d, the last time before here" : "line %d, the next time", line);
	char *reference = mem_printf("0x%" PRIx64, address);
	json_put_u64(j, "id", s->goto_count++);
	json_put_str(j, "label", label);
	json_put_i64(j, "line", s->lines_from_0 ? line - 1 : line);
	json_put_str(j, "instructionPointerReference", reference);
	json_push(list, j);
	free(reference);
	free(label);
}

bool dap_goto_targets(struct dap_server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source");
	const char *path = dap_string(source, "path"), *name = path ? path : dap_string(source, "name");
	uint64_t line = dap_number(s->arguments, "line", 0) + s->lines_from_0;
	const struct process *p;
	struct lines lines = {0};
	int found_line;
	if (!name || !line || line > INT32_MAX)
		return err_set(err, ERR_INPUT, "gotoTargets: expected a source with a path, and a line");
	if (!dap_focus(s, &p, err))
		return false;
	struct program *program = targets_program(s->targets, p, err);
	char *own = dap_source_path(s, name);
	struct json *list = json_new_array();
	bool found = program && lines_find(program_symbols(program), own, (int)line, &lines, &found_line);
	for (size_t i = 0; found && i < lines.count && i < DAP_TARGETS_MAX / 2; i++) {
		push_target(s, p->pid, lines.list[i], found_line, false, list);
		push_target(s, p->pid, lines.list[i], found_line, true, list);
	}
	json_put(s->body, "targets", list);
	lines_finish(&lines);
	free(own);
	return program != NULL;
}

static bool go_to_target(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	bool found;
	if (!dap_hits_find(s, &s->move.target, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_INPUT, "that line is not executed %s here", s->move.target.backward ? "before" : "after");
	stop->reason = "goto";
	return true;
}

bool dap_goto(struct dap_server *s, struct err *err)
{
	uint64_t id = dap_number(s->arguments, "targetId", UINT64_MAX);
	if (id >= s->goto_count)
		return err_set(err, ERR_INPUT, "there is no such target: expected one that gotoTargets gave");
	s->move = (struct dap_move){.kind = DAP_GOTO, .target = s->goto_targets[id], .backward = s->goto_targets[id].backward};
	s->after = go_to_target;
	return true;
}

static bool go_to_start(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	struct walk_trip trip;
	bool ok = session_go(s->verbs->session, s->options.start, &trip, err);
	targets_moved(s->targets);
	s->thread = 0;
	return ok && dap_stop_at_entry(s, stop, err);
}

bool dap_restart(struct dap_server *s, struct err *err)
{
	(void)err;
	s->move = (struct dap_move){.kind = DAP_RESTART, .backward = true};
	s->after = go_to_start;
	return true;
}

/* ---- what the last one ended with -------------------------------------------------------------------------------- */

bool dap_exception_info(struct dap_server *s, struct err *err)
{
	if (!s->exception.is_one)
		return err_set(err, ERR_INPUT, "this stop is about no exception");
	json_put_str(s->body, "exceptionId", s->exception.id);
	json_put_str(s->body, "description", s->exception.description);
	json_put_str(s->body, "breakMode", "unhandled");
	return true;
}
