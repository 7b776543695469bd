#include "engine/check_sdk.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/json.h"

enum kind { ALWAYS, ALWAYS_OR_UNREACHABLE, SOMETIMES, REACHABLE, UNREACHABLE };

static const char *const kind_types[] = {"always", "always", "sometimes", "reachable", "unreachable"};

struct assertion {
	char *id;
	enum kind kind;
	struct check_result result;
};

struct check_sdk {
	struct assertion *list[CHECK_SDK_MAX + 1]; /* the last one stands for all that did not fit */
	size_t count;
};

struct check_sdk *check_sdk_create(void)
{
	return mem_alloc(sizeof(struct check_sdk));
}

void check_sdk_destroy(struct check_sdk *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		check_result_finish(&s->list[i]->result);
		free(s->list[i]->id);
		free(s->list[i]);
	}
	free(s);
}

size_t check_sdk_count(const struct check_sdk *s)
{
	return s->count;
}

const struct check_result *check_sdk_result(const struct check_sdk *s, size_t i)
{
	return &s->list[i]->result;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct line {
	const char *id;
	enum kind kind;
	bool hit, condition;
};

static bool get_bool(const struct json *j, const char *key, bool fallback)
{
	const struct json *value = json_member(j, key);
	bool b;
	return value && json_as_bool(value, key, &b, NULL) ? b : fallback;
}

/* False if it is no assertion that we understand. */
static bool read_line(const struct json *j, struct line *line)
{
	const char *type, *id;
	const struct json *a = json_member(j, "antithesis_assert");
	if (!a || !json_get_str(a, "assert_type", &type, NULL))
		return false;
	if (!json_get_str(a, "id", &id, NULL) && !json_get_str(a, "message", &id, NULL))
		return false;
	line->id = id;
	line->hit = get_bool(a, "hit", true);
	line->condition = get_bool(a, "condition", true);
	bool is_reachability = strcmp(type, "reachability") == 0;
	bool must_hit = get_bool(a, "must_hit", is_reachability ? line->condition : true);
	if (is_reachability)
		line->kind = must_hit ? REACHABLE : UNREACHABLE;
	else if (strcmp(type, "always") == 0)
		line->kind = must_hit ? ALWAYS : ALWAYS_OR_UNREACHABLE;
	else if (strcmp(type, "sometimes") == 0)
		line->kind = SOMETIMES;
	else
		return false;
	return true;
}

static struct assertion *find(struct check_sdk *s, const char *id, enum kind kind)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->list[i]->id, id) == 0)
			return s->list[i];
	if (s->count > CHECK_SDK_MAX)
		return NULL;
	struct assertion *a = mem_alloc(sizeof *a);
	bool fits = s->count < CHECK_SDK_MAX;
	a->id = mem_str(fits ? id : "sdk");
	a->kind = kind;
	check_result_init(&a->result, a->id, kind_types[kind], (struct text_place){0});
	if (!fits)
		check_decide(
			&a->result, VERDICT_UNKNOWN, 0, "more than %d assertions: the others were not looked at", CHECK_SDK_MAX);
	s->list[s->count++] = a;
	return fits ? a : NULL;
}

static void hit(struct assertion *a, bool condition, uint64_t seq)
{
	struct check_result *r = &a->result;
	if (r->decided)
		return;
	r->evaluations++;
	switch (a->kind) {
	case ALWAYS:
	case ALWAYS_OR_UNREACHABLE:
		if (condition)
			return;
		check_witness(r, seq);
		check_decide(r, VERDICT_FAIL, seq, "the assertion did not hold (ev %llu)", (unsigned long long)seq);
		return;
	case SOMETIMES:
		if (!condition)
			return;
		check_witness(r, seq);
		check_decide(r, VERDICT_PASS, seq, "%s", "");
		return;
	case REACHABLE:
		check_witness(r, seq);
		check_decide(r, VERDICT_PASS, seq, "%s", "");
		return;
	case UNREACHABLE:
		check_witness(r, seq);
		check_decide(
			r, VERDICT_FAIL, seq, "a place that must not be reached was reached (ev %llu)", (unsigned long long)seq);
		return;
	}
}

void check_sdk_event(struct check_sdk *s, const struct event *e)
{
	static const char mark[] = "\"antithesis_assert\"";
	struct buf id = {0};
	struct line line;

	if (e->kind != EVENT_USER_EVENT || !e->text.data || !memmem(e->text.data, e->text.size, mark, strlen(mark)))
		return;
	struct json *j = json_parse(e->text.data, e->text.size, "user.event", NULL);
	if (j && read_line(j, &line)) {
		size_t size = strlen(line.id);
		buf_str(&id, "sdk:");
		text_put_safe(&id, line.id, size < CHECK_SDK_ID_MAX ? size : CHECK_SDK_ID_MAX);
		struct assertion *a = find(s, id.data, line.kind);
		if (a && line.hit)
			hit(a, line.condition, e->seq);
	}
	json_destroy(j);
	buf_free(&id);
}

void check_sdk_finish(struct check_sdk *s, const struct check_end *end)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct assertion *a = s->list[i];
		struct check_result *r = &s->list[i]->result;
		bool may_be_unreached = a->kind == ALWAYS_OR_UNREACHABLE || a->kind == UNREACHABLE;
		if (!end->whole)
			check_cut(r, end);
		else if (a->kind == SOMETIMES || (r->evaluations == 0 && !may_be_unreached))
			check_decide(r, VERDICT_UNEXERCISED, 0, "%s", r->evaluations ? "it never held" : "it was never reached");
		else
			check_decide(r, VERDICT_PASS, 0, "%s", r->evaluations ? "" : "it was never reached");
	}
}
