/*
 * What the containers of the C++ library (libstdc++) hold, instead of how they hold it: std::string as its text, std::vector as
 * its elements, std::map and its kin as how many there are.
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "engine/value.h"

/* True when the value is such a thing and was printed. depth: of the value in what is printed. */
bool view_print(const struct value_world *world, const struct value *value, int depth, struct buf *out);

enum view_found { VIEW_OTHER /* it is no such thing */, VIEW_FOUND, VIEW_OUTSIDE /* it has fewer, or is not in memory */ };
/* Element of a std::vector or std::string. */
enum view_found view_element(const struct value_world *world, const struct value *value, int64_t index, struct value *ret);
/* What a std::unique_ptr or std::shared_ptr points with. False when the value is no such thing. */
bool view_pointer(const struct value_world *world, const struct value *value, struct value *ret);

/* For the views: size bytes as a string, and `count` values from the first in memory. */
void view_print_text(const struct value_world *world, uint64_t address, uint64_t size, struct buf *out);
void view_print_items(const struct value_world *world, const struct value *first, uint64_t count, enum value_form form, int depth,
	struct buf *out);

#endif
