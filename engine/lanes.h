/*
 * The timeline as rows of text cells: an axis with the faults, a lane per node, the properties, and the playhead. Pure: the same
 * timeline and options give the same cells. Cells have roles, not colours. No meaning is in a role alone, but that
 * a cell of several lines has standard error among them.
 */
#ifndef ENGINE_LANES_H
#define ENGINE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/scale.h"
#include "engine/timeline.h"

#define LANES_WIDTH_MAX      1000
#define LANES_FAULT_ROWS_MAX 4 /* overlapping faults stack up to here, then share the last row */

/* X(enum, name, letter): the letter stands for the role in text dumps. */
#define LANE_ROLES(X) \
	X(BLANK, "blank", ' ') \
	X(FRAME, "frame", 'f') \
	X(LABEL, "label", 'l') \
	X(AXIS, "axis", 'a') \
	X(GAP, "gap", 'g') /* folded idle time */ \
	X(PLAYHEAD, "playhead", 'h') \
	X(START, "start", 's') \
	X(READY, "ready", 'r') \
	X(LINE, "line", 'o')       /* output, density */ \
	X(ERRLINE, "errline", 'e') /* the same, with standard error in it */ \
	X(EXIT, "exit", 'x') \
	X(CRASH, "crash", 'k')           /* killed, status not 0, could not start, out of memory */ \
	X(MINOR, "minor", 'm')           /* cleaned, user events, the machine's own */ \
	X(FAULT, "fault", 'F')           /* interval in which a fault is applied, and its name */ \
	X(FAULT_EDGE, "fault_edge", 'E') /* selected, applied, observed, healed */ \
	X(FAULT_REJECTED, "fault_rejected", 'J') \
	X(PASS, "pass", 'p') \
	X(FAIL, "fail", 'X') \
	X(UNDECIDED, "undecided", 'u') /* unexercised, unknown */

enum lane_role {
#define LANE_ENUM(id, name, letter) LANE_##id,
	LANE_ROLES(LANE_ENUM)
#undef LANE_ENUM
		LANE_ROLE_COUNT
};
const char *lane_role_name(enum lane_role role);

struct lanes_options {
	struct lanes_window window;
	int width;      /* columns in all, 1 .. LANES_WIDTH_MAX */
	int height;     /* most rows; 0: as many as there are. Node rows give way first, then faults */
	int first_node; /* node rows to skip when not all fit */
	bool ascii;
	bool keep_gaps;  /* do not fold idle time (only LANES_VTIME folds) */
	size_t playhead; /* event, or TIMELINE_NONE: no playhead */
};

struct lane_cell {
	uint32_t glyph; /* code point, one column wide */
	uint8_t role;   /* enum lane_role */
	bool playhead;  /* lies in the playhead's column */
};

enum lane_kind { LANE_ROW_AXIS, LANE_ROW_FAULTS, LANE_ROW_NODE, LANE_ROW_PROPERTIES, LANE_ROW_FOOT };

struct lane_row {
	enum lane_kind kind;
	int node;                /* LANE_ROW_NODE */
	struct lane_cell *cells; /* lanes.width of them */
};

struct lanes {
	int width, height;
	int left, columns;            /* the columns that are time: left .. left + columns - 1; columns may be 0 */
	int nodes_above, nodes_below; /* node rows that did not fit */
	struct lane_row *rows;
	struct scale scale;
};

/* The window that shows the whole run. */
struct lanes_window lanes_whole(const struct timeline *timeline, enum lanes_axis axis);
/* Zooms by a factor (2: twice as much is seen, 0.5: half) around an event and keeps inside the run. */
struct lanes_window lanes_zoom(const struct timeline *timeline, struct lanes_window window, size_t around, double factor);
/* Moves by a share of the window (1: a page right, -0.5: half a page left) and keeps inside the run. */
struct lanes_window lanes_move(const struct timeline *timeline, struct lanes_window window, double share);
/* Moves the window as little as needed for the event to be inside. */
struct lanes_window lanes_reveal(const struct timeline *timeline, struct lanes_window window, size_t event);
/* The same stretch of the run on another axis. */
struct lanes_window lanes_convert(const struct timeline *timeline, struct lanes_window window, enum lanes_axis axis);

struct lanes *lanes_create(const struct timeline *timeline, const struct lanes_options *options);
void lanes_destroy(struct lanes *lanes);

/* The column (0 .. width - 1) where an event is drawn, -1 if it is outside; and the event to go to for a column: the first in
 * it, or the last before it, TIMELINE_NONE if there is none. */
int lanes_column(const struct lanes *lanes, size_t event);
size_t lanes_event(const struct lanes *lanes, int column);

/* Appends a cell's glyph as UTF-8. */
void lanes_put_glyph(struct buf *out, uint32_t glyph);
/* Rows as UTF-8 lines without spaces at their ends; the same with role letters. */
void lanes_text(const struct lanes *lanes, struct buf *out);
void lanes_roles(const struct lanes *lanes, struct buf *out);

#endif
