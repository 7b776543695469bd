/*
 * Every event of a run as a record of fixed size, made in one pass over the bytes, so that walking, filtering,
 * comparing and drawing need no JSON.
 */
#ifndef ENGINE_EVENTINDEX_H
#define ENGINE_EVENTINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/event.h"
#include "engine/eventfile.h"

#define EVENTINDEX_EVENTS_MAX (16u * 1024 * 1024)
#define EVENTINDEX_NAMES_MAX  4096 /* most nodes, and most faults */
#define EVENTINDEX_NAME_MAX   256  /* longest name of a node or fault, in bytes as written */

/* entry.flags */
#define ENTRY_STDERR  1u /* io.line on standard error */
#define ENTRY_BAD_END 2u /* node.exited by a signal or with a status that is not 0 */
#define ENTRY_SIGNAL  4u /* node.exited by a signal */

/*
 * content is the hash of event_content (without the plan's digest in run.start): equal for events that are the same. gist leaves
 * out counters too (pid, line numbers, byte counts): equal for events that say the same.
 */
struct entry {
	uint64_t offset; /* of its line in events.jsonl */
	uint64_t icount;
	uint64_t vtime_ns; /* never less than the entry before it, whatever the guest's clock did */
	uint64_t content, gist;
	uint32_t fault; /* 1 + index in faults, 0 for none */
	uint16_t node;  /* index in nodes; 0 is the machine */
	uint8_t kind;   /* enum event_kind */
	uint8_t flags;  /* ENTRY_ */
};

/* Names in the order of their numbers, found by a hash table. Owned by the index. */
struct names {
	char **list;
	size_t count, room;
	uint32_t *slots; /* 1 + number, 0 for free; slot_count is a power of two */
	size_t slot_count;
};

struct eventindex {
	struct entry *entries; /* entries[i] has seq i + 1 */
	size_t count, room;
	struct names nodes;  /* nodes.list[0] is "" */
	struct names faults; /* "kill#1" */
	uint64_t end;        /* bytes of whole lines taken so far: where the next line starts */
};

/* Empty, but for names that are to have the first numbers (those of the plan). Fails if there are too many or one twice. */
bool eventindex_init(struct eventindex *index, char *const *nodes, size_t node_count, char *const *faults, size_t fault_count,
	struct err *err);
void eventindex_finish(struct eventindex *index);

/*
 * Takes the whole lines of bytes, which continue the file at index->end; *ret_used is how many bytes that was: what is left is
 * the start of a line. Errors: ERR_INPUT with "line L, column C: what was expected"; what came before that line is kept.
 */
bool eventindex_feed(struct eventindex *index, const char *bytes, size_t size, size_t *ret_used, struct err *err);

/* Takes what the file has beyond index->end. */
bool eventindex_read(struct eventindex *index, const struct eventfile *file, struct err *err);

/* Whether a line (without its newline) is the one that an event of the index was made from. */
bool eventindex_is(const struct eventindex *index, size_t event, const char *line, size_t size);

/* The hash of content and gist, continued from hash, which starts as EVENTINDEX_HASH. */
#define EVENTINDEX_HASH 0x9e3779b97f4a7c15u
uint64_t eventindex_hash(uint64_t hash, const void *data, size_t size);

/* The number of a name, -1 if it is not known. */
int eventindex_node(const struct eventindex *index, const char *name);
int eventindex_fault(const struct eventindex *index, const char *id);

#endif
