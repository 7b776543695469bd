/* The set checker: every value that was added must be read later. */
#ifndef ENGINE_CHECK_SET_H
#define ENGINE_CHECK_SET_H

#include "engine/check_result.h"
#include "engine/event.h"
#include "engine/property.h"

struct check_set;

/* The property (PROPERTY_SET) is borrowed. */
struct check_set *check_set_create(const struct property *p);
void check_set_destroy(struct check_set *s); /* NULL is fine */

void check_set_event(struct check_set *s, const struct event *e, struct check_result *r);
/* No more events will come: decides what is open. */
void check_set_finish(struct check_set *s, const struct check_end *end, struct check_result *r);

#endif
