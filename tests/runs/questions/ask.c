/*
 * ask DIR COMMAND...: answers about the stop in DIR. PID:NAME chooses the process that the following commands are about (without
 * it: the current one); then "where", "threads", "locals N", "print N EXPRESSION", "disas PLACE COUNT", "maps", "fds", "ps",
 * "regs".
 */
#include "stopped.h"

#include <string.h>

#include "engine/expression.h"
#include "engine/openfiles.h"
#include "engine/program.h"

struct session {
	struct guest guest;
	struct process_list processes;
	struct program *program;
	uint64_t task;
	struct buf out;
};

static void choose(struct session *s, const struct process *process, uint64_t task)
{
	struct err err = {0};
	static const char *const dirs[] = {"/usr/lib/debug"};
	struct program_files files = {.debug_dirs = dirs, .debug_dir_count = 1};
	s->program = program_create(&s->guest, process, &files, s->program, &err);
	if (!s->program)
		die(&err);
	s->task = task;
}

static void with_frame(struct session *s, const char *number, const char *expression)
{
	struct frames frames;
	struct err err = {0};
	program_where(s->program, s->task, &frames);
	size_t n = strtoul(number, NULL, 10);
	struct scope scope = program_scope(s->program, n < frames.count ? &frames.list[n] : NULL);
	if (!expression)
		variables_print_locals(&scope, &s->out);
	else if (!expression_print(&scope, expression, VALUE_NATURAL, &s->out, &err))
		buf_printf(&s->out, "%s\n", err.text);
	unwind_finish(&frames);
}

static void where(struct session *s, uint64_t task)
{
	struct frames frames;
	program_where(s->program, task, &frames);
	program_print_where(s->program, &frames, &s->out);
	unwind_finish(&frames);
}

static void disas(struct session *s, const char *place, size_t count)
{
	struct err err = {0};
	uint64_t address, pc = s->guest.stop->regs.rip;
	struct frames frames;
	program_where(s->program, s->task, &frames);
	if (!program_address(s->program, frames.count ? &frames.list[0] : NULL, place, &address, NULL, &err) ||
		!program_disas(s->program, address, 0, count, pc, &s->out, &err))
		buf_printf(&s->out, "%s\n", err.text);
	unwind_finish(&frames);
}

static int answer(struct session *s, char **argv)
{
	const struct process *p = process_of_task(&s->processes, s->task);
	if (!strcmp(*argv, "where"))
		where(s, s->task);
	else if (!strcmp(*argv, "threads"))
		for (size_t i = 0; i < p->thread_count; i++) {
			buf_printf(&s->out, "thread %u %c\n", p->threads[i].id, p->threads[i].state);
			where(s, p->threads[i].task);
		}
	else if (!strcmp(*argv, "ps"))
		process_print(&s->processes, true, &s->out);
	else if (!strcmp(*argv, "regs"))
		regs_print(&s->guest.stop->regs, NULL, false, &s->out);
	else if (!strcmp(*argv, "maps"))
		maps_print(program_maps(s->program), &s->out);
	else if (!strcmp(*argv, "fds")) {
		struct openfiles files;
		openfiles_read(&s->guest, s->task, NULL, &files);
		openfiles_print(&files, &s->out);
		openfiles_finish(&files);
	} else if (!strcmp(*argv, "locals") && argv[1]) {
		with_frame(s, argv[1], NULL);
		return 2;
	} else if (!strcmp(*argv, "print") && argv[1] && argv[2]) {
		with_frame(s, argv[1], argv[2]);
		return 3;
	} else if (!strcmp(*argv, "disas") && argv[1] && argv[2]) {
		disas(s, argv[1], strtoul(argv[2], NULL, 10));
		return 3;
	} else {
		for (size_t i = 0; i < s->processes.count; i++)
			if (s->processes.list[i].pid == strtoul(*argv, NULL, 10) || !strcmp(s->processes.list[i].name, *argv)) {
				choose(s, &s->processes.list[i], s->processes.list[i].task);
				return 1;
			}
		fprintf(stderr, "ask: what is \"%s\"?\n", *argv);
		exit(2);
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct session s = {0};
	struct err err = {0};
	if (argc < 3)
		return 2;
	struct stop stop = load_stop(argv[1]);
	struct layout *layout = layout_create(&stop, &err);
	if (!layout)
		die(&err);
	s.guest = guest_of(layout, &stop);
	if (!process_read(&s.guest, &s.processes, &err))
		die(&err);
	const struct process *current = process_of_task(&s.processes, s.processes.current_task);
	if (current)
		choose(&s, current, s.processes.current_task);
	for (char **arg = argv + 2; *arg;) {
		arg += answer(&s, arg);
		fwrite(s.out.data, 1, s.out.size, stdout);
		buf_clear(&s.out);
	}
	buf_free(&s.out);
	program_destroy(s.program);
	process_finish(&s.processes);
	layout_destroy(layout);
	return 0;
}
