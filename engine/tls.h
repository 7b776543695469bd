/*
 * Where the thread-local storage of a program or a library lies for one thread: below the thread's own address when it was there
 * from the start, else where the thread's vector of them says. Which it is, the module's relocations tell, as the dynamic loader
 * (of glibc or musl) has filled them in; no private struct of the loader is looked at.
 */
#ifndef ENGINE_TLS_H
#define ENGINE_TLS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/expr.h"

/* fs_base: of the thread. False when the module has no such storage, the thread has not touched it yet, or its relocations do not
 * say where it is. */
bool tls_base(Dwfl_Module *module, uint64_t fs_base, expr_read *read, void *data, uint64_t *ret);

#endif
