/*
 * Where a recorded run starts: at the boot snapshot, or, when it is a fork, at a moment of its parent, which is executed again up
 * to there. The parent lies in the same runs directory, and may be a fork itself.
 */
#ifndef ENGINE_LINEAGE_H
#define ENGINE_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/listener.h"
#include "engine/machine.h"
#include "engine/origin.h"
#include "engine/prepare.h"
#include "engine/recorded.h"

#define LINEAGE_DEPTH_MAX   8       /* forks of forks */
#define LINEAGE_REQUEST     "visit" /* file of a fork's directory: the request that its agent got */
#define LINEAGE_REQUEST_MAX 4096

struct lineage {
	struct machine_base base;  /* for machine_start */
	struct listener_past past; /* for listener_create_after; icounts are ours */
	struct origin origin;      /* of a fork */
	bool forked, visited;      /* visited: for one command */
};

/* Appends what a request asks for, safe for a terminal: "ls -l /", "other faults". Nothing when it is no request. */
void lineage_describe(const void *request, size_t size, struct buf *out);

/* path is r's; p is prepared for r and must outlive the lineage. l need not be initialised; on failure it is empty. */
bool lineage_open(struct lineage *l, const struct recorded *r, const char *path, const struct prepared *p, struct cancel *cancel,
	struct err *err);
/* A fork of `parent`, whose replaying machine m (of lineage `of`) is stopped at the moment. open: it takes input from outside. */
bool lineage_branch(struct lineage *l, const struct lineage *of, const struct recorded *parent, struct machine *m, bool open,
	const void *request, size_t size, struct err *err);
void lineage_finish(struct lineage *l);

/* What went before a fork for one command; NULL of any other run. */
const struct listener_past *lineage_visited(const struct lineage *l);
/* The machine's count at icount 0 of the run. */
uint64_t lineage_zero(const struct lineage *l);

#endif
