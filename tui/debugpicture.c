#include "tui/debugpicture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/disas.h"
#include "engine/file.h"
#include "engine/sourcefile.h"
#include "engine/text.h"
#include "engine/verbs.h"

enum {
	SOURCE_AROUND = 400, /* lines before and after the current one that are shown */
	CODE_BEFORE = 2048,  /* bytes of a function before the program counter that are shown */
	CODE_COUNT = 700,    /* instructions */
};

/* ---- code ------------------------------------------------------------------------------------------------------ */

static bool source_of(struct verbs *v, const struct symbols_place *place, struct debug_picture *p)
{
	struct buf path = {0}, found = {0}, bytes = {0}, text = {0}, name = {0};
	struct err ignored = {0};
	if (!place->file || place->line <= 0)
		return false;
	sourcefile_path(place->directory, place->file, &path);
	int fd = sourcefile_open(path.data ? path.data : "", v->source_dirs, v->source_dir_count, &found, &ignored);
	bool ok = fd >= 0 && file_read_fd(fd, found.data, SOURCEFILE_SIZE_MAX, &bytes, &ignored) &&
		sourcefile_print(bytes.data ? bytes.data : "", bytes.size, place->line - SOURCE_AROUND,
			place->line + SOURCE_AROUND, place->line, &text);
	if (fd >= 0)
		close(fd);
	if (ok) {
		text_put_safe(&name, place->file, strlen(place->file));
		p->source_name = mem_printf("%s:%d", name.data ? name.data : "", place->line);
		p->text[DEBUG_SOURCE] = buf_take(&text);
	}
	struct buf *all[] = {&path, &found, &bytes, &text, &name};
	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
		buf_free(all[k]);
	return ok;
}

/* Of the innermost frame whose source can be read. */
static void put_source(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err ignored = {0};
	const struct frames *frames = here_focus(here, &ignored) ? here_frames(here, 0, 0, &ignored) : NULL;
	struct program *program = frames ? here_program(here, 0, &ignored) : NULL;
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	bool innermost = p->on_processor;
	for (size_t i = 0; program && i < frames->count; i++) {
		if (frames->list[i].kernel) {
			innermost = false;
			continue;
		}
		size_t count = program_places(program, &frames->list[i], places);
		for (size_t j = 0; j < count; j++, innermost = false)
			if (source_of(v, &places[j], p)) {
				p->in_source = innermost;
				return;
			}
		innermost = false;
	}
	p->text[DEBUG_SOURCE] = mem_str("no source: the program here has no line numbers, or its files are not on this host\n");
}

/* Code as the processor sees it, with the kernel's names. */
struct code {
	struct space *space;
	const struct guest *guest; /* NULL: no names */
};

static size_t read_current(void *data, uint64_t at, void *out, size_t size)
{
	struct code *code = data;
	return memory_read_some(code->space, at, out, size);
}

static void name_kernel(void *data, uint64_t at, struct buf *out)
{
	struct code *code = data;
	const struct ksym *symbol = code->guest ? ksyms_at(code->guest->layout->ksyms, at) : NULL;
	if (symbol)
		buf_printf(out, "%s+0x%" PRIx64, symbol->name, at - symbol->address);
}

static uint64_t function_start(struct program *program, uint64_t pc)
{
	uint64_t offset;
	if (symbols_name(program_symbols(program), pc, &offset) && offset <= CODE_BEFORE)
		return pc - offset;
	return pc;
}

