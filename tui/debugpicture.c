#include "tui/debugpicture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/file.h"
#include "engine/text.h"
#include "engine/verbs.h"

enum {
	SOURCE_FILE_MAX = 4 << 20,
	SOURCE_AROUND = 400, /* lines before and after the current one that are shown */
	CODE_BEFORE = 2048,  /* bytes of a function before the program counter that are shown */
	CODE_COUNT = 700,    /* instructions */
};

/* ---- code ------------------------------------------------------------------------------------------------------ */

static bool source_lines(const char *path, int line, struct buf *out)
{
	struct buf bytes = {0};
	bool ok = file_read(path, SOURCE_FILE_MAX, &bytes, &(struct err){0});
	int number = 1;
	for (size_t at = 0; ok && at < bytes.size && number <= line + SOURCE_AROUND; number++) {
		const char *newline = memchr(bytes.data + at, '\n', bytes.size - at);
		size_t end = newline ? (size_t)(newline - bytes.data) : bytes.size;
		if (number >= line - SOURCE_AROUND) {
			buf_printf(out, "%s%5d  ", number == line ? "=>" : "  ", number);
			for (size_t i = at; i < end; i++) /* a tab as blanks, so that columns stay */
				if (bytes.data[i] == '\t')
					buf_str(out, "    ");
				else
					text_put_safe(out, bytes.data + i, 1);
			buf_char(out, '\n');
		}
		at = end + 1;
	}
	ok = ok && number > line;
	if (!ok)
		out->size = 0;
	buf_free(&bytes);
	return ok;
}

static bool source_of(const struct symbols_place *place, struct debug_picture *p)
{
	struct buf text = {0};
	if (!place->file || place->line <= 0)
		return false;
	char *joined = place->directory && place->file[0] != '/' ? mem_printf("%s/%s", place->directory, place->file) : NULL;
	bool ok = source_lines(joined ? joined : place->file, place->line, &text) ||
		(joined && source_lines(place->file, place->line, &text));
	if (ok) {
		struct buf name = {0};
		text_put_safe(&name, place->file, strlen(place->file));
		p->source_name = mem_printf("%s:%d", name.data ? name.data : "", place->line);
		p->text[DEBUG_SOURCE] = buf_take(&text);
		buf_free(&name);
	}
	buf_free(&text);
	free(joined);
	return ok;
}

/* Of the innermost frame whose source can be read. */
static void put_source(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err ignored = {0};
	const struct frames *frames = here_current(here, &ignored) ? here_frames(here, 0, 0, &ignored) : NULL;
	struct program *program = frames ? here_program(here, 0, &ignored) : NULL;
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	bool innermost = true;
	for (size_t i = 0; program && i < frames->count; i++) {
		if (frames->list[i].kernel) {
			innermost = false;
			continue;
		}
		size_t count = program_places(program, &frames->list[i], places);
		for (size_t j = 0; j < count; j++, innermost = false)
			if (source_of(&places[j], p)) {
				p->in_source = innermost;
				return;
			}
		innermost = false;
	}
	p->text[DEBUG_SOURCE] = mem_str("no source: the program here has no line numbers, or its files are not on this host\n");
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
	struct program *program = here_current(here, &err) ? here_program(here, 0, &err) : NULL;
	if (program)
		from = function_start(program, pc);
	bool ok = program && program_disas(program, from, 0, CODE_COUNT, pc, &out, &err);
	/* Code that is entered in the middle of an instruction of its function has no "=>" then. */
	if (!ok || !strstr(out.data, "=>")) {
		char line[64];
		out.size = 0;
		snprintf(line, sizeof line, "disas 0x%" PRIx64 " 100", pc);
		ok = verbs_run(v, line, strlen(line), &out, &err);
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
	put_source(v, p);
	put_disassembly(v, stop, p);
	p->text[DEBUG_WHERE] = answer(v, "where");
	p->text[DEBUG_REGS] = answer(v, "regs");
	p->text[DEBUG_LOCALS] = answer(v, "locals");
	p->text[DEBUG_PROCESSES] = answer(v, "ps");
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
	free(p->source_name);
	free(p);
}
