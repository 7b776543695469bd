/* Writing a plan: canonical JSON, in the order of docs/FORMATS.md. */
#include <string.h>

#include "engine/buf.h"
#include "engine/json.h"
#include "engine/plan.h"

static void put_key(struct buf *out, const char *before, const char *key)
{
	buf_printf(out, "%s\"%s\":", before, key);
}

static void put_text(struct buf *out, const char *before, const char *key, const char *text)
{
	put_key(out, before, key);
	json_quote(out, text, strlen(text));
}

static void put_number(struct buf *out, const char *before, const char *key, uint64_t n)
{
	put_key(out, before, key);
	buf_printf(out, "%llu", (unsigned long long)n);
}

static void put_hex(struct buf *out, const char *before, const char *key, const void *bytes, size_t size)
{
	put_key(out, before, key);
	buf_char(out, '"');
	buf_hex(out, bytes, size);
	buf_char(out, '"');
}

static void put_words(struct buf *out, const char *key, const struct scenario_words *words)
{
	put_key(out, ",", key);
	buf_char(out, '[');
	for (size_t i = 0; i < words->count; i++) {
		if (i)
			buf_char(out, ',');
		json_quote(out, words->items[i], strlen(words->items[i]));
	}
	buf_char(out, ']');
}

static void put_nodes(struct buf *out, const struct plan *p, const char *key, uint32_t mask)
{
	const char *before = "";
	put_key(out, ",", key);
	buf_char(out, '[');
	for (size_t i = 0; i < p->node_count; i++)
		if (mask >> i & 1) {
			buf_str(out, before);
			json_quote(out, p->nodes[i].name, strlen(p->nodes[i].name));
			before = ",";
		}
	buf_char(out, ']');
}

static void put_node(struct buf *out, const struct plan *p, const struct plan_node *n)
{
	put_text(out, "{", "name", n->name);
	put_words(out, "argv", &n->argv);
	put_words(out, "env", &n->env);
	put_text(out, ",", "cwd", n->cwd);
	put_number(out, ",", "uid", n->uid);
	put_number(out, ",", "gid", n->gid);
	put_key(out, ",", "ready");
	put_text(out, "{", "kind", scenario_ready_name(n->ready));
	put_number(out, ",", "port", n->ready_port);
	put_text(out, ",", "text", n->ready_text);
	put_text(out, "},", "restart", scenario_restart_name(n->restart));
	put_number(out, ",", "delay_ns", n->delay_ns);
	put_nodes(out, p, "after", n->after);
	put_key(out, ",", "stdin");
	buf_char(out, '[');
	for (size_t i = 0; i < n->input_count; i++) {
		const struct plan_stdin *in = &n->input[i];
		put_number(out, i ? ",{" : "{", "inv", in->invocation);
		put_number(out, ",", "offset", in->offset);
		put_number(out, ",", "delay_ns", in->delay_ns);
		put_hex(out, ",", "hex", in->bytes, in->size);
		buf_str(out, in->eof ? ",\"eof\":true}" : ",\"eof\":false}");
	}
	buf_str(out, "]}");
}

static void put_trigger(struct buf *out, const struct plan *p, const struct plan_trigger *t)
{
	put_key(out, ",", "trigger");
	put_text(out, "{", "on", scenario_trigger_name(t->on));
	switch (t->on) {
	case TRIGGER_AT:
		put_number(out, ",", "at_ns", t->value);
		break;
	case TRIGGER_LINES:
		put_text(out, ",", "node", p->nodes[t->node].name);
		put_number(out, ",", "line", t->value);
		break;
	case TRIGGER_FAULT:
		put_text(out, ",", "fault", p->faults[t->fault].id);
		put_text(out, ",", "stage", fault_stage_name(t->stage));
		break;
	case TRIGGER_STARTED:
	case TRIGGER_READY:
	case TRIGGER_EXITED:
		put_text(out, ",", "node", p->nodes[t->node].name);
		put_number(out, ",", "nth", t->value);
		break;
	}
	put_number(out, ",", "delay_ns", t->delay_ns);
	buf_char(out, '}');
}

static void put_place(struct buf *out, const char *before, struct text_place place)
{
	put_number(out, before, "line", place.line);
	put_number(out, ",", "column", place.column);
	buf_char(out, '}');
}

static void put_fault(struct buf *out, const struct plan *p, const struct plan_fault *f)
{
	put_text(out, "{", "id", f->id);
	put_text(out, ",", "type", f->kind->name);
	put_text(out, ",", "node", p->nodes[f->node].name);
	buf_str(out, ",\"params\":{");
	for (size_t i = 0; i < f->param_count; i++)
		put_text(out, i ? "," : "", f->params[i].name, f->params[i].value);
	put_number(out, "},", "for_ns", f->for_ns);
	put_trigger(out, p, &f->trigger);
	put_key(out, ",", "from");
	put_text(out, "{", "path", f->path);
	put_place(out, ",", f->place);
	buf_char(out, '}');
}

static void put_choice(struct buf *out, const struct plan_choice *c)
{
	put_text(out, "{", "name", c->name);
	put_number(out, ",", "low", c->low);
	put_number(out, ",", "high", c->high);
	put_number(out, ",", "value", c->value);
	put_text(out, ",", "unit", c->unit);
	put_place(out, ",", c->place);
}

void plan_write(const struct plan *p, struct buf *out)
{
	put_number(out, "{", "polecat_plan", 1);
	put_text(out, ",", "scenario", p->scenario);
	put_text(out, ",", "scenario_sha256", p->scenario_sha256);
	put_number(out, ",", "seed", p->seed);
	put_hex(out, ",", "entropy", p->entropy, sizeof p->entropy);
	put_key(out, ",", "limits");
	put_number(out, "{", "vtime_ns", p->limits.vtime_ns);
	put_number(out, ",", "instructions", p->limits.instructions);
	put_number(out, ",", "events", p->limits.events);
	put_number(out, ",", "bytes", p->limits.bytes);
	put_number(out, ",", "wall_s", p->limits.wall_s);
	buf_char(out, '}');
	put_nodes(out, p, "until", p->until);
	buf_str(out, ",\"nodes\":[");
	for (size_t i = 0; i < p->node_count; i++) {
		buf_str(out, i ? "," : "");
		put_node(out, p, &p->nodes[i]);
	}
	buf_str(out, "],\"faults\":[");
	for (size_t i = 0; i < p->fault_count; i++) {
		buf_str(out, i ? "," : "");
		put_fault(out, p, &p->faults[i]);
	}
	buf_str(out, "],\"choices\":[");
	for (size_t i = 0; i < p->choice_count; i++) {
		buf_str(out, i ? "," : "");
		put_choice(out, &p->choices[i]);
	}
	buf_str(out, "]}\n");
}
