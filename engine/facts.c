#include "engine/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/json.h"

#define PLAN_NAME       "plan.json"
#define PROPERTIES_NAME "properties.json"

/* -- properties.json -- */

static bool get_verdict(const struct json *object, enum verdict *ret, struct err *err)
{
	const char *name;
	if (!json_get_str(object, "verdict", &name, err))
		return false;
	return verdict_find(name, ret) || err_set(err, ERR_INPUT, "'%s' is not a verdict", name);
}

static bool get_place(const struct json *object, struct text_place *ret, struct err *err)
{
	uint64_t line, column;
	if (!json_get_u64(object, "line", &line, err) || !json_get_u64(object, "column", &column, err))
		return false;
	if (line > UINT32_MAX || column > UINT32_MAX)
		return err_set(err, ERR_INPUT, "line and column are too large");
	*ret = (struct text_place){(unsigned)line, (unsigned)column};
	return true;
}

static bool get_margin(const struct json *object, struct fact_property *p, struct err *err)
{
	const struct json *margin = json_member(object, "margin");
	p->margin_unit = mem_str("");
	if (json_kind(margin) == JSON_NULL)
		return true;
	const char *unit;
	if (!json_get_u64(margin, "used", &p->margin_used, err) || !json_get_u64(margin, "of", &p->margin_of, err) ||
		!json_get_str(margin, "unit", &unit, err))
		return err_prefix(err, "margin");
	free(p->margin_unit);
	p->margin_unit = mem_str(unit);
	p->has_margin = true;
	return true;
}

