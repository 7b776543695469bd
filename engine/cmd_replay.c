/* polecat replay and verify: is a run the same again? */
#include <stdlib.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/output.h"
#include "engine/replay.h"
#include "engine/runlist.h"
#include "engine/verify.h"

enum { TIMES_MAX = 1000000 };

/* ---- replay -------------------------------------------------------------------------------------------------- */

static bool replay_times(const char *path, uint64_t times, struct err *err)
{
	struct cancel cancel;
	struct common_progress progress;
	if (!cancel_init(&cancel, err))
		return false;
	struct replay_options options = {.run = path, .cancel = &cancel, .progress = common_progress_start(&progress)};
	bool ok = true;
	for (uint64_t i = 1; ok && i <= times; i++) {
		struct replay_result result;
		ok = replay_run(&options, &result, err);
		common_progress_end(&progress);
		if (!ok)
			break;
		output_print(OUTPUT_GOOD, "identical");
		output_print(OUTPUT_PLAIN, "  %llu events, %llu.%03llu s", (unsigned long long)result.events,
			(unsigned long long)result.wall_ms / 1000, (unsigned long long)result.wall_ms % 1000);
		if (times > 1)
			output_print(OUTPUT_PLAIN, "  (%llu of %llu)", (unsigned long long)i, (unsigned long long)times);
		output_print(OUTPUT_PLAIN, "\n");
	}
	cancel_finish(&cancel);
	return ok;
}

static bool replay(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	uint64_t times;
	args_operands(args, &operands);
	if (!args_number(args, "times", 1, 1, TIMES_MAX, &times, err))
		return false;
	char *path = runlist_find(common_runs(args), operands[0], err);
	bool ok = path && replay_times(path, times, err);
	free(path);
	return ok;
}

static const struct args_option replay_options[] = {
	{"times", 'n', "N", false, "Replay this many times (default 1)."},
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_replay = {
	.name = "replay",
	.operands = "RUN",
	.least = 1,
	.most = 1,
	.about = "Execute a recorded run again and compare every event.",
	.more = "RUN is a run directory, a part of the name of one in the runs directory, or \"last\". Every file and the "
		"identity of\n"
		"QEMU, kernel, image and machine are checked first. Says \"identical\", or shows the first event that differs "
		"(exit 3).",
	.options = replay_options,
	.run = replay,
};

/* ---- verify -------------------------------------------------------------------------------------------------- */

static void say_verified(const struct verify_result *v)
{
	output_print(OUTPUT_GOOD, "seed-reproducible");
	output_print(OUTPUT_PLAIN, "  %s seed %llu: two recordings and two replays gave the same %llu events to the byte\n",
		v->first.scenario, (unsigned long long)v->first.seed, (unsigned long long)v->events);
	for (size_t i = 0; i < VERIFY_PROBES; i++) {
		char count[32], registers[2 * DIGEST_SIZE + 1], memory[2 * DIGEST_SIZE + 1];
		digest_hex(v->probes[i].registers, DIGEST_SIZE, registers);
		digest_hex(v->probes[i].memory, DIGEST_SIZE, memory);
		output_print(OUTPUT_PLAIN, "  at %14s  registers %.16s  memory %.16s  equal\n",
			output_count(v->probes[i].icount, count), registers, memory);
	}
	output_print(OUTPUT_PLAIN, "verdict %s\nrun     %s\n", verdict_name(v->first.verdict), v->first.run);
}

static bool verify(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	struct cancel cancel;
	struct common_progress progress;
	args_operands(args, &operands);
	struct record_options options = {.scenario = operands[0], .runs = common_runs(args), .cancel = &cancel};
	if (!args_number(args, "seed", 1, 0, UINT64_MAX, &options.seed, err) || !cancel_init(&cancel, err))
		return false;
	options.progress = common_progress_start(&progress);
	struct verify_result *result = mem_alloc(sizeof *result);
	bool ok = verify_run(&options, result, err);
	common_progress_end(&progress);
	cancel_finish(&cancel);
	if (ok)
		say_verified(result);
	free(result);
	return ok;
}

static const struct args_option verify_options[] = {
	{"seed", 's', "N", false, "The seed (default 1)."},
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_verify = {
	.name = "verify",
	.operands = "SCENARIO",
	.least = 1,
	.most = 1,
	.about = "Record twice from scratch, replay both, and compare everything.",
	.more = "Events are compared to the byte; registers and all memory by digest at several instruction counts. The verdicts "
		"of the\n"
		"properties do not matter to the exit status: 0 means reproducible, 3 that something differed.",
	.options = verify_options,
	.run = verify,
};
