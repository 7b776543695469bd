/* polecat run: one recording, and what came of it. */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/output.h"
#include "engine/record.h"

static void say_result(const struct record_result *r)
{
	char vtime[32], icount[32];
	const char *verdict = verdict_name(r->verdict);
	output_print(output_verdict_style(verdict), "%s", verdict);
	output_print(OUTPUT_PLAIN,
		"  %s  seed %llu  (%llu events, %llu of %llu faults applied, t %s, %s instructions, ended: %s)\n", r->scenario,
		(unsigned long long)r->seed, (unsigned long long)r->events, (unsigned long long)r->faults_applied,
		(unsigned long long)r->faults, output_duration(r->vtime_ns, vtime), output_count(r->icount, icount), r->end);
	for (size_t i = 0; i < r->property_count; i++) {
		const struct record_property *p = &r->properties[i];
		const char *name = verdict_name(p->verdict);
		output_print(output_verdict_style(name), "  %-12s", name);
		output_print(OUTPUT_PLAIN, " %s%s%s\n", p->id, *p->why ? ": " : "", p->why);
	}
	if (r->faults_unobserved)
		output_print(OUTPUT_WARN, "  warning: %llu applied faults were observed by nobody (polecat show RUN --faults)\n",
			(unsigned long long)r->faults_unobserved);
}

/* Lines to copy: what one does next with this run. */
static void say_next(const struct record_result *r)
{
	if (!*r->run)
		return;
	const char *bad = NULL;
	for (size_t i = 0; i < r->property_count && !bad; i++)
		if (r->properties[i].verdict == VERDICT_FAIL)
			bad = r->properties[i].id;
	output_print(OUTPUT_PLAIN,
		"run     %s\nreplay  polecat replay %s\nui      polecat ui %s\ndebug   polecat debug %s --at %s%s\n", r->run,
		r->run, r->run, r->run, bad ? "prop:" : "end", bad ? bad : "");
}

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
		say_result(result);
		say_next(result);
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
