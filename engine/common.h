/* What several commands share: where runs are, how progress is shown, options with one meaning everywhere. */
#ifndef ENGINE_COMMON_H
#define ENGINE_COMMON_H

#include "engine/args.h"
#include "engine/output.h"
#include "engine/prepare.h"
#include "engine/record.h"

#define COMMON_OPTION_RUNS \
	{ \
		"runs", 'r', "DIR", false, "The runs directory (default: $POLECAT_RUNS, else runs)." \
	}
#define COMMON_OPTION_JSON \
	{ \
		"json", 0, NULL, false, "Print JSON; its format is versioned (polecat's docs/FORMATS.md)." \
	}
#define COMMON_OPTION_KEEP \
	{ \
		"keep", 'k', "all|failed|none", false, "Which runs stay in the runs directory." \
	}

/* --runs, $POLECAT_RUNS or "runs". Borrowed. */
const char *common_runs(const struct args *args);
/* --keep, or fallback. */
bool common_keep(const struct args *args, const char *fallback, enum record_keep *ret, struct err *err);

/* The verdict of a recorded run and of its properties, and lines to copy: what one does next with it. */
void common_say_result(const struct record_result *r);

/* A progress line on standard error for the engine's progress calls. */
struct common_progress {
	struct output_progress line;
};
struct progress common_progress_start(struct common_progress *p);
void common_progress_end(struct common_progress *p);

#endif
