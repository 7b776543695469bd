/* Breakpoints by line, function, instruction and exception as a client sets them, and where a file may have some. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_points.h"
#include "engine/dap_sources.h"
#include "engine/lines.h"

static int line_of(struct dap_server *s, const struct json *asked)
{
	uint64_t line = dap_number(asked, "line", 0);
	return line < INT32_MAX ? (int)line + s->lines_from_0 : 0;
}

bool dap_set_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source"), *list = json_member(s->arguments, "breakpoints");
	const char *path = dap_string(source, "path"), *name = path ? path : dap_string(source, "name");
	uint64_t number = dap_number(source, "sourceReference", 0);
	if (!name && !number)
		return err_set(err, ERR_INPUT, "setBreakpoints: expected a source with a path");
	char *own = number ? mem_printf("(instructions) %" PRIu64, number) : dap_source_path(s, name);
	struct dap_change *c = dap_take_out(s, DAP_LINE, own);
	size_t first = s->point_count;
	if (!dap_points_fit(s, c, json_count(list), err)) {
		free(own);
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		struct dap_point point = {.kind = DAP_LINE, .source = mem_str(own), .line = line_of(s, json_at(list, i))};
		struct err wrong = {.text = "expected a line"};
		bool ok =
			number ? dap_listing_address(s, number, point.line, &point.pid, &point.address, &wrong) : point.line > 0;
		dap_put_in(s, c, &point, json_at(list, i), ok ? NULL : wrong.text);
	}
	free(own);
	return dap_finish_change(s, c, first);
}

bool dap_set_function_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct dap_change *c = dap_take_out(s, DAP_FUNCTION, NULL);
	size_t first = s->point_count;
	if (!dap_points_fit(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const char *name = dap_string(json_at(list, i), "name");
		dap_put_in(s, c, &(struct dap_point){.kind = DAP_FUNCTION, .source = mem_str(name ? name : "")}, json_at(list, i),
			name && *name ? NULL : "expected the name of a function");
	}
	return dap_finish_change(s, c, first);
}

bool dap_set_instruction_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct dap_change *c = dap_take_out(s, DAP_INSTRUCTION, NULL);
	size_t first = s->point_count;
	if (!dap_points_fit(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *asked = json_at(list, i);
		struct err wrong = {0};
		uint64_t address = 0;
		const struct process *p = dap_find_reference(s, dap_string(asked, "instructionReference"), &address, &wrong);
		dap_put_in(s, c,
			&(struct dap_point){.kind = DAP_INSTRUCTION,
				.pid = p ? p->pid : 0,
				.address = address + (uint64_t)dap_signed(asked, "offset", 0)},
			asked, p ? NULL : wrong.text);
	}
	return dap_finish_change(s, c, first);
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
