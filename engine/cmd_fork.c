/* polecat fork: a shell, or a command, executed in the past. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/bookmarks.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/fork.h"
#include "engine/moment.h"
#include "engine/output.h"
#include "engine/runlist.h"
#include "engine/session.h"
#include "engine/shell.h"
#include "engine/text.h"

struct forked {
	struct common_progress progress;
	bool terminal;
};

/* Bytes of a guest: as they are into a file or pipe, harmless on a terminal. */
static void show(void *data, int stream, const char *bytes, size_t size)
{
	struct forked *f = data;
	struct buf safe = {0};
	/* Elsewhere there is nothing to take back, and the stage would be said again after every line. */
	if (f->progress.line.shown)
		common_progress_end(&f->progress);
	bool newline = size == 1 && bytes[0] == '\n';
	if (isatty(stream) && !newline)
		text_put_safe(&safe, bytes, size);
	else
		buf_add(&safe, bytes, size);
	if (stream == 1) {
		output_bytes(safe.data, safe.size);
	} else if (safe.size) {
		ssize_t ignored = write(STDERR_FILENO, safe.data, safe.size);
		(void)ignored;
	}
	buf_free(&safe);
}

static bool choose_node(const struct session *s, const char *name, int *ret, struct err *err)
{
	const struct plan *plan = session_recorded(s)->plan;
	*ret = fork_default_node(s);
	if (!name)
		return true;
	*ret = FORK_MACHINE;
	if (!strcmp(name, "machine"))
		return true;
	struct buf names = {0};
	for (size_t i = 0; i < plan->node_count; i++) {
		buf_printf(&names, "%s%s", i ? ", " : "", plan->nodes[i].name);
		if (!strcmp(plan->nodes[i].name, name))
			*ret = (int)i;
	}
	bool ok = *ret != FORK_MACHINE ||
		err_set(err, ERR_USAGE, "--node is '%.60s': expected %s, or machine", name, names.data ? names.data : "a node");
	buf_free(&names);
	return ok;
}

static void say_run(const struct fork_result *result)
{
	if (result->before)
		fprintf(stderr, "the run ends there: this went on from ev:%zu, its last event before\n", result->before);
	if (*result->run)
		fprintf(stderr, "recorded as %s\n", result->run);
}

static bool command(struct session *s, struct forked *f, const struct fork_options *o, int *status, struct err *err)
{
	struct fork_result result;
	bool ok = fork_run(s, o, &result, err);
	common_progress_end(&f->progress);
	ok = ok && output_flush(err);
	say_run(&result);
	*status = ok ? result.status : 0;
	return ok;
}

static bool shell(struct session *s, struct forked *f, const struct fork_options *o, int *status, struct err *err)
{
	struct fork_result result;
	struct shell_options options = {.run = o->run,
		.node = o->node,
		.hold = o->hold,
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.err_fd = STDERR_FILENO,
		.stops = true,
		.keep = o->keep,
		.cancel = o->cancel};
	common_progress_end(&f->progress);
	if (!output_flush(err) || !shell_open(s, &options, &result, err))
		return false;
	*status = result.status;
	say_run(&result);
	return true;
}

static bool other_plan(
	struct session *s, struct forked *f, const struct fork_options *o, uint64_t seed, int *status, struct err *err)
{
	struct record_result *result = mem_alloc(sizeof *result);
	bool ok = fork_replan(s, o, seed, result, err);
	common_progress_end(&f->progress);
	if (ok) {
		common_say_result(result);
		*status = verdict_exit_status(result->verdict);
	}
	free(result);
	return ok;
}

/* A bookmark of the run, or another moment. */
static bool moment_of(const struct session *s, const char *text, uint64_t *ret, struct err *err)
{
	struct bookmarks bookmarks;
	struct moment moment;
	struct err ignored;
	bookmarks_load(&bookmarks, timeline_name(session_timeline(s)), &ignored);
	const struct bookmark *b = bookmarks_find(&bookmarks, text);
	bool ok = b || moment_parse(session_timeline(s), text, &moment, err);
	*ret = b ? b->icount : ok ? moment.icount : 0;
	bookmarks_finish(&bookmarks);
	return ok;
}

