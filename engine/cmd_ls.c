/* polecat ls and gc: what is in the runs directory, and clearing it up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/json.h"
#include "engine/output.h"
#include "engine/runlist.h"

static const char *state_name(enum run_state state)
{
	switch (state) {
	case RUN_WHOLE:
		return "whole";
	case RUN_RECORDING:
		return "recording";
	case RUN_ABANDONED:
		return "abandoned";
	case RUN_FAILED:
		return "failed";
	case RUN_DAMAGED:
		return "damaged";
	}
	return "?";
}

/* ---- ls ------------------------------------------------------------------------------------------------------- */

static void print_row(const struct runlist_entry *e)
{
	const struct manifest *m = &e->manifest;
	if (e->state != RUN_WHOLE) {
		output_print(OUTPUT_DIM, "%-12s %s\n", state_name(e->state), e->name);
		return;
	}
	char vtime[32];
	const char *verdict = verdict_name(m->verdict);
	output_print(output_verdict_style(verdict), "%-12s", verdict);
	output_print(OUTPUT_PLAIN, " %-48s %6" PRIu64 " events  %2" PRIu64 " faults  t %-10s %5" PRIu64 " KiB%s%s\n", e->name,
		m->events, m->faults_applied, output_duration(m->vtime_ns, vtime), e->bytes / 1024, m->parent ? "  fork of " : "",
		m->parent ? m->parent : "");
}

static void print_json(const struct runlist_entry *list, size_t count)
{
	struct json *runs = json_new_array(), *top = json_new_object();
	for (size_t i = 0; i < count; i++) {
		const struct manifest *m = &list[i].manifest;
		struct json *run = json_new_object();
		json_put_str(run, "name", list[i].name);
		json_put_str(run, "state", state_name(list[i].state));
		json_put_u64(run, "bytes", list[i].bytes);
		if (list[i].state == RUN_WHOLE) {
			json_put_str(run, "scenario", m->scenario);
			json_put_u64(run, "seed", m->seed);
			json_put_str(run, "verdict", verdict_name(m->verdict));
			json_put_str(run, "end", m->end);
			json_put_str(run, "reproducible", m->reproducible);
			json_put_str(run, "parent", m->parent);
			json_put_u64(run, "events", m->events);
			json_put_u64(run, "faults_applied", m->faults_applied);
			json_put_u64(run, "icount", m->icount);
			json_put_u64(run, "vtime_ns", m->vtime_ns);
			json_put_str(run, "created", m->created);
		}
		json_push(runs, run);
	}
	json_put_u64(top, "polecat_ls", 1);
	json_put(top, "runs", runs);
	struct buf text = {0};
	json_write_pretty(top, &text);
	json_destroy(top);
	output_bytes(text.data, text.size);
	buf_free(&text);
}

static bool ls(const struct args *args, int *status, struct err *err)
{
	(void)status;
	struct runlist_entry *list;
	size_t count;
	if (!runlist_read(common_runs(args), &list, &count, err))
		return false;
	if (args_has(args, "json"))
		print_json(list, count);
	else
		for (size_t i = 0; i < count; i++)
			print_row(&list[i]);
	runlist_free(list, count);
	return true;
}

static const struct args_option ls_options[] = {
	COMMON_OPTION_RUNS,
	COMMON_OPTION_JSON,
	{0},
};

const struct command command_ls = {
	.name = "ls",
	.operands = "",
	.about = "List the runs, oldest first.",
	.options = ls_options,
	.run = ls,
};

/* ---- gc ------------------------------------------------------------------------------------------------------- */

static bool gc_wants(const struct args *args, const struct runlist_entry *e)
{
	if (e->state == RUN_ABANDONED || e->state == RUN_FAILED)
		return true;
	return args_has(args, "passed") && e->state == RUN_WHOLE && e->manifest.verdict == VERDICT_PASS;
}

static bool gc(const struct args *args, int *status, struct err *err)
{
	(void)status;
	struct runlist_entry *list;
	size_t count, removed = 0;
	uint64_t bytes = 0;
	const char *runs = common_runs(args);
	if (!runlist_read(runs, &list, &count, err))
		return false;
	bool ok = true;
	for (size_t i = 0; ok && i < count; i++) {
		if (!gc_wants(args, &list[i]))
			continue;
		ok = runlist_remove(runs, list[i].name, err);
		removed += ok;
		bytes += list[i].bytes;
	}
	runlist_free(list, count);
	if (ok)
		output_print(OUTPUT_PLAIN, "%zu removed, %" PRIu64 " KiB\n", removed, bytes / 1024);
	return ok;
}

static const struct args_option gc_options[] = {
	{"passed", 0, NULL, false, "Also remove whole runs whose verdict is pass."},
	COMMON_OPTION_RUNS,
	{0},
};

const struct command command_gc = {
	.name = "gc",
	.operands = "",
	.about = "Remove what killed or failed recordings left in the runs directory.",
	.options = gc_options,
	.run = gc,
};
