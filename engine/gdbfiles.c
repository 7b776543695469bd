#include "engine/gdbfiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/extract.h"
#include "engine/gdb.h"
#include "engine/gdbpacket.h"
#include "engine/guestdir.h"

/* gdb's own numbers of errors and flags (include/gdb/fileio.h of gdb). */
enum { FILE_NOENT = 2, FILE_BADF = 9, FILE_INVAL = 22, FILE_NFILE = 23, FILE_ROFS = 30, FILE_NOSYS = 88 };
enum { OPEN_WRITES = 0x3 | 0x8 | 0x200 | 0x400 }; /* WRONLY, RDWR, APPEND, CREAT, TRUNC */
enum { STAT_SIZE = 64, WORDS_ON_STACK = 100000, AUXV_MAX = 64, REGULAR = 0100444 };

void gdbfiles_finish(struct gdbfiles *f)
{
	for (size_t i = 0; i < GDBFILES_MAX; i++)
		buf_free(&f->open[i]);
	*f = (struct gdbfiles){0};
}

/* ---- what a process is ----------------------------------------------------------------------------------------- */

static const struct guest *guest_of_tracee(struct tracee *t, uint32_t pid, const struct process **ret)
{
	struct err ignored;
	const struct guest *guest = here_guest(tracee_here(t), &ignored);
	const struct process_list *list = guest ? here_processes(tracee_here(t), &ignored) : NULL;
	*ret = list ? process_find(list, pid) : NULL;
	return *ret ? guest : NULL;
}

static bool word(struct tracee *t, uint32_t pid, uint64_t at, uint64_t *ret)
{
	return tracee_read(t, pid, at, ret, sizeof *ret) == sizeof *ret;
}

void gdbfiles_auxv(struct tracee *t, uint32_t pid, struct buf *out)
{
	const struct process *p;
	const struct guest *guest = guest_of_tracee(t, pid, &p);
	uint64_t at = guest && p->mm ? guest_value(guest, LAYOUT_MM_START_STACK, p->mm) : 0, arguments, pair[2] = {1};
	if (!at || !word(t, pid, at, &arguments) || arguments > WORDS_ON_STACK)
		return;
	at += 8 * (1 + arguments + 1);
	for (int i = 0; pair[0] && i < WORDS_ON_STACK; i++, at += 8)
		if (!word(t, pid, at, &pair[0]))
			return;
	pair[0] = 1;
	for (int i = 0; pair[0] && i < AUXV_MAX && word(t, pid, at, &pair[0]) && word(t, pid, at + 8, &pair[1]); i++, at += 16)
		buf_add(out, pair, sizeof pair);
}

void gdbfiles_program(struct tracee *t, uint32_t pid, struct buf *out)
{
	struct err ignored;
	const struct process *p;
	const struct guest *guest = guest_of_tracee(t, pid, &p);
	struct program *program = guest ? here_program(tracee_here(t), pid, &ignored) : NULL;
	const struct map *map = program ? extract_main(guest, p, program_maps(program)) : NULL;
	buf_str(out, map ? map->name : "");
}

static bool put_maps(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	struct err ignored;
	struct program *program = here_program(tracee_here(t), p->pid, &ignored);
	(void)guest;
	if (program)
		maps_print(program_maps(program), out);
	return program != NULL;
}

static bool put_command(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)t, (void)guest;
	buf_add(out, p->command, p->command_size);
	return true;
}

static bool put_environ(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)t;
	return process_environ(guest, p->task, out);
}

static bool put_auxv(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)guest;
	gdbfiles_auxv(t, p->pid, out);
	return true;
}

static bool put_exe(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)guest;
	gdbfiles_program(t, p->pid, out);
	return out->size > 0;
}

static bool put_cwd(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	struct guest_place root = guestfile_root(guest, p->task);
	(void)t;
	return guestfile_path(guest, guestfile_cwd(guest, p->task), &root, out);
}

