/*
 * The kernel's unwind tables (engine/orc.h) as DWARF call frame information: what another debugger unwinds by. Pure: rows in,
 * bytes of a section .debug_frame out.
 */
#ifndef ENGINE_ORCFRAME_H
#define ENGINE_ORCFRAME_H

#include "engine/buf.h"
#include "engine/orc.h"

/* Rows are given by address; equal addresses: the last one counts. Zero is the start. */
struct orcframe {
	struct buf section, program; /* program: of the piece that is being made */
	struct orc_row row;          /* waits for the next one's address */
	uint64_t begin, at;          /* of the piece */
	unsigned rows, type;
	size_t entry[3]; /* where in the section the entries of each type are described */
	bool has_row, has_piece;
};

void orcframe_add(struct orcframe *f, const struct orc_row *row);
/* The last row holds up to `end`. Another table may follow. */
void orcframe_end(struct orcframe *f, uint64_t end);
void orcframe_finish(struct orcframe *f);

#endif
