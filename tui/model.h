/* What views see: the open runs, the list of runs, how to draw. Views read it; only app changes it. */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include "engine/diff.h"
#include "tui/action.h"
#include "tui/debugpicture.h"
#include "tui/run.h"
#include "tui/runs.h"

enum align_way { ALIGN_EVENT, ALIGN_TIME, ALIGN_ICOUNT };

enum debug_code { DEBUG_CODE_AUTO, DEBUG_CODE_SOURCE, DEBUG_CODE_DISASSEMBLY };

/* The debug session of one of the runs. */
struct model_debug {
	const struct run *run;         /* whose machine it is; NULL: there is no session */
	bool alive;                    /* its thread works */
	struct debug_picture *picture; /* where it stands; NULL before the first */
	char *problem;                 /* why there is no machine, owned; NULL: nobody asked, or there is one */
	struct buf output;             /* what commands printed, safe for a terminal */
	enum debug_code code; /* what the pane of code shows; AUTO: source when the pc is in it, or in the kernel for it */
	uint64_t shown;       /* grows with everything above */
};

struct model {
	struct run *runs[2];     /* NULL where none is open */
	int side;                /* the run that keys move in */
	const struct diff *diff; /* of both, or NULL while it is being made */
	char *diff_problem;      /* why there is none, or NULL */
	enum align_way align;
	bool fold; /* the diff folds what is common */
	struct model_debug debug;
	const struct runs *list;
	const struct keymap *keys;
	bool utf8;
	int64_t now_s;  /* host time, for ages; fixed in tests */
	uint64_t shown; /* grows with everything that may change what is on the screen */
};

/* The pane of code shows source, not disassembly. */
bool model_debug_source(const struct model_debug *m);

/* The run that keys move in; NULL when none is open. */
const struct run *model_run(const struct model *m);

#endif
