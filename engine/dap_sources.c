#include "engine/dap_sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/disas.h"
#include "engine/file.h"
#include "engine/lines.h"
#include "engine/sourcefile.h"
#include "engine/text.h"

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The path with the directory `from` at its start replaced; owned by the caller. NULL: it does not start so. */
static char *moved_path(const char *path, const char *from, const char *to)
{
	size_t size = strlen(from);
	while (size && from[size - 1] == '/')
		size--;
	if (strncmp(path, from, size) != 0 || (path[size] && path[size] != '/'))
		return NULL;
	return mem_printf("%s%s", to, path + size);
}

char *dap_source_path(struct dap_server *s, const char *path)
{
	char *moved = NULL;
	for (size_t i = 0; i < s->options.map_count && !moved; i++)
		moved = moved_path(path, s->options.to[i], s->options.from[i]);
	return moved ? moved : mem_str(path);
}

/* Opens below the directories of the client, then those of the command line. */
static int open_source(struct dap_server *s, const char *path, struct buf *found, struct err *err)
{
	int fd = -1;
	if (s->options.dir_count)
		fd = sourcefile_open(path, (const char *const *)s->options.dirs, s->options.dir_count, found, err);
	return fd >= 0 ? fd : sourcefile_open(path, s->verbs->source_dirs, s->verbs->source_dir_count, found, err);
}

char *dap_source_find(struct dap_server *s, const char *directory, const char *file)
{
	struct buf path = {0}, found = {0};
	struct err ignored;
	int fd = -1;
	sourcefile_path(directory, file, &path);
	for (size_t i = 0; path.size && i < s->options.map_count && fd < 0; i++) {
		char *moved = moved_path(path.data, s->options.from[i], s->options.to[i]);
		if (moved && (fd = file_open(moved, NULL)) >= 0)
			buf_str(&found, moved);
		free(moved);
	}
	if (fd < 0 && path.size)
		fd = open_source(s, path.data, &found, &ignored);
	char *full = fd >= 0 ? realpath(found.data, NULL) : NULL;
	if (fd >= 0)
		close(fd);
	buf_free(&path);
	buf_free(&found);
	return full;
}

const char *dap_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* ---- instructions instead of a file ------------------------------------------------------------------------------ */

static struct disas disas_of(struct program *program)
{
	return (struct disas){program_read, program_name, program, false};
}

struct counting {
	uint64_t until;
	int line;
};

static bool count_until(void *data, const struct disas_instruction *one)
{
	struct counting *c = data;
	if (one->address >= c->until)
		return false;
	c->line++;
	return true;
}

struct json *dap_listing_of(struct dap_server *s, const struct process *p, struct program *program, const struct frame *frame,
	const struct symbols_place *place, int *ret_line)
{
	uint64_t start = 0, size = 0, pc = frame->is_return ? frame->pc - 1 : frame->pc;
	const char *name = frame->kernel ? NULL : symbols_extent(program_symbols(program), pc, &start, &size);
	struct err ignored;
	struct disas disas = disas_of(program);
	if (!name || pc - start >= size)
		return NULL;
	size_t number = 0;
	while (number < s->listing_count && (s->listings[number].pid != p->pid || s->listings[number].low != start))
		number++;
	if (number == s->listing_count) {
		if (number == DAP_LISTINGS_MAX)
			return NULL;
		ARRAY_PUSH(s->listings, s->listing_count, s->listing_room) = (struct dap_listing){p->pid, start, start + size};
	}
	struct counting counting = {pc + !frame->is_return, 0};
	disas_each(&disas, start, DAP_LIST_MAX, count_until, &counting, &ignored);
	*ret_line = counting.line ? counting.line : 1;
	struct json *j = json_new_object();
	struct buf title = {0};
	if (place->file) {
		text_put_safe(&title, dap_last_part(place->file), strlen(dap_last_part(place->file)));
		buf_printf(&title, ":%d is not on this host: ", place->line);
	}
	buf_str(&title, "instructions of ");
	text_put_safe(&title, name, strlen(name));
	json_put_str(j, "name", title.data);
	json_put_u64(j, "sourceReference", number + 1);
	json_put_str(j, "origin", "disassembly");
	buf_free(&title);
	return j;
}

