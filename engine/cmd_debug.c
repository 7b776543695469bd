/* polecat debug: a session at a moment of a run, fed by words instead of keys. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/dapserver.h"
#include "engine/file.h"
#include "engine/gdbfront.h"
#include "engine/json.h"
#include "engine/output.h"
#include "engine/runlist.h"
#include "engine/verbs.h"

enum { SCRIPT_MAX = 1 << 20, LINE_MAX_SIZE = 1 << 20, READ_MAX = 4096 };

struct debug {
	struct verbs verbs;
	bool json, echo;
};

/* ---- one command -------------------------------------------------------------------------------------------- */

static void say_json(struct debug *d, const char *line, size_t size, const struct buf *out, bool ok, const struct err *err)
{
	struct session *s = d->verbs.session;
	size_t event = session_event(s);
	uint64_t earliest, latest;
	struct json *j = json_new_object();
	struct buf text = {0}, choice = {0};
	json_put_u64(j, "polecat_debug", 1);
	json_put(j, "command", json_new_strn(line, size));
	json_put_bool(j, "ok", ok);
	json_put_u64(j, "icount", session_icount(s));
	json_put_u64(j, "event", event == TIMELINE_NONE ? 0 : event + 1);
	session_time(s, &earliest, &latest);
	json_put_u64(j, "vtime_ns", earliest);
	verb_say_choice(&d->verbs, &choice);
	json_put(j, "focus", choice.size ? json_new_strn(choice.data, choice.size) : NULL);
	json_put_bool(j, "asked", d->verbs.asked);
	json_put(j, "output", json_new_strn(out->data ? out->data : "", out->size));
	json_put_str(j, "error", ok ? NULL : err->text);
	json_write(j, &text);
	buf_char(&text, '\n');
	output_bytes(text.data, text.size);
	buf_free(&text);
	buf_free(&choice);
	json_destroy(j);
}

static bool run_line(struct debug *d, const char *line, size_t size, struct err *err)
{
	struct buf out = {0};
	while (size && strchr(" \t\r\n", line[size - 1]))
		size--;
	if (d->echo && size && !d->json)
		output_print(OUTPUT_BOLD, "> %.*s\n", (int)size, line);
	bool ok = verbs_run(&d->verbs, line, size, &out, err);
	if (d->json && (size || !ok))
		say_json(d, line, size, &out, ok, err);
	else if (!d->json)
		output_bytes(out.data ? out.data : "", out.size);
	buf_free(&out);
	/* Also after a failure: whoever reads the answers may wait for this one before asking again. */
	struct err ignored;
	return output_flush(ok ? err : &ignored) && ok;
}

static bool run_text(struct debug *d, const char *name, const char *text, size_t size, struct err *err)
{
	unsigned line = 0;
	for (size_t at = 0; at < size && !d->verbs.quit;) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - text) : size;
		line++;
		if (!run_line(d, text + at, end - at, err))
			return name ? err_prefix(err, "%s:%u", name, line) : false;
		at = end + 1;
	}
	return true;
}

/* ---- where commands come from ------------------------------------------------------------------------------- */

static bool run_file(struct debug *d, const char *path, struct err *err)
{
	struct buf text = {0};
	bool ok = file_read(path, SCRIPT_MAX, &text, err) && run_text(d, path, text.data ? text.data : "", text.size, err);
	buf_free(&text);
	return ok;
}

/* Standard input, by lines: checkpoints are made while nothing comes. */
struct input {
	struct buf bytes;
	size_t taken; /* of bytes: the line that was given out */
	bool ended;
};

/* Waits for input or a signal: *signal is its number, or 0. */
static bool wait_for_input(struct debug *d, int *signal, struct err *err)
{
	struct cancel *c = d->verbs.cancel;
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = c ? c->fd : -1, .events = POLLIN}};
	struct signalfd_siginfo info;
	*signal = 0;
	if (!session_wait(d->verbs.session, fds, 2, err))
		return false;
	if (fds[1].revents && read(fds[1].fd, &info, sizeof info) == (ssize_t)sizeof info)
		*signal = (int)info.ssi_signo;
	return true;
}

static bool read_input(struct input *in, struct err *err)
{
	buf_reserve(&in->bytes, READ_MAX);
	ssize_t got = read(STDIN_FILENO, in->bytes.data + in->bytes.size, READ_MAX);
	if (got < 0 && errno != EINTR && errno != EAGAIN)
		return err_sys(err, errno, "standard input");
	in->ended = got == 0;
	in->bytes.size += got > 0 ? (size_t)got : 0;
	return in->bytes.size <= LINE_MAX_SIZE ||
		err_set(err, ERR_INPUT, "standard input: a line of more than %d bytes", LINE_MAX_SIZE);
}