static bool put_stat(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)t, (void)guest;
	buf_printf(out, "%u (%.*s) %c %u %u %u", p->pid, PROCESS_COMM_SIZE, p->name, p->state, p->parent, p->pid, p->pid);
	for (int i = 7; i <= 52; i++)
		buf_str(out, " 0");
	buf_char(out, '\n');
	return true;
}

static bool put_status(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out)
{
	(void)t, (void)guest;
	buf_printf(out, "Name:\t%.*s\nState:\t%c\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\nUid:\t%u\t%u\t%u\t%u\nThreads:\t%zu\n",
		PROCESS_COMM_SIZE, p->name, p->state, p->pid, p->pid, p->parent, p->uid, p->uid, p->uid, p->uid, p->thread_count);
	return true;
}

static const struct proc {
	const char *name;
	bool link;
	bool (*put)(struct tracee *t, const struct guest *guest, const struct process *p, struct buf *out);
} procs[] = {
	{"maps", false, put_maps},
	{"cmdline", false, put_command},
	{"environ", false, put_environ},
	{"auxv", false, put_auxv},
	{"stat", false, put_stat},
	{"status", false, put_status},
	{"exe", true, put_exe},
	{"cwd", true, put_cwd},
};

/* "/proc/85/maps", also "/proc/85/task/86/maps". */
static bool proc_file(struct tracee *t, const char *path, bool link, struct buf *out)
{
	unsigned pid, tid;
	int used = 0;
	if (sscanf(path, "/proc/%9u/task/%9u/%n", &pid, &tid, &used) != 2 || !used) {
		used = 0;
		if (sscanf(path, "/proc/%9u/%n", &pid, &used) != 1 || !used)
			return false;
	}
	const struct process *p;
	const struct guest *guest = guest_of_tracee(t, pid, &p);
	for (size_t i = 0; guest && i < sizeof procs / sizeof *procs; i++)
		if (procs[i].link == link && !strcmp(procs[i].name, path + used))
			return procs[i].put(t, guest, p, out);
	return false;
}

/* A file as the process sees it. */
static bool guest_file(struct tracee *t, const char *path, bool link, struct buf *out)
{
	struct err err;
	struct guestdir_node node;
	struct guestfile file;
	const struct process *p;
	const struct guest *guest = guest_of_tracee(t, tracee_pid(t), &p);
	return guest && guestdir_find(guest, p->task, path, !link, &node, &file, NULL, &err) &&
		file.kind == (link ? GUESTFILE_LINK : GUESTFILE_FILE) && file.size <= GDBFILES_SIZE_MAX &&
		guestfile_read(guest, &file, 0, file.size, out, &err);
}

/* ---- packets --------------------------------------------------------------------------------------------------- */

static void fail(struct buf *out, int why)
{
	buf_printf(out, "F-1,%x", (unsigned)why);
}

/* The path of "open:HEX,..." or "readlink:HEX". */
static bool path_of(const char *text, size_t size, struct buf *path)
{
	struct err ignored;
	const char *comma = memchr(text, ',', size);
	if (!gdb_parse_hex(text, comma ? (size_t)(comma - text) : size, path, &ignored) || !path->size ||
		memchr(path->data, 0, path->size))
		return false;
	return path->size <= GUESTFILE_PATH_MAX;
}

static void open_file(struct gdbfiles *f, struct tracee *t, const char *text, size_t size, struct buf *out)
{
	struct buf path = {0};
	const char *comma = memchr(text, ',', size), *at = comma ? comma + 1 : text, *end = text + size;
	uint64_t flags = 0;
	size_t i = 0;
	while (i < GDBFILES_MAX && f->used[i])
		i++;
	if (!path_of(text, size, &path) || !gdb_number(&at, end, &flags))
		fail(out, FILE_INVAL);
	else if (flags & OPEN_WRITES)
		fail(out, FILE_ROFS);
	else if (i == GDBFILES_MAX)
		fail(out, FILE_NFILE);
	else if (!proc_file(t, path.data, false, &f->open[i]) &&
		(buf_free(&f->open[i]), !guest_file(t, path.data, false, &f->open[i]))) {
		buf_free(&f->open[i]);
		fail(out, FILE_NOENT);
	} else {
		f->used[i] = true;
		buf_printf(out, "F%zx", i);
	}
	buf_free(&path);
}

