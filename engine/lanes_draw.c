#include "engine/lanes_draw.h"

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

static const uint32_t unicode[G_COUNT] = {0x2500, 0x2502, 0x250c, 0x252c, 0x2510, 0x2514, 0x2534, 0x2518, 0x252c, 0x250a, 0x25b2,
	0x2026, 0x271d, 0x25cb, 0x251c, 0x2298, 0x25c6, 0x2524, 0x2500, 0x2713, 0x2717, 0x2013, '?', 0xb7, 0x2581, 0x2582, 0x2583,
	0x2584, 0x2585, 0x2586, 0x2587, 0x2588};
static const uint32_t ascii[G_COUNT] = {'-', '|', '+', '+', '+', '+', '+', '+', '+', '~', '^', '~', 'K', 'o', '[', 'x', '*', ']',
	'-', 'v', 'X', '0', '?', '.', ':', '-', '=', '+', '*', '%', '#', '@'};

/* -- drawing -- */

void lane_put(const struct lanes *l, int row, int column, uint32_t glyph, enum lane_role role)
{
	if (column < 0 || column >= l->width)
		return;
	l->rows[row].cells[column].glyph = glyph;
	l->rows[row].cells[column].role = (uint8_t)role;
}

void lane_put_text(const struct lanes *l, int row, int column, int end, const char *text, enum lane_role role)
{
	for (; *text && column < end; text++, column++)
		lane_put(l, row, column, (unsigned char)*text, role);
}

bool lane_is_blank(const struct lanes *l, int row, int from, int to)
{
	for (int c = from; c < to; c++)
		if (c < l->left || c >= l->left + l->columns || l->rows[row].cells[c].role != LANE_BLANK)
			return false;
	return true;
}

/* Names are plain text, but nothing of a run goes to a screen unlooked at. */
void lane_put_name(const struct draw *d, int row, int column, int room, const char *name, enum lane_role role)
{
	int i = 0;
	for (; name[i] && i < room; i++)
		lane_put(d->lanes, row, column + i, name[i] > ' ' && name[i] < 0x7f ? (unsigned char)name[i] : '?', role);
	if (name[i] && room > 0)
		lane_put(d->lanes, row, column + room - 1, d->glyphs[G_CUT], role);
}

void lane_draw_sides(const struct draw *d, int row, const char *label)
{
	struct lanes *l = d->lanes;
	if (!d->framed)
		return;
	lane_put(l, row, 0, d->glyphs[G_VERTICAL], LANE_FRAME);
	lane_put_name(d, row, 2, d->label, label, LANE_LABEL);
	lane_put(l, row, l->left - 1, d->glyphs[G_VERTICAL], LANE_FRAME);
	lane_put(l, row, l->width - 1, d->glyphs[G_VERTICAL], LANE_FRAME);
}

static void draw_border(const struct draw *d, int row, enum glyph left, enum glyph tee, enum glyph right)
{
	struct lanes *l = d->lanes;
	for (int c = d->framed ? 0 : l->left; c < l->width; c++)
		lane_put(l, row, c, d->glyphs[G_HORIZONTAL], LANE_FRAME);
	if (!d->framed)
		return;
	lane_put(l, row, 0, d->glyphs[left], LANE_FRAME);
	lane_put(l, row, l->left - 1, d->glyphs[tee], LANE_FRAME);
	lane_put(l, row, l->width - 1, d->glyphs[right], LANE_FRAME);
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
			lane_put(l, row, column, d->glyphs[G_TICK], LANE_AXIS);
			lane_put_text(l, row, column + 1, end, text->data, LANE_AXIS);
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
	lane_put_text(d->lanes, row, from + 1 + (room - size) / 2, from + p->columns - 1, text->data, LANE_GAP);
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
		lane_put(d->lanes, row, d->playhead, d->glyphs[G_PLAYHEAD], LANE_PLAYHEAD);
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
		if (lane_is_blank(l, row, from, from + 1))
			lane_put(l, row, from, d->glyphs[G_FOLD], LANE_GAP);
		if (lane_is_blank(l, row, to, to + 1))
			lane_put(l, row, to, d->glyphs[G_FOLD], LANE_GAP);
	}
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

static void draw_playhead(const struct draw *d)
{
	struct lanes *l = d->lanes;
	for (int r = 0; r < l->height && d->playhead >= 0; r++) {
		if (lane_is_blank(l, r, d->playhead, d->playhead + 1))
			lane_put(l, r, d->playhead, d->glyphs[G_VERTICAL], LANE_PLAYHEAD);
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
	struct lane_span *spans = lane_place_faults(&d, &count, &fault_rows);
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
	lane_draw_faults(&d, faults, h.faults, spans, count);
	lane_draw_nodes(&d, node, h.nodes, 1 + l->nodes_above);
	if (h.properties)
		lane_draw_properties(&d, properties);
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
