#include "engine/gdbhost.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/extract.h"
#include "engine/file.h"
#include "engine/gdbkernel.h"

#define SOCKET  "gdb"
#define FILES   "files"
#define SCRIPT  "script"
#define SYMBOLS "kernel"

enum { ARGV_MAX = 16 /* besides those of the person */ };

struct gdbhost {
	struct gdbserver server;
	struct tracee *tracee;
	char *path, *socket, *program;
	bool elsewhere; /* the socket is not in the folder */
	int dir, files, listener;
	char **argv;
	struct buf line;
};

/* ---- the folder ------------------------------------------------------------------------------------------------ */

static bool make_folder(struct gdbhost *h, const char *listen, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	h->path = mem_printf("%s/polecat-gdb-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(h->path)) {
		err_sys(err, errno, "%s", h->path);
		free(h->path);
		h->path = NULL;
		return false;
	}
	h->dir = file_open_dir(h->path, err);
	h->socket = listen ? mem_str(listen) : mem_printf("%s/%s", h->path, SOCKET);
	h->listener = h->dir >= 0 ? gdbserver_listen(h->socket, err) : -1;
	h->elsewhere = h->listener >= 0 && listen;
	h->files = h->listener >= 0 ? file_mkdir_in(h->dir, FILES, err) : -1;
	return h->files >= 0;
}

static void remove_folder(struct gdbhost *h)
{
	struct err ignored;
	static const char *const names[] = {SOCKET, SCRIPT, SYMBOLS};
	if (h->listener >= 0)
		close(h->listener);
	if (h->elsewhere)
		unlink(h->socket);
	if (h->files >= 0)
		close(h->files);
	if (h->dir >= 0) {
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			unlinkat(h->dir, names[i], 0);
		file_remove_in(h->dir, FILES, &ignored);
		close(h->dir);
	}
	if (h->path)
		rmdir(h->path);
}

/* The program and its libraries, as the guest has them. */
static bool take_files(struct gdbhost *h, struct session *s, struct err *err)
{
	const struct guest *guest = here_guest(session_here(s), err);
	const struct process *p = guest ? tracee_process(h->tracee, err) : NULL;
	struct program *program = p ? tracee_program(h->tracee, err) : NULL;
	struct buf missing = {0};
	if (!program)
		return false;
	const struct map *map = extract_main(guest, p, program_maps(program));
	bool ok = extract_files(guest, program_maps(program), h->files, &missing, err);
	if (ok && map && *map->name == '/' && faccessat(h->files, map->name + 1, R_OK, 0) == 0)
		h->program = mem_printf("%s/%s%s", h->path, FILES, map->name);
	buf_free(&missing); /* the server says it again when gdb asks */
	return ok;
}

static bool take_symbols(struct gdbhost *h, struct session *s, struct err *err)
{
	struct buf elf = {0};
	const struct guest *guest = here_guest(session_here(s), err);
	bool ok = guest && gdbkernel_write(guest, &elf, err) && file_write_in(h->dir, SYMBOLS, elf.data, elf.size, err);
	if (ok)
		h->program = mem_printf("%s/%s", h->path, SYMBOLS);
	buf_free(&elf);
	return ok;
}

/* The person's commands come after it. */
static bool write_script(struct gdbhost *h, struct err *err)
{
	struct buf text = {0};
	buf_printf(&text,
		"# What `polecat gdb` lets gdb do first.\n"
		"set auto-load no\n"
		"set sysroot %s/%s\n"
		"set breakpoint pending on\n"
		"# An answer may take as long as a machine needs to come somewhere; if nobody answers any more gdb is told.\n"
		"set remotetimeout 600\n"
		"%s%s\n"
		"# Shows the new place after a command of `monitor` that moved: then this step moves nothing.\n"
		"define hookpost-monitor\n"
		"if *(unsigned char *) 0x%" PRIx64 "\n"
		"stepi\n"
		"end\n"
		"end\n"
		"target remote %s\n"
		"set $_ = *(unsigned char *) 0x%" PRIx64 "\n",
		h->path, FILES, h->program ? "file " : "", h->program ? h->program : "", GDB_MOVED_AT, h->socket, GDB_MOVED_AT);
	bool ok = file_write_in(h->dir, SCRIPT, text.data, text.size, err);
	buf_free(&text);
	return ok;
}

/* ---- how gdb is started ---------------------------------------------------------------------------------------- */

static void put_quoted(struct buf *out, const char *text)
{
	if (*text && !strpbrk(text, " \t\n'\"\\$&;|<>()*?[]#~`!{}")) {
		buf_str(out, text);
		return;
	}
	buf_char(out, '\'');
	for (; *text; text++)
		buf_str(out, *text == '\'' ? "'\\''" : (char[]){*text, 0});
	buf_char(out, '\'');
}

static void make_argv(struct gdbhost *h, const char *const *rest, size_t rest_count)
{
	size_t n = 0;
	h->argv = mem_array(ARGV_MAX + rest_count, sizeof *h->argv);
	h->argv[n++] = mem_str("gdb");
	h->argv[n++] = mem_str("-q");
	h->argv[n++] = mem_str("-x");
	h->argv[n++] = mem_printf("%s/%s", h->path, SCRIPT);
	for (size_t i = 0; i < rest_count; i++)
		h->argv[n++] = mem_str(rest[i]);
	for (size_t i = 0; h->argv[i]; i++) {
		buf_str(&h->line, i ? " " : "");
		put_quoted(&h->line, h->argv[i]);
	}
}

struct gdbhost *gdbhost_open(const struct gdbhost_options *o, struct err *err)
{
	struct gdbhost *h = mem_alloc(sizeof *h);
	struct session *s = o->verbs->session;
	*h = (struct gdbhost){.dir = -1, .files = -1, .listener = -1};
	h->tracee =
		o->machine ? tracee_create_machine(s, o->verbs->cancel, err) : tracee_create(s, o->verbs->cancel, o->pid, err);
	bool ok = h->tracee && make_folder(h, o->listen, err);
	ok = ok && (o->machine ? take_symbols(h, s, err) : take_files(h, s, err)) && write_script(h, err);
	if (!ok) {
		gdbhost_close(h);
		return NULL;
	}
	make_argv(h, o->rest, o->rest_count);
	h->server = (struct gdbserver){.tracee = h->tracee,
		.verbs = o->verbs,
		.cancel = o->verbs->cancel,
		.files = h->files,
		.say = o->say,
		.moved = o->moved,
		.data = o->data};
	return h;
}

void gdbhost_close(struct gdbhost *h)
{
	if (!h)
		return;
	gdbserver_finish(&h->server);
	tracee_destroy(h->tracee);
	remove_folder(h);
	for (size_t i = 0; h->argv && h->argv[i]; i++)
		free(h->argv[i]);
	free(h->argv);
	buf_free(&h->line);
	free(h->path);
	free(h->socket);
	free(h->program);
	free(h);
}

char *const *gdbhost_argv(const struct gdbhost *h)
{
	return h->argv;
}

const char *gdbhost_line(const struct gdbhost *h)
{
	return h->line.data;
}

bool gdbhost_serve(struct gdbhost *h, int child_fd, struct err *err)
{
	return gdbserver_serve(&h->server, h->listener, child_fd, err);
}
