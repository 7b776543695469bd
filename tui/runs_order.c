/* Which runs of the list are shown, and in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "tui/runs.h"

const char *const run_sort_names[SORT_COUNT + 1] = {"verdict", "age", "scenario", "seed", "length", "faults", "size", NULL};

const char *run_sort_name(enum run_sort sort)
{
	return run_sort_names[sort];
}

bool run_sort_find(const char *name, enum run_sort *ret)
{
	for (int i = 0; i < SORT_COUNT; i++)
		if (strcmp(name, run_sort_names[i]) == 0) {
			*ret = (enum run_sort)i;
			return true;
		}
	return false;
}

static int severity(const struct run_row *row)
{
	static const int order[VERDICT_COUNT] = {
		[VERDICT_FAIL] = 1, [VERDICT_UNKNOWN] = 2, [VERDICT_UNEXERCISED] = 3, [VERDICT_PASS] = 5};
	return row->abandoned ? 4 : row->recording ? 0 : row->problem ? 4 : row->has_verdict ? order[row->verdict] : 4;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *first, const void *second, void *data)
{
	const struct run_row *a = first, *b = second;
	const struct runs *list = data;
	int order = 0;
	switch (list->sort) {
	case SORT_VERDICT:
		order = severity(a) - severity(b);
		break;
	case SORT_SCENARIO:
		order = strcmp(a->scenario ? a->scenario : "", b->scenario ? b->scenario : "");
		order = order ? order : compare_u64(a->seed, b->seed);
		break;
	case SORT_SEED:
		order = compare_u64(a->seed, b->seed);
		break;
	case SORT_LENGTH:
		order = compare_u64(b->vtime_ns, a->vtime_ns);
		break;
	case SORT_FAULTS:
		order = compare_u64(b->fault_count, a->fault_count);
		break;
	case SORT_SIZE:
		order = compare_u64(b->size, a->size);
		break;
	case SORT_AGE:
	case SORT_COUNT:
		break;
	}
	if (order == 0)
		order = a->when < b->when ? 1 : a->when > b->when ? -1 : 0;
	return order ? order : strcmp(b->name, a->name);
}

bool runs_sort(struct runs *list)
{
	if (!list->stale)
		return false;
	list->stale = false;
	if (list->count)
		qsort_r(list->rows, list->count, sizeof *list->rows, compare, list);
	runs_arrange(list);
	return true;
}

/* ---- filter ---- */

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool matches_seed(const struct run_row *row, const char *value)
{
	struct text_range range;
	return text_parse_range(value, TEXT_NUMBER, &range) && row->seed >= range.low && row->seed <= range.high;
}

static const char *verdict_word(const struct run_row *row)
{
	return row->abandoned      ? "abandoned"
		: row->recording   ? "recording"
		: row->problem     ? "broken"
		: row->has_verdict ? verdict_name(row->verdict)
				   : "none";
}

static bool matches_word(const struct run_row *row, const char *word)
{
	if (starts(word, "verdict:"))
		return starts(verdict_word(row), word + 8);
	if (starts(word, "scenario:"))
		return row->scenario && strcasestr(row->scenario, word + 9);
	if (starts(word, "seed:"))
		return matches_seed(row, word + 5);
	return strcasestr(row->name, word) || (row->failed && strcasestr(row->failed, word)) ||
		strcasestr(verdict_word(row), word) || (row->scenario && strcasestr(row->scenario, word));
}

bool runs_matches(const struct run_row *row, const char *words)
{
	for (const char *at = words; *at;) {
		at += strspn(at, " ");
		size_t size = strcspn(at, " ");
		if (size == 0)
			break;
		char *word = mem_strn(at, size);
		bool ok = matches_word(row, word);
		free(word);
		if (!ok)
			return false;
		at += size;
	}
	return true;
}
