/*
 * The breakpoints that a client has set: where they are in the processes that live at a stop, and how a request replaces those of
 * its kind.
 */
#ifndef ENGINE_DAP_POINTS_H
#define ENGINE_DAP_POINTS_H

#include "engine/dap_server.h"

/* The breakpoints that one request replaces: those that were there keep their number and count. */
struct dap_change {
	struct dap_point old[DAP_POINTS_MAX];
	size_t count;
};

/* Takes those of a kind (of lines: of one source) out of the list; the caller's until dap_finish_change. */
struct dap_change *dap_take_out(struct dap_server *s, enum dap_point_kind kind, const char *source);
/* Is there room for as many as are asked for beside those that stay? If not what was taken out is put back, and c is the caller's
 * to free. */
bool dap_points_fit(struct dap_server *s, const struct dap_change *c, size_t count, struct err *err);
/* Adds one (taken over), with what all kinds have; why: it cannot be (may be NULL). Its place in the answer is the next. */
void dap_put_in(struct dap_server *s, struct dap_change *c, struct dap_point *point, const struct json *asked, const char *why);
/* The answer, about those from number `first` of the list on; what cannot be is told and not kept. Destroys c; returns true. */
bool dap_finish_change(struct dap_server *s, struct dap_change *c, size_t first);

#endif
