/*
 * Values that a client unfolds, and expressions. A number that the client holds is a way to a value, not the value: it is gone
 * again from the frame's variables or its expression each time.
 */
#ifndef ENGINE_DAP_VALUES_H
#define ENGINE_DAP_VALUES_H

#include "engine/dap_server.h"

/* The number that stands for what it says; 0 when there are too many. expression is taken over. */
size_t dap_add_reference(struct dap_server *s, struct dap_reference reference);
/* What a number says that is known to be one of this stop. */
const struct dap_reference *dap_reference(const struct dap_server *s, size_t number);
/* What a client's number says; NULL with ERR_INPUT: it is of no value here. Borrowed until one is added. */
const struct dap_reference *dap_find_value(struct dap_server *s, uint64_t number, struct err *err);
/* What a number stands for, and where it is looked up: from the variable or expression at its root down to it. */
bool dap_value_of(struct dap_server *s, size_t number, struct scope *scope, struct value *ret, struct err *err);
/* The variables of a frame or of its file; arguments and locals come together, and the visitor is told which is which. */
void dap_each_variable(const struct scope *scope, enum dap_reference_kind kind, variables_visit *visit, void *data);

/* Puts into an answer where memory of a frame's process is. */
void dap_put_memory(struct dap_server *s, size_t frame, uint64_t address, struct json *j);
/* Puts into an answer: a value as text at `key`, its type, what can be unfolded, where it is. made: the way to it, which is used
 * when it has parts; its expression is taken over. */
void dap_put_value(struct dap_server *s, const struct scope *scope, const struct value *value, struct dap_reference made,
	const char *key, struct json *j);

#endif
