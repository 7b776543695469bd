/*
 * Which elements of two sequences of hashes belong together. Common ends first, then elements that are rare in both as anchors,
 * then shortest edit scripts in linear space between anchors, with a limit on the work: beyond it a stretch counts as changed
 * whole. Deterministic.
 */
#ifndef ENGINE_ALIGN_H
#define ENGINE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An array of hashes inside larger records: element i is *(const uint64_t *)(first + i * stride). */
struct align_side {
	const void *first;
	size_t stride;
	size_t count;
};

/* A stretch: elements a .. a + a_count - 1 and b .. b + b_count - 1. same: they are equal, and the counts are. */
struct align_run {
	size_t a, a_count, b, b_count;
	bool same;
};

struct align {
	struct align_run *runs; /* in order, without holes; same and changed alternate */
	size_t count;
	size_t same;     /* elements of a that have a partner */
	bool work_limit; /* some stretch was given up on */
};

/* cancelled may be NULL; it is asked now and then, and when it returns true the result is NULL. */
struct align *align_create(const struct align_side *a, const struct align_side *b, bool (*cancelled)(void *data), void *data);
void align_destroy(struct align *align);

#endif
