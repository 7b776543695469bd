/* The lanes themselves: nodes, faults, properties. */
#include "engine/lanes_draw.h"

#include <stdlib.h>
#include <string.h>

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
	case EVENT_USER_INPUT:
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
	lane_put(d->lanes, row, d->lanes->left + column, glyph, role);
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

void lane_draw_nodes(const struct draw *d, int row, int rows, int first_node)
{
	size_t nodes = timeline_node_count(d->t);
	int *row_of = mem_array(nodes, sizeof *row_of);
	for (size_t i = 0; i < nodes; i++)
		row_of[i] = (int)i >= first_node && (int)i < first_node + rows ? (int)i - first_node : -1;
	uint32_t most;
	struct tally *tallies = count_events(d, row_of, rows, &most);
	for (int r = 0; r < rows; r++) {
		d->lanes->rows[row + r].node = first_node + r;
		lane_draw_sides(d, row + r, timeline_node(d->t, (size_t)(first_node + r)));
		for (int c = 0; c < d->lanes->columns; c++)
			draw_tally(d, row + r, c, &tallies[r * d->lanes->columns + c], most);
	}
	free(tallies);
	free(row_of);
}

/* -- fault rows -- */

/* The first event after a fault was selected: faults are selected long before what starts them comes, often all at once. */
static size_t first_effect(const struct timeline_fault *f)
{
	size_t first = TIMELINE_NONE;
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		if (stage != FAULT_SELECTED && f->stage[stage] < first)
			first = f->stage[stage];
	return first;
}

/* Where a fault's name may start: after its start and whatever stages follow at once. */
static int name_column(const struct draw *d, const struct timeline_fault *f, int from, int size)
{
	int name = from + 1;
	for (bool moved = true; moved;) {
		moved = false;
		for (size_t stage = 0; stage < FAULT_STAGES; stage++) {
			int column = f->stage[stage] == TIMELINE_NONE ? -1 : scale_column(&d->lanes->scale, f->stage[stage]);
			if (column >= name && column < name + size && stage != FAULT_HEALED && stage != FAULT_SELECTED) {
				name = column + 1;
				moved = true;
			}
		}
	}
	return name;
}

/* Where its name goes: inside if the interval is long enough to show that it is one, else right after it. */
static void place_name(const struct draw *d, struct lane_span *span)
{
	const struct timeline_fault *f = timeline_fault(d->t, span->fault);
	int size = (int)strlen(f->id), last = d->lanes->columns - 1, to = span->to < last ? span->to : last;
	span->name = name_column(d, f, span->from < 0 ? -1 : span->from, size);
	if (f->stage[FAULT_APPLIED] == TIMELINE_NONE || span->name + size >= to)
		span->name = to + 1;
	span->end = (to > span->name + size - 1 ? to : span->name + size - 1) + 2;
}

static int by_start(const void *x, const void *y)
{
	const struct lane_span *a = x, *b = y;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->fault < b->fault ? -1 : a->fault > b->fault;
}

