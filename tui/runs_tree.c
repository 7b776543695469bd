/* Forks of the list of runs as a tree: each behind the run that it was made from. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "tui/runs.h"

#define NONE SIZE_MAX

/* By number of the row: where its forks are, in the order of the list. */
struct links {
	const struct run_row *rows;
	size_t *by_name;             /* numbers of rows, by name */
	size_t *first, *last, *next; /* forks of a row; the next of the same */
	bool *is_fork;               /* of a run that is here */
};

static int compare_names(const void *a, const void *b, void *rows)
{
	const struct run_row *list = rows;
	return strcmp(list[*(const size_t *)a].name, list[*(const size_t *)b].name);
}

static size_t find(const struct links *l, size_t count, const char *name)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(l->rows[l->by_name[middle]].name, name);
		if (order == 0)
			return l->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NONE;
}

static void link_forks(struct links *l, size_t count)
{
	for (size_t i = 0; i < count; i++)
		l->by_name[i] = i;
	qsort_r(l->by_name, count, sizeof *l->by_name, compare_names, (void *)l->rows);
	for (size_t i = 0; i < count; i++)
		l->first[i] = l->last[i] = l->next[i] = NONE;
	for (size_t i = 0; i < count; i++) {
		size_t parent = l->rows[i].parent ? find(l, count, l->rows[i].parent) : NONE;
		if (parent == NONE || parent == i)
			continue;
		l->is_fork[i] = true;
		if (l->first[parent] == NONE)
			l->first[parent] = i;
		else
			l->next[l->last[parent]] = i;
		l->last[parent] = i;
	}
}

/* One row and its forks, depth first; a stack of our own, since manifests may say anything. */
static void put_tree(const struct links *l, size_t root, struct run_row *out, size_t *at, bool *done, size_t *stack)
{
	size_t depth = 0;
	stack[0] = root;
	done[root] = true;
	for (;;) {
		size_t row = stack[depth];
		out[*at] = l->rows[row];
		out[*at].depth = (unsigned)depth;
		(*at)++;
		size_t next = l->first[row];
		if (next != NONE)
			depth++;
		else
			while ((next = l->next[stack[depth]]) == NONE && depth > 0)
				depth--;
		if (depth == 0)
			return;
		stack[depth] = next;
		done[next] = true;
	}
}

/* What follows a row more deeply is its forks. */
static void count_forks(struct runs *list)
{
	unsigned hidden_above = UINT32_MAX; /* depth of the folded row whose forks these are */
	for (size_t i = 0; i < list->count; i++) {
		struct run_row *row = &list->rows[i];
		row->forks = 0;
		for (size_t k = i + 1; k < list->count && list->rows[k].depth > row->depth; k++)
			row->forks++;
		if (row->depth <= hidden_above)
			hidden_above = UINT32_MAX;
		row->hidden = hidden_above != UINT32_MAX;
		if (!row->hidden && row->folded && row->forks)
			hidden_above = row->depth;
	}
}

static bool has_forks(const struct runs *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].parent)
			return true;
	return false;
}

void runs_arrange(struct runs *list)
{
	size_t count = list->count, at = 0, bytes = (count ? count : 1) * sizeof(size_t);
	for (size_t i = 0; i < count; i++)
		list->rows[i].depth = 0;
	if (has_forks(list)) {
		struct links l = {
			list->rows, mem_alloc(bytes), mem_alloc(bytes), mem_alloc(bytes), mem_alloc(bytes), mem_alloc(count)};
		struct run_row *out = mem_alloc(count * sizeof *out);
		bool *done = mem_alloc(count);
		size_t *stack = mem_alloc(bytes);
		link_forks(&l, count);
		for (size_t i = 0; i < count; i++)
			if (!l.is_fork[i])
				put_tree(&l, i, out, &at, done, stack);
		for (size_t i = 0; i < count; i++) /* forks of each other, in a circle: no tree has them */
			if (!done[i])
				out[at++] = l.rows[i];
		free(list->rows);
		list->rows = out;
		list->room = count;
		void *all[] = {l.by_name, l.first, l.last, l.next, l.is_fork, done, stack};
		for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
			free(all[i]);
	}
	count_forks(list);
}

bool runs_fold(struct runs *list, size_t row)
{
	while (row < list->count && !list->rows[row].forks && row > 0 && list->rows[row].depth) {
		unsigned depth = list->rows[row].depth;
		while (row > 0 && list->rows[row].depth >= depth)
			row--;
	}
	if (row >= list->count || !list->rows[row].forks)
		return false;
	list->rows[row].folded = !list->rows[row].folded;
	count_forks(list);
	return true;
}
