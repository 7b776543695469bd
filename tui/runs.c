#include "tui/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/event.h"
#include "engine/eventfile.h"
#include "engine/facts.h"
#include "engine/file.h"
#include "engine/lineage.h"
#include "engine/manifest.h"
#include "engine/rundir.h"
#include "engine/text.h"

#define DELETED  ".deleted-"
#define TAIL_MAX (2 * EVENT_LINE_MAX) /* bytes at the end of the events that hold the last one for sure */

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void row_finish(struct run_row *row)
{
	free(row->name);
	free(row->problem);
	free(row->scenario);
	free(row->failed);
	free(row->reproducible);
	free(row->parent);
	free(row->command);
}

struct runs *runs_create(const char *path)
{
	struct runs *list = mem_alloc(sizeof *list);
	list->path = mem_str(path);
	list->dir = -1;
	return list;
}

void runs_destroy(struct runs *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->deleted_count; i++) {
		char *hidden = mem_printf(DELETED "%s", list->deleted[i]);
		file_remove_in(list->dir, hidden, NULL);
		free(hidden);
		free(list->deleted[i]);
	}
	for (size_t i = 0; i < list->count; i++)
		row_finish(&list->rows[i]);
	if (list->dir >= 0)
		close(list->dir);
	free(list->deleted);
	free(list->rows);
	free(list->path);
	free(list);
}

size_t runs_find(const struct runs *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

char *runs_path(const struct runs *list, size_t row)
{
	return mem_printf("%s/%s", list->path, list->rows[row].name);
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct run_row *)a)->name, ((const struct run_row *)b)->name);
}

/* Moves what is known of a run from the old rows to its new row. */
static void inherit(struct run_row *row, struct run_row *old, size_t old_count)
{
	struct run_row *known = old_count ? bsearch(row, old, old_count, sizeof *old, by_name) : NULL;
	if (!known)
		return;
	bool marked = known->marked, fresh = known->fresh, folded = known->folded;
	if (known->loaded && !known->recording && !known->problem) {
		free(row->name);
		*row = *known;
		*known = (struct run_row){.name = mem_str(row->name)};
	}
	row->marked = marked;
	row->fresh = fresh;
	row->folded = folded;
}

static int64_t seconds_of(struct tm tm)
{
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm);
}

/* The start of a name is when it was recorded: 20260831T101500Z-... */
static int64_t when_of(const char *name)
{
	struct tm tm = {0};
	if (starts(name, RUNDIR_INCOMPLETE))
		name += strlen(RUNDIR_INCOMPLETE);
	int got = sscanf(name, "%4d%2d%2dT%2d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec);
	return got == 6 ? seconds_of(tm) : 0;
}

/* A manifest says it too, whatever the directory is called now. */
static int64_t created_at(const char *text)
{
	struct tm tm = {0};
	int got = sscanf(
		text, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec);
	return got == 6 ? seconds_of(tm) : 0;
}

bool runs_scan(struct runs *list, struct err *err)
{
	bool first = list->dir < 0;
	if (first)
		list->dir = open(list->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list->dir < 0)
		return errno == ENOENT ? true : err_sys(err, errno, "%s", list->path);
	struct stat now;
	if (fstat(list->dir, &now) == 0) {
		list->scanned_s = now.st_mtim.tv_sec;
		list->scanned_ns = now.st_mtim.tv_nsec;
	}
	int copy = openat(list->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return err_sys(err, errno, "%s", list->path);
	}
	struct run_row *old = list->rows;
	size_t old_count = list->count;
	if (old_count)
		qsort(old, old_count, sizeof *old, by_name);
	list->rows = NULL;
	list->count = list->room = 0;
	for (struct dirent *entry; list->count < RUNS_MAX && (entry = readdir(stream));) {
		struct stat st;
		if (first && starts(entry->d_name, DELETED)) /* left by a crash: still to be undone, or deleted at the end */
			ARRAY_PUSH(list->deleted, list->deleted_count, list->deleted_room) =
				mem_str(entry->d_name + strlen(DELETED));
		bool hidden = entry->d_name[0] == '.' && !starts(entry->d_name, RUNDIR_INCOMPLETE);
		if (hidden || fstatat(list->dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
			continue;
		struct run_row row = {
			.name = mem_str(entry->d_name), .recording = starts(entry->d_name, RUNDIR_INCOMPLETE), .fresh = true};
		inherit(&row, old, old_count);
		row.when = row.when ? row.when : when_of(row.name);
		ARRAY_PUSH(list->rows, list->count, list->room) = row;
	}
	closedir(stream);
	for (size_t i = 0; i < old_count; i++)
		row_finish(&old[i]);
	free(old);
	list->stale = true;
	return true;
}

bool runs_changed(const struct runs *list)
{
	struct stat now;
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].recording)
			return true;
	return list->dir < 0 || fstat(list->dir, &now) != 0 || now.st_mtim.tv_sec != list->scanned_s ||
		now.st_mtim.tv_nsec != list->scanned_ns;
}

/* ---- one row ---- */

static void sum_sizes(struct run_row *row, int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream)
		return;
	for (struct dirent *entry; (entry = readdir(stream));) {
		struct stat st;
		if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			row->size += (uint64_t)st.st_size;
	}
	closedir(stream);
}

