/*
 * GDB's remote protocol as bytes: packets that gdb sends, taken apart; packets for gdb, put together. No sockets, no meaning.
 */
#ifndef ENGINE_GDB_H
#define ENGINE_GDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

#define GDB_PACKET_MAX 0x4000u /* bytes between "$" and "#", told to gdb as PacketSize */

/* Bytes received and not yet parsed. Zero is the start. */
struct gdb {
	struct buf in;
	struct buf packet; /* the last one, without escapes */
};

enum gdb_result {
	GDB_MORE,      /* nothing whole has come yet */
	GDB_PACKET,    /* gdb.packet */
	GDB_INTERRUPT, /* 0x03: stop what goes on */
	GDB_DAMAGED,   /* a checksum was wrong: ask for the packet again */
	GDB_BAD,       /* longer than GDB_PACKET_MAX: the stream cannot be used any more */
};

void gdb_finish(struct gdb *g);
void gdb_feed(struct gdb *g, const void *bytes, size_t size);
/* Takes the next thing out of what was fed; acknowledgements and what stands between packets are skipped. */
enum gdb_result gdb_next(struct gdb *g);
/* Is there an interrupt in what was fed, outside of packets? */
bool gdb_has_interrupt(const struct gdb *g);

/* Appends "$DATA#SUM", escaped. */
void gdb_put(struct buf *out, const void *data, size_t size);

/*
 * The hexadecimal number at *at, before end, moving *at behind it. False when there is none or it has more than 16 digits.
 */
bool gdb_number(const char **at, const char *end, uint64_t *ret);

#endif
