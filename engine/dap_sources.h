/*
 * What a client shows of code: source files of this host, functions as instructions where there is none, and the modules that
 * they are of.
 */
#ifndef ENGINE_DAP_SOURCES_H
#define ENGINE_DAP_SOURCES_H

#include "engine/dap_server.h"

/* A source of the instructions of a frame's function, and the line of one in it; owned by the caller. NULL: nothing says where
 * the function ends. */
struct json *dap_listing_of(struct dap_server *s, const struct process *p, struct program *program, const struct frame *frame,
	const struct symbols_place *place, int *ret_line);
/* The instruction on a line of such a source, from 1; false with the reason: there is none. */
bool dap_listing_address(
	struct dap_server *s, uint64_t number, int line, uint32_t *ret_pid, uint64_t *ret_address, struct err *err);
/* What is behind the last slash of a path. */
const char *dap_last_part(const char *path);

#endif
