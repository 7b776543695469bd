/* Variables as trees that a client unfolds: scopes of a frame, their variables and registers, parts of values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_values.h"
#include "engine/expression.h"
#include "engine/text.h"
#include "engine/value_parts.h"

struct listing {
	struct dap_server *s;
	const struct scope *scope;
	enum dap_reference_kind kind;
	size_t frame, parent;
	uint64_t start, count, seen;
	struct json *list;
};

static bool is_wanted(struct listing *l)
{
	uint64_t at = l->seen++;
	return at >= l->start && at - l->start < l->count;
}

static void list_variable(void *data, const char *name, bool is_argument, const struct value *value)
{
	struct listing *l = data;
	if (l->kind != DAP_GLOBALS && is_argument != (l->kind == DAP_ARGUMENTS))
		return;
	uint64_t index = l->seen;
	if (!is_wanted(l))
		return;
	struct json *j = json_new_object();
	struct buf safe = {0};
	text_put_safe(&safe, name, strlen(name));
	json_put(j, "name", json_new_strn(safe.data, safe.size));
	dap_put_value(l->s, l->scope, value,
		(struct dap_reference){.kind = DAP_VARIABLE,
			.frame = l->frame,
			.parent = l->parent,
			.index = index,
			.expression = mem_str(name)},
		"value", j);
	json_push(l->list, j);
	buf_free(&safe);
}

/* The expression of a part of something that has one. */
static char *expression_of(const char *whole, const char *suffix)
{
	bool is_prefixed = whole && strchr("*&-(", *whole), follows = !strcmp(suffix, "*");
	if (!whole || strlen(whole) + strlen(suffix) + 3 > EXPRESSION_MAX)
		return NULL;
	if (follows)
		return mem_printf(is_prefixed ? "*(%s)" : "*%s", whole);
	return mem_printf(is_prefixed && *suffix ? "(%s)%s" : "%s%s", whole, suffix);
}

static size_t depth_of(const struct dap_server *s, size_t number)
{
	size_t depth = 0;
	for (; number && dap_reference(s, number)->kind == DAP_PART; number = dap_reference(s, number)->parent)
		depth++;
	return depth;
}

static bool list_parts(struct listing *l, const struct value *value)
{
	struct value_parts parts;
	value_parts(&l->scope->world, value, &parts);
	bool deep = depth_of(l->s, l->parent) + 1 >= DAP_NESTING_MAX;
	for (uint64_t i = l->start; i < parts.count && i - l->start < l->count; i++) {
		struct buf name = {0}, suffix = {0};
		struct value part;
		if (value_part(&l->scope->world, value, i, &part, &name, &suffix)) {
			struct json *j = json_new_object();
			json_put_str(j, "name", name.size ? name.data : "(no name)");
			char *expression =
				expression_of(dap_reference(l->s, l->parent)->expression, suffix.data ? suffix.data : "");
			dap_put_value(l->s, l->scope, &part,
				(struct dap_reference){.kind = DAP_PART,
					.frame = l->frame,
					.parent = l->parent,
					.index = i,
					.expression = expression,
					.hidden = !suffix.size},
				"value", j);
			if (deep)
				json_put_u64(j, "variablesReference", 0);
			json_push(l->list, j);
		}
		buf_free(&name);
		buf_free(&suffix);
	}
	return true;
}

static void push_register(struct listing *l, const char *name, bool known, uint64_t high, uint64_t low, bool wide)
{
	struct json *j = json_new_object();
	char *value = !known ? mem_str("<not known in this frame>")
		: wide       ? mem_printf("0x%016" PRIx64 "%016" PRIx64, high, low)
			     : mem_printf("0x%" PRIx64, low);
	if (is_wanted(l)) {
		json_put_str(j, "name", name);
		json_put_str(j, "value", value);
		if (!wide && known && *name == 'r' && strcmp(name, "rflags") != 0) {
			char *expression = mem_printf("$%s", name);
			json_put_str(j, "evaluateName", expression);
			dap_put_memory(l->s, l->frame, low, j);
			free(expression);
		}
		json_put_u64(j, "variablesReference", 0);
		json_push(l->list, j);
	} else
		json_destroy(j);
	free(value);
}

