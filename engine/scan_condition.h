/*
 * Conditions of the scan plugin (engine/scan_test) made from expressions, in two ways: about variables in memory as they are
 * reached from here, to be looked at when somebody writes them; and about what a piece of code sees each time it is executed.
 */
#ifndef ENGINE_SCAN_CONDITION_H
#define ENGINE_SCAN_CONDITION_H

#include "engine/expression.h"
#include "engine/memory.h"
#include "engine/scan.h"

#define SCAN_CONDITION_MAX 256 /* operations of one condition */

struct scan_condition {
	struct scan_op ops[SCAN_CONDITION_MAX];
	uint32_t count;
	/* Of scan_condition_here: the memory that it is about, physical. */
	struct scan_condition_place {
		uint64_t low, high;
	} places[SCAN_CONDITION_MAX];
	uint32_t place_count;
};

/*
 * Names, pointers and indexes mean what they mean here and now; only what they lead to is looked at again. space: of the process.
 * written: type of what is watched for being written, so that $old and $new are what it was before each write and is after it;
 * NULL: they are errors. ERR_INPUT when something in it is in a register, optimized out or no whole number.
 */
bool scan_condition_here(const struct expression *e, const struct scope *scope, const struct space *space,
	const struct value *written, struct scan_condition *ret, struct err *err);

/* For when the instruction at pc is about to be executed: variables are where the debug information has them there. */
bool scan_condition_at(
	const struct expression *e, const struct scope *scope, uint64_t pc, struct scan_condition *ret, struct err *err);

/* Puts the condition behind those that a request has; the watch gets it. False when there is no room. */
bool scan_condition_add(const struct scan_condition *c, struct scan_request *request, struct scan_watch *watch, struct err *err);

#endif
