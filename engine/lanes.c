#include "engine/lanes.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_MAX    12 /* columns of the longest label; longer names are cut */
#define FRAMED_WIDTH 32 /* narrower pictures have no labels and no frame */
#define TICK_COLUMNS 12 /* least columns between two ticks */

const char *lane_role_name(enum lane_role role)
{
	static const char *const names[] = {
#define ROLE_NAME(id, name, letter) [LANE_##id] = name,
		LANE_ROLES(ROLE_NAME)
#undef ROLE_NAME
	};
	return names[role];
}

static char role_letter(enum lane_role role)
{
	static const char letters[] = {
#define ROLE_LETTER(id, name, letter) [LANE_##id] = letter,
		LANE_ROLES(ROLE_LETTER)
#undef ROLE_LETTER
	};
	return letters[role];
}

/* -- glyphs -- */

enum glyph {
	G_HORIZONTAL,
	G_VERTICAL,
	G_TOP_LEFT,
	G_TOP_TEE,
	G_TOP_RIGHT,
	G_BOTTOM_LEFT,
	G_BOTTOM_TEE,
	G_BOTTOM_RIGHT,
	G_TICK,
	G_FOLD,
	G_PLAYHEAD,
	G_CUT,
	G_KILLED,
	G_FAULT_SELECTED,
	G_FAULT_APPLIED,
	G_FAULT_REJECTED,
	G_FAULT_OBSERVED,
	G_FAULT_HEALED,
	G_FAULT_LASTS,
	G_PASS,
	G_FAIL,
	G_UNEXERCISED,
	G_UNKNOWN,
	G_DENSITY, /* 1 line, then 8 levels of more */
	G_COUNT = G_DENSITY + 9,
};

static const uint32_t unicode[G_COUNT] = {0x2500, 0x2502, 0x250c, 0x252c, 0x2510, 0x2514, 0x2534, 0x2518, 0x252c, 0x250a, 0x25b2,
	0x2026, 0x271d, 0x25cb, 0x251c, 0x2298, 0x25c6, 0x2524, 0x2500, 0x2713, 0x2717, 0x2013, '?', 0xb7, 0x2581, 0x2582, 0x2583,
	0x2584, 0x2585, 0x2586, 0x2587, 0x2588};
static const uint32_t ascii[G_COUNT] = {'-', '|', '+', '+', '+', '+', '+', '+', '+', '~', '^', '~', 'K', 'o', '[', 'x', '*', ']',
	'-', 'v', 'X', '0', '?', '.', ':', '-', '=', '+', '*', '%', '#', '@'};

/* -- drawing -- */

struct draw {
	const struct timeline *t;
	const struct lanes_options *o;
	const uint32_t *glyphs;
	struct lanes *lanes;
	bool framed;
	int label;    /* columns of the labels */
	int playhead; /* column of the picture, or -1 */
};

static void put(const struct lanes *l, int row, int column, uint32_t glyph, enum lane_role role)
{
	if (column < 0 || column >= l->width)
		return;
	l->rows[row].cells[column].glyph = glyph;
	l->rows[row].cells[column].role = (uint8_t)role;
}

/* ASCII text; what does not fit before `end` is left out. */
static void put_text(const struct lanes *l, int row, int column, int end, const char *text, enum lane_role role)
{
	for (; *text && column < end; text++, column++)
		put(l, row, column, (unsigned char)*text, role);
}

static bool is_blank(const struct lanes *l, int row, int from, int to)
{
	for (int c = from; c < to; c++)
		if (c < l->left || c >= l->left + l->columns || l->rows[row].cells[c].role != LANE_BLANK)
			return false;
	return true;
}

/* Names are plain text, but nothing of a run goes to a screen unlooked at. */
static void put_name(const struct draw *d, int row, int column, int room, const char *name, enum lane_role role)
{
	int i = 0;
	for (; name[i] && i < room; i++)
		put(d->lanes, row, column + i, name[i] > ' ' && name[i] < 0x7f ? (unsigned char)name[i] : '?', role);
	if (name[i] && room > 0)
		put(d->lanes, row, column + room - 1, d->glyphs[G_CUT], role);
}

static void draw_sides(const struct draw *d, int row, const char *label)
{
	struct lanes *l = d->lanes;
	if (!d->framed)
		return;
	put(l, row, 0, d->glyphs[G_VERTICAL], LANE_FRAME);
	put_name(d, row, 2, d->label, label, LANE_LABEL);
	put(l, row, l->left - 1, d->glyphs[G_VERTICAL], LANE_FRAME);
	put(l, row, l->width - 1, d->glyphs[G_VERTICAL], LANE_FRAME);
}

