/*
 * Variables as trees that a client unfolds, and expressions. A number that the client holds is a way to a value, not the value:
 * it is gone again from the frame's variables or its expression each time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"
#include "engine/expression.h"
#include "engine/text.h"
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

void dap_print_value(const struct scope *scope, const struct value *value, struct buf *out)
{
	struct scope cut = *scope;
	struct buf text = {0};
	cut.world.room = DAP_VALUE_MAX;
	variables_print_value(&cut, value, &text);
	buf_add(out, text.data ? text.data : "", text.size);
	buf_free(&text);
}

/* ---- numbers of values ------------------------------------------------------------------------------------------- */

/* The number that stands for what it says; 0 when there are too many. expression is taken over. */
static size_t add_reference(struct dap_server *s, struct dap_reference reference)
{
	if (s->reference_count == DAP_REFERENCES_MAX) {
		free(reference.expression);
		return 0;
	}
	ARRAY_PUSH(s->references, s->reference_count, s->reference_room) = reference;
	return s->reference_count;
}

static const struct dap_reference *find_reference(struct dap_server *s, uint64_t number, struct err *err)
{
	if (!number || number > s->reference_count) {
		err_set(err, ERR_INPUT, "there is no variablesReference %" PRIu64 " here: they are of one stop", number);
		return NULL;
	}
	return &s->references[number - 1];
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

static void each_variable(const struct scope *scope, enum dap_reference_kind kind, variables_visit *visit, void *data)
{
	if (kind == DAP_GLOBALS)
		variables_each_global(scope, visit, data);
	else
		variables_each_local(scope, visit, data);
}

/* What a number stands for: from the variable or expression at its root down to it. */
static bool value_of(struct dap_server *s, size_t number, struct scope *scope, struct value *ret, struct err *err)
{
	uint64_t way[DAP_NESTING_MAX];
	size_t depth = 0;
	const struct dap_reference *r = &s->references[number - 1];
	while (r->kind == DAP_PART && depth < DAP_NESTING_MAX) {
		way[depth++] = r->index;
		r = &s->references[r->parent - 1];
	}
	if (!dap_find_frame(s, r->frame, scope, err))
		return false;
	if (r->kind == DAP_EXPRESSION) {
		if (!dap_evaluate_value(scope, r->expression, ret, err))
			return false;
	} else if (r->kind == DAP_VARIABLE) {
		struct pick pick = {.kind = s->references[r->parent - 1].kind, .wanted = r->index};
		each_variable(scope, pick.kind, pick_one, &pick);
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

/* value, type, what can be unfolded, where it is. made: its own way to it, used when it has parts. */
static void put_value(struct dap_server *s, const struct scope *scope, const struct value *value, struct dap_reference made,
	const char *key, struct json *j)
{
	struct value_parts parts;
	struct buf text = {0}, type = {0};
	dap_print_value(scope, value, &text);
	json_put(j, key, json_new_strn(text.data ? text.data : "", text.size));
	if (value->has_type) {
		value_print_type(value, &type);
		json_put(j, "type", json_new_strn(type.data ? type.data : "", type.size));
	}
	value_parts(&scope->world, value, &parts);
	if (made.expression && made.kind != DAP_EXPRESSION && !made.hidden)
		json_put_str(j, "evaluateName", made.expression);
	if (value->place == VALUE_MEMORY) {
		char *address = mem_printf("0x%" PRIx64, value->address);
		json_put_str(j, "memoryReference", address);
		free(address);
	}
	size_t number = 0;
	if (parts.count)
		number = add_reference(s, made);
	else
		free(made.expression);
	json_put_u64(j, "variablesReference", number);
	if (number)
		json_put_u64(j, parts.indexed ? "indexedVariables" : "namedVariables", parts.count);
	buf_free(&text);
	buf_free(&type);
}

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
	put_value(l->s, l->scope, value,
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
	for (; number && s->references[number - 1].kind == DAP_PART; number = s->references[number - 1].parent)
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
				expression_of(l->s->references[l->parent - 1].expression, suffix.data ? suffix.data : "");
			put_value(l->s, l->scope, &part,
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
			json_put_str(j, "memoryReference", value);
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
	const struct dap_reference *r = find_reference(s, number, err);
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
		if (!value_of(s, number, &scope, &value, err))
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
	each_variable(&scope, l.kind, list_variable, &l);
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
	json_put_u64(j, "variablesReference", add_reference(s, (struct dap_reference){.kind = kind, .frame = frame}));
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

/* ---- evaluate ---------------------------------------------------------------------------------------------------- */

/* The frame that a request names, or the innermost of user code of the thread in focus. */
static uint64_t frame_of_request(struct dap_server *s, uint64_t frame)
{
	const struct process *p;
	struct err ignored;
	if (frame)
		return frame;
	const struct thread *thread = dap_focus(s, &p, &ignored);
	const struct frames *frames = thread ? targets_frames(s->targets, p, thread, &ignored) : NULL;
	for (size_t i = 0; frames && i < frames->count && s->frame_count < DAP_FRAMES_MAX; i++)
		if (!frames->list[i].kernel) {
			ARRAY_PUSH(s->frames, s->frame_count, s->frame_room) = (struct dap_frame){p->pid, thread->id, i, 1};
			return s->frame_count;
		}
	return 0;
}

static bool evaluate_expression(struct dap_server *s, const char *text, uint64_t frame, struct err *err)
{
	struct scope scope;
	struct value value;
	frame = frame_of_request(s, frame);
	if (!frame)
		return err_set(err, ERR_INPUT, "no thread of a node has code of its own here");
	if (!dap_find_frame(s, frame, &scope, err) || !dap_evaluate_value(&scope, text, &value, err))
		return false;
	put_value(s, &scope, &value, (struct dap_reference){.kind = DAP_EXPRESSION, .frame = frame, .expression = mem_str(text)},
		"result", s->body);
	return true;
}

/* The verbs of `polecat debug` are about the thread and frame that the client looks at. */
static void look_at_frame(struct dap_server *s, uint64_t frame)
{
	struct here *here = session_here(s->verbs->session);
	if (!frame || frame > s->frame_count)
		return;
	const struct dap_frame *f = &s->frames[frame - 1];
	here_choose(here, f->pid, f->thread);
	here_choose_frame(here, f->index);
}

static bool run_verb(struct dap_server *s, const char *text, uint64_t frame, struct err *err)
{
	struct session *session = s->verbs->session;
	struct here *here = session_here(session);
	struct here_choice choice = here_choice(here);
	uint64_t before = session_icount(session);
	struct buf out = {0};
	look_at_frame(s, frame);
	bool ok = verbs_run(s->verbs, text, strlen(text), &out, err);
	if (frame)
		here_set_choice(here, &choice);
	targets_moved(s->targets);
	size_t size = out.size && out.data[out.size - 1] == '\n' ? out.size - 1 : out.size;
	json_put(s->body, "result", json_new_strn(out.data ? out.data : "", size));
	json_put_u64(s->body, "variablesReference", 0);
	buf_free(&out);
	s->leaving = s->leaving || s->verbs->quit;
	s->repl_moved = session_icount(session) != before;
	return ok;
}

/* The console takes commands, and expressions where it is no command; everything else asks for a variable. */
bool dap_evaluate(struct dap_server *s, struct err *err)
{
	const char *text = dap_string(s->arguments, "expression"), *context = dap_string(s->arguments, "context");
	uint64_t frame = dap_number(s->arguments, "frameId", 0);
	if (!text)
		return err_set(err, ERR_INPUT, "evaluate: expected an expression");
	if (!context || strcmp(context, "repl") != 0)
		return evaluate_expression(s, text, frame, err);
	struct err wrong = {0};
	char *word = mem_strn(text + strspn(text, " \t"), strcspn(text + strspn(text, " \t"), " \t"));
	bool is_verb = !*word || *word == '#' || verbs_find(word, err);
	free(word);
	if (!is_verb && evaluate_expression(s, text, frame, &wrong))
		return true;
	return is_verb && run_verb(s, text, frame, err);
}

bool dap_locate(struct dap_server *s, uint64_t reference, const char *name, uint64_t frame, uint32_t *ret_pid,
	uint64_t *ret_address, uint64_t *ret_size, struct err *err)
{
	struct scope scope;
	struct value value, part;
	uint64_t index = 0;
	if (!reference) {
		frame = frame_of_request(s, frame);
		if (!frame)
			return err_set(err, ERR_INPUT, "no thread of a node has code of its own here");
		if (!dap_find_frame(s, frame, &scope, err) || !dap_evaluate_value(&scope, name, &value, err))
			return false;
	} else {
		const struct dap_reference *r = find_reference(s, reference, err);
		if (!r)
			return false;
		frame = r->frame;
		if (r->kind == DAP_REGISTERS)
			return err_set(
				err, ERR_INPUT, "%.40s is a register: `last $%.40s` in the console finds who set it", name, name);
		if (r->kind < DAP_VARIABLE) {
			if (!dap_find_frame(s, frame, &scope, err) || !expression_value(&scope, name, &value, err))
				return false;
		} else {
			struct value whole;
			bool found = false;
			if (!value_of(s, reference, &scope, &whole, err))
				return false;
			for (struct buf called = {0}, suffix = {0};
				!found && value_part(&scope.world, &whole, index, &part, &called, &suffix); index++) {
				found = called.data && !strcmp(called.data, name);
				buf_free(&called);
				buf_free(&suffix);
			}
			if (!found)
				return err_set(err, ERR_INPUT, "there is no part %.100s", name);
			value = part;
		}
	}
	*ret_pid = s->frames[frame - 1].pid;
	*ret_address = value.address;
	*ret_size = value.has_type ? value_size(&value) : value.size;
	return value.place == VALUE_MEMORY ||
		err_set(err, ERR_INPUT, "%.100s is not in memory here, so nobody can be seen writing it", name);
}

/* ---- completions ------------------------------------------------------------------------------------------------- */

struct completing {
	struct json *list;
	const char *word;
	size_t size;
	uint64_t start;
};

static void push_completion(struct completing *c, const char *label, const char *type)
{
	if (strncmp(label, c->word, c->size) != 0 || json_count(c->list) >= DAP_VARIABLES_MAX)
		return;
	struct json *j = json_new_object();
	json_put_str(j, "label", label);
	json_put_str(j, "type", type);
	json_put_u64(j, "start", c->start);
	json_put_u64(j, "length", c->size);
	json_push(c->list, j);
}

static void complete_variable(void *data, const char *name, bool is_argument, const struct value *value)
{
	(void)is_argument, (void)value;
	push_completion(data, name, "variable");
}

bool dap_completions(struct dap_server *s, struct err *err)
{
	const char *text = dap_string(s->arguments, "text");
	uint64_t column = dap_number(s->arguments, "column", 1);
	struct err ignored;
	struct scope scope;
	if (!text)
		return err_set(err, ERR_INPUT, "completions: expected a text");
	size_t end = column && column - 1 < strlen(text) ? (size_t)column - 1 : strlen(text), start = end;
	while (start &&
		(text[start - 1] == '_' || (text[start - 1] >= '0' && text[start - 1] <= '9') ||
			((text[start - 1] | 32) >= 'a' && (text[start - 1] | 32) <= 'z') || text[start - 1] == '-'))
		start--;
	struct completing c = {json_new_array(), text + start, end - start, start};
	json_put(s->body, "targets", c.list);
	for (size_t i = 0; !start && i < verbs_count(); i++)
		push_completion(&c, verbs_get(i)->name, "keyword");
	uint64_t frame = frame_of_request(s, dap_number(s->arguments, "frameId", 0));
	if (frame && dap_find_frame(s, frame, &scope, &ignored)) {
		variables_each_local(&scope, complete_variable, &c);
		variables_each_global(&scope, complete_variable, &c);
	}
	return true;
}