/* Those of the frame; of the thread that is on the processor, in its innermost frame, all that there are. */
static bool list_registers(struct listing *l, const struct frame *frame, struct err *err)
{
	static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
		"r12", "r13", "r14", "r15", "rip"};
	static const unsigned char order[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	const struct stop *stop = here_stop(session_here(l->s->verbs->session), err);
	const struct frame_registers *r = &frame->registers;
	if (!stop)
		return false;
	bool live = !frame->kernel && frame->how == FRAME_FIRST;
	for (size_t i = 0; i < sizeof order; i++)
		push_register(l, names[order[i]], r->known >> order[i] & 1, 0, r->value[order[i]], false);
	uint64_t value;
	const char *name;
	for (size_t i = sizeof order; live && (name = regs_name(i, &stop->regs, &value)) != NULL && *name != 'x'; i++)
		push_register(l, name, true, 0, value, false);
	if (!live && r->fs_base)
		push_register(l, "fs_base", true, 0, r->fs_base, false);
	for (size_t i = 0; i < 16; i++) {
		char xmm[8] = {'x', 'm', 'm', (char)('0' + (i > 9 ? 1 : i)), i > 9 ? (char)('0' + i - 10) : '\0'};
		if (r->known >> (FRAME_XMM0 + i) & 1)
			push_register(l, xmm, true, r->high[i], r->value[FRAME_XMM0 + i], true);
	}
	return true;
}

bool dap_variables(struct dap_server *s, struct err *err)
{
	uint64_t number = dap_number(s->arguments, "variablesReference", 0), count = dap_number(s->arguments, "count", 0);
	const char *filter = dap_string(s->arguments, "filter");
	const struct dap_reference *r = dap_find_value(s, number, err);
	struct scope scope = {0};
	struct listing l = {.s = s,
		.scope = &scope,
		.parent = number,
		.start = dap_number(s->arguments, "start", 0),
		.count = count && count < DAP_VARIABLES_MAX * 10 ? count : DAP_VARIABLES_MAX,
		.list = json_new_array()};
	json_put(s->body, "variables", l.list);
	if (!r)
		return false;
	l.kind = r->kind;
	l.frame = r->frame;
	if (l.kind >= DAP_VARIABLE) {
		struct value value;
		struct value_parts parts;
		if (!dap_value_of(s, number, &scope, &value, err))
			return false;
		value_parts(&scope.world, &value, &parts);
		/* Members or elements only, where a client asks for one of the two. */
		if (filter && !strcmp(filter, "indexed") != parts.indexed)
			return true;
		return list_parts(&l, &value);
	}
	if (filter && !strcmp(filter, "indexed"))
		return true;
	if (!dap_find_frame(s, l.frame, &scope, err))
		return false;
	if (l.kind == DAP_REGISTERS)
		return list_registers(&l, scope.frame, err);
	dap_each_variable(&scope, l.kind, list_variable, &l);
	return true;
}

static void count_variable(void *data, const char *name, bool is_argument, const struct value *value)
{
	uint64_t *counts = data;
	(void)name, (void)value;
	counts[is_argument]++;
}

static void push_scope(struct dap_server *s, const char *name, const char *hint, enum dap_reference_kind kind, size_t frame,
	uint64_t count, struct json *list)
{
	struct json *j = json_new_object();
	json_put_str(j, "name", name);
	if (hint)
		json_put_str(j, "presentationHint", hint);
	json_put_u64(j, "variablesReference", dap_add_reference(s, (struct dap_reference){.kind = kind, .frame = frame}));
	if (count)
		json_put_u64(j, "namedVariables", count);
	json_put_bool(j, "expensive", kind == DAP_GLOBALS);
	json_push(list, j);
}

bool dap_scopes(struct dap_server *s, struct err *err)
{
	uint64_t frame = dap_number(s->arguments, "frameId", 0), counts[2] = {0}, globals[2] = {0};
	struct scope scope;
	struct json *list = json_new_array();
	json_put(s->body, "scopes", list);
	if (!dap_find_frame(s, frame, &scope, err))
		return false;
	variables_each_local(&scope, count_variable, counts);
	variables_each_global(&scope, count_variable, globals);
	if (counts[1])
		push_scope(s, "Arguments", "arguments", DAP_ARGUMENTS, frame, counts[1], list);
	push_scope(s, "Locals", "locals", DAP_LOCALS, frame, counts[0], list);
	if (globals[0])
		push_scope(s, "Globals", NULL, DAP_GLOBALS, frame, globals[0], list);
	push_scope(s, "Registers", "registers", DAP_REGISTERS, frame, 0, list);
	return true;
}
