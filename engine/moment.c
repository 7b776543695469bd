#include "engine/moment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

#define COMPLETE_MAX 1000
#define NAMES_SHOWN  8 /* names that an error lists */

struct moment moment_of_event(const struct timeline *t, size_t event)
{
	if (event == TIMELINE_NONE || timeline_count(t) == 0)
		return (struct moment){0, TIMELINE_NONE};
	return (struct moment){timeline_entries(t)[event].icount, event};
}

/* -- parsing; each part gets what stands after its colon -- */

static bool parse_icount(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	/* Digits may be grouped with _, as people copy them from source code. */
	char digits[32];
	size_t size = 0;
	for (const char *at = text; *at && size < sizeof digits - 1; at++)
		if (*at != '_' || size == 0)
			digits[size++] = *at;
	digits[size] = '\0';
	uint64_t icount;
	if (!text_parse_u64(digits, &icount))
		return err_set(err, ERR_USAGE,
			"'%.60s' is not a moment: expected an instruction count, ev:NUMBER, fault:ID.STAGE, prop:ID, t:TIME, "
			"begin or end",
			text);
	if (icount > timeline_end_icount(t))
		return err_set(err, ERR_USAGE, "instruction %" PRIu64 " is after the end: the run ends at %" PRIu64, icount,
			timeline_end_icount(t));
	*ret = (struct moment){icount, timeline_at_icount(t, icount)};
	return true;
}

static bool parse_event(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	uint64_t seq;
	if (!text_parse_u64(text, &seq))
		return err_set(err, ERR_USAGE, "'ev:%.60s': expected an event number, as ev:17", text);
	if (timeline_at_seq(t, seq) == TIMELINE_NONE)
		return err_set(
			err, ERR_USAGE, "there is no event %" PRIu64 ": the run has events 1 to %zu", seq, timeline_count(t));
	*ret = moment_of_event(t, timeline_at_seq(t, seq));
	return true;
}

static bool parse_time(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	uint64_t vtime_ns, end = timeline_end_vtime(t);
	if (!text_parse(text, TEXT_DURATION, &vtime_ns))
		return err_set(err, ERR_USAGE, "'t:%.60s': expected %s", text, text_unit_expected(TEXT_DURATION));
	if (vtime_ns > end) {
		struct buf shown = {0};
		text_put(&shown, TEXT_DURATION, end);
		err_set(err, ERR_USAGE, "t:%.60s is after the end: the run ends at t:%s", text, shown.data);
		buf_free(&shown);
		return false;
	}
	*ret = moment_of_event(t, timeline_at_vtime(t, vtime_ns));
	return true;
}

/* "there is no fault 'x'; did you mean ...", or the list of what there is. */
static bool no_such(const char *what, const char *name, const char *const *names, size_t count, struct err *err)
{
	const char *near = text_nearest(name, names, count);
	if (near)
		return err_set(err, ERR_USAGE, "there is no %s '%.60s' in this run; did you mean '%s'?", what, name, near);
	if (count == 0)
		return err_set(err, ERR_USAGE, "there is no %s '%.60s': this run has none", what, name);
	struct buf list = {0};
	for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	if (count > NAMES_SHOWN)
		buf_printf(&list, " and %zu more", count - NAMES_SHOWN);
	err_set(err, ERR_USAGE, "there is no %s '%.60s' in this run; there is %s", what, name, list.data);
	buf_free(&list);
	return false;
}

