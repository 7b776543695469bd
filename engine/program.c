#include "engine/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/disas.h"
#include "engine/expression.h"
#include "engine/kcode.h"
#include "engine/orc.h"
#include "engine/text.h"

#define FILE_SIZE_MAX (UINT64_C(1) << 30)
#define VDSO_SIZE_MAX (64u << 10)

struct program {
	struct guest guest;
	struct space space;
	uint64_t task, mm;
	char *cgroup;
	struct maps maps;
	struct symbols *symbols;
	struct names *names; /* of kernel modules' code, given out by program_places */
};

struct names {
	char **list;
	size_t count, room;
};

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

size_t program_read(void *data, uint64_t address, void *out, size_t size)
{
	struct program *p = data;
	if (is_kernel(address))
		return memory_read_some(&p->guest.kernel, address, out, size);
	return maps_read_memory(&p->guest, &p->space, &p->maps, address, out, size);
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

static int file_of_bytes(const char *bytes, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	for (size_t done = 0; fd >= 0 && done < size;) {
		ssize_t n = write(fd, bytes + done, size - done);
		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

/* The file of a mapping: the guest's own copy when its memory holds all of it, since that is what runs; else the host's. */
static int open_file(const struct program *p, const struct map *map, const struct program_files *files)
{
	struct guestfile file = guestfile_inode(&p->guest, map->inode);
	struct buf bytes = {0};
	int fd = -1;
	if (file.size <= FILE_SIZE_MAX && guestfile_read(&p->guest, &file, 0, file.size, &bytes, NULL) && bytes.size)
		fd = file_of_bytes(bytes.data, bytes.size);
	buf_free(&bytes);
	if (fd < 0 && files && files->open)
		fd = files->open(files->data, p->cgroup, map->name);
	return fd;
}

static bool has_code(const struct maps *maps, uint64_t inode)
{
	for (size_t i = 0; i < maps->count; i++)
		if (maps->list[i].inode == inode && maps->list[i].flags & MAPS_EXEC)
			return true;
	return false;
}

static void add_vdso(struct program *p)
{
	const struct map *map = p->maps.vdso ? maps_at(&p->maps, p->maps.vdso) : NULL;
	if (!map || map->end - map->start > VDSO_SIZE_MAX)
		return;
	size_t size = map->end - map->start;
	char *bytes = mem_alloc(size);
	int fd = program_read(p, map->start, bytes, size) == size ? file_of_bytes(bytes, size) : -1;
	free(bytes);
	if (fd >= 0)
		symbols_add(p->symbols, "[vdso]", fd, map->start, NULL);
}

static bool load_symbols(struct program *p, const struct program_files *files, struct err *err)
{
	p->symbols = symbols_create(files ? files->debug_dirs : NULL, files ? files->debug_dir_count : 0, err);
	if (!p->symbols)
		return false;
	uint64_t last = 0;
	for (size_t i = 0; i < p->maps.count; i++) {
		const struct map *map = &p->maps.list[i];
		/* The first mapping of each file; the same file mapped twice apart is two modules. */
		if (!map->inode || map->inode == last || map->offset || !has_code(&p->maps, map->inode))
			continue;
		last = map->inode;
		int fd = open_file(p, map, files);
		if (fd >= 0)
			symbols_add(p->symbols, map->name, fd, map->start, NULL); /* without symbols it is still a mapping */
	}
	add_vdso(p);
	symbols_ready(p->symbols);
	return true;
}

/* Are the same files mapped at the same places? */
static bool same_files(const struct maps *a, const struct maps *b)
{
	size_t i = 0, k = 0;
	for (;; i++, k++) {
		while (i < a->count && !a->list[i].inode)
			i++;
		while (k < b->count && !b->list[k].inode)
			k++;
		if (i == a->count || k == b->count)
			return i == a->count && k == b->count && a->vdso == b->vdso;
		const struct map *x = &a->list[i], *y = &b->list[k];
		if (x->start != y->start || x->end != y->end || x->offset != y->offset || x->inode != y->inode ||
			x->number != y->number || x->device != y->device || strcmp(x->name, y->name))
			return false;
	}
}

struct program *program_create(const struct guest *guest, const struct process *process, const struct program_files *files,
	struct program *previous, struct err *err)
{
	struct program *p = mem_alloc(sizeof *p);
	struct guest_place root = guestfile_root(guest, process->task);
	*p = (struct program){.guest = *guest, .task = process->task, .mm = process->mm, .cgroup = mem_str(process->cgroup)};
	p->names = mem_alloc(sizeof *p->names);
	p->space = maps_space(guest, p->mm);
	maps_read(guest, p->mm, root.dentry ? &root : NULL, &p->maps);
	if (previous && same_files(&previous->maps, &p->maps))
		p->symbols = symbols_share(previous->symbols);
	program_destroy(previous);
	if (p->symbols || load_symbols(p, files, err))
		return p;
	program_destroy(p);
	return NULL;
}

void program_destroy(struct program *p)
{
	if (!p)
		return;
	symbols_destroy(p->symbols);
	maps_finish(&p->maps);
	for (size_t i = 0; i < p->names->count; i++)
		free(p->names->list[i]);
	free(p->names->list);
	free(p->names);
	free(p->cgroup);
	free(p);
}

const struct maps *program_maps(const struct program *p)
{
	return &p->maps;
}

const struct symbols *program_symbols(const struct program *p)
{
	return p->symbols;
}

struct symbols *program_share_symbols(struct program *p)
{
	return symbols_share(p->symbols);
}

/* ---- names and frames ------------------------------------------------------------------------------------------ */

void program_name(void *data, uint64_t address, struct buf *out)
{
	struct program *p = data;
	uint64_t offset = 0;
	struct kcode_place place;
	const char *name = NULL;
	if (!is_kernel(address))
		name = symbols_name(p->symbols, address, &offset);
	else if (kcode_at(&p->guest, address, &place)) {
		name = place.name;
		offset = place.offset;
	}
	if (!name)
		return;
	text_put_safe(out, name, strlen(name));
	if (offset)
		buf_printf(out, "+0x%" PRIx64, offset);
}

void program_where(struct program *p, uint64_t task, struct frames *frames)
{
	struct frame_registers registers;
	bool is_current = task == process_current(&p->guest), in_user = is_current && p->guest.stop->regs.cpl == 3;
	*frames = (struct frames){.end = "nothing is known of this thread's stack"};
	if (!is_current && guest_value(&p->guest, LAYOUT_TASK_EXIT_STATE, task)) {
		frames->end = "the thread has ended and has no stack";
		return;
	}
	if (is_current)
		expr_registers(&p->guest.stop->regs, &registers);
	if (!in_user && (is_current || orc_sleeping_registers(&p->guest, task, &registers)))
		orc_unwind(&p->guest, &registers, !is_current, frames);
	if (!p->mm || (!in_user && !orc_user_registers(&p->guest, task, &registers)))
		return;
	if (is_current)
		registers.fs_base = p->guest.stop->regs.segment_base[REGS_FS];
	unwind_user(p->symbols, &registers, in_user ? FRAME_FIRST : FRAME_ENTRY, program_read, p, frames);
}

/* The same text, for as long as the program lives. */
static const char *keep(struct names *names, const char *text)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], text))
			return names->list[i];
	return ARRAY_PUSH(names->list, names->count, names->room) = mem_str(text);
}

