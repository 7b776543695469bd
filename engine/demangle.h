/*
 * Names of C++ as a person writes them (libiberty).
 */
#ifndef ENGINE_DEMANGLE_H
#define ENGINE_DEMANGLE_H

#include <stdbool.h>

#define DEMANGLE_MAX 4096 /* bytes of a mangled name, and of what it becomes: longer ones stay as they are */

/* "_ZN4shop5Store3addEi" as "shop::Store::add", with the types of parameters when they are asked for. NULL when the name is none
 * of C++'s; else the caller's to free. */
char *demangle(const char *name, bool parameters);

#endif