static void draw_border(const struct draw *d, int row, enum glyph left, enum glyph tee, enum glyph right)
{
	struct lanes *l = d->lanes;
	for (int c = d->framed ? 0 : l->left; c < l->width; c++)
		put(l, row, c, d->glyphs[G_HORIZONTAL], LANE_FRAME);
	if (!d->framed)
		return;
	put(l, row, 0, d->glyphs[left], LANE_FRAME);
	put(l, row, l->left - 1, d->glyphs[tee], LANE_FRAME);
	put(l, row, l->width - 1, d->glyphs[right], LANE_FRAME);
}

static void draw_piece_ticks(const struct draw *d, int row, const struct scale_piece *p, uint64_t step, struct buf *text)
{
	struct lanes *l = d->lanes;
	/* Events are numbered from 1 for people, so ticks stand at 10, 20 and not at 11, 21. */
	uint64_t shift = p->from <= p->to && l->scale.window.axis == LANES_EVENT && step > 1 ? 1 : 0;
	int end = l->left + p->column + p->columns, free = l->left + p->column;
	for (uint64_t at = (p->from + shift + step - 1) / step * step; at - shift <= p->to && at >= shift; at += step) {
		int column = l->left + scale_piece_column(p, at - shift);
		buf_clear(text);
		scale_put_value(l->scale.window.axis, at - shift, text);
		if (column >= free && column + 1 + (int)text->size <= end) {
			put(l, row, column, d->glyphs[G_TICK], LANE_AXIS);
			put_text(l, row, column + 1, end, text->data, LANE_AXIS);
			free = column + 2 + (int)text->size;
		}
		if (at > UINT64_MAX - step)
			break;
	}
}

/* The length of what is folded, in the middle of its columns. */
static void draw_fold_label(const struct draw *d, int row, const struct scale_piece *p, struct buf *text)
{
	int from = d->lanes->left + p->column, room = p->columns - 2;
	/* A tenth of a unit is exact enough here. */
	uint64_t span = p->to - p->from + 2, unit = 1;
	while (span / unit >= 10000)
		unit *= 10;
	span = span / unit * unit;
	buf_clear(text);
	scale_put_value(d->lanes->scale.window.axis, span, text);
	int size = (int)text->size < room ? (int)text->size : room;
	put_text(d->lanes, row, from + 1 + (room - size) / 2, from + p->columns - 1, text->data, LANE_GAP);
}

static void draw_axis(const struct draw *d, int row)
{
	struct lanes *l = d->lanes;
	struct buf text = {0};
	draw_border(d, row, G_TOP_LEFT, G_TOP_TEE, G_TOP_RIGHT);
	if (l->columns > 0) {
		uint64_t step = scale_step(&l->scale, TICK_COLUMNS);
		for (size_t i = 0; i < l->scale.piece_count; i++) {
			const struct scale_piece *p = &l->scale.pieces[i];
			if (p->folded)
				draw_fold_label(d, row, p, &text);
			else
				draw_piece_ticks(d, row, p, step, &text);
		}
	}
	buf_free(&text);
}

static void draw_foot(const struct draw *d, int row)
{
	draw_border(d, row, G_BOTTOM_LEFT, G_BOTTOM_TEE, G_BOTTOM_RIGHT);
	if (d->playhead >= 0)
		put(d->lanes, row, d->playhead, d->glyphs[G_PLAYHEAD], LANE_PLAYHEAD);
}

/* The edges of folded time in a lane, where nothing else is. */
static void draw_folds(const struct draw *d, int row)
{
	const struct lanes *l = d->lanes;
	for (size_t i = 0; i < l->scale.piece_count; i++) {
		const struct scale_piece *p = &l->scale.pieces[i];
		int from = l->left + p->column, to = from + p->columns - 1;
		if (!p->folded)
			continue;
		if (is_blank(l, row, from, from + 1))
			put(l, row, from, d->glyphs[G_FOLD], LANE_GAP);
		if (is_blank(l, row, to, to + 1))
			put(l, row, to, d->glyphs[G_FOLD], LANE_GAP);
	}
}

/* -- node rows -- */

/* What stands in a cell of a node's lane: the strongest of its events, and how many there are. */
struct tally {
	uint32_t count;
	uint8_t rank; /* of the strongest */
	bool has_stderr;
};

