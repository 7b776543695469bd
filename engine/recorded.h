/* A recorded run, read and checked to the last byte, for everybody who wants to execute it again. */
#ifndef ENGINE_RECORDED_H
#define ENGINE_RECORDED_H

#include <stdbool.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/manifest.h"
#include "engine/plan.h"
#include "engine/scenario.h"

struct recorded {
	int dir; /* the run directory, open */
	struct manifest manifest;
	struct scenario *scenario; /* without a look at its workloads */
	struct plan *plan;
	struct buf orders; /* for the agent */
	struct buf log;    /* unpacked */
	struct buf events; /* events.jsonl */
};

/* r need not be initialised. On failure (ERR_INPUT, naming the file) it is empty. */
bool recorded_load(struct recorded *r, const char *path, struct err *err);
void recorded_finish(struct recorded *r);

#endif
