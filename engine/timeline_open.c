/* A timeline opened, and taken further while its run is recorded. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/indexfile.h"
#include "engine/rundir.h"
#include "engine/timeline_data.h"

#define INCOMPLETE_PREFIX ".incomplete-"

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
	timeline_update_faults(t);
	return timeline_make_properties(t, err);
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
	timeline_drop_properties(t);
	timeline_drop_faults(t);
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
	timeline_drop_properties(t);
	timeline_drop_faults(t); /* they point into the old plan */
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
	timeline_update_faults(t);
	timeline_drop_properties(t);
	return (timeline_make_properties(t, ok ? err : NULL) && ok) || err_prefix(err, "%s", t->path);
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
