#include "engine/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/check_form.h"
#include "engine/check_sdk.h"
#include "engine/json.h"

typedef unsigned long long ull;

struct checks {
	const struct scenario *scenario;
	struct check_form **forms;
	struct check_sdk *sdk;
	uint64_t last_vtime_ns;
	bool is_ending; /* what still ran is being ended */
	bool has_end, end_is_whole;
	uint64_t end_seq;
	char end_reason[32];
};

struct checks *checks_create(const struct scenario *scenario)
{
	struct checks *c = mem_alloc(sizeof *c);
	c->scenario = scenario;
	c->sdk = check_sdk_create();
	c->forms = mem_array(scenario->property_count, sizeof *c->forms);
	for (size_t i = 0; i < scenario->property_count; i++)
		c->forms[i] = check_form_create(&scenario->properties[i]);
	return c;
}

void checks_destroy(struct checks *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->scenario->property_count; i++)
		check_form_destroy(c->forms[i]);
	check_sdk_destroy(c->sdk);
	free(c->forms);
	free(c);
}

static void take_end(struct checks *c, const struct event *e)
{
	c->has_end = true;
	c->end_seq = e->seq;
	c->end_is_whole = strcmp(e->reason, "done") == 0 || strcmp(e->reason, "stalled") == 0 ||
		(c->scenario->until_vtime && strcmp(e->reason, "vtime_limit") == 0);
	snprintf(c->end_reason, sizeof c->end_reason, "%s", e->reason);
}

static bool take_event(void *data, const struct event *e, struct err *err)
{
	struct checks *c = data;
	(void)err;
	c->last_vtime_ns = e->vtime_ns;
	if (e->kind == EVENT_RUN_END)
		take_end(c, e);
	/* How the nodes that still run are ended is our own doing: no property is about it. */
	if (c->is_ending && (e->kind == EVENT_NODE_EXITED || e->kind == EVENT_NODE_CLEANED))
		return true;
	c->is_ending = c->is_ending || e->kind == EVENT_RUN_ENDING;
	for (size_t i = 0; i < c->scenario->property_count; i++)
		check_form_event(c->forms[i], e);
	check_sdk_event(c->sdk, e);
	return true;
}

struct event_sink checks_sink(struct checks *c)
{
	return (struct event_sink){take_event, c};
}

void checks_finish(struct checks *c)
{
	struct check_end end = {
		.whole = c->has_end && c->end_is_whole,
		.seq = c->end_seq,
		.vtime_ns = c->last_vtime_ns,
		.reason = c->has_end ? c->end_reason : "it has no end",
	};
	for (size_t i = 0; i < c->scenario->property_count; i++)
		check_form_end(c->forms[i], &end);
	check_sdk_finish(c->sdk, &end);
}

/* ---- results --------------------------------------------------------------------------------------------- */

size_t checks_count(const struct checks *c)
{
	return c->scenario->property_count + check_sdk_count(c->sdk);
}

const struct check_result *checks_result(const struct checks *c, size_t i)
{
	size_t own = c->scenario->property_count;
	return i < own ? check_form_result(c->forms[i]) : check_sdk_result(c->sdk, i - own);
}

enum verdict checks_verdict(const struct checks *c)
{
	enum verdict verdict = VERDICT_PASS;
	for (size_t i = 0; i < checks_count(c); i++)
		verdict = verdict_worse(verdict, checks_result(c, i)->verdict);
	return verdict;
}

static void put_result(struct buf *out, const struct check_result *r)
{
	buf_str(out, "{\"id\":");
	json_quote(out, r->id, strlen(r->id));
	buf_printf(out, ",\"type\":\"%s\",\"verdict\":\"%s\",\"decided_at\":%llu,\"evaluations\":%llu,\"why\":", r->type,
		verdict_name(r->verdict), (ull)r->decided_at, (ull)r->evaluations);
	json_quote(out, r->why, strlen(r->why));
	buf_str(out, ",\"witnesses\":[");
	for (size_t i = 0; i < r->witness_count; i++)
		buf_printf(out, "%s%llu", i ? "," : "", (ull)r->witnesses[i]);
	if (r->margin_unit)
		buf_printf(out, "],\"margin\":{\"used\":%llu,\"of\":%llu,\"unit\":\"%s\"}", (ull)r->margin_used,
			(ull)r->margin_of, r->margin_unit);
	else
		buf_str(out, "],\"margin\":null");
	buf_printf(out, ",\"line\":%u,\"column\":%u}", r->place.line, r->place.column);
}

void checks_write(const struct checks *c, struct buf *out)
{
	buf_printf(out, "{\"polecat_properties\":1,\"verdict\":\"%s\",\"properties\":[", verdict_name(checks_verdict(c)));
	for (size_t i = 0; i < checks_count(c); i++) {
		if (i)
			buf_char(out, ',');
		put_result(out, checks_result(c, i));
	}
	buf_str(out, "]}\n");
}
