/* Records one run: scenario and seed in, a whole run directory out. The arrows of the data flow, wired once. */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/event.h"
#include "engine/lineage.h"
#include "engine/play.h"
#include "engine/prepare.h"
#include "engine/recorded.h"
#include "engine/verdict.h"

enum record_keep { RECORD_KEEP_ALL, RECORD_KEEP_FAILED, RECORD_KEEP_NONE };

/* A fork: a run that goes on from a moment of another one. */
struct record_fork {
	const struct recorded *parent;
	const char *parent_name;       /* of its directory, beside which the fork's will be */
	const struct lineage *lineage; /* of the fork, from lineage_branch */
	const struct plan *plan;       /* to obey from here on (plan_combine), or NULL: the parent's */
	const void *request;           /* the frame that its agent got */
	size_t request_size;
	const struct play_live *live; /* takes part in it, or NULL; the lineage is open then */
	struct event_sink also;       /* gets every event too, those of the parent first; event may be NULL */
};

struct record_options {
	const char *scenario; /* path */
	uint64_t seed;
	const char *plan; /* path of a plan to obey instead of the seed's, or NULL */
	const char *runs; /* directory that gets the run directory; made if missing */
	enum record_keep keep;
	const struct record_fork *fork; /* NULL: a run of its own; else scenario, seed and plan do not matter */
	struct cancel *cancel;          /* may be NULL */
	struct progress progress;
};

#define RECORD_WHY_MAX        256
#define RECORD_PROPERTIES_MAX 128

struct record_property {
	char id[64], why[RECORD_WHY_MAX];
	enum verdict verdict;
};

/* Flat, so that it can live in memory shared with a forked worker. */
struct record_result {
	char run[4096]; /* run directory; empty when none was kept */
	char scenario[128];
	char end[32]; /* reason of run.end */
	enum verdict verdict;
	uint64_t seed, events, lines, icount, vtime_ns, log_bytes;
	uint64_t faults, faults_applied, faults_rejected, faults_unobserved;
	uint64_t start_ms, record_ms; /* to the first guest instruction; in all (host time, for the person only) */
	struct record_property properties[RECORD_PROPERTIES_MAX];
	size_t property_count;
};

/* False when no run could be made: *err says why. A run whose properties fail is a success of this function. */
bool record_run(const struct record_options *options, struct record_result *ret, struct err *err);

#endif
