/*
 * All functions of a program that have a name: static ones of several files, overloads, instances of templates, copies that the
 * compiler made or wrote into their callers (elfutils).
 */
#ifndef ENGINE_FUNCTIONS_H
#define ENGINE_FUNCTIONS_H

#include "engine/lines.h"

/*
 * Adds to ret where each function begins that a name means (as named_fit has it, its end is enough): behind the instructions
 * that make its frame, where that is known, or where the copy in a caller begins. False when there is none.
 */
bool functions_find(const struct symbols *symbols, const char *name, struct lines *ret);

#endif
