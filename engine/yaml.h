/*
 * YAML bytes -> a tree that knows where each value stands in the file (libfyaml, which only yaml.c sees). One document without
 * anchors, aliases and tags, within the limits below; everything else is an error that points at its place.
 */
#ifndef ENGINE_YAML_H
#define ENGINE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/text.h"

#define YAML_DEPTH_MAX  16    /* lists and maps inside each other */
#define YAML_VALUES_MAX 20000 /* scalars, lists and maps in a file */
#define YAML_KEYS_MAX   512   /* of one map */
#define YAML_TEXT_MAX   65536 /* bytes of one scalar */

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

/* Owned by its document. */
struct yaml {
	enum yaml_kind kind;
	bool plain;       /* a scalar without quotes: may be meant as a number, a boolean or nothing */
	const char *text; /* scalar: valid UTF-8, NUL-terminated, no NUL inside */
	size_t size;
	struct text_place place;
	struct yaml *key;   /* of a value in a map: its key, a scalar */
	struct yaml *first; /* list, map: its values */
	struct yaml *next;
	size_t count;
};

struct yaml_document;

/* name is for errors. Fails with ERR_INPUT and "name:line:column: sentence", the line and a caret. */
struct yaml_document *yaml_parse(const char *bytes, size_t size, const char *name, struct err *err);
void yaml_destroy(struct yaml_document *d);
const struct yaml *yaml_root(const struct yaml_document *d);

/* The value of a key of a map, or NULL. */
const struct yaml *yaml_get(const struct yaml *map, const char *key);

/* Fills in err: "name:line:column: sentence", then the line of bytes (made harmless, cut to a window) and a caret under the
 * column. Returns false. */
bool yaml_fail(const char *bytes, size_t size, const char *name, struct text_place place, struct err *err, const char *fmt, ...)
	PRINTF_LIKE(6, 7);
bool yaml_vfail(const char *bytes, size_t size, const char *name, struct text_place place, struct err *err, const char *fmt,
	va_list args);

#endif
