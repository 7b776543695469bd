/* The debug command `gdb`: gdb on the session of a front end, which goes on where gdb left it. */
#ifndef ENGINE_GDBVERB_H
#define ENGINE_GDBVERB_H

#include "engine/verb.h"

/* For struct verb_gdb. */
bool gdbverb_run(struct verbs *v, const struct words *words, struct buf *out, struct err *err);

/* The same with options that were read already. pid 0: any; print: only the line to paste; listen: path of the socket, or NULL.
 */
struct gdbverb_options {
	uint32_t pid;
	bool machine, print;
	const char *listen;
	const char *const *rest;
	size_t rest_count;
};
bool gdbverb_serve(struct verbs *v, const struct gdbverb_options *options, struct err *err);

#endif
