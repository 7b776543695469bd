/* The index of events takes any bytes, whole or in two pieces, and agrees with event_parse about what both take. */
#include <stdlib.h>
#include <string.h>
#include "engine/eventindex.h"
#include "tests/fuzz/fuzz.h"

/* In two feeds, the second of what the first has left. */
static bool feed(struct eventindex *x, const char *bytes, size_t size, size_t cut, struct err *err)
{
	size_t first = 0, second = 0;
	require(eventindex_init(x, NULL, 0, NULL, 0, NULL));
	bool ok = eventindex_feed(x, bytes, cut, &first, err) && eventindex_feed(x, bytes + first, size - first, &second, err);
	require(first <= cut && first + second <= size && x->end <= size);
	require(ok || (err->code == ERR_INPUT && err->text[0]));
	return ok;
}

static void check_event(const struct eventindex *x, size_t i, const char *bytes)
{
	const struct entry *entry = &x->entries[i];
	uint64_t end = i + 1 < x->count ? entry[1].offset : x->end;
	const char *line = bytes + entry->offset;
	size_t size = (size_t)(end - entry->offset) - 1;
	struct buf arena = {0};
	struct event e;
	require(line[size] == '\n' && eventindex_is(x, i, line, size));
	require(entry->node < x->nodes.count && entry->fault <= x->faults.count && entry->kind < EVENT_KIND_COUNT);
	if (event_parse(line, size, &arena, &e, NULL)) {
		require(e.seq == i + 1 && e.icount == entry->icount && e.vtime_ns <= entry->vtime_ns && e.kind == entry->kind);
		require(strcmp(e.node, x->nodes.list[entry->node]) == 0);
		require(event_is_fault(&e) == (entry->fault > 0));
		require(!event_is_fault(&e) || strcmp(e.fault, x->faults.list[entry->fault - 1]) == 0);
		require(e.is_stderr == ((entry->flags & ENTRY_STDERR) != 0));
		require(e.by_signal == ((entry->flags & ENTRY_SIGNAL) != 0));
	}
	buf_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eventindex whole, halves;
	struct err err = {0}, err_halves = {0};
	/* A copy of exactly this size, so that reading past it is seen. */
	char *bytes = malloc(size + 1);
	memcpy(bytes, data, size);
	size_t cut = size > 0 ? data[size - 1] * size / 256 : 0;
	bool ok = feed(&whole, bytes, size, size, &err);
	require(feed(&halves, bytes, size, cut, &err_halves) == ok);
	require(whole.count == halves.count && whole.end == halves.end && strcmp(err.text, err_halves.text) == 0);
	require(whole.count == 0 || memcmp(whole.entries, halves.entries, whole.count * sizeof *whole.entries) == 0);
	for (size_t i = 0; i < whole.count; i++)
		check_event(&whole, i, bytes);
	eventindex_finish(&whole);
	eventindex_finish(&halves);
	free(bytes);
	return 0;
}
