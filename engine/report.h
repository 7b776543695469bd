/*
 * What a batch of runs found, for people and for machines: a summary table, JUnit XML, TAP 14 and JSON. Pure text; cases
 * are written in the order given, so that the same results give the same bytes whatever order they were computed in.
 */
#ifndef ENGINE_REPORT_H
#define ENGINE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

#define REPORT_JSON_VERSION 1

struct report_property {
	char *id, *verdict, *why; /* owned by the case */
};

struct report_case {
	char *scenario; /* its name */
	char *path;     /* its file, as given on the command line */
	uint64_t seed;
	bool ran;      /* false: never started (cancelled, fail-fast) */
	int status;    /* exit status of the run, as polecat(1) lists them */
	char *verdict; /* "pass", "fail", "unexercised", "unknown" or "error" */
	char *error;   /* the sentence, when it could not run to its end; else NULL */
	char *run;     /* directory of the kept run, or NULL */
	uint64_t events, icount, vtime_ns, wall_ms, faults_applied, faults_unobserved;
	struct report_property *properties; /* all of the run's */
	size_t property_count;
};

void report_case_finish(struct report_case *c);

struct report {
	const struct report_case *cases;
	size_t count;
	bool cancelled; /* the person stopped it: some cases did not run */
};

/* 0 when every case passed, else the worst: 5, 1, 2 in this order (an infrastructure failure hides verdicts, so it comes first).
 * A cancelled batch is 5. */
int report_status(const struct report *r);

void report_table(const struct report *r, struct buf *out);
void report_junit(const struct report *r, struct buf *out);
void report_tap(const struct report *r, struct buf *out);
void report_json(const struct report *r, struct buf *out);

/* One line that runs the case again: "polecat run PATH --seed N". */
void report_reproduce(const struct report_case *c, struct buf *out);

#endif
