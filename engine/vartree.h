/*
 * The local variables of a frame as rows of a tree, with the parts of those that a person opened: members of structs, elements
 * of arrays, what pointers point to.
 */
#ifndef ENGINE_VARTREE_H
#define ENGINE_VARTREE_H

#include "engine/variables.h"

#define VARTREE_ROWS_MAX  2000
#define VARTREE_PARTS_MAX 200 /* of one variable */
#define VARTREE_DEPTH_MAX 16

struct vartree_row {
	unsigned depth;   /* 0: a variable */
	char *expression; /* that `print` takes; NULL for one that an inner variable of the same name hides */
	char *name;       /* "total", "[3]", "*p" */
	char *value;      /* as `print` has it; of an open struct or array "{...}" */
	bool has_parts, is_open;
};

/* Owned by the caller. All text is safe for a terminal. */
struct vartree {
	struct vartree_row *rows;
	size_t count, room;
};

/* Fills an empty tree. is_open(data, expression): its parts are wanted. Ends at VARTREE_ROWS_MAX rows. */
void vartree_read(
	const struct scope *scope, bool (*is_open)(void *data, const char *expression), void *data, struct vartree *ret);
void vartree_finish(struct vartree *tree);

#endif
