#include "engine/dap_points.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions.h"
#include "engine/text.h"

#define PENDING "no program that runs here has code for it; it is looked for again in programs and libraries that begin later"

static void finish_point(struct dap_point *p)
{
	free(p->source);
	free(p->condition);
	free(p->message);
	free(p->why);
	*p = (struct dap_point){0};
}

void dap_points_finish(struct dap_server *s)
{
	while (s->point_count)
		finish_point(&s->points[--s->point_count]);
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

static void add_place(struct dap_server *s, size_t point, const struct process *p, uint64_t address)
{
	struct dap_point *own = &s->points[point];
	if (s->place_count == DAP_PLACES_MAX)
		return;
	s->places[s->place_count++] = (struct dap_place){.point = point, .pid = p->pid, .address = address, .size = 1};
	own->verified = true;
	own->at_address = address;
}

static void resolve_line(struct dap_server *s, size_t index, const struct process *p, const struct symbols *symbols)
{
	struct dap_point *point = &s->points[index];
	struct lines lines = {0};
	int line;
	if (point->pid) {
		point->at_line = point->line;
		if (point->pid == p->pid)
			add_place(s, index, p, point->address);
	} else if (lines_find(symbols, point->source, point->line, &lines, &line)) {
		for (size_t i = 0; i < lines.count; i++)
			add_place(s, index, p, lines.list[i]);
		point->at_line = line;
	}
	lines_finish(&lines);
}

static void add_code(struct dap_server *s, size_t index, const struct process *p, struct program *program, uint64_t address)
{
	const struct map *map = maps_at(program_maps(program), address);
	if (map && map->flags & MAPS_EXEC)
		add_place(s, index, p, address);
}

/* All functions of the name, where their arguments are in place; anything else that program_address understands is taken as it
 * is. */
static void resolve_function(struct dap_server *s, size_t index, const struct process *p, struct program *program)
{
	struct dap_point *point = &s->points[index];
	struct lines found = {0};
	uint64_t address;
	struct err ignored;
	if (!functions_find(program_symbols(program), point->source, &found) &&
		program_address(program, NULL, point->source, &address, NULL, &ignored))
		add_code(s, index, p, program, address);
	for (size_t i = 0; i < found.count; i++)
		add_code(s, index, p, program, found.list[i]);
	lines_finish(&found);
}

/* What is not mapped yet may be so when it is written. */
static void resolve_data(struct dap_server *s, size_t index, const struct process *p)
{
	struct dap_point *point = &s->points[index];
	size_t count = s->place_count;
	add_place(s, index, p, point->address);
	if (s->place_count > count)
		s->places[count].size = point->size;
}

static void resolve_in(struct dap_server *s, const struct process *p, struct program *program)
{
	for (size_t i = 0; i < s->point_count; i++) {
		struct dap_point *point = &s->points[i];
		if (point->kind == DAP_LINE)
			resolve_line(s, i, p, program_symbols(program));
		else if (point->kind == DAP_FUNCTION)
			resolve_function(s, i, p, program);
		else if (point->pid == p->pid && point->kind == DAP_DATA)
			resolve_data(s, i, p);
		else if (point->pid == p->pid)
			add_place(s, i, p, point->address);
	}
}

static struct json *describe(struct dap_server *s, struct dap_point *point)
{
	struct json *j = json_new_object();
	int line = point->verified ? point->at_line : point->line;
	json_put_u64(j, "id", point->id);
	json_put_bool(j, "verified", point->verified);
	if (!point->verified) {
		json_put_str(j, "message", point->why ? point->why : PENDING);
		json_put_str(j, "reason", point->why ? "failed" : "pending");
	}
	if (point->kind == DAP_LINE && line > 0)
		json_put_i64(j, "line", s->lines_from_0 ? line - 1 : line);
	if (point->verified && point->kind != DAP_DATA) {
		char *address = mem_printf("0x%" PRIx64, point->at_address);
		json_put_str(j, "instructionReference", address);
		free(address);
	}
	point->told_verified = point->verified;
	point->told_line = line;
	return j;
}

static void tell_change(struct dap_server *s, struct dap_point *point)
{
	int line = point->verified ? point->at_line : point->line;
	/* One that was found once is not taken back where its program does not run. */
	if (!point->verified || (point->told_verified && line == point->told_line))
		return;
	struct json *body = json_new_object();
	json_put_str(body, "reason", "changed");
	json_put(body, "breakpoint", describe(s, point));
	dap_client_event(&s->client, "breakpoint", body);
}

void dap_points_resolve(struct dap_server *s, bool tell)
{
	struct err ignored;
	const struct process_list *list = targets_processes(s->targets, &ignored);
	s->place_count = 0;
	for (size_t i = 0; i < s->point_count; i++)
		s->points[i].verified = false;
	for (size_t i = 0; list && s->point_count && i < list->count; i++) {
		const struct process *p = &list->list[i];
		struct program *program = targets_has(s->targets, p) ? targets_program(s->targets, p, &ignored) : NULL;
		if (program)
			resolve_in(s, p, program);
	}
	for (size_t i = 0; tell && i < s->point_count; i++)
		tell_change(s, &s->points[i]);
}

/* ---- what a client asks for -------------------------------------------------------------------------------------- */

/* "5", ">= 5", "% 3" */
static bool parse_times(const char *text, struct dap_point *point, struct err *err)
{
	static const struct {
		char text[3];
		enum dap_times times;
	} rows[] = {{"==", TIMES_EQUAL}, {"<=", TIMES_AT_MOST}, {">=", TIMES_AT_LEAST}, {"=", TIMES_EQUAL}, {"<", TIMES_LESS},
		{">", TIMES_MORE}, {"%", TIMES_EVERY}};
	const char *at = text + strspn(text, " ");
	point->times = TIMES_EQUAL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strncmp(at, rows[i].text, strlen(rows[i].text))) {
			point->times = rows[i].times;
			at += strlen(rows[i].text);
			break;
		}
	size_t size = strlen(at += strspn(at, " "));
	while (size && at[size - 1] == ' ')
		size--;
	char *number = mem_strn(at, size);
	bool ok = text_parse_u64(number, &point->number) && point->number && point->number <= INT64_MAX;
	free(number);
	return ok ||
		err_set(err, ERR_INPUT, "the hit condition is '%.60s': expected a number above 0, or < <= == >= > %% before one",
			text);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_point(const struct dap_point *a, const struct dap_point *b)
{
	return a->kind == b->kind && same_text(a->source, b->source) && a->line == b->line && a->address == b->address &&
		a->size == b->size && a->pid == b->pid && a->access == b->access && same_text(a->condition, b->condition) &&
		same_text(a->message, b->message) && a->times == b->times && a->number == b->number;
}

struct dap_change *dap_take_out(struct dap_server *s, enum dap_point_kind kind, const char *source)
{
	struct dap_change *c = mem_alloc(sizeof *c);
	size_t kept = 0;
	for (size_t i = 0; i < s->point_count; i++)
		if (s->points[i].kind == kind && (kind != DAP_LINE || same_text(s->points[i].source, source)))
			c->old[c->count++] = s->points[i];
		else
			s->points[kept++] = s->points[i];
	s->point_count = kept;
	return c;
}

void dap_put_in(struct dap_server *s, struct dap_change *c, struct dap_point *point, const struct json *asked, const char *why)
{
	const char *condition = dap_string(asked, "condition"), *times = dap_string(asked, "hitCondition");
	const char *message = dap_string(asked, "logMessage");
	struct err err = {0};
	point->condition = condition && *condition ? mem_strn(condition, strnlen(condition, DAP_TEXT_MAX)) : NULL;
	point->message = message && *message ? mem_strn(message, strnlen(message, DAP_TEXT_MAX)) : NULL;
	if (times && *times && !parse_times(times, point, &err) && !why)
		why = err.text;
	point->why = mem_str(why);
	for (size_t i = 0; i < c->count && !why; i++)
		if (c->old[i].id && same_point(&c->old[i], point)) {
			point->id = c->old[i].id;
			point->passed = c->old[i].passed;
			c->old[i].id = 0;
			break;
		}
	point->id = point->id ? point->id : ++s->last_id;
	s->points[s->point_count++] = *point;
}

bool dap_finish_change(struct dap_server *s, struct dap_change *c, size_t first)
{
	struct json *list = json_new_array();
	struct dap_point wrong[DAP_POINTS_MAX];
	size_t kept = first, wrong_count = 0, count = s->point_count;
	dap_points_resolve(s, false);
	for (size_t i = first; i < count; i++) {
		s->points[i].verified = s->points[i].verified && !s->points[i].why;
		json_push(list, describe(s, &s->points[i]));
	}
	/* What cannot be was said, and is not kept. */
	for (size_t i = first; i < count; i++)
		if (s->points[i].why)
			wrong[wrong_count++] = s->points[i];
		else
			s->points[kept++] = s->points[i];
	s->point_count = kept;
	while (wrong_count)
		finish_point(&wrong[--wrong_count]);
	for (size_t i = 0; i < c->count; i++)
		finish_point(&c->old[i]);
	free(c);
	json_put(s->body, "breakpoints", list);
	return true;
}

bool dap_points_fit(struct dap_server *s, const struct dap_change *c, size_t count, struct err *err)
{
	if (count <= DAP_POINTS_MAX - s->point_count)
		return true;
	for (size_t i = 0; i < c->count; i++)
		s->points[s->point_count++] = c->old[i];
	return err_set(err, ERR_USAGE, "%zu breakpoints are too many: expected at most %d in all", count, DAP_POINTS_MAX);
}
