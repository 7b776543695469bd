/* Moments of a run that a person gave names, kept in a small file per run beside polecat's other state. */
#ifndef ENGINE_BOOKMARKS_H
#define ENGINE_BOOKMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define BOOKMARKS_MAX      1000
#define BOOKMARKS_NAME_MAX 64
#define BOOKMARKS_FILE_MAX (256 * 1024)

struct bookmark {
	char name[BOOKMARKS_NAME_MAX + 1];
	uint64_t icount;
};

struct bookmarks {
	struct bookmark *list; /* by name */
	size_t count, room;
	int dir; /* -1: nowhere to save */
	char *file;
};

/* Those of a run, by the name of its directory. b need not be initialised; it is empty and usable on failure. */
bool bookmarks_load(struct bookmarks *b, const char *run, struct err *err);
void bookmarks_finish(struct bookmarks *b);

/* Adds or moves one and saves. ERR_USAGE for a name that is none (text_is_name). */
bool bookmarks_set(struct bookmarks *b, const char *name, uint64_t icount, struct err *err);
bool bookmarks_remove(struct bookmarks *b, const char *name, struct err *err);
const struct bookmark *bookmarks_find(const struct bookmarks *b, const char *name);

/* The file's text, both ways. parse: ERR_INPUT; b is emptied first. */
void bookmarks_write(const struct bookmarks *b, struct buf *out);
bool bookmarks_parse(struct bookmarks *b, const char *bytes, size_t size, struct err *err);

#endif
