/* The scenario file of a run as lines. */
#ifndef TUI_SOURCE_H
#define TUI_SOURCE_H

#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"

#define SOURCE_BYTES_MAX (4 * 1024 * 1024) /* of scenario.yaml that is shown */

struct source_line {
	const char *text; /* borrowed from the source */
	size_t size;
};

struct source {
	struct buf bytes;
	struct source_line *lines;
	size_t count, room;
};

/* Reads scenario.yaml of the run directory dir. On failure the source is empty. */
bool source_read(struct source *s, int dir, struct err *err);
void source_finish(struct source *s);

#endif
