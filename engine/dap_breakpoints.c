/* The breakpoints that a client sets, and where they are in the processes that live at a stop. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"
#include "engine/lines.h"
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
	struct lines lines;
	int line;
	if (lines_find(symbols, point->source, point->line, &lines, &line)) {
		for (size_t i = 0; i < lines.count; i++)
			add_place(s, index, p, lines.list[i]);
		point->at_line = line;
	}
	lines_finish(&lines);
}

/* Where the arguments of a function are in place; anything else that program_address understands is taken as it is. */
static void resolve_function(struct dap_server *s, size_t index, const struct process *p, struct program *program)
{
	struct dap_point *point = &s->points[index];
	uint64_t address, size;
	struct err ignored;
	const struct map *map;
	if (symbols_find(program_symbols(program), point->source, &address, &size))
		lines_body(program_symbols(program), address, &address);
	else if (!program_address(program, NULL, point->source, &address, NULL, &ignored))
		return;
	map = maps_at(program_maps(program), address);
	if (map && map->flags & MAPS_EXEC)
		add_place(s, index, p, address);
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

/* The breakpoints that one request replaces: those that were there keep their number and count. */
struct change {
	struct dap_point old[DAP_POINTS_MAX];
	size_t count;
};

static struct change *take_out(struct dap_server *s, enum dap_point_kind kind, const char *source)
{
	struct change *c = mem_alloc(sizeof *c);
	size_t kept = 0;
	for (size_t i = 0; i < s->point_count; i++)
		if (s->points[i].kind == kind && (kind != DAP_LINE || same_text(s->points[i].source, source)))
			c->old[c->count++] = s->points[i];
		else
			s->points[kept++] = s->points[i];
	s->point_count = kept;
	return c;
}

/* Adds one (taken over), with what all kinds have; why: it cannot be (may be NULL). Its place in the answer is the next. */
static void put_in(struct dap_server *s, struct change *c, struct dap_point *point, const struct json *asked, const char *why)
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

static bool finish_change(struct dap_server *s, struct change *c, size_t first)
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

/* Room for what is asked for, of those that stay. */
static bool fits(struct dap_server *s, const struct change *c, size_t count, struct err *err)
{
	if (count <= DAP_POINTS_MAX - s->point_count)
		return true;
	for (size_t i = 0; i < c->count; i++)
		s->points[s->point_count++] = c->old[i];
	return err_set(err, ERR_USAGE, "%zu breakpoints are too many: expected at most %d in all", count, DAP_POINTS_MAX);
}

static int line_of(struct dap_server *s, const struct json *asked)
{
	uint64_t line = dap_number(asked, "line", 0);
	return line < INT32_MAX ? (int)line + s->lines_from_0 : 0;
}

bool dap_set_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source"), *list = json_member(s->arguments, "breakpoints");
	const char *path = dap_string(source, "path"), *name = path ? path : dap_string(source, "name");
	if (!name)
		return err_set(err, ERR_INPUT, "setBreakpoints: expected a source with a path");
	char *own = dap_source_path(s, name);
	struct change *c = take_out(s, DAP_LINE, own);
	size_t first = s->point_count;
	if (!fits(s, c, json_count(list), err)) {
		free(own);
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		int line = line_of(s, json_at(list, i));
		put_in(s, c, &(struct dap_point){.kind = DAP_LINE, .source = mem_str(own), .line = line}, json_at(list, i),
			line > 0 ? NULL : "expected a line");
	}
	free(own);
	return finish_change(s, c, first);
}

bool dap_set_function_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct change *c = take_out(s, DAP_FUNCTION, NULL);
	size_t first = s->point_count;
	if (!fits(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const char *name = dap_string(json_at(list, i), "name");
		put_in(s, c, &(struct dap_point){.kind = DAP_FUNCTION, .source = mem_str(name ? name : "")}, json_at(list, i),
			name && *name ? NULL : "expected the name of a function");
	}
	return finish_change(s, c, first);
}