static bool fork_at(const struct args *args, const char *path, struct cancel *cancel, int *status, struct err *err)
{
	struct forked forked = {0};
	struct walk_trip trip;
	const char *at = args_value(args, "at");
	struct fork_options options = {.run = path, .cancel = cancel, .output = show, .data = &forked};
	uint64_t seed;
	options.hold = args_has(args, "hold");
	args_rest(args, &options.argv);
	if (!common_keep(args, "all", &options.keep, err) || !args_number(args, "plan-from", 0, 0, UINT64_MAX, &seed, err))
		return false;
	options.progress = common_progress_start(&forked.progress);
	struct session_options open = {.run = path, .cancel = cancel, .progress = options.progress};
	struct session *s = session_open(&open, err);
	uint64_t icount;
	bool ok = s && moment_of(s, at, &icount, err) && choose_node(s, args_value(args, "node"), &options.node, err) &&
		session_go(s, icount, &trip, err);
	if (ok && !args_value(args, "node"))
		options.node = fork_default_node(s);
	if (ok && args_has(args, "plan-from"))
		ok = other_plan(s, &forked, &options, seed, status, err);
	else if (ok)
		ok = (args_rest(args, NULL) ? command : shell)(s, &forked, &options, status, err);
	common_progress_end(&forked.progress);
	session_close(s);
	return ok;
}

static bool fork_command(const struct args *args, int *status, struct err *err)
{
	const char *const *operands, *const *rest;
	struct cancel cancel;
	args_operands(args, &operands);
	if (!args_value(args, "at"))
		return err_set(err, ERR_USAGE, "fork: --at MOMENT is missing: where shall it leave the run?");
	bool other = args_has(args, "plan-from"), any = args_rest(args, &rest) > 0;
	if (other && (any || args_has(args, "node") || args_has(args, "hold")))
		return err_set(err, ERR_USAGE,
			"fork: --plan-from goes on with the run itself: expected neither a command nor --node nor --hold");
	char *path = runlist_find(common_runs(args), operands[0], err);
	if (!path || !cancel_init(&cancel, err)) {
		free(path);
		return false;
	}
	bool ok = fork_at(args, path, &cancel, status, err);
	cancel_finish(&cancel);
	free(path);
	return ok;
}

static const struct args_option options[] = {
	{"at", 'a', "MOMENT", false,
		"Where it leaves the run: ev:20, fault:kill#1.applied, t:4.39s, an instruction count, a bookmark."},
	{"node", 'n', "NODE", false,
		"In this node (default: that of the moment's event, or of the last one of a node before), or in the machine "
		"below: machine."},
	{"hold", 'H', NULL, false, "The nodes stand still as long as the shell or command is there."},
	{"plan-from", 'p', "SEED", false, "Instead of a shell: go on to the end with the faults of this seed."},
	COMMON_OPTION_KEEP,
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_fork = {
	.name = "fork",
	.operands = "RUN",
	.least = 1,
	.most = 1,
	.rest = true,
	.about = "A live continuation from a moment of a run: for a shell, a command, or with another seed's faults.",
	.more = "The machine goes on live from that moment; the recording is not touched. Without a command a shell is opened: "
		"the node's\n"
		"sh, else BusyBox's. On a terminal it has a terminal too, with job control and full-screen programs; what it "
		"writes\n"
		"is filtered so that it can do no more to yours than draw. Ctrl-] leaves it from outside. Fed from a pipe it "
		"reads\n"
		"its lines there. Everything typed is recorded (passwords too), and the nodes live on while you look around: "
		"their "
		"time\n"
		"passes as yours does when they are idle. With --hold they stand still from the moment an event of theirs is "
		"told, else within "
		"some\n"
		"milliseconds of their time, and time passes without them. Until its end the fork takes no more than 64 MiB of "
		"output.\n"
		"\n"
		"A command runs in the node's namespaces and ends the fork. A name without '/' is looked for in the node, then "
		"in\n"
		"BusyBox. A node that is stopped by a fault stays so, and can be looked at. The fork is a run of its own, beside "
		"its\n"
		"parent, and is replayed, debugged and forked like any other. Exits with the shell's or the command's status.\n"
		"At a run's end its nodes have been killed, and only their disks are there: run.ending is where they still "
		"live.\n"
		"\n"
		"With --plan-from, faults that have not been applied at the moment are replaced by those of the other seed; "
		"those of "
		"them\n"
		"whose trigger lies before the moment are rejected. Verdict and exit status are those of `polecat run`.",
	.options = options,
	.run = fork_command,
};