size_t program_places(const struct program *p, const struct frame *frame, struct symbols_place places[SYMBOLS_INLINE_MAX])
{
	if (frame->is_signal) {
		const struct map *map = maps_at(&p->maps, frame->pc);
		places[0] = (struct symbols_place){.function = "<signal handler called>", .module = map ? map->name : NULL};
		return 1;
	}
	if (!frame->kernel)
		return symbols_at(p->symbols, frame->pc, frame->is_return, places);
	struct kcode_place place;
	if (!kcode_at(&p->guest, frame->is_return ? frame->pc - 1 : frame->pc, &place))
		return 0;
	places[0] = (struct symbols_place){.function = keep(p->names, place.name), .offset = place.offset + frame->is_return};
	places[0].module = *place.module ? keep(p->names, place.module) : "kernel";
	return 1;
}

/* "libc.so.6+0x2724a": where code without a name is in its file, as its disassembly has it. */
static void print_code(const struct program *p, const struct frame *frame, struct buf *out)
{
	const struct map *map = frame->kernel ? NULL : maps_at(&p->maps, frame->pc);
	buf_printf(out, "0x%" PRIx64, frame->pc);
	if (!map || !map->name[0])
		return;
	buf_str(out, " in ");
	text_put_safe(out, map->name, strlen(map->name));
	if (map->inode)
		buf_printf(out, "+0x%" PRIx64, frame->pc - map->start + map->offset);
}

/* call: of those inlined there, from 1; 0 for the function itself. */
static void print_arguments(struct program *p, const struct frame *frame, unsigned call, struct buf *out)
{
	struct scope scope = program_scope(p, frame);
	struct buf arguments = {0};
	scope.call = call;
	variables_print_arguments(&scope, &arguments);
	if (!call || arguments.size)
		buf_printf(out, " (%s)", arguments.data ? arguments.data : "");
	buf_free(&arguments);
}

