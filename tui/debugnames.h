/* Names that the `:` line completes in the debug view: functions and variables of the program in focus, bookmarks. */
#ifndef TUI_DEBUGNAMES_H
#define TUI_DEBUGNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUG_NAMES_MAX 50000 /* of one program */

struct debug_names {
	uint32_t pid;   /* whose they are; 0: nobody's */
	char **symbols; /* sorted, each once */
	size_t symbol_count, symbol_room;
	char **bookmarks;
	size_t bookmark_count, bookmark_room;
};

struct verbs;

/* Names of what is in focus; NULL when they are the same as those of `last` (may be NULL). Reads all symbols: not for each stop.
 */
struct debug_names *debug_names_take(struct verbs *v, const struct debug_names *last);
/* Whose they are and the bookmarks, for the next debug_names_take. */
struct debug_names *debug_names_key(const struct debug_names *names);
void debug_names_destroy(struct debug_names *names); /* NULL is fine */

/* Calls found for each symbol, or bookmark, that begins with prefix. names may be NULL. */
void debug_names_symbols(
	const struct debug_names *names, const char *prefix, void (*found)(void *data, const char *text), void *data);
void debug_names_bookmarks(
	const struct debug_names *names, const char *prefix, void (*found)(void *data, const char *text), void *data);

#endif
