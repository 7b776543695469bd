/* polecat image: boot snapshots listed, made and cleared up; also the checkpoints of runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/checkpointstore.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/file.h"
#include "engine/json.h"
#include "engine/output.h"
#include "engine/snapshot.h"

enum { DAY_S = 24 * 60 * 60, OLD_DAYS = 30 };

/* ---- ls ------------------------------------------------------------------------------------------------------- */

static void say_age(int64_t used_s, char text[32])
{
	int64_t days = ((int64_t)time(NULL) - used_s) / DAY_S;
	snprintf(text, 32, "%lld days ago", (long long)days);
}

/* What there is of both kinds. */
struct caches {
	struct snapshot_entry *snapshots;
	size_t snapshot_count;
	struct checkpointstore store;
	struct checkpointstore_entry *checkpoints; /* a file for each run that has some */
	size_t checkpoint_count;
};

static struct json *checkpoints_json(const struct caches *c)
{
	struct json *entries = json_new_array();
	for (size_t i = 0; i < c->checkpoint_count; i++) {
		struct json *e = json_new_object();
		json_put_str(e, "key", c->checkpoints[i].name);
		json_put_u64(e, "disk_bytes", c->checkpoints[i].disk_bytes);
		json_push(entries, e);
	}
	return entries;
}

static void list_json(const struct caches *c)
{
	const struct snapshot_entry *list = c->snapshots;
	size_t count = c->snapshot_count;
	struct json *top = json_new_object(), *entries = json_new_array();
	for (size_t i = 0; i < count; i++) {
		struct json *e = json_new_object();
		json_put_str(e, "identity", list[i].name);
		json_put_u64(e, "disk_bytes", list[i].disk_bytes);
		json_put_bool(e, "whole", list[i].whole);
		json_push(entries, e);
	}
	json_put_u64(top, "polecat_image", 1);
	json_put(top, "snapshots", entries);
	json_put(top, "checkpoints", checkpoints_json(c));
	struct buf text = {0};
	json_write_pretty(top, &text);
	json_destroy(top);
	output_bytes(text.data, text.size);
	buf_free(&text);
}

static void list_table(const struct caches *c)
{
	const struct snapshot_entry *list = c->snapshots;
	size_t count = c->snapshot_count;
	uint64_t total = 0, of_runs = 0;
	for (size_t i = 0; i < count; i++) {
		char age[32];
		say_age(list[i].used_s, age);
		output_print(OUTPUT_PLAIN, "%.16s  %6" PRIu64 " MiB  used %s%s\n", list[i].name, list[i].disk_bytes >> 20, age,
			list[i].whole ? "" : "  half-built");
		total += list[i].disk_bytes;
	}
	output_print(OUTPUT_PLAIN, "%zu boot snapshots, %" PRIu64 " MiB\n", count, total >> 20);
	for (size_t i = 0; i < c->checkpoint_count; i++)
		of_runs += c->checkpoints[i].disk_bytes;
	output_print(OUTPUT_PLAIN, "checkpoints of %zu run%s, %" PRIu64 " MiB\n", c->checkpoint_count,
		c->checkpoint_count == 1 ? "" : "s", of_runs >> 20);
}

/* ---- gc ------------------------------------------------------------------------------------------------------- */

/* Checkpoints that nobody has used for as long; what killed writers left goes in any case. */
static bool collect_checkpoints(struct caches *c, bool all, struct err *err)
{
	size_t removed = 0;
	uint64_t bytes = 0, keep = 0;
	int64_t now = (int64_t)time(NULL);
	for (size_t i = 0; i < c->checkpoint_count && !all; i++)
		if (now - c->checkpoints[i].used_s < (int64_t)OLD_DAYS * DAY_S)
			keep += c->checkpoints[i].disk_bytes;
	if (!checkpointstore_trim(&c->store, keep, &removed, &bytes, err))
		return false;
	output_print(OUTPUT_PLAIN, "checkpoints of %zu run%s removed, %" PRIu64 " MiB\n", removed, removed == 1 ? "" : "s",
		bytes >> 20);
	return true;
}