static bool get_witnesses(const struct json *object, struct fact_property *p, struct err *err)
{
	const struct json *list;
	if (!json_get(object, "witnesses", JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > FACTS_WITNESSES_MAX)
		return err_set(err, ERR_INPUT, "more than %d witnesses", FACTS_WITNESSES_MAX);
	p->witness_count = json_count(list);
	p->witnesses = mem_array(p->witness_count, sizeof *p->witnesses);
	for (size_t i = 0; i < p->witness_count; i++)
		if (!json_as_u64(json_at(list, i), "a witness", &p->witnesses[i], err))
			return false;
	return true;
}

static bool get_property(const struct json *object, struct fact_property *p, struct err *err)
{
	const char *id, *type, *why;
	if (!json_get_str(object, "id", &id, err) || !json_get_str(object, "type", &type, err) ||
		!json_get_str(object, "why", &why, err))
		return false;
	p->id = mem_str(id);
	p->type = mem_str(type);
	p->why = mem_str(why);
	return get_verdict(object, &p->verdict, err) && json_get_u64(object, "decided_at", &p->decided_at, err) &&
		json_get_u64(object, "evaluations", &p->evaluations, err) && get_witnesses(object, p, err) &&
		get_margin(object, p, err) && get_place(object, &p->place, err);
}

static bool get_properties(const struct json *root, struct facts *facts, struct err *err)
{
	uint64_t version;
	const struct json *list;
	if (!json_get_u64(root, "polecat_properties", &version, err))
		return false;
	if (version != 1)
		return err_set(err, ERR_INPUT, "this is version %llu of polecat_properties; version 1 is known",
			(unsigned long long)version);
	if (!get_verdict(root, &facts->verdict, err) || !json_get(root, "properties", JSON_ARRAY, &list, err))
		return false;
	if (json_count(list) > FACTS_PROPERTIES_MAX)
		return err_set(err, ERR_INPUT, "more than %d properties", FACTS_PROPERTIES_MAX);
	facts->properties = mem_array(json_count(list), sizeof *facts->properties);
	for (size_t i = 0; i < json_count(list); i++) {
		facts->property_count = i + 1;
		if (!get_property(json_at(list, i), &facts->properties[i], err))
			return err_prefix(err, "properties[%zu]", i);
	}
	facts->has_properties = true;
	return true;
}

bool facts_parse_properties(struct facts *facts, const char *bytes, size_t size, struct err *err)
{
	*facts = (struct facts){.verdict = VERDICT_UNKNOWN};
	struct json *root = json_parse(bytes, size, PROPERTIES_NAME, err);
	if (!root)
		return false;
	bool ok = get_properties(root, facts, err) || err_prefix(err, PROPERTIES_NAME);
	json_destroy(root);
	if (!ok)
		facts_finish(facts);
	return ok;
}

/* -- the directory -- */

/* A file that is not there is fine. */
static bool read_file(int dirfd, const char *name, size_t limit, struct buf *out, bool *found, struct err *err)
{
	struct err why = {0};
	int fd = file_open_in(dirfd, name, O_RDONLY | O_NONBLOCK, &why);
	*found = fd >= 0;
	if (fd < 0 && errno == ENOENT)
		return true;
	bool ok = fd >= 0 ? file_read_fd(fd, name, limit, out, err) : err_set(err, ERR_INPUT, "%s", why.text);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool read_manifest(struct facts *facts, int dirfd, struct err *err)
{
	struct buf bytes = {0};
	bool found;
	bool ok = read_file(dirfd, MANIFEST_NAME, MANIFEST_SIZE_MAX, &bytes, &found, err);
	if (ok && found)
		ok = facts->has_manifest = manifest_parse(&facts->manifest, bytes.data, bytes.size, MANIFEST_NAME, err);
	buf_free(&bytes);
	return ok;
}

static bool read_plan(struct facts *facts, int dirfd, struct err *err)
{
	struct buf bytes = {0};
	bool found;
	bool ok = read_file(dirfd, PLAN_NAME, PLAN_BYTES_MAX, &bytes, &found, err);
	if (ok && found)
		ok = (facts->plan = plan_parse(bytes.data, bytes.size, PLAN_NAME, err)) != NULL;
	buf_free(&bytes);
	return ok;
}

static bool read_properties(struct facts *facts, int dirfd, struct err *err)
{
	struct buf bytes = {0};
	bool found;
	bool ok = read_file(dirfd, PROPERTIES_NAME, FACTS_PROPERTIES_BYTES_MAX, &bytes, &found, err);
	if (ok && found)
		ok = facts_parse_properties(facts, bytes.data, bytes.size, err);
	buf_free(&bytes);
	return ok;
}

bool facts_read(struct facts *facts, int dirfd, struct err *err)
{
	/* Properties first: they start facts anew. */
	*facts = (struct facts){.verdict = VERDICT_UNKNOWN};
	bool ok = read_properties(facts, dirfd, err) && read_plan(facts, dirfd, err) && read_manifest(facts, dirfd, err);
	if (!ok)
		facts_finish(facts);
	return ok;
}

void facts_finish(struct facts *facts)
{
	manifest_finish(&facts->manifest);
	plan_destroy(facts->plan);
	for (size_t i = 0; i < facts->property_count; i++) {
		struct fact_property *p = &facts->properties[i];
		free(p->id);
		free(p->type);
		free(p->why);
		free(p->witnesses);
		free(p->margin_unit);
	}
	free(facts->properties);
	*facts = (struct facts){.verdict = VERDICT_UNKNOWN};
}

const struct plan_fault *facts_fault(const struct facts *facts, const char *id)
{
	for (size_t i = 0; facts->plan && i < facts->plan->fault_count; i++)
		if (strcmp(facts->plan->faults[i].id, id) == 0)
			return &facts->plan->faults[i];
	return NULL;
}

const struct fact_property *facts_property(const struct facts *facts, const char *id)
{
	for (size_t i = 0; i < facts->property_count; i++)
		if (strcmp(facts->properties[i].id, id) == 0)
			return &facts->properties[i];
	return NULL;
}

/* -- in words -- */

static const char *ordinal(uint64_t n)
{
	if (n % 100 >= 11 && n % 100 <= 13)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

void facts_put_trigger(const struct plan *plan, const struct plan_fault *fault, struct buf *out)
{
	const struct plan_trigger *t = &fault->trigger;
	const char *node = t->on != TRIGGER_AT && t->on != TRIGGER_FAULT ? plan->nodes[t->node].name : "";
	unsigned long long value = t->value;
	switch (t->on) {
	case TRIGGER_AT:
		buf_str(out, "at ");
		text_put(out, TEXT_DURATION, t->value);
		break;
	case TRIGGER_LINES:
		buf_printf(out, "after line %llu of %s", value, node);
		break;
	case TRIGGER_FAULT:
		buf_printf(out, "after %s is %s", plan->faults[t->fault].id, fault_stage_name(t->stage));
		break;
	case TRIGGER_STARTED:
	case TRIGGER_READY:
	case TRIGGER_EXITED:
		buf_printf(out, "when %s %s for the %llu%s time", node,
			t->on == TRIGGER_STARTED         ? "starts"
				: t->on == TRIGGER_READY ? "is ready"
							 : "exits",
			value, ordinal(t->value));
		break;
	}
	if (t->delay_ns > 0) {
		buf_str(out, ", and then ");
		text_put(out, TEXT_DURATION, t->delay_ns);
	}
}

void facts_put_params(const struct plan_fault *fault, struct buf *out)
{
	const char *comma = "";
	for (size_t i = 0; i < fault->param_count; i++, comma = ", ")
		buf_printf(out, "%s%s %s", comma, fault->params[i].name, fault->params[i].value);
	if (fault->for_ns > 0) {
		buf_printf(out, "%sfor ", comma);
		text_put(out, TEXT_DURATION, fault->for_ns);
	}
}

void facts_put_choice(const struct plan_choice *choice, struct buf *out)
{
	enum text_unit unit = strcmp(choice->unit, "ns") == 0 ? TEXT_DURATION : TEXT_NUMBER;
	text_put(out, unit, choice->value);
	buf_str(out, " of ");
	text_put_range(out, unit, (struct text_range){choice->low, choice->high});
}