bool dap_set_instruction_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct change *c = take_out(s, DAP_INSTRUCTION, NULL);
	size_t first = s->point_count;
	if (!fits(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *asked = json_at(list, i);
		struct err wrong = {0};
		uint64_t address = 0;
		const struct process *p = dap_find_reference(s, dap_string(asked, "instructionReference"), &address, &wrong);
		put_in(s, c,
			&(struct dap_point){.kind = DAP_INSTRUCTION,
				.pid = p ? p->pid : 0,
				.address = address + (uint64_t)dap_signed(asked, "offset", 0)},
			asked, p ? NULL : wrong.text);
	}
	return finish_change(s, c, first);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* "75:0x404010:8": process, address, bytes. */
static bool parse_data_id(const char *text, struct dap_point *point, struct err *err)
{
	uint64_t numbers[3];
	const char *at = text ? text : "";
	size_t count = 0;
	while (count < 3 && *at >= '0' && *at <= '9') {
		char *end;
		numbers[count++] = strtoull(at, &end, 0);
		at = end + (*end == ':' && count < 3);
	}
	if (count != 3 || *at || !numbers[0] || numbers[0] > UINT32_MAX || !numbers[2])
		return err_set(err, ERR_INPUT, "dataId is '%.60s': expected one that dataBreakpointInfo gave", text ? text : "");
	point->pid = (uint32_t)numbers[0];
	point->address = numbers[1];
	point->size = numbers[2];
	return true;
}

bool dap_set_data_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct change *c = take_out(s, DAP_DATA, NULL);
	size_t first = s->point_count;
	if (!fits(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		struct dap_point point = {.kind = DAP_DATA};
		const char *access = dap_string(json_at(list, i), "accessType");
		struct err wrong = {0};
		bool ok = parse_data_id(dap_string(json_at(list, i), "dataId"), &point, &wrong);
		point.access = !access || !strcmp(access, "write") ? SCAN_WRITE
			: !strcmp(access, "read")                  ? SCAN_READ
			: !strcmp(access, "readWrite")             ? SCAN_ACCESS
								   : 0;
		if (ok && !point.access)
			ok = err_set(&wrong, ERR_INPUT, "accessType is '%.30s': expected read, write or readWrite", access);
		put_in(s, c, &point, json_at(list, i), ok ? NULL : wrong.text);
	}
	return finish_change(s, c, first);
}

/* "counter.total, 8 bytes at 0x404010 of counter/counter[75]" */
static void describe_data(
	struct dap_server *s, const char *name, const struct process *p, uint64_t address, uint64_t size, struct buf *out)
{
	text_put_safe(out, name, strlen(name));
	buf_printf(out, ", %" PRIu64 " byte%s at 0x%" PRIx64 " of ", size, size == 1 ? "" : "s", address);
	targets_name(s->targets, p, NULL, out);
}

bool dap_data_breakpoint_info(struct dap_server *s, struct err *err)
{
	const char *name = dap_string(s->arguments, "name");
	uint64_t address = 0, size = 0, bytes = dap_number(s->arguments, "bytes", 0);
	uint32_t pid = 0;
	struct err wrong = {0};
	struct buf text = {0};
	if (!name)
		return err_set(err, ERR_INPUT, "dataBreakpointInfo: expected a name");
	bool ok;
	if (dap_bool(s->arguments, "asAddress")) {
		const struct process *p = dap_find_reference(s, name, &address, &wrong);
		ok = p != NULL;
		pid = p ? p->pid : 0;
		size = 8;
	} else
		ok = dap_locate(s, dap_number(s->arguments, "variablesReference", 0), name,
			dap_number(s->arguments, "frameId", 0), &pid, &address, &size, &wrong);
	size = bytes ? bytes : size;
	const struct process_list *list = ok ? targets_processes(s->targets, &wrong) : NULL;
	const struct process *p = list ? process_find(list, pid) : NULL;
	ok = p && (size || err_set(&wrong, ERR_INPUT, "%.100s has no size", name));
	json_put(s->body, "dataId", json_new_null());
	if (ok) {
		char *id = mem_printf("%u:0x%" PRIx64 ":%" PRIu64, pid, address, size);
		struct json *types = json_new_array();
		json_put_str(s->body, "dataId", id);
		describe_data(s, name, p, address, size, &text);
		json_push(types, json_new_str("write"));
		json_push(types, json_new_str("read"));
		json_push(types, json_new_str("readWrite"));
		json_put(s->body, "accessTypes", types);
		free(id);
	} else
		buf_str(&text, wrong.text);
	json_put_str(s->body, "description", text.data);
	json_put_bool(s->body, "canPersist", false);
	buf_free(&text);
	return true;
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

bool dap_set_exception_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *filters = json_member(s->arguments, "filters");
	s->on_signals = s->on_failures = s->on_properties = false;
	struct json *list = json_new_array();
	for (size_t i = 0; i < json_count(filters); i++) {
		const char *name = NULL;
		json_as_str(json_at(filters, i), "filters", &name, NULL, NULL);
		bool is_signal = name && !strcmp(name, "signal"), is_failure = name && !strcmp(name, "failure");
		bool is_property = name && !strcmp(name, "property");
		s->on_signals |= is_signal;
		s->on_failures |= is_failure;
		s->on_properties |= is_property;
		if (!is_signal && !is_failure && !is_property) {
			json_destroy(list);
			return err_set(err, ERR_INPUT, "there is no filter '%.60s': expected signal, failure or property",
				name ? name : "");
		}
		struct json *j = json_new_object();
		json_put_bool(j, "verified", true);
		json_push(list, j);
	}
	json_put(s->body, "breakpoints", list);
	return true;
}

bool dap_breakpoint_locations(struct dap_server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source");
	const char *path = dap_string(source, "path"), *name = path ? path : dap_string(source, "name");
	const struct process_list *list = targets_processes(s->targets, err);
	int first = line_of(s, s->arguments);
	uint64_t end = dap_number(s->arguments, "endLine", 0);
	int last = end && end < INT32_MAX ? (int)end + s->lines_from_0 : first;
	struct lines lines = {0};
	if (!list || (!name && !err_set(err, ERR_INPUT, "breakpointLocations: expected a source with a path")))
		return false;
	char *own = dap_source_path(s, name);
	for (size_t i = 0; i < list->count; i++) {
		struct err ignored;
		struct program *program =
			targets_has(s->targets, &list->list[i]) ? targets_program(s->targets, &list->list[i], &ignored) : NULL;
		if (program)
			lines_with_code(program_symbols(program), own, first, last, &lines);
	}
	struct json *places = json_new_array();
	for (size_t i = 0; i < lines.count && i < DAP_LIST_MAX; i++) {
		struct json *j = json_new_object();
		json_put_u64(j, "line", lines.list[i] - s->lines_from_0);
		json_push(places, j);
	}
	json_put(s->body, "breakpoints", places);
	lines_finish(&lines);
	free(own);
	return true;
}
