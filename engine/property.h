/*
 * What a scenario claims about its runs (polecat-scenario(5), "Properties"). Definitions only; engine/check evaluates them.
 */
#ifndef ENGINE_PROPERTY_H
#define ENGINE_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/event.h"
#include "engine/fault.h"
#include "engine/pattern.h"
#include "engine/text.h"
#include "engine/verdict.h"

#define PROPERTY_MAX         64
#define PROPERTY_ORDERED_MAX 16 /* matchers of one `ordered` */
#define PROPERTY_JSON_MAX    8  /* fields of one `json` */
#define PROPERTY_WHERE_MAX   8

enum property_form {
	PROPERTY_ALWAYS,     /* every candidate matches */
	PROPERTY_NEVER,      /* no candidate matches */
	PROPERTY_SOMETIMES,  /* some candidate matches */
	PROPERTY_EVENTUALLY, /* a match comes in time, once or after each trigger */
	PROPERTY_ORDERED,    /* first matches come in the order of the list */
	PROPERTY_SET,        /* checker: every value added is read later */
	PROPERTY_FORMS,
};

/* "always" ...; a checker is "checker". */
const char *property_form_name(enum property_form form);

enum property_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* `where: {left: 'OP right'}`: left is a named group; right another one, or a number when right_group is 0. */
struct property_where {
	size_t left_group, right_group;
	enum property_compare compare;
	int64_t number;
};

/* `json: {path: value}`: the value at a dotted path, compared as the JSON text it would have (strings with their quotes). */
struct property_json {
	char *path, *value;
};

/*
 * Which events are meant. A matcher is a list of tests, from outer to inner: node and stream; kind; then pattern, json, exit
 * status, stage, ordinal; then where. Its *candidates* are the events that pass all tests but the innermost level that it has.
 */
struct matcher {
	char *node; /* NULL: any */
	bool has_kind;
	enum event_kind kind;
	bool is_fault; /* any fault.* event, of `fault_type` and, unless 0, ordinal */
	const struct fault_kind *fault_type;
	uint64_t fault_ordinal;
	bool has_stage;
	enum fault_stage stage;
	bool has_stream, is_stderr;
	bool has_exit, by_signal;
	int status;
	uint64_t nth; /* 0: any */
	struct pattern *pattern;
	struct property_json *json;
	size_t json_count;
	struct property_where *where;
	size_t where_count;
	struct text_place place;
};

struct property {
	char *id, *about;
	enum property_form form;
	struct matcher *matchers; /* ordered: the list; set: added, read, lost, attempted; the others: one */
	size_t matcher_count;
	struct matcher *after; /* eventually: each match of it starts the clock; NULL: the start of the run does */
	uint64_t within_ns;    /* 0: by the end of the run */
	char *each;            /* ordered: name of the group whose values are ordered apart; NULL: none */
	struct text_place place;
};

enum { PROPERTY_SET_ADDED, PROPERTY_SET_READ, PROPERTY_SET_LOST, PROPERTY_SET_ATTEMPTED, PROPERTY_SET_MATCHERS };

/* Releases what a property owns, not the struct itself. */
void property_finish(struct property *p);
void matcher_finish(struct matcher *m);

#endif
