/* polecat ui: starts polecat-tui, which stands beside this program. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/output.h"
#include "engine/prepare.h"
#include "engine/runlist.h"

/* Replaces this process: the screen is a program of its own, so that nothing else needs curses. */
static bool ui(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	size_t n = args_operands(args, &operands), argc = 0;
	char *argv[12] = {0}, *program = prepare_own_file("polecat-tui", err);
	if (!program)
		return false;
	argv[argc++] = program;
	argv[argc++] = (char *)"--runs";
	argv[argc++] = (char *)common_runs(args);
	if (args_value(args, "theme")) {
		argv[argc++] = (char *)"--theme";
		argv[argc++] = (char *)args_value(args, "theme");
	}
	if (args_has(args, "ascii"))
		argv[argc++] = (char *)"--ascii";
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
