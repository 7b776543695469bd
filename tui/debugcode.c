/* The panes of code: source and instructions of the frame that is looked at, and the breaks among their lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/disas.h"
#include "engine/file.h"
#include "engine/sourcefile.h"
#include "engine/text.h"
#include "engine/verbs.h"
#include "tui/debugpicture.h"

enum {
	SOURCE_AROUND = 400, /* lines before and after the current one that are shown */
	CODE_BEFORE = 2048,  /* bytes of a function before the program counter that are shown */
	CODE_COUNT = 700,    /* instructions */
};

/* ---- source ---- */

static bool source_of(struct verbs *v, const struct symbols_place *place, struct debug_picture *p, struct err *err)
{
	struct buf path = {0}, found = {0}, bytes = {0}, text = {0}, name = {0};
	if (!place->file || place->line <= 0)
		return false;
	sourcefile_path(place->directory, place->file, &path);
	int fd = sourcefile_open(path.data ? path.data : "", v->source_dirs, v->source_dir_count, &found, err);
	bool ok = fd >= 0 && file_read_fd(fd, found.data, SOURCEFILE_SIZE_MAX, &bytes, err);
	if (fd >= 0)
		close(fd);
	if (ok &&
		!sourcefile_print(bytes.data ? bytes.data : "", bytes.size, place->line - SOURCE_AROUND,
			place->line + SOURCE_AROUND, place->line, &text))
		ok = err_set(err, ERR_INPUT, "%s has no line %d: it is not the file that was compiled", found.data, place->line);
	if (ok) {
		text_put_safe(&name, place->file, strlen(place->file));
		p->source_name = mem_printf("%s:%d", name.data ? name.data : "", place->line);
		p->source_file = mem_str(place->file);
		p->text[DEBUG_SOURCE] = buf_take(&text);
	}
	struct buf *all[] = {&path, &found, &bytes, &text, &name};
	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
		buf_free(all[k]);
	return ok;
}

/* Why there is no source, and what would help: `missing` says it of a file, else there are no lines for the code at all. */
static void put_no_source(const char *missing, struct program *program, const struct frame *frame, struct debug_picture *p)
{
	struct buf text = {0}, name = {0};
	if (missing) {
		buf_printf(&text, "%s\n", missing);
	} else if (program && frame && !frame->kernel) {
		program_name(program, frame->pc, &name);
		buf_printf(&text,
			"no source: %s has no line numbers. A program that was compiled with -g has them; debug information that "
			"is "
			"kept elsewhere is found with --debug-dir DIR.\n",
			name.size ? name.data : "the code here");
	} else {
		buf_str(&text,
			"no source: this is code of the kernel or the agent, which has none here. t shows the instructions.\n");
	}
	p->text[DEBUG_SOURCE] = buf_take(&text);
	buf_free(&name);
}

/* Of the innermost frame whose source can be read; of the chosen one only if one was chosen. */
static void put_source(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err ignored = {0}, why = {0};
	const struct frames *frames = here_focus(here, &ignored) ? here_frames(here, 0, 0, &ignored) : NULL;
	struct program *program = frames ? here_program(here, 0, &ignored) : NULL;
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	bool innermost = p->on_processor || p->frame_chosen;
	const struct frame *first = NULL;
	for (size_t i = p->frame_chosen ? p->frame : 0; program && i < frames->count; i++) {
		const struct frame *frame = &frames->list[i];
		size_t count = frame->kernel ? 0 : program_places(program, frame, places);
		first = !first && (!frame->kernel || p->frame_chosen) ? frame : first;
		for (size_t j = 0; j < count; j++, innermost = false)
			if (source_of(v, &places[j], p, why.code == ERR_NONE ? &why : &ignored)) {
				p->in_source = innermost;
				return;
			}
		innermost = false;
		if (p->frame_chosen)
			break;
	}
	put_no_source(why.code == ERR_NONE ? NULL : why.text, program, first, p);
}

/* ---- instructions ---- */

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

/* Of the processor, whoever has it; of the frame when that or its process was chosen. */
static void put_disassembly(struct verbs *v, const struct stop *stop, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct err err = {0};
	struct buf out = {0};
	const struct frame *frame = verb_frame_is_meant(v) ? here_frame(here, NULL, &err) : NULL;
	uint64_t pc = frame ? frame->pc : stop->regs.rip, from = pc;
	struct program *program = p->on_processor || frame ? here_program(here, 0, &err) : NULL;
	if (program)
		from = function_start(program, pc);
	p->pc = pc;
	bool ok = program && program_disas(program, from, 0, CODE_COUNT, pc, &out, &err);
	/* Code that is entered in the middle of an instruction of its function has no "=>" then; and the agent's is not a
	 * program of anybody's. */
	if (ok && !strstr(out.data, "=>") && frame) {
		out.size = 0;
		ok = program_disas(program, pc, 0, CODE_COUNT, pc, &out, &err);
	} else if (!ok || !strstr(out.data, "=>")) {
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

/* ---- breaks ---- */

static int line_of(struct verbs *v, uint64_t address, const struct debug_picture *p)
{
	struct err ignored = {0};
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct program *program = p->source_file ? here_program(session_here(v->session), 0, &ignored) : NULL;
	size_t count = program ? symbols_at(program_symbols(program), address, false, places) : 0;
	for (size_t i = 0; i < count; i++)
		if (places[i].file && !strcmp(places[i].file, p->source_file))
			return places[i].line;
	return 0;
}

static void put_breaks(struct verbs *v, struct debug_picture *p)
{
	for (uint32_t i = 0; v->breaks && i < v->breaks->count; i++) {
		const struct scan_watch *watch = &v->breaks->list[i];
		uint64_t address = watch->kind == SCAN_EXEC ? watch->low : 0;
		int line = address ? line_of(v, address, p) : 0;
		p->breaks[p->break_count++] = (struct debug_break){i + 1, address, line, v->breaks->disabled[i]};
	}
}

void debug_picture_code(struct verbs *v, const struct stop *stop, struct debug_picture *p)
{
	put_source(v, p);
	put_disassembly(v, stop, p);
	put_breaks(v, p);
}
