/* A timeline's nodes, faults and properties, made from its index and its facts. */
#include <stdlib.h>
#include <string.h>

#include "engine/timeline_data.h"

static void add_fault(struct timeline *t, size_t number)
{
	const char *id = t->index.faults.list[number];
	struct timeline_fault *f = &t->faults[number];
	*f = (struct timeline_fault){.id = id, .plan = facts_fault(&t->facts, id)};
	/* The type is the id without its ordinal, so it is known even when the plan is not. */
	t->fault_types[number] = mem_strn(id, strcspn(id, "#"));
	f->type = t->fault_types[number];
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		f->stage[stage] = TIMELINE_NONE;
	int node = f->plan ? eventindex_node(&t->index, t->facts.plan->nodes[f->plan->node].name) : 0;
	f->node = node > 0 ? node : 0;
}

void timeline_update_faults(struct timeline *t)
{
	size_t count = t->index.faults.count;
	if (count > t->faults_made) {
		t->faults = mem_grow(t->faults, count, sizeof *t->faults);
		t->fault_types = mem_grow(t->fault_types, count, sizeof *t->fault_types);
		for (; t->faults_made < count; t->faults_made++)
			add_fault(t, t->faults_made);
	}
	for (; t->faults_scanned < t->index.count; t->faults_scanned++) {
		const struct entry *e = &t->index.entries[t->faults_scanned];
		if (e->fault == 0)
			continue;
		struct timeline_fault *f = &t->faults[e->fault - 1];
		size_t *stage = &f->stage[e->kind - EVENT_FAULT_SELECTED];
		if (*stage == TIMELINE_NONE)
			*stage = t->faults_scanned;
		if (!f->plan && f->node == 0)
			f->node = e->node;
	}
}

void timeline_drop_faults(struct timeline *t)
{
	for (size_t i = 0; i < t->faults_made; i++)
		free(t->fault_types[i]);
	free(t->fault_types);
	free(t->faults);
	t->fault_types = NULL;
	t->faults = NULL;
	t->faults_made = t->faults_scanned = 0;
}

void timeline_drop_properties(struct timeline *t)
{
	for (size_t i = 0; t->properties && i < t->facts.property_count; i++)
		free((void *)t->properties[i].witnesses);
	free(t->properties);
	t->properties = NULL;
}

static bool event_of_seq(const struct timeline *t, const char *id, uint64_t seq, size_t *ret, struct err *err)
{
	if (seq == 0 || seq > t->index.count)
		return err_set(err, ERR_INPUT, "properties.json: %s names event %llu, but the run has events 1 to %zu", id,
			(unsigned long long)seq, t->index.count);
	*ret = (size_t)seq - 1;
	return true;
}

static bool fill_properties(struct timeline *t, struct err *err)
{
	t->properties = mem_array(t->facts.property_count, sizeof *t->properties);
	for (size_t i = 0; i < t->facts.property_count; i++) {
		const struct fact_property *fact = &t->facts.properties[i];
		size_t *witnesses = mem_array(fact->witness_count, sizeof *witnesses);
		t->properties[i] = (struct timeline_property){fact, TIMELINE_NONE, witnesses};
		if (fact->decided_at > 0) {
			if (!event_of_seq(t, fact->id, fact->decided_at, &t->properties[i].decided, err))
				return false;
		} else if (t->index.count > 0) {
			t->properties[i].decided = t->index.count - 1;
		}
		for (size_t w = 0; w < fact->witness_count; w++)
			if (!event_of_seq(t, fact->id, fact->witnesses[w], &witnesses[w], err))
				return false;
	}
	return true;
}

bool timeline_make_properties(struct timeline *t, struct err *err)
{
	bool ok = fill_properties(t, err);
	if (!ok)
		timeline_drop_properties(t);
	return ok;
}

/* -- what is asked -- */

size_t timeline_node_count(const struct timeline *t)
{
	return t->index.nodes.count;
}

const char *timeline_node(const struct timeline *t, size_t node)
{
	return t->index.nodes.list[node];
}

int timeline_node_find(const struct timeline *t, const char *name)
{
	return eventindex_node(&t->index, name);
}

size_t timeline_fault_count(const struct timeline *t)
{
	return t->faults_made;
}

const struct timeline_fault *timeline_fault(const struct timeline *t, size_t fault)
{
	return &t->faults[fault];
}

int timeline_fault_find(const struct timeline *t, const char *id)
{
	return eventindex_fault(&t->index, id);
}

void timeline_fault_span(const struct timeline *t, size_t fault, size_t *ret_first, size_t *ret_last)
{
	const struct timeline_fault *f = &t->faults[fault];
	*ret_first = *ret_last = TIMELINE_NONE;
	for (size_t stage = 0; stage < FAULT_STAGES; stage++) {
		size_t at = f->stage[stage];
		if (at == TIMELINE_NONE)
			continue;
		if (*ret_first == TIMELINE_NONE || at < *ret_first)
			*ret_first = at;
		if (*ret_last == TIMELINE_NONE || at > *ret_last)
			*ret_last = at;
	}
	const struct fault_kind *kind = fault_find(f->type);
	bool lasts = kind && kind->lasts && f->stage[FAULT_APPLIED] != TIMELINE_NONE && f->stage[FAULT_HEALED] == TIMELINE_NONE;
	if (lasts)
		*ret_last = t->index.count - 1;
}

size_t timeline_property_count(const struct timeline *t)
{
	return t->properties ? t->facts.property_count : 0;
}

const struct timeline_property *timeline_property(const struct timeline *t, size_t property)
{
	return &t->properties[property];
}

int timeline_property_find(const struct timeline *t, const char *id)
{
	for (size_t i = 0; i < timeline_property_count(t); i++)
		if (strcmp(t->properties[i].fact->id, id) == 0)
			return (int)i;
	return -1;
}
