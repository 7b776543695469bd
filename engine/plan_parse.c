/* Reading a plan: everything that plan_write writes, nothing else, each value within its limits. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/digest.h"
#include "engine/json.h"
#include "engine/plan.h"

enum { CHOICE_NAME_MAX = 200, NUMBER_MAX = INT32_MAX };

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool bad(struct err *err, const char *key, const char *expected)
{
	return err_set(err, ERR_INPUT, "%s: expected %s", key, expected);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static bool get_text(const struct json *j, const char *key, size_t max, char **ret, struct err *err)
{
	const char *text;
	if (!json_get_str(j, key, &text, err))
		return false;
	if (strlen(text) > max)
		return err_set(err, ERR_INPUT, "%s: has %zu bytes; at most %zu", key, strlen(text), max);
	*ret = mem_str(text);
	return true;
}

static bool get_name(const struct json *j, const char *key, char **ret, struct err *err)
{
	if (!get_text(j, key, SCENARIO_NAME_MAX, ret, err))
		return false;
	return text_is_name(*ret, SCENARIO_NAME_MAX) || bad(err, key, "a name");
}

static bool get_number(const struct json *j, const char *key, uint64_t max, uint64_t *ret, struct err *err)
{
	if (!json_get_u64(j, key, ret, err))
		return false;
	return *ret <= max ||
		err_set(err, ERR_INPUT, "%s: is %llu; at most %llu", key, (unsigned long long)*ret, (unsigned long long)max);
}

static bool get_hex(const struct json *j, const char *key, void *bytes, size_t size, struct err *err)
{
	const char *text;
	if (!json_get_str(j, key, &text, err))
		return false;
	return text_parse_hex(text, bytes, size) || err_set(err, ERR_INPUT, "%s: expected %zu hex digits", key, 2 * size);
}

/* Index of the word among the names that a function gives for 0 to last. */
static bool get_word(const struct json *j, const char *key, const char *(*name_of)(int), int last, int *ret, struct err *err)
{
	const char *word;
	if (!json_get_str(j, key, &word, err))
		return false;
	for (*ret = 0; *ret <= last; ++*ret)
		if (strcmp(name_of(*ret), word) == 0)
			return true;
	return err_set(err, ERR_INPUT, "%s: `%s` is unknown", key, word);
}

static bool get_words(const struct json *j, const char *key, struct scenario_words *ret, struct err *err)
{
	const struct json *list;
	const char *text;
	if (!json_get(j, key, JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > SCENARIO_WORDS_MAX)
		return err_set(err, ERR_INPUT, "%s: has %zu words; at most %d", key, json_count(list), SCENARIO_WORDS_MAX);
	ret->items = mem_array(json_count(list), sizeof *ret->items);
	for (; ret->count < json_count(list); ret->items[ret->count++] = mem_str(text)) {
		if (!json_as_str(json_at(list, ret->count), key, &text, NULL, err))
			return false;
		if (strlen(text) > 2 * SCENARIO_TEXT_MAX) /* NAME=value: both have their own limit */
			return err_set(err, ERR_INPUT, "%s: a word has %zu bytes", key, strlen(text));
	}
	return true;
}

static size_t node_index(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->node_count; i++)
		if (p->nodes[i].name && strcmp(p->nodes[i].name, name) == 0)
			return i;
	return SCENARIO_NONE;
}

static bool get_node(const struct plan *p, const struct json *j, const char *key, size_t *ret, struct err *err)
{
	const char *name;
	if (!json_get_str(j, key, &name, err))
		return false;
	*ret = node_index(p, name);
	return *ret != SCENARIO_NONE || err_set(err, ERR_INPUT, "%s: there is no node `%s`", key, name);
}

