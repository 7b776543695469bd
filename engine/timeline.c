#include "engine/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/rundir.h"
#include "engine/indexfile.h"

#define INCOMPLETE_PREFIX ".incomplete-"

struct timeline {
	char *path, *name;
	int dir;
	struct eventfile *events; /* NULL while there are none */
	bool incomplete, abandoned;
	struct facts facts;
	struct eventindex index;
	struct timeline_fault *faults;      /* index.faults.count of them */
	char **fault_types;                 /* owned; of faults */
	size_t faults_made, faults_scanned; /* faults filled in; events looked at for them */
	struct timeline_property *properties;
};

/* -- faults and properties, derived from index and facts -- */

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

static void update_faults(struct timeline *t)
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

static void drop_faults(struct timeline *t)
{
	for (size_t i = 0; i < t->faults_made; i++)
		free(t->fault_types[i]);
	free(t->fault_types);
	free(t->faults);
	t->fault_types = NULL;
	t->faults = NULL;
	t->faults_made = t->faults_scanned = 0;
}

static void drop_properties(struct timeline *t)
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

static bool make_properties(struct timeline *t, struct err *err)
{
	bool ok = fill_properties(t, err);
	if (!ok)
		drop_properties(t);
	return ok;
}

/* -- opening -- */

static bool is_incomplete(int dir)
{
	/* The directory loses its prefix when it is whole, perhaps while we have it open: its name now is what the kernel says.
	 */
	char self[32], path[4096];
	snprintf(self, sizeof self, "/proc/self/fd/%d", dir);
	ssize_t size = readlink(self, path, sizeof path - 1);
	if (size <= 0)
		return false;
	path[size] = '\0';
	const char *slash = strrchr(path, '/');
	return strncmp(slash ? slash + 1 : path, INCOMPLETE_PREFIX, strlen(INCOMPLETE_PREFIX)) == 0;
}

static char *last_part(const char *path)
{
	size_t end = strlen(path);
	while (end > 1 && path[end - 1] == '/')
		end--;
	size_t start = end;
	while (start > 0 && path[start - 1] != '/')
		start--;
	return mem_strn(path + start, end - start);
}

/* A recording that has just begun has no events yet; a whole run without them is damaged. */
static bool open_events(struct timeline *t, struct err *err)
{
	bool absent = false;
	if (!t->events)
		t->events = eventfile_open(t->dir, &absent, err);
	return t->events || (absent && t->incomplete);
}

static bool init_index(struct timeline *t, struct err *err)
{
	const struct plan *plan = t->facts.plan;
	size_t nodes = plan ? plan->node_count : 0, faults = plan ? plan->fault_count : 0;
	char **node_names = mem_array(nodes, sizeof *node_names), **fault_names = mem_array(faults, sizeof *fault_names);
	for (size_t i = 0; i < nodes; i++)
		node_names[i] = plan->nodes[i].name;
	for (size_t i = 0; i < faults; i++)
		fault_names[i] = plan->faults[i].id;
	bool ok = eventindex_init(&t->index, node_names, nodes, fault_names, faults, err) || err_prefix(err, "plan.json");
	free(node_names);
	free(fault_names);
	return ok;
}

static bool ends_whole(const struct timeline *t, struct err *err)
{
	uint64_t size = eventfile_size(t->events);
	if (t->incomplete || size == t->index.end)
		return true;
	if (size < t->index.end)
		return err_set(err, ERR_INPUT, EVENTFILE_NAME " has become shorter while it was read");
	return err_set(err, ERR_INPUT, EVENTFILE_NAME ": line %zu: has no end, though the run is whole", t->index.count + 1);
}

static bool read_events(struct timeline *t, struct err *err)
{
	if (!open_events(t, err))
		return false;
	if (!t->events)
		return true;
	/* What was followed while it was recorded is in another file now, perhaps: an index is made by the next who opens it. */
	bool index_file = t->index.count == 0 && !t->incomplete && eventfile_size(t->events) >= INDEXFILE_EVENTS_SIZE_MIN;
	bool loaded = index_file && indexfile_load(&t->index, t->dir, t->events);
	if (!eventindex_read(&t->index, t->events, err))
		return err_prefix(err, EVENTFILE_NAME);
	if (!ends_whole(t, err))
		return false;
	if (index_file && !loaded)
		indexfile_save(&t->index, t->dir, t->events);
	return true;
}

static bool load(struct timeline *t, struct err *err)
{
	t->incomplete = is_incomplete(t->dir);
	t->abandoned = t->incomplete && rundir_abandoned(t->dir);
	if (!facts_read(&t->facts, t->dir, err) || !init_index(t, err) || !read_events(t, err))
		return false;
	update_faults(t);
	return make_properties(t, err);
}

struct timeline *timeline_open(const char *path, struct err *err)
{
	struct timeline *t = mem_alloc(sizeof *t);
	t->path = mem_str(path);
	t->name = last_part(path);
	t->dir = file_open_dir(path, err);
	bool ok = t->dir >= 0 && (load(t, err) || err_prefix(err, "%s", path));
	if (ok)
		return t;
	timeline_close(t);
	return NULL;
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	drop_properties(t);
	drop_faults(t);
	eventindex_finish(&t->index);
	facts_finish(&t->facts);
	eventfile_close(t->events);
	if (t->dir >= 0)
		close(t->dir);
	free(t->path);
	free(t->name);
	free(t);
}