/* The last whole line of its events says how long the run was. */
static void read_length(struct run_row *row, int dir)
{
	struct eventfile *events = eventfile_open(dir, NULL, NULL);
	if (!events)
		return;
	uint64_t size = eventfile_size(events), from = size > TAIL_MAX ? size - TAIL_MAX : 0;
	struct buf tail = {0}, arena = {0};
	buf_reserve(&tail, TAIL_MAX);
	size_t got;
	size_t end = eventfile_read(events, from, tail.data, TAIL_MAX, &got, NULL) ? got : 0;
	eventfile_close(events);
	while (end > 0 && tail.data[end - 1] != '\n')
		end--;
	size_t start = end ? end - 1 : 0;
	while (start > 0 && tail.data[start - 1] != '\n')
		start--;
	struct event e;
	if (end > start && event_parse(tail.data + start, end - 1 - start, &arena, &e, NULL)) {
		row->events = e.seq;
		row->vtime_ns = e.vtime_ns;
		row->icount = e.icount;
	}
	buf_free(&tail);
	buf_free(&arena);
}

static bool read_manifest(struct run_row *row, int dir, struct err *err)
{
	struct buf bytes = {0};
	struct manifest m = {0};
	bool ok = file_read_in(dir, MANIFEST_NAME, MANIFEST_SIZE_MAX, &bytes, err) &&
		manifest_parse(&m, bytes.data ? bytes.data : "", bytes.size, MANIFEST_NAME, err);
	if (ok) {
		row->scenario = mem_str(m.scenario);
		row->seed = m.seed;
		row->has_verdict = true;
		row->verdict = m.verdict;
		row->fault_count = m.faults;
		row->events = m.events;
		row->vtime_ns = m.vtime_ns;
		row->icount = m.icount;
		row->reproducible = mem_str(m.reproducible);
		row->when = created_at(m.created);
		row->parent = mem_str(m.parent);
		row->parent_icount = m.parent_icount;
	}
	manifest_finish(&m);
	buf_free(&bytes);
	return ok;
}

static void read_request(struct run_row *row, int dir)
{
	struct buf bytes = {0}, text = {0};
	if (file_read_in(dir, LINEAGE_REQUEST, LINEAGE_REQUEST_MAX, &bytes, NULL) && bytes.size)
		lineage_describe(bytes.data, bytes.size, &text);
	row->command = text.size ? buf_take(&text) : NULL;
	buf_free(&bytes);
	buf_free(&text);
}

static void take_facts(struct run_row *row, const struct facts *facts)
{
	struct buf failed = {0};
	if (facts->plan && !row->scenario) {
		row->scenario = mem_str(facts->plan->scenario);
		row->seed = facts->plan->seed;
		row->fault_count = facts->plan->fault_count;
	}
	row->property_count = facts->property_count;
	for (size_t i = 0; i < facts->property_count; i++) {
		const struct fact_property *p = &facts->properties[i];
		row->counts[p->verdict]++;
		if (p->verdict == facts->verdict && p->verdict != VERDICT_PASS)
			buf_printf(&failed, "%s%s", failed.size ? ", " : "", p->id);
	}
	row->failed = buf_take(&failed);
}

/* A run that is being recorded has no manifest yet: what there is of it is shown. */
static bool load_from(struct run_row *row, int dir, struct err *err)
{
	struct facts facts = {0};
	if (!row->recording && !read_manifest(row, dir, err))
		return false;
	if (row->recording)
		read_length(row, dir);
	if (row->parent)
		read_request(row, dir);
	if (!facts_read(&facts, dir, err))
		return row->recording;
	take_facts(row, &facts);
	facts_finish(&facts);
	return true;
}

void runs_load(struct runs *list, size_t index)
{
	struct run_row *row = &list->rows[index];
	struct err err = {0};
	if (row->loaded)
		return;
	row->loaded = list->stale = true;
	int dir = openat(list->dir, row->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0) {
		row->problem = mem_printf("cannot be opened: %s", strerror(errno));
	} else {
		row->abandoned = row->recording && rundir_abandoned(dir);
		if (!load_from(row, dir, &err))
			row->problem = mem_str(err.text);
		sum_sizes(row, dir);
		close(dir);
	}
	row->scenario = row->scenario ? row->scenario : mem_str("");
	row->failed = row->failed ? row->failed : mem_str("");
	row->reproducible = row->reproducible ? row->reproducible : mem_str("");
}

void runs_forget_fresh(struct runs *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].fresh = false;
}

size_t runs_find_fresh(const struct runs *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].fresh && !list->rows[i].recording)
			return i;
	return SIZE_MAX;
}

bool runs_step(struct runs *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->rows[i].loaded) {
			runs_load(list, i);
			return true;
		}
	return false;
}

/* ---- deleting ---- */

bool runs_delete(struct runs *list, size_t row, struct err *err)
{
	const char *name = list->rows[row].name;
	char *hidden = mem_printf(DELETED "%s", name);
	bool ok = renameat(list->dir, name, list->dir, hidden) == 0;
	free(hidden);
	if (!ok)
		return err_sys(err, errno, "%s cannot be deleted", name);
	ARRAY_PUSH(list->deleted, list->deleted_count, list->deleted_room) = mem_str(name);
	row_finish(&list->rows[row]);
	list->stale = true; /* its forks stand alone now */
	memmove(&list->rows[row], &list->rows[row + 1], (list->count - row - 1) * sizeof *list->rows);
	list->count--;
	return true;
}

bool runs_undo(struct runs *list, char **ret_name, struct err *err)
{
	if (list->deleted_count == 0)
		return err_set(err, ERR_USAGE, "no deleted run is left to bring back");
	char *name = list->deleted[list->deleted_count - 1];
	char *hidden = mem_printf(DELETED "%s", name);
	bool ok = renameat(list->dir, hidden, list->dir, name) == 0;
	free(hidden);
	if (!ok)
		return err_sys(err, errno, "%s cannot be brought back", name);
	list->deleted_count--;
	*ret_name = name;
	return runs_scan(list, err);
}
