/*
 * Symbols, source lines and inlined calls of the programs and libraries mapped into one address space (elfutils). Files are
 * handed in as descriptors; separate debug information is looked for in the debug directories by build id and .gnu_debuglink.
 * Names of C++ are given out demangled, without the types of parameters.
 */
#ifndef ENGINE_SYMBOLS_H
#define ENGINE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define SYMBOLS_INLINE_MAX 32 /* inlined calls at one address */

struct symbols;
struct Dwfl; /* elfutils': for expr, unwind and values only */

/* One line of an address: a function, or one that was inlined there. Strings are borrowed from the symbols. */
struct symbols_place {
	const char *function;  /* NULL: not known */
	const char *module;    /* path of the file */
	const char *file;      /* source; NULL: not known */
	const char *directory; /* that a relative source file is relative to; NULL: not known */
	int line, column;
	uint64_t offset; /* from the start of the function; 0 for inlined ones */
	bool inlined;    /* into the next place of the list */
};

/* debug_dirs (copied): folders with .build-id below them, as /usr/lib/debug. */
struct symbols *symbols_create(const char *const *debug_dirs, size_t count, struct err *err);
/* The same symbols for one more owner: whoever moves the machine while it needs them. Each owner destroys its own. */
struct symbols *symbols_share(struct symbols *symbols);
/* They, and every string that was borrowed from them, end with the last owner. */
void symbols_destroy(struct symbols *symbols);

/* Adds a file mapped with its start at base. fd becomes the symbols'. False (and closed) when it is no ELF file that can be used.
 */
bool symbols_add(struct symbols *symbols, const char *name, int fd, uint64_t base, struct err *err);
/* After the last file, once, before anything is asked. */
void symbols_ready(struct symbols *symbols);

/*
 * Where an address is, innermost inlined function first, at most SYMBOLS_INLINE_MAX places. is_return: the address is one
 * that a call returns to, so the call before it is meant. 0 when the address is in no module.
 */
size_t symbols_at(
	const struct symbols *symbols, uint64_t address, bool is_return, struct symbols_place places[SYMBOLS_INLINE_MAX]);

/* The symbol that holds an address, and how far into it; NULL when there is none. */
const char *symbols_name(const struct symbols *symbols, uint64_t address, uint64_t *ret_offset);

/* The same, with where the symbol begins and how many bytes it has. */
const char *symbols_extent(const struct symbols *symbols, uint64_t address, uint64_t *ret_start, uint64_t *ret_size);

/* A function or variable by its name (of C++: qualified or its end, with types of parameters or without); global ones win. */
bool symbols_find(const struct symbols *symbols, const char *name, uint64_t *ret_address, uint64_t *ret_size);

/* Calls for each function and variable by a name that symbols_find takes, in no order; a name may come twice. */
void symbols_each(const struct symbols *symbols, void (*each)(void *data, const char *name), void *data);

/* Start of the code for a source line ("prog.c", 12); the file's name may leave directories out. */
bool symbols_find_line(const struct symbols *symbols, const char *file, int line, uint64_t *ret_address);

/* "leaf+0x12 (prog.c:34)"; only "0x1234" when nothing is known. Safe for a terminal. */
void symbols_print_address(const struct symbols *symbols, uint64_t address, bool is_return, struct buf *out);
void symbols_print_place(const struct symbols_place *place, struct buf *out);

struct Dwfl *symbols_dwfl(const struct symbols *symbols);

#endif