/* Weakest first. */
enum rank {
	RANK_NONE,
	RANK_MINOR,
	RANK_LINE,
	RANK_USER,
	RANK_EXIT,
	RANK_READY,
	RANK_START,
	RANK_OOM,
	RANK_LAUNCH,
	RANK_BAD_EXIT,
	RANK_KILLED
};

static enum rank rank_of(const struct entry *e)
{
	switch (e->kind) {
	case EVENT_IO_LINE:
		return RANK_LINE;
	case EVENT_NODE_STARTED:
		return RANK_START;
	case EVENT_NODE_READY:
		return RANK_READY;
	case EVENT_NODE_LAUNCH_FAILED:
		return RANK_LAUNCH;
	case EVENT_NODE_EXITED:
		return e->flags & ENTRY_SIGNAL ? RANK_KILLED : e->flags & ENTRY_BAD_END ? RANK_BAD_EXIT : RANK_EXIT;
	case EVENT_PROC_OOM:
		return RANK_OOM;
	case EVENT_USER_EVENT:
		return RANK_USER;
	case EVENT_NODE_CLEANED:
		return RANK_MINOR;
	default:
		return RANK_NONE; /* faults have their own lane */
	}
}

static unsigned log2_of(uint32_t n)
{
	unsigned bits = 0;
	while (n >>= 1)
		bits++;
	return bits;
}

/* 1 .. 8 for two lines and more; most is what the fullest cell has. */
static unsigned density(uint32_t count, uint32_t most)
{
	unsigned top = log2_of(most) < 8 ? 8 : log2_of(most);
	unsigned level = log2_of(count) * 8 / top;
	return level < 1 ? 1 : level;
}

static void draw_tally(const struct draw *d, int row, int column, const struct tally *t, uint32_t most)
{
	uint32_t glyph = 0;
	enum lane_role role = LANE_CRASH;
	switch ((enum rank)t->rank) {
	case RANK_NONE:
		return;
	case RANK_MINOR:
		glyph = 'c', role = LANE_MINOR;
		break;
	case RANK_LINE:
		role = t->has_stderr ? LANE_ERRLINE : LANE_LINE;
		glyph = t->count > 1    ? d->glyphs[G_DENSITY + density(t->count, most)]
			: t->has_stderr ? ','
					: d->glyphs[G_DENSITY];
		break;
	case RANK_USER:
		glyph = 'u', role = LANE_MINOR;
		break;
	case RANK_EXIT:
		glyph = 'E', role = LANE_EXIT;
		break;
	case RANK_READY:
		glyph = 'R', role = LANE_READY;
		break;
	case RANK_START:
		glyph = 'S', role = LANE_START;
		break;
	case RANK_OOM:
		glyph = 'M';
		break;
	case RANK_LAUNCH:
		glyph = 'L';
		break;
	case RANK_BAD_EXIT:
		glyph = 'X';
		break;
	case RANK_KILLED:
		glyph = d->glyphs[G_KILLED];
		break;
	}
	put(d->lanes, row, d->lanes->left + column, glyph, role);
}

/* One pass over the events of the window; row_of[node] is the tally row of a node, or -1. */
static struct tally *count_events(const struct draw *d, const int *row_of, int rows, uint32_t *ret_most)
{
	const struct scale *s = &d->lanes->scale;
	const struct entry *entries = timeline_entries(d->t);
	struct tally *tallies = mem_array((size_t)rows * (size_t)s->columns + 1, sizeof *tallies);
	uint32_t most = 0;
	for (int c = 0; c < s->columns; c++)
		for (size_t i = s->first[c]; i < s->first[c + 1]; i++) {
			const struct entry *e = &entries[i];
			if (row_of[e->node] < 0)
				continue;
			struct tally *t = &tallies[row_of[e->node] * s->columns + c];
			uint8_t rank = (uint8_t)rank_of(e);
			t->rank = rank > t->rank ? rank : t->rank;
			t->has_stderr |= (e->flags & ENTRY_STDERR) != 0 && e->kind == EVENT_IO_LINE;
			t->count += rank == RANK_LINE;
			most = t->count > most ? t->count : most;
		}
	*ret_most = most;
	return tallies;
}

