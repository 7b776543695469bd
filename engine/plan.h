/*
 * A plan: every choice of a run, made. Nothing after it is random. docs/FORMATS.md, "Plan", has its canonical JSON.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/scenario.h"

#define PLAN_BYTES_MAX   (4 * 1024 * 1024)
#define PLAN_CHOICES_MAX 4096

struct plan_stdin {
	uint64_t invocation, offset, delay_ns;
	char *bytes;
	size_t size;
	bool eof;
};

struct plan_node {
	char *name;
	struct scenario_words argv, env;
	char *cwd;
	uint32_t uid, gid;
	enum scenario_ready ready;
	uint16_t ready_port;
	char *ready_text; /* never NULL */
	enum scenario_restart restart;
	uint64_t delay_ns; /* before each restart */
	uint32_t after;    /* mask of nodes */
	struct plan_stdin *input;
	size_t input_count;
};

struct plan_trigger {
	enum scenario_trigger_kind on;
	uint64_t value; /* TRIGGER_AT: ns; TRIGGER_LINES: line; TRIGGER_STARTED, READY, EXITED: nth */
	size_t node;    /* all but TRIGGER_AT and TRIGGER_FAULT */
	size_t fault;   /* TRIGGER_FAULT: index of an earlier fault of the plan */
	enum fault_stage stage;
	uint64_t delay_ns;
};

struct plan_param {
	char *name, *value;
};

struct plan_fault {
	char *id; /* "kill#1" */
	const struct fault_kind *kind;
	size_t node;
	struct plan_param params[FAULT_PARAMS_MAX];
	size_t param_count;
	uint64_t for_ns;
	struct plan_trigger trigger;
	char *path; /* where it comes from: "faults[0]" */
	struct text_place place;
};

struct plan_choice {
	char *name; /* "faults[0].times", "kill#1.after.lines" */
	uint64_t low, high, value;
	char *unit; /* "", "ns" */
	struct text_place place;
};

struct plan {
	char *scenario;
	char scenario_sha256[65];
	uint64_t seed;
	uint8_t entropy[32];
	struct scenario_limits limits;
	uint32_t until; /* mask of nodes; 0: the virtual time limit ends the run */
	struct plan_node *nodes;
	size_t node_count;
	struct plan_fault *faults;
	size_t fault_count;
	struct plan_choice *choices;
	size_t choice_count;
};

/* The plan of a seed. Fails (ERR_INPUT) only if it would exceed a limit. */
struct plan *plan_make(const struct scenario *scenario, uint64_t seed, struct err *err);
/* Reads a plan: every field present, no other, each within its limits. Layout is free. name is for errors. */
struct plan *plan_parse(const char *bytes, size_t size, const char *name, struct err *err);
void plan_destroy(struct plan *plan);

/*
 * The plan of a fork that goes on with the choices of another seed: `of` with each fault that is not kept[i] replaced by that of
 * the same id in `other`, if there is one, and what else `other` has behind the last; an id that a kept fault has is changed to
 * the next free ordinal. ret_given[i], SCENARIO_PLANNED_MAX of it: fault i is other's. Seed is other's; entropy and nodes, which
 * have been made use of, are of's. Takes over other. Fails (ERR_INPUT) if there are too many, or one would stand before the one
 * it follows.
 */
struct plan *plan_combine(const struct plan *of, const bool *kept, struct plan *other, bool *ret_given, struct err *err);
/* What a fault owns. */
void plan_fault_finish(struct plan_fault *f);

/* Could this plan be one of the scenario's? Same name, bytes and nodes, faults and values within the scenario's ranges. The seed
 * is not asked. Names the first thing that differs. */
bool plan_validate(const struct plan *plan, const struct scenario *scenario, struct err *err);
/* The same for a plan that may be of plan_combine: how many faults an entry has, and in which order, is not asked. */
bool plan_validate_combined(const struct plan *plan, const struct scenario *scenario, struct err *err);

/* Appends the canonical JSON, final newline included. */
void plan_write(const struct plan *plan, struct buf *out);
/* SHA-256 of the canonical JSON. */
void plan_digest(const struct plan *plan, uint8_t digest[32]);

#endif
