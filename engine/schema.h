/*
 * The language of scenario files as tables: each key with its type, default and meaning. The parser reads by these tables, its
 * errors quote them, and the reference part of polecat-scenario(5) is written from them (schema_mdoc.c).
 */
#ifndef ENGINE_SCHEMA_H
#define ENGINE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/scenario.h"
#include "engine/yaml.h"

enum schema_type {
	/* Read by schema_read into the member at `offset`: */
	SCHEMA_TEXT,   /* char *, not empty */
	SCHEMA_NAME,   /* char *: text_is_name */
	SCHEMA_NUMBER, /* uint64_t; so are the next three */
	SCHEMA_DURATION,
	SCHEMA_SIZE,
	SCHEMA_COUNT,
	SCHEMA_NUMBERS, /* struct text_range; so is the next */
	SCHEMA_DURATIONS,
	SCHEMA_WORD,  /* int: index in `words` */
	SCHEMA_BOOL,  /* bool */
	SCHEMA_WORDS, /* struct scenario_words */
	/* Read by whoever calls schema_read: */
	SCHEMA_NODE,  /* a node's name */
	SCHEMA_NODES, /* one name, or a list */
	SCHEMA_PATTERN,
	SCHEMA_FAULT, /* a kind, or an id such as kill#2 */
	SCHEMA_MAP,   /* of `section` */
	SCHEMA_LIST,  /* of maps of `section` */
	SCHEMA_NAMED, /* a map from names to maps of `section` */
	SCHEMA_MATCHER,
	SCHEMA_MATCHERS,
	SCHEMA_OTHER, /* `about` says */
};

struct schema_section;

struct schema_key {
	const char *name; /* NULL ends the table */
	enum schema_type type;
	bool required;
	size_t offset;
	const char *fallback;     /* the default as it would be written; NULL: none, the member stays as it is */
	struct text_range bounds; /* of a quantity; {0, 0}: any */
	const char *const *words; /* SCHEMA_WORD: NULL-terminated */
	const struct schema_section *section;
	const char *about; /* sentences */
};

struct schema_section {
	const char *name;  /* "a node": used in errors */
	const char *title; /* "Nodes": used in the man page */
	const char *about;
	const struct schema_key *keys;
};

/* What is being read, and where errors go. */
struct schema_reader {
	struct scenario *scenario;
	const char *base_dir;
	struct err *err;
};

bool schema_fail(const struct schema_reader *r, struct text_place place, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Reads a map by a section's table into object: unknown and missing keys and wrong values are errors; absent keys get their
 * defaults. extra is a NULL-terminated list of more keys that are allowed (NULL: none); the caller reads them. */
bool schema_read(const struct schema_reader *r, const struct schema_section *section, const char *const *extra,
	const struct yaml *map, void *object);

/* Parts of it, for values that have a form of their own. `what` names the value in errors. */
bool schema_scalar(const struct schema_reader *r, const struct yaml *value, const char *what);
bool schema_text(const struct schema_reader *r, const struct yaml *value, const char *what, char **ret);
bool schema_range(const struct schema_reader *r, const struct yaml *value, const char *what, enum text_unit unit,
	struct text_range bounds, struct text_range *ret);
bool schema_words(const struct schema_reader *r, const struct yaml *value, const char *what, struct scenario_words *ret);
/* A name of a node that exists. */
bool schema_node(const struct schema_reader *r, const struct yaml *value, const char *what, size_t *ret);
/* One name or a list of different names, as indexes (room for SCENARIO_NODES_MAX) and as a mask. */
bool schema_nodes(const struct schema_reader *r, const struct yaml *value, const char *what, size_t *ret, size_t *ret_count,
	uint32_t *ret_mask);
/* "; did you mean `x`?" or "" into buffer, for a word and the NULL-terminated words it should have been one of. */
#define SCHEMA_HINT_MAX 128
const char *schema_hint(const char *word, const char *const *words, char buffer[SCHEMA_HINT_MAX]);

/* "a duration such as 50ms", for errors and the man page. */
const char *schema_type_text(enum schema_type type);

#endif
