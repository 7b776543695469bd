/* What a client types: expressions, commands of the console, and the names that it completes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_values.h"
#include "engine/expression.h"
#include "engine/text.h"
#include "engine/value_parts.h"

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
	for (size_t i = 0; frames && i < frames->count; i++)
		if (!frames->list[i].kernel)
			return dap_add_frame(s, &(struct dap_frame){p->pid, thread->id, i, 1});
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
	dap_put_value(s, &scope, &value,
		(struct dap_reference){.kind = DAP_EXPRESSION, .frame = frame, .expression = mem_str(text)}, "result", s->body);
	return true;
}

/* The verbs of `polecat debug` are about the thread and frame that the client looks at. */
static bool look_at_frame(struct dap_server *s, uint64_t frame, struct err *err)
{
	struct here *here = session_here(s->verbs->session);
	const struct dap_frame *f = frame ? dap_frame(s, frame, err) : NULL;
	if (f) {
		here_choose(here, f->pid, f->thread);
		here_choose_frame(here, f->index);
	}
	return f || !frame;
}

static bool run_verb(struct dap_server *s, const char *text, uint64_t frame, struct err *err)
{
	struct session *session = s->verbs->session;
	struct here *here = session_here(session);
	struct here_choice choice = here_choice(here);
	uint64_t before = session_icount(session);
	struct buf out = {0};
	if (!look_at_frame(s, frame, err))
		return false;
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
	s->whole = context && !strcmp(context, "clipboard");
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
		const struct dap_reference *r = dap_find_value(s, reference, err);
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
			if (!dap_value_of(s, reference, &scope, &whole, err))
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
	const struct dap_frame *f = dap_frame(s, frame, err);
	if (!f)
		return false;
	*ret_pid = f->pid;
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

/* How many bytes of a text that many code units of UTF-16 are, which is how the protocol counts columns. *ret_units: as many as
 * there are. */
static size_t bytes_in(const char *text, uint64_t units, uint64_t *ret_units)
{
	size_t at = 0, size = strlen(text);
	uint32_t c;
	*ret_units = 0;
	while (at < size && *ret_units < units) {
		size_t bytes = text_utf8_next(text + at, size - at, &c);
		at += bytes ? bytes : 1;
		*ret_units += bytes == 4 ? 2 : 1;
	}
	return at;
}

bool dap_completions(struct dap_server *s, struct err *err)
{
	const char *text = dap_string(s->arguments, "text");
	uint64_t column = dap_number(s->arguments, "column", 1), first = !s->columns_from_0, units;
	struct err ignored;
	struct scope scope;
	if (!text)
		return err_set(err, ERR_INPUT, "completions: expected a text");
	size_t end = bytes_in(text, column > first ? column - first : 0, &units), start = end;
	while (start &&
		(text[start - 1] == '_' || (text[start - 1] >= '0' && text[start - 1] <= '9') ||
			((text[start - 1] | 32) >= 'a' && (text[start - 1] | 32) <= 'z') || text[start - 1] == '-'))
		start--;
	struct completing c = {json_new_array(), text + start, end - start, units - (end - start) + first};
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