static void draw_nodes(const struct draw *d, int row, int rows, int first_node)
{
	size_t nodes = timeline_node_count(d->t);
	int *row_of = mem_array(nodes, sizeof *row_of);
	for (size_t i = 0; i < nodes; i++)
		row_of[i] = (int)i >= first_node && (int)i < first_node + rows ? (int)i - first_node : -1;
	uint32_t most;
	struct tally *tallies = count_events(d, row_of, rows, &most);
	for (int r = 0; r < rows; r++) {
		d->lanes->rows[row + r].node = first_node + r;
		draw_sides(d, row + r, timeline_node(d->t, (size_t)(first_node + r)));
		for (int c = 0; c < d->lanes->columns; c++)
			draw_tally(d, row + r, c, &tallies[r * d->lanes->columns + c], most);
	}
	free(tallies);
	free(row_of);
}

/* -- fault rows -- */

/* A fault on the picture. Columns are those of the scale and may lie outside of it. */
struct span {
	size_t fault;
	int from, to;
	int row;
};

/* Faults that touch the window, each in a row where it has room: the first that is free, else the last. */
static struct span *place_faults(const struct draw *d, size_t *ret_count, int *ret_rows)
{
	const struct scale *s = &d->lanes->scale;
	int free_from[LANES_FAULT_ROWS_MAX] = {0}, rows = 0;
	size_t faults = timeline_fault_count(d->t), count = 0;
	struct span *spans = mem_array(faults, sizeof *spans);
	for (size_t i = 0; i < faults && s->columns > 0; i++) {
		size_t first, last;
		timeline_fault_span(d->t, i, &first, &last);
		if (first == TIMELINE_NONE || last < s->first[0] || first >= s->first[s->columns])
			continue;
		struct span *span = &spans[count++];
		*span = (struct span){.fault = i, .from = scale_column(s, first), .to = scale_column(s, last)};
		int named = (span->from < 0 ? 0 : span->from + 1) + (int)strlen(timeline_fault(d->t, i)->id);
		while (span->row < LANES_FAULT_ROWS_MAX - 1 && free_from[span->row] > span->from)
			span->row++;
		int end = (span->to > named ? span->to : named) + 1;
		free_from[span->row] = end > free_from[span->row] ? end : free_from[span->row];
		rows = span->row + 1 > rows ? span->row + 1 : rows;
	}
	*ret_count = count;
	*ret_rows = rows;
	return spans;
}

static void draw_stage(const struct draw *d, int row, size_t event, enum glyph glyph, enum lane_role role)
{
	int column = event == TIMELINE_NONE ? -1 : scale_column(&d->lanes->scale, event);
	if (column >= 0 && column < d->lanes->columns)
		put(d->lanes, row, d->lanes->left + column, d->glyphs[glyph], role);
}

static void draw_fault(const struct draw *d, int row, const struct span *span)
{
	const struct timeline_fault *f = timeline_fault(d->t, span->fault);
	struct lanes *l = d->lanes;
	int from = f->stage[FAULT_APPLIED] == TIMELINE_NONE ? l->columns : scale_column(&l->scale, f->stage[FAULT_APPLIED]);
	int to = span->to < l->columns ? span->to : l->columns - 1;
	int size = (int)strlen(f->id);
	for (int c = from < 0 ? 0 : from; c <= to; c++)
		put(l, row, l->left + c, d->glyphs[G_FAULT_LASTS], LANE_FAULT);
	/* The name inside if the interval is long enough to show that it is one, else right after it. */
	int name = (span->from < 0 ? 0 : span->from) + 1;
	bool inside = name + size < to && from < l->columns;
	if (!inside)
		name = to + 1;
	if (inside || is_blank(l, row, l->left + name, l->left + name + size))
		put_name(d, row, l->left + name, size, f->id, LANE_FAULT);
	/* What happened last is what shows where several stages share a cell; but healing tells least. */
	draw_stage(d, row, f->stage[FAULT_HEALED], G_FAULT_HEALED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_SELECTED], G_FAULT_SELECTED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_OBSERVED], G_FAULT_OBSERVED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_APPLIED], G_FAULT_APPLIED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_REJECTED], G_FAULT_REJECTED, LANE_FAULT_REJECTED);
}

/* -- the properties' row -- */

static enum glyph verdict_glyph(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return G_PASS;
	case VERDICT_FAIL:
		return G_FAIL;
	case VERDICT_UNEXERCISED:
		return G_UNEXERCISED;
	default:
		return G_UNKNOWN;
	}
}

