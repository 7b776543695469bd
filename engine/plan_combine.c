/* Two plans of one scenario into one: the first up to a moment, the second from there on. */
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"

struct combining {
	struct plan *plan, *other;
	const bool *kept;
	bool *given;
	size_t old;                         /* faults of the first plan */
	size_t place[SCENARIO_PLANNED_MAX]; /* of each of other's */
	size_t choice_room;
};

static size_t find_id(const struct plan *p, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(p->faults[i].id, id))
			return i;
	return SCENARIO_NONE;
}

static bool is_choice_of(const struct plan_choice *c, const char *id)
{
	size_t size = strlen(id);
	return !strncmp(c->name, id, size) && c->name[size] == '.';
}

static void drop_choices(struct plan *p, const char *id)
{
	size_t count = 0;
	for (size_t i = 0; i < p->choice_count; i++) {
		if (is_choice_of(&p->choices[i], id)) {
			free(p->choices[i].name);
			free(p->choices[i].unit);
		} else {
			p->choices[count++] = p->choices[i];
		}
	}
	p->choice_count = count;
}

/* Those of other's fault, now of this id. */
static void copy_choices(struct combining *c, const char *from_id, const char *id)
{
	struct plan *p = c->plan;
	for (size_t i = 0; i < c->other->choice_count; i++) {
		const struct plan_choice *from = &c->other->choices[i];
		if (!is_choice_of(from, from_id))
			continue;
		struct plan_choice copy = *from;
		copy.name = mem_printf("%s%s", id, from->name + strlen(from_id));
		copy.unit = mem_str(from->unit);
		ARRAY_PUSH(p->choices, p->choice_count, c->choice_room) = copy;
	}
}

/* Moves a fault of other to its place: that of the open one of its id, else behind the last. */
static bool place(struct combining *c, size_t from, struct err *err)
{
	struct plan *p = c->plan;
	struct plan_fault *f = &c->other->faults[from];
	char *id = mem_str(f->id);
	size_t at = find_id(p, p->fault_count, id);
	bool replaces = at != SCENARIO_NONE && at < c->old && !c->kept[at];
	for (uint64_t n = 1; !replaces && find_id(p, p->fault_count, id) != SCENARIO_NONE; n++) {
		free(id);
		id = mem_printf("%s#%llu", f->kind->name, (unsigned long long)n);
	}
	if (!replaces && p->fault_count == SCENARIO_PLANNED_MAX) {
		free(id);
		return err_set(err, ERR_INPUT, "both plans together have more than %d faults", SCENARIO_PLANNED_MAX);
	}
	if (replaces) {
		drop_choices(p, id);
		plan_fault_finish(&p->faults[at]);
	} else {
		at = p->fault_count++;
	}
	copy_choices(c, f->id, id);
	p->faults[at] = *f;
	*f = (struct plan_fault){0};
	free(p->faults[at].id);
	p->faults[at].id = id;
	c->given[at] = true;
	c->place[from] = at;
	struct plan_trigger *t = &p->faults[at].trigger;
	if (t->on == TRIGGER_FAULT)
		t->fault = c->place[t->fault];
	return t->on != TRIGGER_FAULT || t->fault < at ||
		err_set(err, ERR_INPUT, "%s of the other seed would stand before %s, which it follows: fork at an earlier moment",
			id, p->faults[t->fault].id);
}

static struct plan *copy(const struct plan *of, struct err *err)
{
	struct buf text = {0};
	plan_write(of, &text);
	struct plan *p = plan_parse(text.data, text.size, "plan.json", err);
	buf_free(&text);
	return p;
}

struct plan *plan_combine(const struct plan *of, const bool *kept, struct plan *other, bool *ret_given, struct err *err)
{
	struct plan *p = copy(of, err);
	bool ok = p != NULL;
	memset(ret_given, 0, SCENARIO_PLANNED_MAX * sizeof *ret_given);
	if (ok) {
		struct combining c = {.plan = p,
			.other = other,
			.kept = kept,
			.given = ret_given,
			.old = p->fault_count,
			.choice_room = p->choice_count};
		p->faults = mem_grow(p->faults, SCENARIO_PLANNED_MAX, sizeof *p->faults);
		p->seed = other->seed;
		for (size_t i = 0; ok && i < other->fault_count; i++)
			ok = place(&c, i, err);
		if (ok && p->choice_count > PLAN_CHOICES_MAX)
			ok = err_set(err, ERR_INPUT, "both plans together decide more than %d values", PLAN_CHOICES_MAX);
	}
	plan_destroy(other);
	if (!ok) {
		plan_destroy(p);
		p = NULL;
	}
	return p;
}