static bool print_instruction(void *data, const struct disas_instruction *one)
{
	struct buf *out = data;
	buf_printf(out, "0x%" PRIx64 "  %s\n", one->address, one->text);
	return true;
}

/* What a client's number stands for, and the program that it is of; NULL with ERR_INPUT: none that lives here. */
static const struct dap_listing *find_listing(struct dap_server *s, uint64_t number, struct program **ret, struct err *err)
{
	const struct dap_listing *l = number && number <= s->listing_count ? &s->listings[number - 1] : NULL;
	const struct process_list *list = l ? targets_processes(s->targets, err) : NULL;
	const struct process *p = list ? process_find(list, l->pid) : NULL;
	if (!l || (list && !p))
		err_set(err, ERR_INPUT, "there is no source of number %" PRIu64 " here", number);
	*ret = p ? targets_program(s->targets, p, err) : NULL;
	return *ret ? l : NULL;
}

struct finding {
	uint64_t until, address;
	int line; /* how many lines further it is */
	bool found;
};

static bool find_line(void *data, const struct disas_instruction *one)
{
	struct finding *f = data;
	f->address = one->address;
	f->found = one->address < f->until && --f->line == 0;
	return one->address < f->until && f->line > 0;
}

bool dap_listing_address(
	struct dap_server *s, uint64_t number, int line, uint32_t *ret_pid, uint64_t *ret_address, struct err *err)
{
	struct program *program;
	const struct dap_listing *l = find_listing(s, number, &program, err);
	struct err ignored;
	if (!l)
		return false;
	struct disas disas = disas_of(program);
	struct finding finding = {.until = l->high, .line = line};
	if (line > 0)
		disas_each(&disas, l->low, DAP_LIST_MAX, find_line, &finding, &ignored);
	*ret_pid = l->pid;
	*ret_address = finding.address;
	return finding.found || err_set(err, ERR_INPUT, "no instruction of the function is on that line");
}

static bool show_listing(struct dap_server *s, uint64_t number, struct err *err)
{
	struct buf text = {0};
	struct program *program;
	const struct dap_listing *l = find_listing(s, number, &program, err);
	if (!l)
		return false;
	struct disas disas = disas_of(program);
	struct counting counting = {l->high, 0};
	bool ok = disas_each(&disas, l->low, DAP_LIST_MAX, count_until, &counting, err) &&
		disas_each(&disas, l->low, (size_t)counting.line, print_instruction, &text, err);
	json_put(s->body, "content", json_new_strn(text.data ? text.data : "", text.size));
	json_put_str(s->body, "mimeType", "text/x-asm");
	buf_free(&text);
	return ok;
}

bool dap_source(struct dap_server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source");
	uint64_t number = dap_number(source, "sourceReference", dap_number(s->arguments, "sourceReference", 0));
	const char *path = dap_string(source, "path");
	struct buf text = {0}, found = {0};
	if (number)
		return show_listing(s, number, err);
	if (!path)
		return err_set(err, ERR_INPUT, "source: expected a sourceReference, or a source with a path");
	char *full = dap_source_find(s, NULL, path);
	int fd = full ? file_open(full, err) : open_source(s, path, &found, err);
	bool ok = fd >= 0 && file_read_fd(fd, path, SOURCEFILE_SIZE_MAX, &text, err);
	if (ok && !text_is_utf8(text.data ? text.data : "", text.size))
		ok = err_set(err, ERR_INPUT, "%s is not text in UTF-8", path);
	if (ok && text.size > DAP_BODY_MAX / 2)
		ok = err_set(err, ERR_INPUT, "%s has more than %u bytes", path, DAP_BODY_MAX / 2);
	if (fd >= 0)
		close(fd);
	if (ok)
		json_put(s->body, "content", json_new_strn(text.data ? text.data : "", text.size));
	free(full);
	buf_free(&found);
	buf_free(&text);
	return ok;
}