/* The next line, borrowed until the next call; NULL at the end, after a signal (*signal), or with an error. */
static const char *next_line(struct debug *d, struct input *in, size_t *size, int *signal, struct err *err)
{
	buf_drop(&in->bytes, in->taken);
	in->taken = 0;
	*signal = 0;
	for (;;) {
		const char *newline = in->bytes.size ? memchr(in->bytes.data, '\n', in->bytes.size) : NULL;
		if (newline || (in->ended && in->bytes.size)) {
			*size = newline ? (size_t)(newline - in->bytes.data) : in->bytes.size;
			in->taken = newline ? *size + 1 : *size;
			return in->bytes.data;
		}
		if (in->ended || !wait_for_input(d, signal, err) || *signal || !read_input(in, err))
			return NULL;
	}
}

/* A person's mistakes do not end the session, and Ctrl-C ends what goes on, not polecat. */
static bool run_person(struct debug *d, struct err *err)
{
	struct input in = {0};
	const char *line = "";
	size_t size;
	int signal = 0;
	while (!d->verbs.quit && (line || signal == SIGINT)) {
		if (signal)
			output_print(OUTPUT_PLAIN, "\n");
		output_print(OUTPUT_BOLD, "polecat> ");
		if (!output_flush(err) || !(line = next_line(d, &in, &size, &signal, err)))
			continue;
		struct err one = {0};
		if (!run_line(d, line, size, &one))
			output_print(OUTPUT_BAD, "%s\n", one.text);
		if (d->verbs.cancel)
			d->verbs.cancel->requested = false;
	}
	buf_free(&in.bytes);
	return true;
}

static bool run_pipe(struct debug *d, struct err *err)
{
	struct input in = {0};
	const char *line;
	size_t size;
	int signal = 0;
	struct err first = {0}, one = {0};
	while (first.code == ERR_NONE || (d->json && one.code != ERR_CANCELLED)) {
		struct err reading = {0};
		line = d->verbs.quit ? NULL : next_line(d, &in, &size, &signal, &reading);
		one = reading;
		/* A program that reads the answers decides for itself what a failure means; that there was one is told at the
		 * end. */
		if ((!line || !run_line(d, line, size, &one)) && first.code == ERR_NONE)
			first = one;
		if (!line)
			break;
	}
	buf_free(&in.bytes);
	*err = first;
	return signal ? err_set(err, ERR_CANCELLED, "stopped on request") : first.code == ERR_NONE;
}

static bool run_commands(struct debug *d, const struct args *args, struct err *err)
{
	const char *const *lines, *const *files;
	size_t line_count = args_values(args, "command", &lines), file_count = args_values(args, "file", &files);
	bool ok = true;
	if (!line_count && !file_count) {
		if (isatty(STDIN_FILENO) && !d->json)
			return run_person(d, err);
		return run_pipe(d, err);
	}
	for (size_t i = 0; ok && i < file_count && !d->verbs.quit; i++)
		ok = run_file(d, files[i], err);
	for (size_t i = 0; ok && i < line_count && !d->verbs.quit; i++)
		ok = run_text(d, NULL, lines[i], strlen(lines[i]), err);
	return ok;
}

/* ---- the command -------------------------------------------------------------------------------------------- */

