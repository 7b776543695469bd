/* What is known about one property: filled in by whoever evaluates it. */
#ifndef ENGINE_CHECK_RESULT_H
#define ENGINE_CHECK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/text.h"
#include "engine/verdict.h"

#define CHECK_WITNESSES_MAX 8

struct check_result {
	const char *id;   /* borrowed from the property */
	const char *type; /* "always" ... "checker"; of an SDK also "reachable", "unreachable" */
	enum verdict verdict;
	bool decided;        /* false while more events may change it */
	uint64_t decided_at; /* seq of the event that decided it; 0 if only the end of the run did */
	uint64_t evaluations;
	char *why; /* owned, never NULL; "" unless there is something to say; harmless for a terminal */
	uint64_t witnesses[CHECK_WITNESSES_MAX]; /* seqs, in the order in which the events explain the verdict */
	size_t witness_count;
	const char *margin_unit; /* NULL: no margin */
	uint64_t margin_used, margin_of;
	struct text_place place; /* in the scenario; {0, 0} for an assertion of an SDK */
};

/* How the run ended, for what is still open. */
struct check_end {
	bool whole;   /* as planned: nothing more could have come */
	uint64_t seq; /* of run.end; 0 if there is none */
	uint64_t vtime_ns;
	const char *reason; /* for the sentence about a cut */
};

void check_result_init(struct check_result *r, const char *id, const char *type, struct text_place place);
void check_result_finish(struct check_result *r);

/* The verdict is final. fmt is the reason, "" for none. Does nothing when it is decided already. */
void check_decide(struct check_result *r, enum verdict verdict, uint64_t at, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Adds a witness, if there is room. */
void check_witness(struct check_result *r, uint64_t seq);
/* Decides "unknown" because the run was cut, and says so. */
void check_cut(struct check_result *r, const struct check_end *end);

#endif
