/*
 * The table of fault kinds: what a scenario may say of each, what it does, how it is seen and how it heals. The scenario's
 * parser, its man page and the plan are made from this table. The agent has the other half: how a kind is applied.
 */
#ifndef ENGINE_FAULT_H
#define ENGINE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/text.h"

/* selected -> applied | rejected -> observed -> healed; the numbers are those of enum wire_stage. */
enum fault_stage { FAULT_SELECTED, FAULT_APPLIED, FAULT_REJECTED, FAULT_OBSERVED, FAULT_HEALED, FAULT_STAGES };

const char *fault_stage_name(enum fault_stage stage);
bool fault_stage_find(const char *name, enum fault_stage *ret);

enum fault_target {
	FAULT_ON_NODE, /* one node; a list means that the seed takes one of it each time */
	FAULT_ON_LINK, /* two nodes */
};

enum fault_param_type { FAULT_SIGNAL, FAULT_PARAM_DURATION, FAULT_PARAM_SIZE, FAULT_PERCENT, FAULT_WORD };

#define FAULT_PARAMS_MAX 4

struct fault_param {
	const char *name; /* NULL ends the list */
	enum fault_param_type type;
	const char *fallback; /* default, as written in a scenario; NULL: must be given */
	const char *about;
};

struct fault_kind {
	const char *name;
	bool is_applied; /* false: the language knows it, this version cannot do it yet */
	enum fault_target target;
	bool lasts; /* takes `for`, and heals when that time is over */
	struct fault_param params[FAULT_PARAMS_MAX + 1];
	const char *about;    /* what it does, one sentence */
	const char *observed; /* what counts as somebody having noticed it */
	const char *healed;   /* when it is over */
};

extern const struct fault_kind fault_kinds[];
extern const size_t fault_kind_count;

/* NULL if there is no such kind. */
const struct fault_kind *fault_find(const char *name);

/* Is text a value of the parameter? And what it should have been: "a signal such as SIGKILL". */
bool fault_param_check(const struct fault_param *param, const char *text);
const char *fault_param_expected(enum fault_param_type type);

/* "kill#2" -> the kind and 2; "kill" -> the kind and 0. NULL if it is neither. */
const struct fault_kind *fault_parse_id(const char *text, uint64_t *ret_ordinal);

#endif
