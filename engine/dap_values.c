#include "engine/dap_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/expression.h"
#include "engine/value_parts.h"

/* ---- expressions ------------------------------------------------------------------------------------------------- */

bool dap_evaluate_value(const struct scope *scope, const char *text, struct value *ret, struct err *err)
{
	return expression_value(scope, text, ret, err);
}

bool dap_evaluate_number(const struct scope *scope, const char *text, uint64_t *ret, struct err *err)
{
	return expression_number(scope, text, ret, err);
}

void dap_print_value(const struct dap_server *s, const struct scope *scope, const struct value *value, struct buf *out)
{
	struct scope cut = *scope;
	struct buf text = {0};
	cut.world.room = s->whole ? DAP_CLIPBOARD_MAX : DAP_VALUE_MAX;
	variables_print_value_as(&cut, value, s->hex ? VALUE_HEX : VALUE_NATURAL, &text);
	buf_add(out, text.data ? text.data : "", text.size);
	buf_free(&text);
}

/* ---- numbers of values ------------------------------------------------------------------------------------------- */

size_t dap_add_reference(struct dap_server *s, struct dap_reference reference)
{
	if (s->reference_count == DAP_REFERENCES_MAX) {
		free(reference.expression);
		return 0;
	}
	ARRAY_PUSH(s->references, s->reference_count, s->reference_room) = reference;
	return s->references_before + s->reference_count;
}

const struct dap_reference *dap_reference(const struct dap_server *s, size_t number)
{
	return &s->references[number - s->references_before - 1];
}

const struct dap_reference *dap_find_value(struct dap_server *s, uint64_t number, struct err *err)
{
	if (number <= s->references_before || number - s->references_before > s->reference_count) {
		err_set(err, ERR_INPUT, "there is no variablesReference %" PRIu64 " here: they are of one stop", number);
		return NULL;
	}
	return dap_reference(s, number);
}

/* One of the variables of a scope, by its place among those of the same kind. */
struct pick {
	enum dap_reference_kind kind;
	uint64_t wanted, seen;
	bool found;
	char *name; /* owned */
	struct value value;
};

static void pick_one(void *data, const char *name, bool is_argument, const struct value *value)
{
	struct pick *p = data;
	if (p->kind != DAP_GLOBALS && is_argument != (p->kind == DAP_ARGUMENTS))
		return;
	if (p->seen++ != p->wanted)
		return;
	p->found = true;
	p->name = mem_str(name);
	p->value = *value;
}

void dap_each_variable(const struct scope *scope, enum dap_reference_kind kind, variables_visit *visit, void *data)
{
	if (kind == DAP_GLOBALS)
		variables_each_global(scope, visit, data);
	else
		variables_each_local(scope, visit, data);
}

bool dap_value_of(struct dap_server *s, size_t number, struct scope *scope, struct value *ret, struct err *err)
{
	uint64_t way[DAP_NESTING_MAX];
	size_t depth = 0;
	const struct dap_reference *r = dap_reference(s, number);
	while (r->kind == DAP_PART && depth < DAP_NESTING_MAX) {
		way[depth++] = r->index;
		r = dap_reference(s, r->parent);
	}
	if (!dap_find_frame(s, r->frame, scope, err))
		return false;
	if (r->kind == DAP_EXPRESSION) {
		if (!dap_evaluate_value(scope, r->expression, ret, err))
			return false;
	} else if (r->kind == DAP_VARIABLE) {
		struct pick pick = {.kind = dap_reference(s, r->parent)->kind, .wanted = r->index};
		dap_each_variable(scope, pick.kind, pick_one, &pick);
		free(pick.name);
		*ret = pick.value;
		if (!pick.found)
			return err_set(err, ERR_INPUT, "the variable is not here any more");
	} else
		return err_set(err, ERR_INPUT, "this is no value");
	while (depth) {
		struct buf ignored = {0};
		struct value whole = *ret;
		bool ok = value_part(&scope->world, &whole, way[--depth], ret, &ignored, &ignored);
		buf_free(&ignored);
		if (!ok)
			return err_set(err, ERR_INPUT, "the value has no such part any more");
	}
	return true;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

void dap_put_memory(struct dap_server *s, size_t frame, uint64_t address, struct json *j)
{
	struct err ignored;
	const struct dap_frame *f = dap_frame(s, frame, &ignored);
	const struct process_list *list = f ? targets_processes(s->targets, &ignored) : NULL;
	const struct process *p = list ? process_find(list, f->pid) : NULL;
	if (p)
		dap_put_reference(s, p, address, j, "memoryReference");
}

void dap_put_value(struct dap_server *s, const struct scope *scope, const struct value *value, struct dap_reference made,
	const char *key, struct json *j)
{
	struct value_parts parts;
	struct buf text = {0}, type = {0};
	dap_print_value(s, scope, value, &text);
	json_put(j, key, json_new_strn(text.data ? text.data : "", text.size));
	if (value->has_type) {
		value_print_type(value, &type);
		json_put(j, "type", json_new_strn(type.data ? type.data : "", type.size));
	}
	value_parts(&scope->world, value, &parts);
	if (made.expression && made.kind != DAP_EXPRESSION && !made.hidden)
		json_put_str(j, "evaluateName", made.expression);
	if (value->place == VALUE_MEMORY)
		dap_put_memory(s, made.frame, value->address, j);
	size_t number = 0;
	if (parts.count)
		number = dap_add_reference(s, made);
	else
		free(made.expression);
	json_put_u64(j, "variablesReference", number);
	if (number)
		json_put_u64(j, parts.indexed ? "indexedVariables" : "namedVariables", parts.count);
	buf_free(&text);
	buf_free(&type);
}
