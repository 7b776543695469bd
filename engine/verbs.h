/*
 * The commands of a debug session, in one table: `polecat debug` and the prompt of the screen run them, help shows them.
 *
 * A verb writes what it has to say, as text that is safe for a terminal, and fails with a sentence. Names may be shortened as
 * long as they are not ambiguous.
 */
#ifndef ENGINE_VERBS_H
#define ENGINE_VERBS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/verb.h"

size_t verbs_count(void);
const struct verb *verbs_get(size_t i);
/* By name, alias or unambiguous beginning; NULL with ERR_USAGE and what was probably meant. */
const struct verb *verbs_find(const char *name, struct err *err);

/* Runs one line. An empty line or a comment does nothing. Output of a verb that failed half-way stays in out. */
bool verbs_run(struct verbs *v, const char *line, size_t size, struct buf *out, struct err *err);

/* All verbs with their sentences, in groups. */
void verbs_help(struct buf *out);

#endif
