/* Regular expressions over bytes of a guest (PCRE2, which only pattern.c sees), with limits on the work of a match. */
#ifndef ENGINE_PATTERN_H
#define ENGINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"

#define PATTERN_TEXT_MAX     1024   /* bytes of an expression */
#define PATTERN_CAPTURES_MAX 16     /* groups in an expression, without group 0 */
#define PATTERN_STEPS_MAX    100000 /* PCRE2's match limit: work for one line, then PATTERN_LIMIT */
#define PATTERN_HEAP_KIB     1024

struct pattern; /* compiled; not shared between threads */

/* Compiles text. On failure the error is a sentence without a place and *ret_at is the offset in text where it went wrong. */
struct pattern *pattern_create(const char *text, size_t *ret_at, struct err *err);
void pattern_destroy(struct pattern *p); /* NULL is fine */

const char *pattern_text(const struct pattern *p);
size_t pattern_captures(const struct pattern *p);
/* Number of a named group (?<name>...), or 0. */
size_t pattern_capture_named(const struct pattern *p, const char *name);

/* A group's bytes in the subject; data is NULL if the group took no part. */
struct pattern_span {
	const char *data;
	size_t size;
};

enum pattern_result { PATTERN_NO, PATTERN_YES, PATTERN_LIMIT /* gave up: too much work */ };

/* Is there a match anywhere in the bytes? Fills spans[0..count): group 0 is the whole match. spans may be NULL. */
enum pattern_result pattern_match(struct pattern *p, const char *data, size_t size, struct pattern_span *spans, size_t count);

#endif
