/* polecat gdb: gdb on a process of a run, served by the session. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/child.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/extract.h"
#include "engine/file.h"
#include "engine/gdbserver.h"
#include "engine/moment.h"
#include "engine/output.h"
#include "engine/runlist.h"
#include "engine/text.h"

#define SOCKET "gdb"
#define FILES  "files"

struct place { /* a folder of our own, with the socket and the files */
	char *path, *socket, *program;
	char *made; /* a socket elsewhere (--listen) */
	int dir, files, listener;
};

/* ---- what gdb needs ------------------------------------------------------------------------------------------ */

static bool place_init(struct place *p, const char *listen, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	*p = (struct place){
		.dir = -1, .files = -1, .listener = -1, .path = mem_printf("%s/polecat-gdb-XXXXXX", tmp && *tmp ? tmp : "/tmp")};
	if (!mkdtemp(p->path)) {
		err_sys(err, errno, "%s", p->path);
		free(p->path);
		p->path = NULL;
		return false;
	}
	p->dir = file_open_dir(p->path, err);
	p->socket = listen ? mem_str(listen) : mem_printf("%s/%s", p->path, SOCKET);
	p->listener = p->dir >= 0 ? gdbserver_listen(p->socket, err) : -1;
	if (p->listener >= 0 && listen)
		p->made = mem_str(listen);
	return p->listener >= 0;
}

static void place_finish(struct place *p)
{
	struct err ignored;
	if (p->listener >= 0)
		close(p->listener);
	if (p->made)
		unlink(p->made);
	if (p->files >= 0)
		close(p->files);
	if (p->dir >= 0) {
		unlinkat(p->dir, SOCKET, 0);
		file_remove_in(p->dir, FILES, &ignored);
		close(p->dir);
	}
	if (p->path)
		rmdir(p->path);
	free(p->path);
	free(p->socket);
	free(p->program);
	free(p->made);
}

/* The program and its libraries, as the guest has them. */
static bool take_files(struct place *place, struct session *s, struct tracee *t, struct err *err)
{
	const struct guest *guest = here_guest(session_here(s), err);
	const struct process *p = guest ? tracee_process(t, err) : NULL;
	struct program *program = p ? tracee_program(t, err) : NULL;
	struct buf missing = {0};
	place->files = program ? file_mkdir_in(place->dir, FILES, err) : -1;
	if (place->files < 0)
		return false;
	const struct map *map = extract_main(guest, p, program_maps(program));
	bool ok = extract_files(guest, program_maps(program), place->files, &missing, err);
	if (ok && map && *map->name == '/' && faccessat(place->files, map->name + 1, R_OK, 0) == 0)
		place->program = mem_printf("%s/%s%s", place->path, FILES, map->name);
	buf_free(&missing);
	return ok;
}

static void put_quoted(struct buf *out, const char *text)
{
	buf_char(out, '\'');
	for (; *text; text++)
		buf_str(out, *text == '\'' ? "'\\''" : (char[]){*text, 0});
	buf_char(out, '\'');
}

/* gdb and what it is to do first. The list and its strings are the caller's. */
static char **make_argv(const struct place *place, const char *const *rest, size_t rest_count)
{
	char **argv = mem_array(16 + rest_count, sizeof *argv);
	size_t n = 0;
	argv[n++] = mem_str("gdb");
	argv[n++] = mem_str("-q");
	argv[n++] = mem_str("-iex");
	argv[n++] = mem_str("set auto-load no");
	argv[n++] = mem_str("-ex");
	argv[n++] = mem_printf("set sysroot %s/%s", place->path, FILES);
	argv[n++] = mem_str("-ex");
	argv[n++] = mem_printf("target remote %s", place->socket);
	for (size_t i = 0; i < rest_count; i++)
		argv[n++] = mem_str(rest[i]);
	if (place->program)
		argv[n++] = mem_str(place->program);
	return argv;
}

