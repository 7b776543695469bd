/* polecat run: one recording, and what came of it. */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/output.h"
#include "engine/record.h"

static bool run(const struct args *args, int *status, struct err *err)
{
	const char *const *operands;
	args_operands(args, &operands);
	struct cancel cancel;
	struct common_progress progress;
	struct record_options options = {.scenario = operands[0], .plan = args_value(args, "plan"), .runs = common_runs(args)};
	if (options.plan && args_has(args, "seed"))
		return err_set(err, ERR_USAGE, "run: --plan and --seed exclude each other: a plan has its seed's choices in it");
	if (!args_number(args, "seed", 1, 0, UINT64_MAX, &options.seed, err) || !common_keep(args, "all", &options.keep, err) ||
		!cancel_init(&cancel, err))
		return false;
	options.cancel = &cancel;
	options.progress = common_progress_start(&progress);
	struct record_result *result = mem_alloc(sizeof *result);
	bool ok = record_run(&options, result, err);
	common_progress_end(&progress);
	cancel_finish(&cancel);
	if (ok) {
		common_say_result(result);
		*status = verdict_exit_status(result->verdict);
	}
	free(result);
	return ok;
}

static const struct args_option options[] = {
	{"seed", 's', "N", false, "The seed that decides everything the scenario leaves open (default 1)."},
	{"plan", 'p', "FILE", false, "Obey this plan (a plan.json, edited or of another run) instead of a seed."},
	COMMON_OPTION_RUNS,
	COMMON_OPTION_KEEP,
	{0},
};

const struct command command_run = {
	.name = "run",
	.operands = "SCENARIO",
	.least = 1,
	.most = 1,
	.about = "Record one run of a scenario.",
	.more = "Prints the verdict of every property, the run's directory, and the commands to go on with. The first run of a\n"
		"scenario boots its machine once; later runs start from that snapshot.",
	.options = options,
	.run = run,
};
