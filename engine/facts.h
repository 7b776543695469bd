/*
 * What the JSON files of a run directory say about it, for showing and comparing: manifest.json, plan.json and
 * properties.json (docs/FORMATS.md). A run that is still being recorded, or was cut short, has not all of them.
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/verdict.h"

#define FACTS_FILE_MAX (16 * 1024 * 1024) /* largest manifest, plan or properties file that is read */
#define FACTS_ROWS_MAX 65536              /* most nodes, faults, choices or properties, and witnesses of one property */

/* A place in scenario.yaml; line 0 means unknown. */
struct fact_place {
	char *path; /* "faults[0]", or NULL */
	unsigned line, column;
};

/* One value that the seed decided from a range. */
struct fact_choice {
	char *name; /* "faults[0].times" */
	int64_t low, high, value;
	char *unit;
	struct fact_place from;
};

/* A fault as the plan has it. */
struct fact_fault {
	char *id, *type, *node;
	char *params;  /* JSON text: {"signal":"SIGKILL"} */
	char *trigger; /* in words: "after line 57 of client" */
	uint64_t for_ns;
	struct fact_place from;
};

struct fact_property {
	char *id, *type;
	enum verdict verdict;
	uint64_t decided_at; /* event number (seq); 0: only the end of the run decided */
	uint64_t evaluations;
	char *why;
	uint64_t *witnesses; /* event numbers */
	size_t witness_count;
	bool has_margin;
	uint64_t margin_used, margin_of;
	char *margin_unit;
	struct fact_place from;
};

/* Strings are owned by the struct and never NULL, except where said. */
struct facts {
	bool has_manifest, has_plan, has_properties;
	char *scenario;        /* "" without a plan */
	char *scenario_sha256; /* "" without a plan */
	uint64_t seed;
	char *entropy; /* the plan's, hex */
	char **nodes;  /* in the plan's order */
	size_t node_count;
	struct fact_fault *faults;
	size_t fault_count;
	struct fact_choice *choices;
	size_t choice_count;
	enum verdict verdict; /* of the run; VERDICT_UNKNOWN without properties.json */
	struct fact_property *properties;
	size_t property_count;
};

/*
 * Reads the files of the run directory dirfd. Files that are not there leave their has_ flag false; a file that is there and
 * is not valid is an error (ERR_INPUT: the file, what was expected). On failure facts is empty. Links are not followed.
 */
bool facts_read(struct facts *facts, int dirfd, struct err *err);
void facts_finish(struct facts *facts);

/* By id; NULL if there is none. */
const struct fact_fault *facts_fault(const struct facts *facts, const char *id);
const struct fact_property *facts_property(const struct facts *facts, const char *id);

#endif