static bool get_nodes(const struct plan *p, const struct json *j, const char *key, uint32_t *ret, struct err *err)
{
	const struct json *list;
	const char *name;
	if (!json_get(j, key, JSON_ARRAY, &list, err))
		return false;
	for (size_t i = 0; i < json_count(list); i++) {
		if (!json_as_str(json_at(list, i), key, &name, NULL, err))
			return false;
		size_t node = node_index(p, name);
		if (node == SCENARIO_NONE || *ret >> node & 1)
			return err_set(err, ERR_INPUT, "%s: `%s` is no node, or is here twice", key, name);
		*ret |= UINT32_C(1) << node;
	}
	return true;
}

static bool get_place(const struct json *j, struct text_place *ret, struct err *err)
{
	uint64_t line, column;
	if (!get_number(j, "line", NUMBER_MAX, &line, err) || !get_number(j, "column", NUMBER_MAX, &column, err))
		return false;
	*ret = (struct text_place){(unsigned)line, (unsigned)column};
	return true;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static const char *ready_name(int i)
{
	return scenario_ready_name((enum scenario_ready)i);
}

static const char *restart_name(int i)
{
	return scenario_restart_name((enum scenario_restart)i);
}

static bool parse_ready(const struct json *node, struct plan_node *n, struct err *err)
{
	const struct json *j;
	uint64_t port;
	int kind;
	if (!json_get(node, "ready", JSON_OBJECT, &j, err) || !json_only(j, KEYS("kind", "port", "text"), err) ||
		!get_word(j, "kind", ready_name, READY_LINE, &kind, err))
		return false;
	n->ready = (enum scenario_ready)kind;
	if (!get_number(j, "port", UINT16_MAX, &port, err) || !get_text(j, "text", SCENARIO_TEXT_MAX, &n->ready_text, err))
		return false;
	n->ready_port = (uint16_t)port;
	if ((n->ready == READY_PORT) != (port != 0))
		return bad(err, "port", "a port where `kind` is `port`, else 0");
	return (n->ready == READY_LINE) == (n->ready_text[0] != '\0') ||
		bad(err, "text", "a text where `kind` is `line`, else an empty one");
}

static bool parse_piece(const struct json *j, struct plan_stdin *in, struct err *err)
{
	const char *hex;
	if (!json_only(j, KEYS("inv", "offset", "delay_ns", "hex", "eof"), err) ||
		!get_number(j, "inv", UINT32_MAX, &in->invocation, err) ||
		!get_number(j, "offset", UINT32_MAX, &in->offset, err) ||
		!get_number(j, "delay_ns", INT64_MAX, &in->delay_ns, err) || !json_get_str(j, "hex", &hex, err))
		return false;
	in->size = strlen(hex) / 2;
	if (in->size > SCENARIO_TEXT_MAX)
		return err_set(err, ERR_INPUT, "hex: has %zu bytes; at most %d", in->size, SCENARIO_TEXT_MAX);
	in->bytes = mem_alloc(in->size + 1);
	if (!text_parse_hex(hex, in->bytes, in->size))
		return bad(err, "hex", "pairs of hex digits");
	return json_get_bool(j, "eof", &in->eof, err);
}

static bool parse_stdin(const struct json *node, struct plan_node *n, struct err *err)
{
	const struct json *list;
	if (!json_get(node, "stdin", JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > SCENARIO_STDIN_MAX)
		return err_set(err, ERR_INPUT, "stdin: has %zu entries; at most %d", json_count(list), SCENARIO_STDIN_MAX);
	n->input = mem_array(json_count(list), sizeof *n->input);
	for (size_t i = 0; i < json_count(list); i++) {
		n->input_count++;
		if (!parse_piece(json_at(list, i), &n->input[i], err))
			return err_prefix(err, "stdin[%zu]", i);
	}
	return true;
}

static bool parse_node(const struct json *j, struct plan_node *n, struct err *err)
{
	uint64_t uid, gid;
	int restart;
	if (!json_only(
		    j, KEYS("name", "argv", "env", "cwd", "uid", "gid", "ready", "restart", "delay_ns", "after", "stdin"), err) ||
		!get_name(j, "name", &n->name, err) || !get_words(j, "argv", &n->argv, err) ||
		!get_words(j, "env", &n->env, err) || !get_text(j, "cwd", SCENARIO_TEXT_MAX, &n->cwd, err) ||
		!get_number(j, "uid", UINT32_MAX - 1, &uid, err) || !get_number(j, "gid", UINT32_MAX - 1, &gid, err) ||
		!parse_ready(j, n, err) || !get_number(j, "delay_ns", INT64_MAX, &n->delay_ns, err) ||
		!get_word(j, "restart", restart_name, RESTART_ALWAYS, &restart, err))
		return false;
	n->restart = (enum scenario_restart)restart;
	n->uid = (uint32_t)uid;
	n->gid = (uint32_t)gid;
	if (n->argv.count == 0 || !n->argv.items[0][0])
		return bad(err, "argv", "at least one word, the first not empty");
	if (n->cwd[0] != '/')
		return bad(err, "cwd", "an absolute path");
	return parse_stdin(j, n, err);
}

static bool parse_nodes(const struct json *j, struct plan *p, struct err *err)
{
	const struct json *list;
	if (!json_get(j, "nodes", JSON_ARRAY, &list, err))
		return false;
	size_t count = json_count(list);
	if (count < 1 || count > SCENARIO_NODES_MAX)
		return err_set(err, ERR_INPUT, "nodes: has %zu nodes; expected 1 to %d", count, SCENARIO_NODES_MAX);
	p->nodes = mem_array(count, sizeof *p->nodes);
	for (size_t i = 0; i < count; i++) {
		struct plan_node *n = &p->nodes[p->node_count++];
		if (!parse_node(json_at(list, i), n, err))
			return err_prefix(err, "nodes[%zu]", i);
		if (node_index(p, n->name) != i)
			return err_set(err, ERR_INPUT, "nodes[%zu]: a node `%s` is already there", i, n->name);
	}
	for (size_t i = 0; i < count; i++)
		if (!get_nodes(p, json_at(list, i), "after", &p->nodes[i].after, err))
			return err_prefix(err, "nodes[%zu]", i);
	return true;
}

/* ---- faults ---------------------------------------------------------------------------------------------- */

static size_t fault_index(const struct plan *p, size_t before, const char *id)
{
	for (size_t i = 0; i < before; i++)
		if (strcmp(p->faults[i].id, id) == 0)
			return i;
	return SCENARIO_NONE;
}

static const char *trigger_name(int i)
{
	return scenario_trigger_name((enum scenario_trigger_kind)i);
}

static bool parse_trigger_fault(const struct plan *p, const struct json *j, struct plan_trigger *t, struct err *err)
{
	const char *id, *stage;
	if (!json_only(j, KEYS("on", "fault", "stage", "delay_ns"), err) || !json_get_str(j, "fault", &id, err) ||
		!json_get_str(j, "stage", &stage, err))
		return false;
	t->fault = fault_index(p, p->fault_count - 1, id);
	if (t->fault == SCENARIO_NONE)
		return err_set(err, ERR_INPUT, "fault: no fault `%s` stands before this one", id);
	return fault_stage_find(stage, &t->stage) || bad(err, "stage", "a stage of a fault");
}

static bool parse_trigger(const struct plan *p, const struct json *fault, struct plan_trigger *t, struct err *err)
{
	const struct json *j;
	int on;
	if (!json_get(fault, "trigger", JSON_OBJECT, &j, err) || !get_word(j, "on", trigger_name, TRIGGER_EXITED, &on, err))
		return false;
	t->on = (enum scenario_trigger_kind)on;
	bool ok;
	if (t->on == TRIGGER_AT)
		ok = json_only(j, KEYS("on", "at_ns", "delay_ns"), err) && get_number(j, "at_ns", INT64_MAX, &t->value, err);
	else if (t->on == TRIGGER_FAULT)
		ok = parse_trigger_fault(p, j, t, err);
	else {
		const char *key = t->on == TRIGGER_LINES ? "line" : "nth";
		ok = json_only(j, KEYS("on", "node", key, "delay_ns"), err) && get_node(p, j, "node", &t->node, err) &&
			get_number(j, key, INT64_MAX, &t->value, err) && (t->value > 0 || bad(err, key, "a number from 1"));
	}
	return ok && get_number(j, "delay_ns", INT64_MAX, &t->delay_ns, err);
}

static bool parse_params(const struct json *fault, struct plan_fault *f, struct err *err)
{
	const struct json *j;
	if (!json_get(fault, "params", JSON_OBJECT, &j, err))
		return false;
	for (const struct fault_param *param = f->kind->params; param->name; param++) {
		struct plan_param *out = &f->params[f->param_count];
		if (!get_text(j, param->name, SCENARIO_TEXT_MAX, &out->value, err))
			return false;
		out->name = mem_str(param->name);
		f->param_count++;
		if (!fault_param_check(param, out->value))
			return err_set(err, ERR_INPUT, "%s: is `%s`; expected %s", param->name, out->value,
				fault_param_expected(param->type));
	}
	return json_count(j) == f->param_count || bad(err, "params", "only the parameters of this type of fault");
}

static bool parse_kind(const struct json *j, struct plan_fault *f, struct err *err)
{
	const char *type;
	uint64_t ordinal;
	if (!get_text(j, "id", SCENARIO_NAME_MAX, &f->id, err) || !json_get_str(j, "type", &type, err))
		return false;
	f->kind = fault_find(type);
	if (!f->kind || !f->kind->is_applied)
		return err_set(err, ERR_INPUT, "type: there is no fault `%s`, or it cannot be applied yet", type);
	return (fault_parse_id(f->id, &ordinal) == f->kind && ordinal > 0) ||
		bad(err, "id", "the type and an ordinal, such as kill#1");
}

static bool parse_fault(struct plan *p, const struct json *j, struct err *err)
{
	struct plan_fault *f = &p->faults[p->fault_count++];
	const struct json *from;
	if (!json_only(j, KEYS("id", "type", "node", "params", "for_ns", "trigger", "from"), err) || !parse_kind(j, f, err))
		return false;
	if (fault_index(p, p->fault_count - 1, f->id) != SCENARIO_NONE)
		return err_set(err, ERR_INPUT, "id: `%s` is here twice", f->id);
	if (!get_node(p, j, "node", &f->node, err) || !parse_params(j, f, err) ||
		!get_number(j, "for_ns", INT64_MAX, &f->for_ns, err))
		return false;
	if (f->kind->lasts != (f->for_ns > 0))
		return bad(err, "for_ns", f->kind->lasts ? "more than 0" : "0: this type of fault is over at once");
	if (!parse_trigger(p, j, &f->trigger, err))
		return err_prefix(err, "trigger");
	return json_get(j, "from", JSON_OBJECT, &from, err) && json_only(from, KEYS("path", "line", "column"), err) &&
		get_text(from, "path", CHOICE_NAME_MAX, &f->path, err) && get_place(from, &f->place, err);
}

static bool parse_faults(const struct json *j, struct plan *p, struct err *err)
{
	const struct json *list;
	if (!json_get(j, "faults", JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > SCENARIO_PLANNED_MAX)
		return err_set(err, ERR_INPUT, "faults: has %zu faults; at most %d", json_count(list), SCENARIO_PLANNED_MAX);
	p->faults = mem_array(json_count(list), sizeof *p->faults);
	for (size_t i = 0; i < json_count(list); i++)
		if (!parse_fault(p, json_at(list, i), err))
			return err_prefix(err, "faults[%zu]", i);
	return true;
}

/* ---- choices, and the whole ------------------------------------------------------------------------------- */

static bool parse_choice(const struct json *j, struct plan_choice *c, struct err *err)
{
	if (!json_only(j, KEYS("name", "low", "high", "value", "unit", "line", "column"), err) ||
		!get_text(j, "name", CHOICE_NAME_MAX, &c->name, err) || !get_number(j, "low", INT64_MAX, &c->low, err) ||
		!get_number(j, "high", INT64_MAX, &c->high, err) || !get_number(j, "value", INT64_MAX, &c->value, err) ||
		!get_text(j, "unit", 16, &c->unit, err) || !get_place(j, &c->place, err))
		return false;
	return (c->low <= c->value && c->value <= c->high) || bad(err, "value", "a value from `low` to `high`");
}

static bool parse_choices(const struct json *j, struct plan *p, struct err *err)
{
	const struct json *list;
	if (!json_get(j, "choices", JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > PLAN_CHOICES_MAX)
		return err_set(err, ERR_INPUT, "choices: has %zu choices; at most %d", json_count(list), PLAN_CHOICES_MAX);
	p->choices = mem_array(json_count(list), sizeof *p->choices);
	for (size_t i = 0; i < json_count(list); i++) {
		p->choice_count++;
		if (!parse_choice(json_at(list, i), &p->choices[i], err))
			return err_prefix(err, "choices[%zu]", i);
	}
	return true;
}

static bool parse_limits(const struct json *j, struct scenario_limits *l, struct err *err)
{
	const struct json *limits;
	if (!json_get(j, "limits", JSON_OBJECT, &limits, err))
		return false;
	if (!json_only(limits, KEYS("vtime_ns", "instructions", "events", "bytes", "wall_s"), err) ||
		!get_number(limits, "vtime_ns", INT64_MAX, &l->vtime_ns, err) ||
		!get_number(limits, "instructions", INT64_MAX, &l->instructions, err) ||
		!get_number(limits, "events", INT64_MAX, &l->events, err) ||
		!get_number(limits, "bytes", INT64_MAX, &l->bytes, err) ||
		!get_number(limits, "wall_s", NUMBER_MAX, &l->wall_s, err))
		return err_prefix(err, "limits");
	return true;
}

static bool parse_all(const struct json *j, struct plan *p, struct err *err)
{
	uint64_t version;
	uint8_t sum[32];
	if (!get_number(j, "polecat_plan", INT64_MAX, &version, err))
		return false;
	if (version != 1)
		return err_set(err, ERR_INPUT, "polecat_plan: version %llu is unknown; this polecat knows 1",
			(unsigned long long)version);
	if (!json_only(j,
		    KEYS("polecat_plan", "scenario", "scenario_sha256", "seed", "entropy", "limits", "until", "nodes", "faults",
			    "choices"),
		    err) ||
		!get_name(j, "scenario", &p->scenario, err) || !get_hex(j, "scenario_sha256", sum, sizeof sum, err) ||
		!json_get_u64(j, "seed", &p->seed, err) || !get_hex(j, "entropy", p->entropy, sizeof p->entropy, err))
		return false;
	digest_hex(sum, sizeof sum, p->scenario_sha256);
	return parse_limits(j, &p->limits, err) && parse_nodes(j, p, err) && get_nodes(p, j, "until", &p->until, err) &&
		parse_faults(j, p, err) && parse_choices(j, p, err);
}

struct plan *plan_parse(const char *bytes, size_t size, const char *name, struct err *err)
{
	if (size > PLAN_BYTES_MAX) {
		err_set(err, ERR_INPUT, "%s: more than %d bytes", name, PLAN_BYTES_MAX);
		return NULL;
	}
	struct json *j = json_parse(bytes, size, name, err);
	if (!j)
		return NULL;
	struct plan *p = mem_alloc(sizeof *p);
	bool ok = parse_all(j, p, err);
	if (!ok) {
		err_prefix(err, "%s", name);
		plan_destroy(p);
	}
	json_destroy(j);
	return ok ? p : NULL;
}