static enum lane_role verdict_role(enum verdict verdict)
{
	return verdict == VERDICT_PASS ? LANE_PASS : verdict == VERDICT_FAIL ? LANE_FAIL : LANE_UNDECIDED;
}

/* Where a property is shown; -1 outside the picture. */
static int property_column(const struct draw *d, const struct timeline_property *p)
{
	int column = p->decided == TIMELINE_NONE ? -1 : scale_column(&d->lanes->scale, p->decided);
	return column < d->lanes->columns ? column : -1;
}

static void draw_property_name(const struct draw *d, int row, const struct timeline_property *p)
{
	const struct lanes *l = d->lanes;
	int column = property_column(d, p), size = (int)strlen(p->fact->id);
	if (column < 0)
		return;
	int right = l->left + column + 2, before = l->left + column - 1 - size;
	if (is_blank(l, row, right - 1, right + size))
		put_name(d, row, right, size, p->fact->id, LANE_FAIL);
	else if (is_blank(l, row, before, l->left + column))
		put_name(d, row, before, size, p->fact->id, LANE_FAIL);
}

static void draw_properties(const struct draw *d, int row)
{
	/* Worst last, so that it is what is seen where several share a cell. */
	static const enum verdict order[] = {VERDICT_PASS, VERDICT_UNEXERCISED, VERDICT_UNKNOWN, VERDICT_FAIL};
	size_t count = timeline_property_count(d->t);
	draw_sides(d, row, "props");
	for (size_t v = 0; v < sizeof order / sizeof *order; v++)
		for (size_t i = 0; i < count; i++) {
			const struct timeline_property *p = timeline_property(d->t, i);
			int column = property_column(d, p);
			if (p->fact->verdict == order[v] && column >= 0)
				put(d->lanes, row, d->lanes->left + column, d->glyphs[verdict_glyph(order[v])],
					verdict_role(order[v]));
		}
	for (size_t i = 0; i < count; i++)
		if (timeline_property(d->t, i)->fact->verdict == VERDICT_FAIL)
			draw_property_name(d, row, timeline_property(d->t, i));
}

/* -- the whole -- */

struct heights {
	int axis, faults, nodes, properties, foot;
};

/* Shares `height` rows out; what is wanted is what h holds. */
static void fit(struct heights *h, int height)
{
	struct heights want = *h;
	if (height <= 0)
		return;
	*h = (struct heights){0};
	int *const first[] = {&h->nodes, &h->faults, &h->properties, &h->axis, &h->foot};
	const int most[] = {want.nodes, want.faults, want.properties, want.axis, want.foot};
	for (size_t i = 0; i < sizeof most / sizeof *most && height > 0; i++)
		if (most[i] > 0)
			*first[i] = 1, height--;
	for (; h->faults < want.faults && height > 0; height--)
		h->faults++;
	for (; h->nodes < want.nodes && height > 0; height--)
		h->nodes++;
}

static void measure(struct draw *d)
{
	struct lanes *l = d->lanes;
	l->width = d->o->width < 1 ? 1 : d->o->width > LANES_WIDTH_MAX ? LANES_WIDTH_MAX : d->o->width;
	d->framed = l->width >= FRAMED_WIDTH;
	size_t longest = strlen("faults");
	for (size_t i = 1; i < timeline_node_count(d->t); i++)
		longest = strlen(timeline_node(d->t, i)) > longest ? strlen(timeline_node(d->t, i)) : longest;
	d->label = longest < LABEL_MAX ? (int)longest : LABEL_MAX;
	l->left = d->framed ? d->label + 4 : 0;
	l->columns = d->framed ? l->width - l->left - 1 : l->width;
	if (timeline_count(d->t) == 0)
		l->columns = 0;
	scale_init(&l->scale, d->t, d->o->window, l->columns, !d->o->keep_gaps);
	d->playhead = -1;
	if (d->o->playhead < timeline_count(d->t)) {
		int column = scale_column(&l->scale, d->o->playhead);
		d->playhead = column >= 0 && column < l->columns ? l->left + column : -1;
	}
}

static int add_rows(struct lanes *l, enum lane_kind kind, int count)
{
	int first = l->height;
	for (int i = 0; i < count; i++) {
		struct lane_row *row = &l->rows[l->height++];
		row->kind = kind;
		row->cells = mem_array((size_t)l->width, sizeof *row->cells);
		for (int c = 0; c < l->width; c++)
			row->cells[c].glyph = ' ';
	}
	return first;
}

