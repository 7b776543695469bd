/*
 * Assertions that a program makes with one of Antithesis' SDKs. Run outside that service the SDKs append JSON lines to a file;
 * in a node that file is the events file, so each line arrives as a user.event. Every assertion becomes a property of its own:
 *
 *   {"antithesis_assert": {"assert_type": "always"|"sometimes"|"reachability", "must_hit": true, "hit": true, "condition": true,
 *                          "id": "...", "message": "...", ...}}
 *
 * With "hit": false the line only declares the assertion, so one that is never reached is told of.
 */
#ifndef ENGINE_CHECK_SDK_H
#define ENGINE_CHECK_SDK_H

#include <stddef.h>

#include "engine/check_result.h"
#include "engine/event.h"

#define CHECK_SDK_MAX    256 /* different assertions; the run is unknown if there are more */
#define CHECK_SDK_ID_MAX 120 /* bytes of an id that count */

struct check_sdk;

struct check_sdk *check_sdk_create(void);
void check_sdk_destroy(struct check_sdk *s); /* NULL is fine */

void check_sdk_event(struct check_sdk *s, const struct event *e);
void check_sdk_finish(struct check_sdk *s, const struct check_end *end);

/* In the order in which they were first heard of. */
size_t check_sdk_count(const struct check_sdk *s);
const struct check_result *check_sdk_result(const struct check_sdk *s, size_t i);

#endif
