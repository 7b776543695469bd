#include "engine/check_match.h"

#include <string.h>

#include "engine/buf.h"
#include "engine/json.h"
#include "engine/text.h"

/* ---- kinds ----------------------------------------------------------------------------------------------- */

static bool is_fault(const struct matcher *m, const struct event *e)
{
	uint64_t ordinal;
	if (!event_is_fault(e) || strcmp(e->type, m->fault_type->name) != 0)
		return false;
	return m->fault_ordinal == 0 || (fault_parse_id(e->fault, &ordinal) && ordinal == m->fault_ordinal);
}

static bool pass_kind(const struct matcher *m, const struct event *e)
{
	if (m->has_kind && e->kind != m->kind)
		return false;
	if (m->has_stream && e->is_stderr != m->is_stderr)
		return false;
	return !m->is_fault || is_fault(m, e);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* The value at a dotted path, or NULL. */
static const struct json *at_path(const struct json *j, const char *path)
{
	char key[256];
	while (j) {
		size_t size = strcspn(path, ".");
		if (size >= sizeof key)
			return NULL;
		memcpy(key, path, size);
		key[size] = '\0';
		j = json_member(j, key);
		if (!path[size])
			return j;
		path += size + 1;
	}
	return NULL;
}

static bool pass_json(const struct matcher *m, const struct event *e)
{
	struct buf text = {0};
	if (e->text.size == 0 || e->text.data[0] != '{') /* most lines are not JSON */
		return false;
	struct json *j = json_parse(e->text.data, e->text.size, "line", NULL);
	bool pass = j != NULL;
	for (size_t i = 0; pass && i < m->json_count; i++) {
		const struct json *value = at_path(j, m->json[i].path);
		buf_clear(&text);
		if (value)
			json_write(value, &text);
		/* A null that is there and a path that is not are the same to json_member. */
		pass = strcmp(value ? text.data : "null", m->json[i].value) == 0;
	}
	json_destroy(j);
	buf_free(&text);
	return pass;
}

static bool pass_exit(const struct matcher *m, const struct event *e)
{
	return e->by_signal == m->by_signal && e->status == m->status;
}

static bool pass_stage(const struct matcher *m, const struct event *e)
{
	return e->kind == (enum event_kind)(EVENT_FAULT_SELECTED + (int)m->stage);
}

/* ---- where ----------------------------------------------------------------------------------------------- */

static bool to_number(struct pattern_span span, int64_t *ret)
{
	char text[24];
	uint64_t n;
	bool negative = span.size > 0 && span.data[0] == '-';
	size_t skip = negative;
	while (skip + 1 < span.size && span.data[skip] == '0') /* 007 is 7 */
		skip++;
	if (!span.data || span.size - skip >= sizeof text)
		return false;
	memcpy(text, span.data + skip, span.size - skip);
	text[span.size - skip] = '\0';
	if (!text_parse_u64(text, &n) || n > INT64_MAX)
		return false;
	*ret = negative ? -(int64_t)n : (int64_t)n;
	return true;
}

static bool compare(enum property_compare how, int order)
{
	switch (how) {
	case COMPARE_EQ:
		return order == 0;
	case COMPARE_NE:
		return order != 0;
	case COMPARE_LT:
		return order < 0;
	case COMPARE_LE:
		return order <= 0;
	case COMPARE_GT:
		return order > 0;
	case COMPARE_GE:
		return order >= 0;
	}
	return false;
}

/* Whole numbers are compared as such; other texts can only be equal or not. */
static bool holds(const struct property_where *w, const struct pattern_span *spans)
{
	struct pattern_span left = spans[w->left_group];
	struct pattern_span right = w->right_group ? spans[w->right_group] : (struct pattern_span){0};
	int64_t a, b = w->number;
	if (!left.data || (w->right_group && !right.data))
		return false;
	if (to_number(left, &a) && (!w->right_group || to_number(right, &b)))
		return compare(w->compare, a < b ? -1 : a > b);
	if (w->compare != COMPARE_EQ && w->compare != COMPARE_NE)
		return false;
	bool same = w->right_group && left.size == right.size && memcmp(left.data, right.data, left.size) == 0;
	return same == (w->compare == COMPARE_EQ);
}

static bool pass_where(const struct matcher *m, const struct pattern_span *spans)
{
	for (size_t i = 0; i < m->where_count; i++)
		if (!holds(&m->where[i], spans))
			return false;
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static enum check_match pass_value(const struct matcher *m, const struct event *e, struct pattern_span *spans)
{
	if ((m->has_exit && !pass_exit(m, e)) || (m->has_stage && !pass_stage(m, e)))
		return CHECK_MATCH_NONE;
	if (m->pattern) {
		enum pattern_result found = pattern_match(m->pattern, e->text.data, e->text.size, spans, CHECK_SPANS);
		if (found != PATTERN_YES)
			return found == PATTERN_LIMIT ? CHECK_MATCH_LIMIT : CHECK_MATCH_NONE;
	}
	return m->json_count && !pass_json(m, e) ? CHECK_MATCH_NONE : CHECK_MATCH_YES;
}

enum check_match check_match(const struct matcher *m, const struct event *e, uint64_t *seen, struct pattern_span *spans)
{
	bool asks_value = m->pattern || m->json_count || m->has_exit || m->has_stage || m->nth;
	bool asks_kind = m->has_kind || m->is_fault;

	if (m->node && strcmp(m->node, e->node) != 0)
		return asks_value || asks_kind ? CHECK_MATCH_NONE : CHECK_MATCH_CANDIDATE;
	if (!pass_kind(m, e))
		return asks_value ? CHECK_MATCH_NONE : CHECK_MATCH_CANDIDATE;
	enum check_match found = pass_value(m, e, spans);
	if (found == CHECK_MATCH_LIMIT)
		return found;
	if (found == CHECK_MATCH_NONE)
		return m->where_count ? CHECK_MATCH_NONE : CHECK_MATCH_CANDIDATE;
	if (!pass_where(m, spans))
		return CHECK_MATCH_CANDIDATE;
	if (m->nth && ++*seen != m->nth)
		return CHECK_MATCH_CANDIDATE;
	return CHECK_MATCH_YES;
}