static bool no_such_fault(const struct timeline *t, const char *id, struct err *err)
{
	size_t count = timeline_fault_count(t);
	const char **names = mem_array(count, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = timeline_fault(t, i)->id;
	no_such("fault", id, names, count, err);
	free(names);
	return false;
}

static bool no_such_property(const struct timeline *t, const char *id, struct err *err)
{
	size_t count = timeline_property_count(t);
	const char **names = mem_array(count, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = timeline_property(t, i)->fact->id;
	no_such("property", id, names, count, err);
	free(names);
	return false;
}

/* The stage that a fault's moment means when none is named: what became of it. */
static size_t main_stage(const struct timeline_fault *f)
{
	if (f->stage[FAULT_APPLIED] != TIMELINE_NONE)
		return f->stage[FAULT_APPLIED];
	if (f->stage[FAULT_REJECTED] != TIMELINE_NONE)
		return f->stage[FAULT_REJECTED];
	return f->stage[FAULT_SELECTED];
}

static bool fault_never(const struct timeline_fault *f, const char *stage, struct err *err)
{
	struct buf list = {0};
	for (size_t i = 0; i < FAULT_STAGES; i++)
		if (f->stage[i] != TIMELINE_NONE)
			buf_printf(&list, "%s%s", list.size ? ", " : "", fault_stage_name((enum fault_stage)i));
	if (list.size)
		err_set(err, ERR_USAGE, "%s was never %s in this run; it was %s", f->id, stage, list.data);
	else
		err_set(err, ERR_USAGE, "%s never happened in this run: what starts it did not come", f->id);
	buf_free(&list);
	return false;
}

static bool parse_fault(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	/* A stage is the last part after a dot; an id has none after its '#'. */
	const char *dot = strrchr(text, '.');
	const char *hash = strchr(text, '#');
	if (dot && hash && dot < hash)
		dot = NULL;
	char *id = mem_strn(text, dot ? (size_t)(dot - text) : strlen(text));
	int number = timeline_fault_find(t, id);
	bool ok = number >= 0 || no_such_fault(t, id, err);
	free(id);
	if (!ok)
		return false;
	const struct timeline_fault *f = timeline_fault(t, (size_t)number);
	enum fault_stage stage;
	size_t event;
	if (!dot) {
		event = main_stage(f);
	} else {
		if (!fault_stage_find(dot + 1, &stage))
			return err_set(err, ERR_USAGE,
				"'fault:%.60s': expected a stage after the dot: selected, applied, rejected, observed or healed",
				text);
		event = f->stage[stage];
	}
	if (event == TIMELINE_NONE)
		return fault_never(f, dot ? dot + 1 : "selected", err);
	*ret = moment_of_event(t, event);
	return true;
}

static bool parse_property(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	if (!timeline_facts(t)->has_properties)
		return err_set(err, ERR_USAGE, "'prop:%.60s': this run has no verdicts (yet)", text);
	int number = timeline_property_find(t, text);
	if (number < 0)
		return no_such_property(t, text, err);
	*ret = moment_of_event(t, timeline_property(t, (size_t)number)->decided);
	return true;
}

static const struct prefix {
	const char *name;
	bool (*parse)(const struct timeline *t, const char *text, struct moment *ret, struct err *err);
} prefixes[] = {
	{"ev:", parse_event},
	{"fault:", parse_fault},
	{"prop:", parse_property},
	{"t:", parse_time},
};

#define PREFIXES (sizeof prefixes / sizeof *prefixes)

bool moment_parse(const struct timeline *t, const char *text, struct moment *ret, struct err *err)
{
	if (strcmp(text, "begin") == 0) {
		*ret = (struct moment){0, TIMELINE_NONE};
		return true;
	}
	if (strcmp(text, "end") == 0) {
		*ret = moment_of_event(t, timeline_count(t) ? timeline_count(t) - 1 : TIMELINE_NONE);
		return true;
	}
	for (size_t i = 0; i < PREFIXES; i++) {
		size_t size = strlen(prefixes[i].name);
		if (strncmp(text, prefixes[i].name, size) == 0)
			return prefixes[i].parse(t, text + size, ret, err);
	}
	return parse_icount(t, text, ret, err);
}

/* -- writing and completing -- */

void moment_write(const struct timeline *t, const struct moment *m, struct buf *out)
{
	if (m->event != TIMELINE_NONE && timeline_entries(t)[m->event].icount == m->icount)
		buf_printf(out, "ev:%zu", m->event + 1);
	else if (m->icount == 0)
		buf_str(out, "begin");
	else
		buf_printf(out, "%" PRIu64, m->icount);
}

struct offer {
	const char *prefix;
	void (*found)(void *data, const char *text);
	void *data;
	size_t count;
};

static void offer(struct offer *o, const char *text)
{
	if (o->count == COMPLETE_MAX || strncmp(text, o->prefix, strlen(o->prefix)) != 0)
		return;
	o->count++;
	o->found(o->data, text);
}

static void offer_faults(const struct timeline *t, struct offer *o)
{
	struct buf text = {0};
	for (size_t i = 0; i < timeline_fault_count(t) && o->count < COMPLETE_MAX; i++) {
		const struct timeline_fault *f = timeline_fault(t, i);
		for (size_t stage = 0; stage < FAULT_STAGES; stage++) {
			if (f->stage[stage] == TIMELINE_NONE)
				continue;
			buf_clear(&text);
			buf_printf(&text, "fault:%s.%s", f->id, fault_stage_name((enum fault_stage)stage));
			offer(o, text.data);
		}
	}
	buf_free(&text);
}

void moment_complete(const struct timeline *t, const char *prefix, void (*found)(void *data, const char *text), void *data)
{
	struct offer o = {prefix, found, data, 0};
	offer(&o, "begin");
	offer(&o, "end");
	offer_faults(t, &o);
	struct buf text = {0};
	for (size_t i = 0; i < timeline_property_count(t); i++) {
		buf_clear(&text);
		buf_printf(&text, "prop:%s", timeline_property(t, i)->fact->id);
		offer(&o, text.data);
	}
	/* Not until they are wanted: there may be a million. */
	for (size_t i = 0; strncmp(prefix, "ev:", 3) == 0 && i < timeline_count(t) && o.count < COMPLETE_MAX; i++) {
		buf_clear(&text);
		buf_printf(&text, "ev:%zu", i + 1);
		offer(&o, text.data);
	}
	buf_free(&text);
}
