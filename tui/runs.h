/* The runs of a directory, with what is worth knowing about each before it is opened. Loaded one run a step. */
#ifndef TUI_RUNS_H
#define TUI_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/verdict.h"

#define RUNS_MAX 100000 /* runs of one directory that are listed */

struct run_row {
	char *name;     /* of the directory */
	bool loaded;    /* what follows is known */
	bool recording; /* its directory has not got its final name */
	bool abandoned; /* ... and nobody records it any more: its recorder was killed */
	bool deleted;
	bool marked;
	bool fresh;    /* came after runs_forget_fresh */
	char *problem; /* why it could not be read, or NULL */
	char *scenario;
	uint64_t seed;
	bool has_verdict;
	enum verdict verdict;
	char *failed; /* "no-lost-ack, other": the properties with the verdict of the run, when that is not pass */
	size_t property_count, counts[VERDICT_COUNT];
	size_t fault_count;
	uint64_t events, vtime_ns, icount;
	uint64_t size;      /* bytes of its files */
	int64_t when;       /* when it was recorded, seconds since 1970; 0 unknown */
	char *reproducible; /* the manifest's words, or "" */
	/* a fork */
	char *parent;           /* name of the run that it was made from; NULL: it is no fork */
	uint64_t parent_icount; /* ... and where in it */
	char *command;          /* what was executed there, or NULL */
	/* its place in the tree */
	unsigned depth; /* 0: no fork, or of a run that is not here */
	size_t forks;   /* that follow it, those of forks among them */
	bool folded;    /* its forks are not shown */
	bool hidden;    /* it is a fork of a folded one */
};

enum run_sort { SORT_VERDICT, SORT_AGE, SORT_SCENARIO, SORT_SEED, SORT_LENGTH, SORT_FAULTS, SORT_SIZE, SORT_COUNT };

struct runs {
	char *path;                    /* of the directory */
	int dir;                       /* -1 if it is not there */
	int64_t scanned_s, scanned_ns; /* the directory's time when its names were read */
	struct run_row *rows;
	size_t count, room;
	enum run_sort sort;
	bool stale;     /* a row changed since the last sort */
	char **deleted; /* names, in order of deletion */
	size_t deleted_count, deleted_room;
};

struct runs *runs_create(const char *path);
void runs_destroy(struct runs *list); /* NULL is fine; deletes what was deleted for good */

/* Reads the names. Rows that are still there keep what is known, unless they were still being recorded. A directory that does
 * not exist is an empty list. */
bool runs_scan(struct runs *list, struct err *err);
/* Whether a scan would find anything new: other names, or a recording that may have grown. */
bool runs_changed(const struct runs *list);
/* Loads the next row that is not loaded. False when there is none. */
bool runs_step(struct runs *list);
/* Loads one row now. */
void runs_load(struct runs *list, size_t row);
/* Rows that appear from now on are fresh. The fresh row of a whole run; SIZE_MAX if there is none. */
void runs_forget_fresh(struct runs *list);
size_t runs_find_fresh(const struct runs *list);
/* Sorts if something changed: by list->sort, newest first among equals; SORT_VERDICT has failures first. Forks follow the run
 * that they were made from. True if it did. */
bool runs_sort(struct runs *list);
extern const char *const run_sort_names[SORT_COUNT + 1]; /* NULL at the end */
const char *run_sort_name(enum run_sort sort);
bool run_sort_find(const char *name, enum run_sort *ret);

/* Puts forks behind what they were made from, in the order that they have: runs_tree.c. */
void runs_arrange(struct runs *list);
/* Hides the forks of a row, or of the run that it is a fork of when it has none; or shows them again. False: there are none. */
bool runs_fold(struct runs *list, size_t row);

size_t runs_find(const struct runs *list, const char *name); /* SIZE_MAX */
char *runs_path(const struct runs *list, size_t row);        /* owned by the caller */

/* Hides the run under another name; undo brings the last one back (*ret_name is owned by the caller). */
bool runs_delete(struct runs *list, size_t row, struct err *err);
bool runs_undo(struct runs *list, char **ret_name, struct err *err);

/* Whether a row has all words: "verdict:fail", "scenario:redis", "seed:40..50", "seed:42", or text in its name or verdict. */
bool runs_matches(const struct run_row *row, const char *words);

#endif