static bool collect(const char *cache, const struct snapshot_entry *list, size_t count, bool all, struct err *err)
{
	size_t removed = 0;
	uint64_t bytes = 0;
	int64_t now = (int64_t)time(NULL);
	for (size_t i = 0; i < count; i++) {
		if (!all && list[i].whole && now - list[i].used_s < (int64_t)OLD_DAYS * DAY_S)
			continue;
		if (!snapshot_remove(cache, list[i].name, err))
			return false;
		removed++;
		bytes += list[i].disk_bytes;
	}
	output_print(OUTPUT_PLAIN, "%zu boot snapshots removed, %" PRIu64 " MiB\n", removed, bytes >> 20);
	return true;
}

/* ---- build ---------------------------------------------------------------------------------------------------- */

static bool build(const char *path, struct err *err)
{
	struct cancel cancel;
	struct common_progress line;
	struct prepared prepared = {0};
	if (!cancel_init(&cancel, err))
		return false;
	struct scenario *s = scenario_load(path, err);
	bool ok = s && scenario_check_workloads(s, err) &&
		prepare_scenario(&prepared, s, common_progress_start(&line), &cancel, err);
	if (ok) {
		common_progress_end(&line);
		char hex[2 * DIGEST_SIZE + 1];
		uint8_t sum[DIGEST_SIZE];
		snapshot_identity(prepared.snapshot, sum);
		digest_hex(sum, sizeof sum, hex);
		output_print(OUTPUT_PLAIN, "%s\n", hex);
	}
	prepare_finish(&prepared);
	scenario_destroy(s);
	cancel_finish(&cancel);
	return ok;
}

static bool with_list(const struct args *args, const char *verb, struct err *err)
{
	struct caches c = {.store.dir = -1};
	bool all = args_has(args, "all");
	char *cache = file_cache_dir(err);
	bool ok = cache && snapshot_list(cache, &c.snapshots, &c.snapshot_count, err) &&
		checkpointstore_open(&c.store, cache, 0, err) &&
		checkpointstore_list(&c.store, &c.checkpoints, &c.checkpoint_count, err);
	if (ok && !strcmp(verb, "gc"))
		ok = collect(cache, c.snapshots, c.snapshot_count, all, err) && collect_checkpoints(&c, all, err);
	else if (ok && args_has(args, "json"))
		list_json(&c);
	else if (ok)
		list_table(&c);
	checkpointstore_close(&c.store);
	free(c.checkpoints);
	free(c.snapshots);
	free(cache);
	return ok;
}

static bool image(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	size_t n = args_operands(args, &operands);
	const char *verb = n ? operands[0] : "ls";
	if (!strcmp(verb, "build"))
		return n == 2 ? build(operands[1], err) : err_set(err, ERR_USAGE, "image build: expected one scenario");
	if (strcmp(verb, "ls") && strcmp(verb, "gc"))
		return err_set(err, ERR_USAGE, "image: '%s' is none of ls, gc, build", verb);
	if (n > 1)
		return err_set(err, ERR_USAGE, "image %s: '%s' is one word too many", verb, operands[1]);
	return with_list(args, verb, err);
}

static const struct args_option options[] = {
	{"all", 0, NULL, false, "gc: remove everything, not only what was unused for 30 days or is half made."},
	COMMON_OPTION_JSON,
	{0},
};

const struct command command_image = {
	.name = "image",
	.operands = "ls|gc|build [SCENARIO]",
	.least = 0,
	.most = 2,
	.about = "List, clean up or build boot snapshots and checkpoints.",
	.more = "A boot snapshot is a machine booted once with the workloads of a scenario; it is made again when it is missing. "
		"`image\n"
		"build` makes it without recording anything, for CI caches. Debug sessions keep the checkpoints of a run for the "
		"next\n"
		"one; they are made again as well.",
	.options = options,
	.run = image,
};
