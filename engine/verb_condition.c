/* Conditions that debug commands take behind "if", and places that they watch for being written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/verb.h"

bool verb_take_test(const struct words *w, size_t i, const char **ret, struct err *err)
{
	*ret = NULL;
	if (w->count <= i)
		return true;
	if (strcmp(w->list[i], "if") || w->count == i + 1)
		return err_set(err, ERR_USAGE, "'%.60s': expected `if` and an expression, such as: %s %.60s if count > 5",
			w->list[i], w->list[0], w->list[1]);
	*ret = w->rest[i + 1];
	return true;
}

static bool scope_here(struct verbs *v, struct scope *ret, struct err *err)
{
	struct err ignored;
	struct here *here = session_here(v->session);
	struct program *program = here_program(here, 0, err);
	if (program)
		*ret = program_scope(program, here_frame(here, NULL, &ignored));
	return program != NULL;
}

/* pc: the code that it is for; 0: for what is written, which has the type `written` unless that is NULL. */
static struct scan_condition *condition(
	struct verbs *v, const char *text, uint64_t pc, const struct value *written, struct err *err)
{
	struct scope scope;
	struct space space;
	if (!scope_here(v, &scope, err))
		return NULL;
	struct frame frame = {.pc = pc};
	const struct frame *before = scope.frame;
	if (pc)
		scope.frame = &frame; /* names are those of the code */
	struct expression *e = expression_parse(&scope, text, err);
	struct scan_condition *c = mem_alloc(sizeof *c);
	scope.frame = before;
	bool ok = e &&
		(pc ? scan_condition_at(e, &scope, pc, c, err)
		    : here_space(session_here(v->session), &space, err) &&
					scan_condition_here(e, &scope, &space, written, c, err));
	expression_destroy(e);
	if (ok)
		return c;
	free(c);
	return NULL;
}

struct scan_condition *verb_code_condition(struct verbs *v, const char *text, uint64_t pc, struct err *err)
{
	return condition(v, text, pc, NULL, err);
}

/* What is at a place that was typed and is watched: what the expression says, or without a type of that size a whole number. */
static struct value type_there(struct verbs *v, const char *place, uint64_t size)
{
	static const char *const numbers[] = {
		[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long"};
	struct err ignored;
	struct scope scope;
	struct value there;
	uint64_t address;
	if (scope_here(v, &scope, &ignored) && expression_value(&scope, place, &there, &ignored) && there.place == VALUE_MEMORY &&
		value_size(&there) == size && verb_address(v, place, &address, NULL, &ignored) && address == there.address)
		return there;
	there = value_of_number(0, VALUE_UNSIGNED);
	const char *name = size < sizeof numbers / sizeof *numbers ? numbers[size] : NULL;
	there.builtin = name ? value_builtin(name, strlen(name)) : NULL;
	return there;
}

struct scan_condition *verb_write_condition(
	struct verbs *v, const char *text, const char *place, const struct scan_watch *watch, struct err *err)
{
	struct value written = type_there(v, place, watch->high - watch->low);
	return condition(v, text, 0, watch->kind == SCAN_WRITE ? &written : NULL, err);
}

bool verb_add_access(struct verbs *v, uint32_t kind, const char *place, const char *test, struct scan_request *r,
	struct scan_watch *ret, struct err *err)
{
	struct scan_condition *c = NULL;
	if (!verb_memory_watch(v, place, 0, ret, err))
		return false;
	ret->kind = kind;
	bool ok = (!test || (c = verb_write_condition(v, test, place, ret, err))) && (!c || scan_condition_add(c, r, ret, err)) &&
		verb_add_watch(r, ret, err);
	free(c);
	return ok;
}

bool verb_watch_truth(struct verbs *v, const char *text, struct scan_request *r, struct err *err)
{
	struct scan_condition *c = condition(v, text, 0, NULL, err);
	struct scan_watch watch = {.kind = SCAN_WRITE};
	bool ok = c && scan_condition_add(c, r, &watch, err);
	for (uint32_t i = 0; ok && i < c->place_count; i++) {
		watch.low = c->places[i].low;
		watch.high = c->places[i].high;
		ok = verb_add_watch(r, &watch, err);
	}
	free(c);
	return ok;
}
