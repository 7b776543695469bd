/*
 * Evaluates properties: events in, verdicts out. Pure: no files, no clock, the same verdicts live and from a stored run.
 */
#ifndef ENGINE_CHECK_H
#define ENGINE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/check_result.h"
#include "engine/event.h"
#include "engine/property.h"
#include "engine/scenario.h"

struct checks;

/* The scenario is borrowed and must outlive the checks, of which it has one set at a time (patterns are shared). */
struct checks *checks_create(const struct scenario *scenario);
void checks_destroy(struct checks *c);

/* Feeds the checks; valid as long as they are. Never stops the producer. */
struct event_sink checks_sink(struct checks *c);

/* No more events will come. What is still open is decided: as in a whole run if it ended as planned (a run.end whose reason is
 * done or stalled, or vtime_limit where the scenario asks for it), else unknown. */
void checks_finish(struct checks *c);

enum verdict checks_verdict(const struct checks *c); /* the worst; meaningful after checks_finish */
/* The properties of the scenario in its order, then the assertions of SDKs as they were heard of: their number may grow. */
size_t checks_count(const struct checks *c);
const struct check_result *checks_result(const struct checks *c, size_t i); /* borrowed until the next event */

/* Appends properties.json (docs/FORMATS.md), canonical. */
void checks_write(const struct checks *c, struct buf *out);

#endif