/* The recorder may have put another file in the place of the one that we have open. */
static bool events_replaced(const struct timeline *t)
{
	struct stat ours, theirs;
	return t->events && fstat(eventfile_fd(t->events), &ours) == 0 &&
		fstatat(t->dir, eventfile_name(t->events), &theirs, AT_SYMLINK_NOFOLLOW) == 0 &&
		(ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

/* The plan and the verdicts come when they come. A plan that comes after events renumbers nodes and faults, once. */
static bool reload_facts(struct timeline *t, struct err *err)
{
	struct facts facts;
	if (!facts_read(&facts, t->dir, err))
		return false;
	bool replaced = events_replaced(t), renumber = replaced || (facts.plan && !t->facts.plan);
	if (replaced) {
		eventfile_close(t->events);
		t->events = NULL;
	}
	drop_properties(t);
	drop_faults(t); /* they point into the old plan */
	facts_finish(&t->facts);
	t->facts = facts;
	if (!renumber)
		return true;
	eventindex_finish(&t->index);
	return init_index(t, err);
}

bool timeline_refresh(struct timeline *t, bool *ret_changed, struct err *err)
{
	size_t count = t->index.count;
	bool was_incomplete = t->incomplete, was_abandoned = t->abandoned;
	t->incomplete = is_incomplete(t->dir);
	t->abandoned = t->incomplete && rundir_abandoned(t->dir);
	*ret_changed = t->incomplete != was_incomplete;
	if ((!t->facts.plan || *ret_changed) && !reload_facts(t, err))
		return err_prefix(err, "%s", t->path);
	bool ok = read_events(t, err);
	*ret_changed |= t->index.count != count || t->abandoned != was_abandoned;
	update_faults(t);
	drop_properties(t);
	return (make_properties(t, ok ? err : NULL) && ok) || err_prefix(err, "%s", t->path);
}

bool timeline_incomplete(const struct timeline *t)
{
	return t->incomplete;
}

bool timeline_abandoned(const struct timeline *t)
{
	return t->abandoned;
}

const char *timeline_path(const struct timeline *t)
{
	return t->path;
}

const char *timeline_name(const struct timeline *t)
{
	return t->name;
}

const struct facts *timeline_facts(const struct timeline *t)
{
	return &t->facts;
}

int timeline_dir(const struct timeline *t)
{
	return t->dir;
}

/* -- events -- */

size_t timeline_count(const struct timeline *t)
{
	return t->index.count;
}

const struct entry *timeline_entries(const struct timeline *t)
{
	return t->index.entries;
}

uint64_t timeline_end_icount(const struct timeline *t)
{
	return t->index.count ? t->index.entries[t->index.count - 1].icount : 0;
}

uint64_t timeline_end_vtime(const struct timeline *t)
{
	return t->index.count ? t->index.entries[t->index.count - 1].vtime_ns : 0;
}

uint64_t timeline_event_end(const struct timeline *t, size_t index)
{
	return index + 1 < t->index.count ? t->index.entries[index + 1].offset : t->index.end;
}

bool timeline_read(const struct timeline *t, uint64_t offset, size_t size, char *to, struct err *err)
{
	size_t got;
	if (!eventfile_read(t->events, offset, to, size, &got, err))
		return err_prefix(err, "%s", t->path);
	return got == size || err_set(err, ERR_INPUT, "%s: " EVENTFILE_NAME " has become shorter since it was opened", t->path);
}

bool timeline_event(const struct timeline *t, size_t index, struct timeline_event *ret, struct err *err)
{
	uint64_t offset = t->index.entries[index].offset;
	size_t size = (size_t)(timeline_event_end(t, index) - offset) - 1;
	buf_clear(&ret->line);
	buf_reserve(&ret->line, size + 1);
	if (!timeline_read(t, offset, size, ret->line.data, err))
		return false;
	ret->line.size = size;
	ret->line.data[size] = '\0';
	if (!event_parse(ret->line.data, size, &ret->arena, &ret->event, err))
		return err_prefix(err, "%s: " EVENTFILE_NAME ": line %zu", t->path, index + 1);
	return true;
}

void timeline_event_finish(struct timeline_event *e)
{
	buf_free(&e->line);
	buf_free(&e->arena);
}

/* The last entry of which the field (at this offset in it), which never falls along the run, is at most value. */
static size_t last_up_to(const struct timeline *t, size_t field, uint64_t value)
{
	size_t low = 0, high = t->index.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;
		memcpy(&at, (const char *)&t->index.entries[middle] + field, sizeof at);
		if (at <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : TIMELINE_NONE;
}

size_t timeline_at_icount(const struct timeline *t, uint64_t icount)
{
	return last_up_to(t, offsetof(struct entry, icount), icount);
}

size_t timeline_at_vtime(const struct timeline *t, uint64_t vtime_ns)
{
	return last_up_to(t, offsetof(struct entry, vtime_ns), vtime_ns);
}

size_t timeline_at_seq(const struct timeline *t, uint64_t seq)
{
	return seq > 0 && seq <= t->index.count ? (size_t)seq - 1 : TIMELINE_NONE;
}

static bool passes(const struct entry *e, const struct timeline_filter *f)
{
	return (f->kinds == 0 || f->kinds >> e->kind & 1) && (f->node == 0 || e->node + 1 == f->node) &&
		(f->fault == 0 || e->fault == (uint32_t)f->fault) && (f->flags == 0 || e->flags & f->flags);
}

bool timeline_matches(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	return passes(&t->index.entries[index], filter);
}

size_t timeline_next(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	for (size_t i = index == TIMELINE_NONE ? 0 : index + 1; i < t->index.count; i++)
		if (passes(&t->index.entries[i], filter))
			return i;
	return TIMELINE_NONE;
}

size_t timeline_prev(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	size_t i = index > t->index.count ? t->index.count : index;
	while (i-- > 0)
		if (passes(&t->index.entries[i], filter))
			return i;
	return TIMELINE_NONE;
}

/* -- names -- */

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