static struct buf *file_of(struct gdbfiles *f, const char **at, const char *end, struct buf *out)
{
	uint64_t i;
	if (gdb_number(at, end, &i) && i < GDBFILES_MAX && f->used[i])
		return &f->open[i];
	fail(out, FILE_BADF);
	return NULL;
}

static void close_file(struct gdbfiles *f, const char *at, const char *end, struct buf *out)
{
	struct buf *file = file_of(f, &at, end, out);
	if (!file)
		return;
	f->used[file - f->open] = false;
	buf_free(file);
	buf_str(out, "F0");
}

static void read_file(struct gdbfiles *f, const char *at, const char *end, struct buf *out)
{
	struct err ignored;
	uint64_t size, offset;
	struct buf *file = file_of(f, &at, end, out);
	if (!file)
		return;
	if (at == end || *at++ != ',' || !gdb_parse_range(at, (size_t)(end - at), &size, &offset, &ignored)) {
		fail(out, FILE_INVAL);
		return;
	}
	offset = offset < file->size ? offset : file->size;
	size = size < file->size - offset ? size : file->size - offset;
	size = size < GDB_PACKET_MAX / 3 ? size : GDB_PACKET_MAX / 3; /* escapes make it longer */
	buf_printf(out, "F%" PRIx64 ";", size);
	buf_add(out, file->data ? file->data + offset : "", (size_t)size);
}

static void put_big(unsigned char *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
}

/* struct stat of the protocol: dev ino mode nlink uid gid rdev (4 bytes each), size blksize blocks (8), times (4): big endian. */
static void stat_file(struct gdbfiles *f, const char *at, const char *end, struct buf *out)
{
	unsigned char stat[STAT_SIZE] = {0};
	struct buf *file = file_of(f, &at, end, out);
	if (!file)
		return;
	put_big(stat + 8, REGULAR, 4);
	put_big(stat + 12, 1, 4);
	put_big(stat + 28, file->size, 8);
	put_big(stat + 36, 4096, 8);
	put_big(stat + 44, (file->size + 511) / 512, 8);
	buf_printf(out, "F%x;", STAT_SIZE);
	buf_add(out, stat, sizeof stat);
}

static void read_link(struct tracee *t, const char *text, size_t size, struct buf *out)
{
	struct buf path = {0}, to = {0};
	if (!path_of(text, size, &path)) {
		fail(out, FILE_INVAL);
	} else if (proc_file(t, path.data, true, &to) || (buf_clear(&to), guest_file(t, path.data, true, &to))) {
		buf_printf(out, "F%zx;", to.size);
		buf_add(out, to.data ? to.data : "", to.size);
	} else {
		fail(out, FILE_NOENT);
	}
	buf_free(&path);
	buf_free(&to);
}

void gdbfiles_answer(struct gdbfiles *f, struct tracee *t, const char *text, size_t size, struct buf *out)
{
	const char *end = text + size, *colon = memchr(text, ':', size);
	const char *at = colon ? colon + 1 : end;
	if (gdb_starts(text, "setfs:"))
		buf_str(out, "F0");
	else if (gdb_starts(text, "open:"))
		open_file(f, t, at, (size_t)(end - at), out);
	else if (gdb_starts(text, "close:"))
		close_file(f, at, end, out);
	else if (gdb_starts(text, "pread:"))
		read_file(f, at, end, out);
	else if (gdb_starts(text, "fstat:"))
		stat_file(f, at, end, out);
	else if (gdb_starts(text, "readlink:"))
		read_link(t, at, (size_t)(end - at), out);
	else if (gdb_starts(text, "pwrite:") || gdb_starts(text, "unlink:"))
		fail(out, FILE_ROFS);
	else
		fail(out, FILE_NOSYS);
}
