/*
 * Many runs: every scenario with every seed, some at a time, each in a process of its own so that one that breaks takes
 * nothing with it. Results come back in the order asked, whatever order they were done in.
 */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/record.h"
#include "engine/report.h"

#define BATCH_JOBS_MAX 256
#define BATCH_RUNS_MAX 1000000

struct batch_options {
	const char *const *scenarios; /* paths */
	size_t scenario_count;
	uint64_t first_seed, last_seed;
	size_t jobs;
	size_t shard, shards; /* takes every shards-th case, beginning with number shard (from 1); 1, 1 for all */
	bool fail_fast;       /* start no more after the first case that does not pass */
	enum record_keep keep;
	const char *runs;
	struct cancel *cancel;
	/* Called in the parent when a case is done. */
	void (*done)(void *data, const struct report_case *c, size_t finished, size_t total);
	void *data;
};

/* Fills *ret (released by batch_finish). False only if the batch itself could not go on; a cancelled one is a report. */
bool batch_run(const struct batch_options *options, struct report *ret, struct err *err);
void batch_finish(struct report *r);

#endif