struct lane_span *lane_place_faults(const struct draw *d, size_t *ret_count, int *ret_rows)
{
	const struct scale *s = &d->lanes->scale;
	int free_from[LANES_FAULT_ROWS_MAX] = {0}, rows = 0;
	size_t faults = timeline_fault_count(d->t), count = 0;
	struct lane_span *spans = mem_array(faults, sizeof *spans);
	for (size_t i = 0; i < faults && s->columns > 0; i++) {
		size_t first, last, effect = first_effect(timeline_fault(d->t, i)), end = s->first[s->columns];
		timeline_fault_span(d->t, i, &first, &last);
		/* Where only its selection is in sight, that is all there is of it. */
		if (effect < end)
			first = effect;
		else
			last = first;
		if (first == TIMELINE_NONE || last < s->first[0] || first >= end)
			continue;
		spans[count] = (struct lane_span){.fault = i, .from = scale_column(s, first), .to = scale_column(s, last)};
		place_name(d, &spans[count++]);
	}
	qsort(spans, count, sizeof *spans, by_start);
	for (size_t i = 0; i < count; i++) {
		struct lane_span *span = &spans[i];
		while (span->row < LANES_FAULT_ROWS_MAX - 1 && free_from[span->row] > (span->from < 0 ? 0 : span->from))
			span->row++;
		free_from[span->row] = span->end > free_from[span->row] ? span->end : free_from[span->row];
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
		lane_put(d->lanes, row, d->lanes->left + column, d->glyphs[glyph], role);
}

static void draw_fault(const struct draw *d, int row, const struct lane_span *span)
{
	const struct timeline_fault *f = timeline_fault(d->t, span->fault);
	struct lanes *l = d->lanes;
	int from = f->stage[FAULT_APPLIED] == TIMELINE_NONE ? l->columns : scale_column(&l->scale, f->stage[FAULT_APPLIED]);
	int to = span->to < l->columns ? span->to : l->columns - 1;
	int size = (int)strlen(f->id), name = l->left + span->name;
	for (int c = from < 0 ? 0 : from; c <= to; c++)
		lane_put(l, row, l->left + c, d->glyphs[G_FAULT_LASTS], LANE_FAULT);
	if (span->name <= to || lane_is_blank(l, row, name, name + size))
		lane_put_name(d, row, name, size, f->id, LANE_FAULT);
	/* What happened last is what shows where several stages share a cell; but healing tells least. */
	draw_stage(d, row, f->stage[FAULT_HEALED], G_FAULT_HEALED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_OBSERVED], G_FAULT_OBSERVED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_APPLIED], G_FAULT_APPLIED, LANE_FAULT_EDGE);
	draw_stage(d, row, f->stage[FAULT_REJECTED], G_FAULT_REJECTED, LANE_FAULT_REJECTED);
}

void lane_draw_faults(const struct draw *d, int row, int rows, const struct lane_span *spans, size_t count)
{
	for (int r = 0; r < rows; r++)
		lane_draw_sides(d, row + r, r == 0 ? "faults" : "");
	for (size_t i = 0; i < count && rows > 0; i++)
		draw_fault(d, row + (spans[i].row < rows ? spans[i].row : rows - 1), &spans[i]);
	/* Selections last, where there is room. */
	for (size_t i = 0; i < count && rows > 0; i++) {
		size_t selected = timeline_fault(d->t, spans[i].fault)->stage[FAULT_SELECTED];
		int column = selected == TIMELINE_NONE ? -1 : scale_column(&d->lanes->scale, selected);
		int r = row + (spans[i].row < rows ? spans[i].row : rows - 1), c = d->lanes->left + column;
		if (column >= 0 && lane_is_blank(d->lanes, r, c, c + 1))
			draw_stage(d, r, selected, G_FAULT_SELECTED, LANE_FAULT_EDGE);
	}
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
	if (lane_is_blank(l, row, right - 1, right + size))
		lane_put_name(d, row, right, size, p->fact->id, LANE_FAIL);
	else if (lane_is_blank(l, row, before > l->left ? before - 1 : before, l->left + column))
		lane_put_name(d, row, before, size, p->fact->id, LANE_FAIL);
}

void lane_draw_properties(const struct draw *d, int row)
{
	/* Worst last, so that it is what is seen where several share a cell. */
	static const enum verdict order[] = {VERDICT_PASS, VERDICT_UNEXERCISED, VERDICT_UNKNOWN, VERDICT_FAIL};
	size_t count = timeline_property_count(d->t);
	lane_draw_sides(d, row, "props");
	for (size_t v = 0; v < sizeof order / sizeof *order; v++)
		for (size_t i = 0; i < count; i++) {
			const struct timeline_property *p = timeline_property(d->t, i);
			int column = property_column(d, p);
			if (p->fact->verdict == order[v] && column >= 0)
				lane_put(d->lanes, row, d->lanes->left + column, d->glyphs[verdict_glyph(order[v])],
					verdict_role(order[v]));
		}
	for (size_t i = 0; i < count; i++)
		if (timeline_property(d->t, i)->fact->verdict == VERDICT_FAIL)
			draw_property_name(d, row, timeline_property(d->t, i));
}
