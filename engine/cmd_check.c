/* polecat check: many seeds, reports for CI, exit statuses. */
#include <stdlib.h>
#include <string.h>

#include "engine/batch.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/file.h"
#include "engine/output.h"
#include "engine/report.h"
#include "engine/text.h"

#include <unistd.h>

struct checking {
	struct output_progress line;
	size_t bad;
};

static void on_done(void *data, const struct report_case *c, size_t finished, size_t total)
{
	struct checking *k = data;
	k->bad += c->status != 0;
	if (k->line.terminal)
		output_progress_say(&k->line, "checking", "%zu of %zu runs, %zu not passed", finished, total, k->bad);
}

/* "A..B" or "A". */
static bool parse_seeds(const char *text, struct batch_options *o, struct err *err)
{
	struct text_range range;
	if (!text_parse_range(text, TEXT_NUMBER, &range))
		return err_set(err, ERR_USAGE, "check: --seeds is '%s': expected A..B with A not above B, or one number", text);
	o->first_seed = range.low;
	o->last_seed = range.high;
	return true;
}

static bool parse_shard(const char *text, struct batch_options *o, struct err *err)
{
	char *slash, *end = NULL;
	o->shard = strtoul(text, &slash, 10);
	if (*slash == '/')
		o->shards = strtoul(slash + 1, &end, 10);
	if (!end || *end || !o->shard || o->shard > o->shards || o->shards > BATCH_RUNS_MAX)
		return err_set(err, ERR_USAGE, "check: --shard is '%s': expected I/N with 1 <= I <= N", text);
	return true;
}

static bool parse(const struct args *args, struct batch_options *o, struct err *err)
{
	uint64_t jobs;
	const char *seeds = args_value(args, "seeds"), *shard = args_value(args, "shard");
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	o->scenario_count = args_operands(args, &o->scenarios);
	o->runs = common_runs(args);
	o->fail_fast = args_has(args, "fail-fast");
	if (!parse_seeds(seeds ? seeds : "1..20", o, err) || !parse_shard(shard ? shard : "1/1", o, err) ||
		!args_number(args, "jobs", processors > 0 ? (uint64_t)processors : 1, 1, BATCH_JOBS_MAX, &jobs, err))
		return false;
	o->jobs = (size_t)jobs;
	return common_keep(args, "failed", &o->keep, err);
}

/* Every scenario is read and its machine booted before the first worker starts: a mistake is said once, and at once. */
static bool prepare_all(const struct batch_options *o, struct err *err)
{
	struct common_progress line;
	struct progress progress = common_progress_start(&line);
	bool ok = true;
	for (size_t i = 0; ok && i < o->scenario_count; i++) {
		struct prepared prepared = {0};
		struct scenario *s = scenario_load(o->scenarios[i], err);
		ok = s && scenario_check_workloads(s, err) && prepare_scenario(&prepared, s, progress, o->cancel, err);
		prepare_finish(&prepared);
		scenario_destroy(s);
	}
	common_progress_end(&line);
	return ok;
}

static bool write_report(
	const char *path, const struct report *r, void (*format)(const struct report *, struct buf *), struct err *err)
{
	if (!path)
		return true;
	struct buf text = {0};
	format(r, &text);
	bool ok = file_write(path, text.data, text.size, err);
	buf_free(&text);
	return ok;
}

static void print_report(const struct args *args, const struct report *r)
{
	struct buf text = {0};
	if (args_has(args, "json"))
		report_json(r, &text);
	else if (args_has(args, "tap"))
		report_tap(r, &text);
	else
		report_table(r, &text);
	output_bytes(text.data, text.size);
	buf_free(&text);
}

static bool check_all(const struct args *args, struct batch_options *o, int *status, struct err *err)
{
	struct report report = {0};
	struct checking checking = {0};
	output_progress_init(&checking.line);
	o->done = on_done;
	o->data = &checking;
	if (!prepare_all(o, err) || !batch_run(o, &report, err))
		return false;
	output_progress_clear(&checking.line);
	bool ok = write_report(args_value(args, "junit"), &report, report_junit, err);
	print_report(args, &report);
	*status = report_status(&report);
	batch_finish(&report);
	return ok;
}

static bool check(const struct args *args, int *status, struct err *err)
{
	struct cancel cancel;
	struct batch_options o = {.shard = 1, .shards = 1};
	if (!parse(args, &o, err) || !cancel_init(&cancel, err))
		return false;
	o.cancel = &cancel;
	bool ok = check_all(args, &o, status, err);
	cancel_finish(&cancel);
	return ok;
}

static const struct args_option options[] = {
	{"seeds", 's', "A..B", false, "The seeds to try with each scenario (default 1..20)."},
	{"jobs", 'j', "N", false, "How many runs at a time (default: one a processor)."},
	{"junit", 0, "FILE", false, "Also write a JUnit XML report."},
	{"tap", 0, NULL, false, "Print TAP instead of a table."},
	COMMON_OPTION_JSON,
	{"shard", 0, "I/N", false, "Do only the I-th of N parts, for several machines."},
	{"fail-fast", 'x', NULL, false, "Start no more runs after the first that does not pass."},
	COMMON_OPTION_KEEP,
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_check = {
	.name = "check",
	.operands = "SCENARIO...",
	.least = 1,
	.most = ARGS_MAX,
	.about = "Run scenarios with many seeds; for CI.",
	.more = "Keeps the runs that did not pass and prints a line that reproduces each. Ctrl-C stops the batch and still "
		"writes its\n"
		"reports (exit 5).",
	.options = options,
	.run = check,
};
