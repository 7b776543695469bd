/* polecat ui: starts polecat-tui, which stands beside this program. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/output.h"
#include "engine/prepare.h"
#include "engine/runlist.h"

static size_t add_dirs(char **argv, size_t argc, const char *option, const char *const *dirs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		argv[argc++] = (char *)option;
		argv[argc++] = (char *)dirs[i];
	}
	return argc;
}

/* Replaces this process: the screen is a program of its own, so that nothing else needs curses. */
static bool ui(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	size_t n = args_operands(args, &operands), argc = 0;
	const char *const *debug_dirs, *const *source_dirs;
	size_t debug_dir_count = args_values(args, "debug-dir", &debug_dirs);
	size_t source_dir_count = args_values(args, "source-dir", &source_dirs);
	char *program = prepare_own_file("polecat-tui", err);
	if (!program)
		return false;
	char **argv = mem_alloc((12 + 2 * (debug_dir_count + source_dir_count)) * sizeof *argv);
	argv[argc++] = program;
	argv[argc++] = (char *)"--runs";
	argv[argc++] = (char *)common_runs(args);
	if (args_value(args, "theme")) {
		argv[argc++] = (char *)"--theme";
		argv[argc++] = (char *)args_value(args, "theme");
	}
	if (args_has(args, "ascii"))
		argv[argc++] = (char *)"--ascii";
	argc = add_dirs(argv, argc, "--debug-dir", debug_dirs, debug_dir_count);
	argc = add_dirs(argv, argc, "--source-dir", source_dirs, source_dir_count);
	argv[argc++] = (char *)"--"; /* what follows are runs, whatever they begin with */
	for (size_t i = 0; i < n; i++) {
		argv[argc] = runlist_find(common_runs(args), operands[i], err);
		if (!argv[argc++])
			return false;
	}
	if (!output_flush(err))
		return false;
	execv(program, argv);
	return err_sys(err, errno, "%s", program);
}

static const struct args_option options[] = {
	COMMON_OPTION_RUNS,
	{.name = "theme", .value = "NAME", .about = "A theme by name, or a file by path; it is remembered."},
	{"debug-dir", 0, "DIR", true, "Look for debug information of programs below DIR (.build-id/..., .gnu_debuglink)."},
	{"source-dir", 0, "DIR", true, "Look for source files below DIR before the places where they were compiled."},
	{.name = "ascii", .about = "Draw with ASCII only."},
	{0},
};

const struct command command_ui = {
	.name = "ui",
	.operands = "[RUN [RUN]]",
	.most = 2,
	.about = "Browse runs on the terminal; two runs are shown as a diff.",
	.options = options,
	.run = ui,
};