static void print_place(
	struct program *p, const struct frame *frame, const struct symbols_place *place, unsigned number, struct buf *out)
{
	if (!place->function) {
		print_code(p, frame, out);
		return;
	}
	text_put_safe(out, place->function, strlen(place->function));
	if (place->inlined) {
		print_arguments(p, frame, number, out);
		buf_str(out, " (inlined)");
	} else if (!frame->kernel && place->file)
		print_arguments(p, frame, 0, out);
	else if (!frame->is_signal)
		buf_printf(out, "+0x%" PRIx64, place->offset);
	if (place->file) {
		const char *slash = strrchr(place->file, '/'), *file = slash ? slash + 1 : place->file;
		buf_str(out, " at ");
		text_put_safe(out, file, strlen(file));
		buf_printf(out, ":%d", place->line);
	} else if (place->module) {
		buf_str(out, " in ");
		text_put_safe(out, place->module, strlen(place->module));
	}
}

static void print_frame(struct program *p, const struct frame *frame, size_t number, char mark, struct buf *out)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	size_t count = program_places(p, frame, places);
	buf_printf(out, "#%-3zu%c", number, mark);
	if (!count) {
		print_code(p, frame, out);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < count; i++) {
		buf_str(out, i ? "     " : "");
		print_place(p, frame, &places[i], (unsigned)i + 1, out);
		buf_char(out, '\n');
	}
}

void program_print_frame(struct program *p, const struct frame *frame, size_t number, struct buf *out)
{
	print_frame(p, frame, number, frame->is_guess ? '?' : ' ', out);
}

void program_print_calls(struct program *p, const struct frames *frames, size_t chosen, struct buf *out)
{
	bool guessed = false;
	for (size_t i = 0; i < frames->count; i++) {
		guessed |= frames->list[i].is_guess;
		print_frame(p, &frames->list[i], i, i == chosen ? '>' : frames->list[i].is_guess ? '?' : ' ', out);
	}
	if (guessed)
		buf_str(out, "(? is a guess: the code further in has no frame information)\n");
	if (frames->end)
		buf_printf(out, "(%s)\n", frames->end);
}

void program_print_where(struct program *p, const struct frames *frames, struct buf *out)
{
	program_print_calls(p, frames, SIZE_MAX, out);
}

struct scope program_scope(struct program *p, const struct frame *frame)
{
	return (struct scope){.world = {.read = program_read, .data = p, .symbols = p->symbols}, .frame = frame};
}

bool program_disas(struct program *p, uint64_t address, uint64_t end, size_t count, uint64_t pc, struct buf *out, struct err *err)
{
	struct disas disas = {program_read, program_name, p, false};
	return disas_print(&disas, address, end, count, pc, out, err);
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *ret)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*ret = strtoull(text, &end, 0);
	return !*end;
}

/* "file.c:34" */
static bool parse_line(const struct program *p, const char *text, uint64_t *ret)
{
	const char *colon = strrchr(text, ':');
	uint64_t line;
	if (!colon || colon == text || !parse_number(colon + 1, &line) || line > INT32_MAX)
		return false;
	char *file = mem_strn(text, (size_t)(colon - text));
	bool found = symbols_find_line(p->symbols, file, (int)line, ret);
	free(file);
	return found;
}

static bool parse_symbol(const struct program *p, const char *text, uint64_t *ret_address, uint64_t *ret_size)
{
	const char *plus = strrchr(text, '+');
	uint64_t offset = 0;
	/* Of "Money::operator+" it is a part of the name. */
	if (plus && !parse_number(plus + 1, &offset))
		plus = NULL;
	char *name = mem_strn(text, plus ? (size_t)(plus - text) : strlen(text));
	bool found = symbols_find(p->symbols, name, ret_address, ret_size);
	if (!found) {
		found = kcode_find(&p->guest, name, ret_address);
		*ret_size = 8;
	}
	free(name);
	*ret_address += found ? offset : 0;
	return found;
}

bool program_address(struct program *p, const struct frame *frame, const char *text, uint64_t *ret_address, uint64_t *ret_size,
	struct err *err)
{
	struct scope scope = program_scope(p, frame);
	struct value value;
	uint64_t size = 8, address = 0;
	if (parse_number(text, &address) || parse_line(p, text, &address) || parse_symbol(p, text, &address, &size))
		;
	else if (!expression_value(&scope, text, &value, err))
		return false;
	else if (value.place == VALUE_MEMORY) {
		address = value.address;
		size = value_size(&value);
	} else if (value.place != VALUE_BYTES || !value_number(&scope.world, &value, &address))
		return err_set(err, ERR_INPUT, "%s is not in memory, so it has no address", text);
	*ret_address = address;
	if (ret_size)
		*ret_size = size ? size : 8;
	return true;
}