static void put_disassembly(struct verbs *v, const struct stop *stop, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err err = {0};
	struct buf out = {0};
	uint64_t pc = stop->regs.rip, from = pc;
	struct program *program = p->on_processor ? here_program(here, 0, &err) : NULL;
	if (program)
		from = function_start(program, pc);
	bool ok = program && program_disas(program, from, 0, CODE_COUNT, pc, &out, &err);
	/* Code that is entered in the middle of an instruction of its function has no "=>" then; and the agent's is not a
	 * program of anybody's. */
	if (!ok || !strstr(out.data, "=>")) {
		struct space space = memory_current(stop);
		struct disas disas = {
			.read = read_current, .name = name_kernel, .data = &(struct code){&space, here_guest(here, &err)}};
		out.size = 0;
		ok = disas_print(&disas, pc, 0, CODE_COUNT, pc, &out, &err);
	}
	if (!ok)
		buf_printf(&out, "%s\n", err.text);
	p->text[DEBUG_DISASSEMBLY] = buf_take(&out);
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

/* What a verb prints, or why it cannot. */
static char *answer(struct verbs *v, const char *line)
{
	struct buf out = {0};
	struct err err = {0};
	if (!verbs_run(v, line, strlen(line), &out, &err))
		buf_printf(&out, "%s\n", err.text);
	if (!out.size)
		buf_str(&out, "none\n");
	return buf_take(&out);
}

static char *pc_text(struct verbs *v, const struct stop *stop)
{
	struct buf out = {0};
	struct err ignored = {0};
	const struct process *process = here_current(session_here(v->session), &ignored);
	buf_printf(&out, "pc 0x%016" PRIx64 " ", stop->regs.rip);
	verb_name_pc(v, stop->regs.rip, &out);
	if (process) {
		buf_str(&out, stop->regs.cpl == 3 ? "  in " : "  in the kernel for ");
		text_put_safe(&out, process->name, strnlen(process->name, sizeof process->name));
		buf_printf(&out, "[%u]", process->pid);
	} else {
		buf_str(&out, "  in the idle task");
	}
	return buf_take(&out);
}

static void put_process(const struct process *process, struct buf *out)
{
	const char *cgroup = process->cgroup;
	struct buf group = {0};
	text_put_safe(&group, cgroup + (cgroup[0] == '/'), strlen(cgroup + (cgroup[0] == '/')));
	buf_printf(
		out, "%c%6u %c %-8s ", process->current ? '*' : ' ', process->pid, process->state, group.size ? group.data : "-");
	if (process->command_size) {
		process_print_words(process->command, process->command_size, ' ', out);
	} else {
		buf_char(out, '[');
		text_put_safe(out, process->name, strnlen(process->name, sizeof process->name));
		buf_char(out, ']');
	}
	buf_char(out, '\n');
	buf_free(&group);
}

/* Programs first: the kernel's own threads are many and rarely asked for. Narrower than `ps`. */
static char *processes(struct verbs *v)
{
	struct buf out = {0};
	struct err err = {0};
	const struct process_list *list = here_processes(session_here(v->session), &err);
	buf_printf(&out, "%s\n", list ? "    pid s cgroup   command" : err.text);
	for (int kernel = 0; list && kernel < 2; kernel++)
		for (size_t i = 0; i < list->count; i++)
			if ((list->list[i].mm == 0) == kernel)
				put_process(&list->list[i], &out);
	return buf_take(&out);
}

static void put_focus(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err ignored = {0};
	const struct process *focus = here_focus(here, &ignored);
	struct buf name = {0};
	if (!focus)
		return;
	p->on_processor = focus == here_current(here, &ignored);
	text_put_safe(&name, focus->name, strnlen(focus->name, sizeof focus->name));
	buf_printf(&name, "[%u]", focus->pid);
	p->focus = buf_take(&name);
}

struct debug_picture *debug_picture_take(struct verbs *v, struct err *err)
{
	const struct stop *stop = here_stop(session_here(v->session), err);
	struct buf place = {0};
	if (!stop)
		return NULL;
	struct debug_picture *p = mem_alloc(sizeof *p);
	p->icount = session_icount(v->session);
	p->begin = session_begin(v->session);
	p->end = session_end(v->session);
	p->event = session_event(v->session);
	p->pc = stop->regs.rip;
	session_print_place(v->session, &place);
	p->place = buf_take(&place);
	p->pc_text = pc_text(v, stop);
	put_focus(v, p);
	put_source(v, p);
	put_disassembly(v, stop, p);
	p->text[DEBUG_WHERE] = answer(v, "where");
	p->text[DEBUG_REGS] = answer(v, "regs");
	p->text[DEBUG_LOCALS] = answer(v, "locals");
	p->text[DEBUG_PROCESSES] = processes(v);
	return p;
}

void debug_picture_destroy(struct debug_picture *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < DEBUG_TEXTS; i++)
		free(p->text[i]);
	free(p->place);
	free(p->pc_text);
	free(p->focus);
	free(p->source_name);
	free(p);
}
