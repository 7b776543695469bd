/* One event as one row of cells: the same everywhere that events are listed. */
#ifndef TUI_EVENTROW_H
#define TUI_EVENTROW_H

#include "tui/canvas.h"
#include "tui/run.h"

struct eventrow {
	int seq_width, time_width, node_width; /* cells; 0 leaves the column out */
	int icount_width;
	const char *search; /* matches are laid over; "" for none */
	bool ahead;         /* later than the playhead: drawn dim */
};

/* Column widths for rows of so many cells. */
struct eventrow eventrow_columns(const struct run *run, int width);
void eventrow_draw(struct pen *p, const struct run *run, size_t event, const struct eventrow *columns);

/* The role that an event is drawn in. */
enum role eventrow_role(const struct entry *entry);
/* Appends what it says, short: "acked 87", "started #2", "killed by SIGKILL", "kill#1 applied". Printable. */
void eventrow_text(const struct event *e, struct buf *out);
/* The verdict that the event decided or is a witness of: *ret_verdict; false if there is none. Failures win. */
bool eventrow_verdict(const struct run *run, size_t event, enum verdict *ret_verdict);

#endif
