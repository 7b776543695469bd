/* One property being evaluated, by its form: always, never, sometimes, eventually, ordered, or a checker. */
#ifndef ENGINE_CHECK_FORM_H
#define ENGINE_CHECK_FORM_H

#include "engine/check_result.h"
#include "engine/event.h"
#include "engine/property.h"

struct check_form;

/* The property is borrowed. */
struct check_form *check_form_create(const struct property *p);
void check_form_destroy(struct check_form *s); /* NULL is fine */

/* Both do nothing once the property is decided. */
void check_form_event(struct check_form *s, const struct event *e);
void check_form_end(struct check_form *s, const struct check_end *end);

const struct check_result *check_form_result(const struct check_form *s);

#endif
