/*
 * What the JSON files of a run directory say about it, for showing and comparing: manifest.json, plan.json and
 * properties.json (docs/FORMATS.md). A run that is still being recorded, or was cut short, has not all of them.
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/manifest.h"
#include "engine/plan.h"
#include "engine/text.h"
#include "engine/verdict.h"

#define FACTS_PROPERTIES_BYTES_MAX (4 * 1024 * 1024) /* largest properties.json that is read */
#define FACTS_PROPERTIES_MAX       1024
#define FACTS_WITNESSES_MAX        1024 /* of one property */

/* Strings are owned and never NULL. */
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
	struct text_place place; /* in scenario.yaml */
};

struct facts {
	bool has_manifest;
	struct manifest manifest; /* empty without manifest.json */
	struct plan *plan;        /* owned; NULL without plan.json */
	bool has_properties;
	enum verdict verdict; /* of the run; VERDICT_UNKNOWN without properties.json */
	struct fact_property *properties;
	size_t property_count;
};

/*
 * Reads the files of the run directory dirfd. A file that is not there leaves its part empty; one that is there and is not valid
 * is an error (ERR_INPUT: the file, the place, what was expected), and facts is empty. Links are not followed.
 */
bool facts_read(struct facts *facts, int dirfd, struct err *err);
void facts_finish(struct facts *facts);

/* The same for the bytes of a properties.json alone. */
bool facts_parse_properties(struct facts *facts, const char *bytes, size_t size, struct err *err);

/* NULL if there is none of this id. */
const struct plan_fault *facts_fault(const struct facts *facts, const char *id);
const struct fact_property *facts_property(const struct facts *facts, const char *id);

/* A plan's fault in words: when it starts ("after line 57 of client"), and what with ("signal SIGKILL, for 250ms"), which is
 * empty when there is nothing to say. */
void facts_put_trigger(const struct plan *plan, const struct plan_fault *fault, struct buf *out);
void facts_put_params(const struct plan_fault *fault, struct buf *out);
/* "3 of 1..3", in the choice's unit. */
void facts_put_choice(const struct plan_choice *choice, struct buf *out);

#endif
