#include "tui/debugnames.h"

#include <stdlib.h>
#include <string.h>

#include "engine/verbs.h"

static void add(void *data, const char *name)
{
	struct debug_names *n = data;
	/* What cannot be typed as one word, or would not be seen as it is, is no help. */
	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~' || *c == '"' || *c == '\\')
			return;
	if (n->symbol_count < DEBUG_NAMES_MAX)
		ARRAY_PUSH(n->symbols, n->symbol_count, n->symbol_room) = mem_str(name);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct debug_names *n)
{
	size_t kept = 0;
	if (n->symbol_count)
		qsort(n->symbols, n->symbol_count, sizeof *n->symbols, compare);
	for (size_t i = 0; i < n->symbol_count; i++)
		if (kept && !strcmp(n->symbols[kept - 1], n->symbols[i]))
			free(n->symbols[i]);
		else
			n->symbols[kept++] = n->symbols[i];
	n->symbol_count = kept;
}

static bool same_bookmarks(const struct bookmarks *list, const struct debug_names *last)
{
	if (list->count != last->bookmark_count)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].name, last->bookmarks[i]) != 0)
			return false;
	return true;
}

struct debug_names *debug_names_take(struct verbs *v, const struct debug_names *last)
{
	struct here *here = session_here(v->session);
	struct err ignored = {0};
	const struct process *focus = here_focus(here, &ignored);
	uint32_t pid = focus ? focus->pid : 0;
	if (last && last->pid == pid && same_bookmarks(v->bookmarks, last))
		return NULL;
	struct debug_names *n = mem_alloc(sizeof *n);
	struct program *program = focus ? here_program(here, 0, &ignored) : NULL;
	n->pid = pid;
	if (program)
		symbols_each(program_symbols(program), add, n);
	sort(n);
	for (size_t i = 0; i < v->bookmarks->count; i++)
		ARRAY_PUSH(n->bookmarks, n->bookmark_count, n->bookmark_room) = mem_str(v->bookmarks->list[i].name);
	return n;
}

struct debug_names *debug_names_key(const struct debug_names *n)
{
	struct debug_names *key = mem_alloc(sizeof *key);
	key->pid = n->pid;
	for (size_t i = 0; i < n->bookmark_count; i++)
		ARRAY_PUSH(key->bookmarks, key->bookmark_count, key->bookmark_room) = mem_str(n->bookmarks[i]);
	return key;
}

void debug_names_destroy(struct debug_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->symbol_count; i++)
		free(n->symbols[i]);
	for (size_t i = 0; i < n->bookmark_count; i++)
		free(n->bookmarks[i]);
	free(n->symbols);
	free(n->bookmarks);
	free(n);
}

void debug_names_symbols(const struct debug_names *n, const char *prefix, void (*found)(void *data, const char *text), void *data)
{
	size_t low = 0, high = n ? n->symbol_count : 0, size = strlen(prefix);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(n->symbols[middle], prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; n && low < n->symbol_count && !strncmp(n->symbols[low], prefix, size); low++)
		found(data, n->symbols[low]);
}

void debug_names_bookmarks(
	const struct debug_names *n, const char *prefix, void (*found)(void *data, const char *text), void *data)
{
	for (size_t i = 0; n && i < n->bookmark_count; i++)
		if (!strncmp(n->bookmarks[i], prefix, strlen(prefix)))
			found(data, n->bookmarks[i]);
}