/* *ret_served: an editor was answered. */
static bool debug_run(const struct args *args, const char *path, struct cancel *cancel, bool *ret_served, struct err *err)
{
	struct common_progress progress;
	struct bookmarks bookmarks;
	struct err ignored;
	const char *const *dirs, *at = args_value(args, "at");
	struct session_options options = {
		.run = path, .cancel = cancel, .debug_dir_count = args_values(args, "debug-dir", &dirs)};
	uint64_t budget;
	if (!args_number(args, "checkpoints", WALK_BUDGET_MIB, 1, 1u << 20, &budget, err))
		return false;
	uint64_t store;
	if (!args_number(args, "keep", CHECKPOINTSTORE_BUDGET_MIB, 0, 1u << 20, &store, err))
		return false;
	options.budget_mib = (unsigned)budget;
	options.store_mib = (unsigned)store;
	options.store_nothing = store == 0;
	options.debug_dirs = dirs;
	options.progress = common_progress_start(&progress);
	struct session *session = session_open(&options, err);
	common_progress_end(&progress);
	if (!session)
		return false;
	/* Without a place to keep them there are no bookmarks, which is said when one is made. */
	bookmarks_load(&bookmarks, timeline_name(session_timeline(session)), &ignored);
	struct breaks breaks = {0};
	const char *const *source_dirs;
	size_t source_dir_count = args_values(args, "source-dir", &source_dirs);
	struct debug d = {.verbs = {.session = session,
				  .runs = common_runs(args),
				  .debug_dirs = dirs,
				  .debug_dir_count = options.debug_dir_count,
				  .source_dirs = source_dirs,
				  .source_dir_count = source_dir_count,
				  .bookmarks = &bookmarks,
				  .breaks = &breaks,
				  .cancel = cancel,
				  .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !args_has(args, "json"),
				  .progress = options.progress},
		.json = args_has(args, "json"),
		.echo = !isatty(STDIN_FILENO) || args_has(args, "command") || args_has(args, "file")};
	bool ok = true;
	bool dap = args_has(args, "dap");
	struct gdbfront front;
	if (!dap && !d.json) /* both have standard output for themselves */
		gdbfront_init(&front, &d.verbs);
	if (at && dap) {
		uint64_t icount;
		struct walk_trip trip;
		ok = verb_moment(&d.verbs, at, &icount, err) && session_go(session, icount, &trip, err);
	} else if (at) {
		char *line = mem_printf("goto %s", at);
		ok = run_line(&d, line, strlen(line), err);
		free(line);
	}
	*ret_served = ok && dap;
	ok = ok && (dap ? dapserver_serve(&d.verbs, STDIN_FILENO, STDOUT_FILENO, err) : run_commands(&d, args, err));
	breaks_finish(&breaks);
	bookmarks_finish(&bookmarks);
	session_close(session);
	return ok;
}

static bool debug(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	struct cancel cancel;
	args_operands(args, &operands);
	char *path = runlist_find(common_runs(args), operands[0], err);
	bool served = false, ok = path && cancel_init(&cancel, err);
	if (ok) {
		ok = debug_run(args, path, &cancel, &served, err);
		cancel_finish(&cancel);
	}
	free(path);
	if (!ok && !served && args_has(args, "dap") && err->code != ERR_CANCELLED && !isatty(STDIN_FILENO))
		dapserver_refuse(STDIN_FILENO, STDOUT_FILENO, err);
	return ok;
}

static const struct args_option options[] = {
	{"at", 'a', "MOMENT", false, "Begin there: ev:20, fault:kill#1.applied, prop:ID, t:4.39s, an instruction count, end."},
	{"command", 'e', "COMMAND", true,
		"Run this command (`help` lists them), then the next -e; the first that fails ends it."},
	{"file", 'x', "FILE", true, "Run the commands of this file first, one a line; # begins a comment."},
	{"debug-dir", 0, "DIR", true, "Look for debug information below DIR (.build-id/..., .gnu_debuglink)."},
	{"source-dir", 0, "DIR", true, "Look for source files below DIR before the places where they were compiled."},
	{"checkpoints", 0, "MIB", false, "Memory for checkpoints (default 1024)."},
	{"keep", 0, "MIB", false, "Disk space for checkpoints of all runs, kept for the next session (default 2048; 0: none)."},
	{"dap", 0, NULL, false, "Speak the Debug Adapter Protocol on standard input and output, for editors: docs/EDITORS.md."},
	COMMON_OPTION_JSON,
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_debug = {
	.name = "debug",
	.operands = "RUN",
	.least = 1,
	.most = 1,
	.about = "Stand at any moment of a run, go both ways, ask anything.",
	.more = "Reads commands from standard input when there is neither -e nor -x. On a terminal a command that fails ends "
		"nothing; with\n"
		"--json from a pipe neither: its object says so, and the exit status at the end is that of the first that "
		"failed.\n"
		"Otherwise the first that fails ends it. At instruction N means: N instructions have been executed since the "
		"run\n"
		"began, instruction N+1 has not; an event at N has happened. The recording is never changed.\n"
		"\n"
		"Questions are answered from the memory of the stopped machine. Files that it does not hold (/proc, /sys, what "
		"waits "
		"in a\n"
		"pipe) `cat` and `ls` ask of a live copy of the machine, which is not kept and whose nodes stand still within "
		"some\n"
		"milliseconds of their time; they say so, and asking again costs nothing. /proc/self is the process that is "
		"meant, "
		"and\n"
		"pids are those of its node: 1:/proc/PID is /proc of the machine below, whose pids `ps` lists.",
	.options = options,
	.run = debug,
};
