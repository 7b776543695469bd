/*
 * The inside of a search for the next place to stop at, for the files that make it up: dap_hits.c, which passes over the run,
 * dap_watches.c, which says what a pass looks for, and dap_judge.c, which says of one time that something happened what it means.
 */
#ifndef ENGINE_DAP_CHASE_H
#define ENGINE_DAP_CHASE_H

#include "engine/dap_server.h"

enum { DAP_WATCH_EXIT = 1 /* the watch of ends of processes; before it that of begins of programs */ };

struct dap_task {
	uint64_t task;
	uint32_t pid;
	bool ours;
};

struct dap_chase {
	struct dap_server *s;
	struct scan *scan;
	bool backward;
	uint64_t first, last, origin; /* absolute counts */
	uint64_t reached;             /* so far nothing was found */
	uint64_t judged;              /* what is executed from here on is behind a move back */
	bool over;                    /* there is nothing to be found any more */
	struct regs before;           /* where it began, or looked last: */
	uint64_t before_at;
	struct scan_request request;
	uint32_t point_of[SCAN_WATCHES]; /* 1 + the one breakpoint that a watch is about, since it has its condition; 0: any there
					  */
	bool plain;                      /* this QEMU cannot evaluate conditions: each time is looked at */
	uint32_t own;                    /* watches from here on are of breakpoints */
	struct dap_task *tasks;
	size_t task_count, task_room;
	const struct dap_target *target; /* NULL: what the client's breakpoints say */
	struct dap_stop *stop;
};

enum verdict_of_hit { HIT_PASS, HIT_STOP, HIT_STALE /* look everything up anew */, HIT_FAILED };

/* Everything to look for, for the moment that the machine stands at. */
bool dap_look_up(struct dap_chase *c, struct err *err);
/* What one hit means, for c->stop too; hits of one place are judged one after the other. */
enum verdict_of_hit dap_judge(struct dap_chase *c, const struct scan_hit *hit, struct err *err);
/* Where a hit is looked at: what was written is there going forward, and is not yet going back. */
uint64_t dap_place_of(const struct dap_chase *c, const struct scan_hit *hit);
bool dap_is_access(const struct dap_chase *c, const struct scan_hit *hit);
/* The time of a point that is about to be executed where a move back begins was counted, and is gone beyond this place. */
void dap_count_here(struct dap_chase *c);
/* The counts as they are at the place that a move came to. */
void dap_settle(struct dap_chase *c);

#endif