struct files {
	struct dap_server *s;
	char **list; /* sorted */
	size_t count, room;
};

static void note_file(void *data, const char *directory, const char *file)
{
	struct files *f = data;
	struct buf path = {0};
	sourcefile_path(directory, file, &path);
	size_t low = 0, high = f->count;
	while (path.size && low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(f->list[middle], path.data) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (path.size && f->count < DAP_LIST_MAX && (low == f->count || strcmp(f->list[low], path.data) != 0)) {
		ARRAY_PUSH(f->list, f->count, f->room) = NULL;
		memmove(&f->list[low + 1], &f->list[low], (f->count - 1 - low) * sizeof *f->list);
		f->list[low] = buf_take(&path);
	}
	buf_free(&path);
}

/* Files of the programs that are on this host: the others can be asked for by no path. */
bool dap_loaded_sources(struct dap_server *s, struct err *err)
{
	struct files files = {.s = s};
	struct json *sources = json_new_array();
	const struct process_list *list = targets_processes(s->targets, err);
	json_put(s->body, "sources", sources);
	for (size_t i = 0; list && i < list->count; i++) {
		struct err ignored;
		const struct process *p = &list->list[i];
		struct program *program = targets_has(s->targets, p) ? targets_program(s->targets, p, &ignored) : NULL;
		if (program)
			lines_each_file(program_symbols(program), note_file, &files);
	}
	for (size_t i = 0; i < files.count; i++) {
		char *full = dap_source_find(s, NULL, files.list[i]);
		if (full) {
			struct json *j = json_new_object();
			json_put_str(j, "name", dap_last_part(full));
			json_put_str(j, "path", full);
			json_push(sources, j);
		}
		free(full);
		free(files.list[i]);
	}
	free(files.list);
	return list != NULL;
}

static void push_module(struct dap_server *s, const struct process *p, const struct map *map, uint64_t end, struct json *list)
{
	struct json *j = json_new_object();
	struct buf name = {0}, range = {0}, id = {0};
	text_put_safe(&name, map->name, strlen(map->name));
	buf_printf(&id, "%u:0x%" PRIx64, p->pid, map->start);
	buf_printf(&range, "0x%" PRIx64 "-0x%" PRIx64 " of ", map->start, end);
	targets_name(s->targets, p, NULL, &range);
	json_put_str(j, "id", id.data);
	json_put_str(j, "name", dap_last_part(name.data));
	json_put_str(j, "path", name.data);
	json_put_str(j, "addressRange", range.data);
	json_push(list, j);
	buf_free(&name);
	buf_free(&range);
	buf_free(&id);
}

bool dap_modules(struct dap_server *s, struct err *err)
{
	uint64_t start = dap_number(s->arguments, "startModule", 0), most = dap_number(s->arguments, "moduleCount", 0), seen = 0;
	struct json *modules = json_new_array();
	const struct process_list *list = targets_processes(s->targets, err);
	json_put(s->body, "modules", modules);
	most = most && most < DAP_LIST_MAX ? most : DAP_LIST_MAX;
	for (size_t i = 0; list && i < list->count; i++) {
		struct err ignored;
		const struct process *p = &list->list[i];
		struct program *program = targets_has(s->targets, p) ? targets_program(s->targets, p, &ignored) : NULL;
		const struct maps *maps = program ? program_maps(program) : NULL;
		for (size_t k = 0; maps && k < maps->count; k++) {
			const struct map *map = &maps->list[k];
			size_t last = k;
			bool code = map->flags & MAPS_EXEC;
			if (!map->inode || map->offset)
				continue;
			while (last + 1 < maps->count && maps->list[last + 1].inode == map->inode)
				code |= (maps->list[++last].flags & MAPS_EXEC) != 0;
			if (code && seen++ >= start && json_count(modules) < most)
				push_module(s, p, map, maps->list[last].end, modules);
		}
	}
	json_put_u64(s->body, "totalModules", seen);
	return list != NULL;
}
