/* polecat gdb: gdb on a process of a run, served by the session. */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/gdbfront.h"
#include "engine/gdbverb.h"
#include "engine/moment.h"
#include "engine/output.h"
#include "engine/runlist.h"

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

static bool gdb_session(const struct args *args, struct session *s, struct cancel *cancel, int *status, struct err *err)
{
	const char *at = args_value(args, "at");
	struct bookmarks bookmarks;
	struct breaks breaks = {0};
	struct err ignored;
	uint64_t pid, icount = 0;
	struct walk_trip trip;
	struct gdbfront front;
	struct gdbverb_options options = {
		.machine = args_has(args, "kernel"), .print = args_has(args, "print"), .listen = args_value(args, "listen")};
	options.rest_count = args_rest(args, &options.rest);
	if (options.machine && args_has(args, "pid"))
		return err_set(err, ERR_USAGE, "--pid and --kernel: expected one of them");
	bookmarks_load(&bookmarks, timeline_name(session_timeline(s)), &ignored);
	struct verbs verbs = {.session = s, .bookmarks = &bookmarks, .breaks = &breaks, .cancel = cancel};
	gdbfront_init(&front, &verbs);
	bool ok = args_number(args, "pid", 0, 0, UINT32_MAX, &pid, err) &&
		(at ? verb_moment(&verbs, at, &icount, err) && session_go(s, icount, &trip, err) : go_to_start(s, err));
	options.pid = (uint32_t)pid;
	ok = ok && gdbverb_serve(&verbs, &options, err);
	if (ok && front.failed)
		*status = 1;
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
	{"kernel", 0, NULL, false, "The whole machine: every instruction of its processor, with the kernel's symbols."},
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
		"reverse-continue and their kin work, breakpoints and watchpoints (of reads too), signals and\n"
		"forks (follow-fork-mode, detach-on-fork) both ways, exec forwards. $icount is the place in the "
		"run\n"
		"and $event its last event. `monitor COMMAND` is a command of `polecat debug`; after one that moves gdb shows "
		"the\n"
		"new place. Nothing can be changed: memory, registers and calls of functions are refused. A recording's "
		"schedule\n"
		"cannot be locked: with scheduler-locking the other threads run, and what they stop at is not told. What "
		"follows\n"
		"-- is given to gdb, as in: -- -batch -x FILE.",
	.options = options,
	.run = gdb,
};
