/*
 * Lines of source files as addresses of a program, and the other way round: which files it was made from, which of their lines
 * have code, where a function's own lines begin (elfutils).
 */
#ifndef ENGINE_LINES_H
#define ENGINE_LINES_H

#include "engine/symbols.h"

#define LINES_SHIFT_MAX 50 /* how many lines further a line without code is looked for */

/* Addresses of code, sorted; owned by the caller (lines_finish). */
struct lines {
	uint64_t *list;
	size_t count, room;
};
void lines_finish(struct lines *lines);
/* Puts one in its place, unless it is there. */
void lines_add(struct lines *to, uint64_t address);

/*
 * Where the code of a line begins: each copy of it that the compiler made. Of the files that share the last part of their path
 * with `file` the one is meant that has most parts in common with it. A line without code stands for the next one that has some
 * in the same function's file, at most LINES_SHIFT_MAX further: *ret_line. False when there is none.
 */
bool lines_find(const struct symbols *symbols, const char *file, int line, struct lines *ret, int *ret_line);

/* Appends the lines from first to last of a file that have code, as addresses in ret: numbers of lines. */
void lines_with_code(const struct symbols *symbols, const char *file, int first, int last, struct lines *ret);

/* Where a function's arguments are in place: behind the instructions that make its frame. False when nothing says so; then its
 * first instruction is the place. */
bool lines_body(const struct symbols *symbols, uint64_t function, uint64_t *ret_address);

/* Each source file of the program, once a compilation unit: its directory (may be NULL) and name, as in struct symbols_place. */
void lines_each_file(
	const struct symbols *symbols, void (*visit)(void *data, const char *directory, const char *file), void *data);

#endif
