/*
 * What the types of the C++ library (libstdc++) hold, instead of how they hold it: std::string as its text, std::map as its keys
 * and values, durations with their unit.
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "engine/container.h"

/* Prints a part: what view_print is called by. */
typedef void view_part(
	const struct value_world *world, const struct value *value, enum value_form form, int depth, struct buf *out);
/* True when the value is such a thing and was printed. depth: of the value in what is printed. */
bool view_print(const struct value_world *world, const struct value *value, enum value_form form, int depth, view_part *print,
	struct buf *out);

#endif
