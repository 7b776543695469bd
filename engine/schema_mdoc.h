/* The reference part of polecat-scenario(5), written from the tables that the parser reads by. */
#ifndef ENGINE_SCHEMA_MDOC_H
#define ENGINE_SCHEMA_MDOC_H

#include "engine/buf.h"

/* Appends mdoc(7): a subsection for each section of the language, with its keys, and the kinds of faults and events. */
void schema_mdoc(struct buf *out);

#endif