static void free_argv(char **argv)
{
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* ---- serving ------------------------------------------------------------------------------------------------- */

static bool serve_printed(struct gdbserver *g, const struct place *place, char **argv, struct err *err)
{
	struct buf line = {0};
	for (size_t i = 0; argv[i]; i++) {
		buf_str(&line, i ? " " : "");
		if (strpbrk(argv[i], " \t\n'\"\\$&;|<>()*?[]#~"))
			put_quoted(&line, argv[i]);
		else
			buf_str(&line, argv[i]);
	}
	output_print(OUTPUT_PLAIN, "%s\n", line.data);
	buf_free(&line);
	return output_flush(err) && gdbserver_serve(g, place->listener, -1, err);
}

static bool serve_child(struct gdbserver *g, const struct place *place, char **argv, int *status, struct err *err)
{
	struct child child = {.pid_fd = -1};
	struct child_spec spec = {.argv = (const char *const *)argv,
		.in_fd = dup(STDIN_FILENO),
		.out_fd = dup(STDOUT_FILENO),
		.err_fd = dup(STDERR_FILENO),
		.terminal = true};
	bool ok = output_flush(err) && child_start(&child, &spec, err);
	close(spec.in_fd);
	close(spec.out_fd);
	close(spec.err_fd);
	if (!ok)
		return err_prefix(err, "gdb is needed for this (it is a Debian package; --print does without it)");
	ok = gdbserver_serve(g, place->listener, child.pid_fd, err);
	if (!ok)
		child_kill(&child);
	else
		child_wait(&child, -1);
	if (ok && child.status)
		*status = 1;
	return ok;
}

/* Where the first process of a node has started. */
static bool go_to_start(struct session *s, struct err *err)
{
	const struct timeline *t = session_timeline(s);
	struct walk_trip trip;
	for (size_t i = 0; i < timeline_count(t); i++)
		if (timeline_entries(t)[i].kind == EVENT_NODE_STARTED)
			return session_go(s, timeline_entries(t)[i].icount, &trip, err);
	return err_set(err, ERR_INPUT, "no node started in this run: expected --at MOMENT and --pid P");
}

static void say(void *data, const char *text)
{
	(void)data;
	fprintf(stderr, "polecat: %s\n", text);
}

static bool gdb_session(const struct args *args, struct session *s, struct cancel *cancel, int *status, struct err *err)
{
	const char *at = args_value(args, "at"), *const * rest;
	size_t rest_count = args_rest(args, &rest);
	struct bookmarks bookmarks;
	struct breaks breaks = {0};
	struct err ignored;
	struct place place;
	uint64_t pid, icount = 0;
	struct walk_trip trip;
	bookmarks_load(&bookmarks, timeline_name(session_timeline(s)), &ignored);
	struct verbs verbs = {.session = s, .bookmarks = &bookmarks, .breaks = &breaks, .cancel = cancel};
	bool ok = args_number(args, "pid", 0, 0, UINT32_MAX, &pid, err) &&
		(at ? verb_moment(&verbs, at, &icount, err) && session_go(s, icount, &trip, err) : go_to_start(s, err));
	struct tracee *tracee = ok ? tracee_create(s, cancel, (uint32_t)pid, err) : NULL;
	ok = tracee != NULL;
	if (ok) {
		struct gdbserver server = {.tracee = tracee, .verbs = &verbs, .cancel = cancel, .say = say};
		ok = place_init(&place, args_value(args, "listen"), err) && take_files(&place, s, tracee, err);
		server.files = place.files;
		char **argv = ok ? make_argv(&place, rest, rest_count) : NULL;
		if (ok)
			ok = args_has(args, "print") || args_has(args, "listen")
				? serve_printed(&server, &place, argv, err)
				: serve_child(&server, &place, argv, status, err);
		gdbserver_finish(&server);
		if (argv)
			free_argv(argv);
		place_finish(&place);
	}
	tracee_destroy(tracee);
	for (uint32_t i = 0; i < breaks.count; i++)
		free(breaks.text[i]);
	bookmarks_finish(&bookmarks);
	return ok;
}

static bool gdb(const struct args *args, int *status, struct err *err)
{
	const char *const *operands, *const *dirs;
	struct cancel cancel;
	struct common_progress progress;
	args_operands(args, &operands);
	char *path = runlist_find(common_runs(args), operands[0], err);
	if (!path || !cancel_init(&cancel, err)) {
		free(path);
		return false;
	}
	struct session_options options = {
		.run = path, .cancel = &cancel, .debug_dir_count = args_values(args, "debug-dir", &dirs)};
	options.debug_dirs = dirs;
	options.progress = common_progress_start(&progress);
	struct session *s = session_open(&options, err);
	common_progress_end(&progress);
	bool ok = s && gdb_session(args, s, &cancel, status, err);
	session_close(s);
	cancel_finish(&cancel);
	free(path);
	return ok;
}

static const struct args_option options[] = {
	{"at", 'a', "MOMENT", false, "Begin there (default: where the first node has started)."},
	{"pid", 'p', "PID", false, "This process (default: that on the processor, or the first one of a node)."},
	{"print", 0, NULL, false, "Print the command that starts gdb, and wait for it, instead of starting it."},
	{"listen", 'l', "PATH", false, "The socket to wait at, which must not exist yet; implies --print."},
	{"debug-dir", 0, "DIR", true, "Look for debug information below DIR (.build-id/...)."},
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_gdb = {
	.name = "gdb",
	.operands = "RUN",
	.least = 1,
	.most = 1,
	.rest = true,
	.about = "Use gdb on a process of a run, forwards and backwards.",
	.more = "gdb sees one process, with its threads, from the first instruction of its program to its exit: reverse-stepi,\n"
		"reverse-continue and their kin work, breakpoints and watchpoints both ways, `monitor COMMAND` is a command of\n"
		"`polecat debug`. Nothing can be changed: memory, registers and calls of functions are refused. What follows --\n"
		"is given to gdb, as in: -- -batch -x FILE.",
	.options = options,
	.run = gdb,
};
