/*
 * What gdb's packets ask for: their words taken apart, and gdb's own numbers of signals. Pure: bytes in, values out.
 *
 * Each parser reads a whole text of size bytes and fails with ERR_INPUT and what was expected.
 */
#ifndef ENGINE_GDBPACKET_H
#define ENGINE_GDBPACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

bool gdb_starts(const char *packet, const char *with);
/* Appends the answer that is an error with a sentence: gdb shows it to the person, where it understands that. */
void gdb_refuse(struct buf *out, const char *text);

#define GDB_ACTIONS_MAX 64 /* of one vCont */

/* "p1.2", "p1.-1", "p1", "2", "0", "-1": process and thread; 0: any, -1: all. pid is 0 when it is not given. */
struct gdb_thread {
	int64_t pid, tid;
};
/* Moves *at behind it. */
bool gdb_parse_thread(const char **at, const char *end, struct gdb_thread *ret);

/* One action of "vCont;s:p1.2;c". */
struct gdb_action {
	char kind; /* c, s or r */
	bool has_thread, has_signal;
	struct gdb_thread thread;
	int signal;         /* gdb's number */
	uint64_t low, high; /* r: step on within it */
};
/* text: behind "vCont;". */
bool gdb_parse_actions(const char *text, size_t size, struct gdb_action *list, size_t *count, struct err *err);

/* "Z0,401000,1" and "z2,...": what follows behind a ";" (conditions, commands) is not looked at. */
struct gdb_point {
	bool insert;
	char kind; /* 0, 1: code; 2: write; 3: read; 4: both */
	uint64_t address, size;
};
bool gdb_parse_point(const char *text, size_t size, struct gdb_point *ret, struct err *err);

/* "OFFSET,SIZE" in hexadecimal. */
bool gdb_parse_range(const char *text, size_t size, uint64_t *ret_at, uint64_t *ret_size, struct err *err);

/* "OBJECT:read:ANNEX:OFFSET,SIZE", behind "qXfer:". The slices are borrowed from text. */
struct gdb_transfer {
	const char *object, *annex;
	size_t object_size, annex_size;
	uint64_t offset, size;
};
bool gdb_parse_transfer(const char *text, size_t size, struct gdb_transfer *ret, struct err *err);

/* "e;10;14;...": gdb's numbers; bit N-1 is set for Linux' signal N. */
bool gdb_parse_signals(const char *text, size_t size, uint64_t *ret, struct err *err);

/* Bytes in hexadecimal, appended. */
bool gdb_parse_hex(const char *text, size_t size, struct buf *out, struct err *err);

/* Signal numbers are gdb's own in the protocol (include/gdb/signals.def of gdb). What the other side has no number for is 143
 * (gdb: unknown) and 0. */
int gdb_signal_of_linux(int number);
int gdb_signal_to_linux(int number);

#endif