static void draw_faults(const struct draw *d, int row, int rows, const struct span *spans, size_t count)
{
	for (int r = 0; r < rows; r++)
		draw_sides(d, row + r, r == 0 ? "faults" : "");
	for (size_t i = 0; i < count && rows > 0; i++)
		draw_fault(d, row + (spans[i].row < rows ? spans[i].row : rows - 1), &spans[i]);
}

static void draw_playhead(const struct draw *d)
{
	struct lanes *l = d->lanes;
	for (int r = 0; r < l->height && d->playhead >= 0; r++) {
		if (is_blank(l, r, d->playhead, d->playhead + 1))
			put(l, r, d->playhead, d->glyphs[G_VERTICAL], LANE_PLAYHEAD);
		l->rows[r].cells[d->playhead].playhead = true;
	}
}

struct lanes *lanes_create(const struct timeline *timeline, const struct lanes_options *options)
{
	struct draw d = {.t = timeline, .o = options, .glyphs = options->ascii ? ascii : unicode};
	struct lanes *l = d.lanes = mem_alloc(sizeof *l);
	measure(&d);
	size_t count;
	int fault_rows, nodes = (int)timeline_node_count(timeline) - 1;
	struct span *spans = place_faults(&d, &count, &fault_rows);
	struct heights h = {1, fault_rows > 0 ? fault_rows : 1, nodes, 1, 1};
	fit(&h, options->height);
	l->nodes_above = options->first_node < 0        ? 0
		: options->first_node > nodes - h.nodes ? nodes - h.nodes
							: options->first_node;
	l->nodes_below = nodes - h.nodes - l->nodes_above;

	l->rows = mem_array((size_t)(h.axis + h.faults + h.nodes + h.properties + h.foot), sizeof *l->rows);
	int axis = add_rows(l, LANE_ROW_AXIS, h.axis), faults = add_rows(l, LANE_ROW_FAULTS, h.faults);
	int node = add_rows(l, LANE_ROW_NODE, h.nodes), properties = add_rows(l, LANE_ROW_PROPERTIES, h.properties);
	int foot = add_rows(l, LANE_ROW_FOOT, h.foot);
	if (h.axis)
		draw_axis(&d, axis);
	draw_faults(&d, faults, h.faults, spans, count);
	draw_nodes(&d, node, h.nodes, 1 + l->nodes_above);
	if (h.properties)
		draw_properties(&d, properties);
	for (int r = faults; r < faults + h.faults + h.nodes + h.properties; r++)
		draw_folds(&d, r);
	if (h.foot)
		draw_foot(&d, foot);
	draw_playhead(&d);
	free(spans);
	return l;
}

void lanes_destroy(struct lanes *l)
{
	if (!l)
		return;
	for (int i = 0; i < l->height; i++)
		free(l->rows[i].cells);
	free(l->rows);
	scale_finish(&l->scale);
	free(l);
}

int lanes_column(const struct lanes *l, size_t event)
{
	int column = scale_column(&l->scale, event);
	return column >= 0 && column < l->columns ? l->left + column : -1;
}

size_t lanes_event(const struct lanes *l, int column)
{
	int c = column - l->left;
	if (l->columns == 0 || c < 0)
		return TIMELINE_NONE;
	if (c >= l->columns)
		c = l->columns - 1;
	size_t first = l->scale.first[c];
	if (first < l->scale.first[c + 1])
		return first;
	return first > 0 ? first - 1 : TIMELINE_NONE;
}

void lanes_put_glyph(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_char(out, (char)c);
	} else if (c < 0x800) {
		buf_char(out, (char)(0xc0 | c >> 6));
		buf_char(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_char(out, (char)(0xe0 | c >> 12));
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (c & 0x3f)));
	}
}

static void put_rows(const struct lanes *l, bool roles, struct buf *out)
{
	for (int r = 0; r < l->height; r++) {
		const struct lane_cell *cells = l->rows[r].cells;
		int end = l->width;
		while (end > 0 && cells[end - 1].glyph == ' ')
			end--;
		for (int c = 0; c < end; c++)
			lanes_put_glyph(out, roles ? (uint32_t)role_letter(cells[c].role) : cells[c].glyph);
		buf_char(out, '\n');
	}
}

void lanes_text(const struct lanes *l, struct buf *out)
{
	put_rows(l, false, out);
}

void lanes_roles(const struct lanes *l, struct buf *out)
{
	put_rows(l, true, out);
}
