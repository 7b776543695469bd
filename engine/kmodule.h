/* Kernel modules as files: which ones polecat's machines want, what they depend on, in which order they load. */
#ifndef ENGINE_KMODULE_H
#define ENGINE_KMODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"

struct kmodule {
	char *name;       /* as the kernel names it, "sch_netem" */
	struct buf bytes; /* the plain .ko */
	char *depends;    /* comma-separated names from the file itself */
};

struct kmodules {
	struct kmodule *list; /* in load order */
	size_t count, room;
};

/* True for NAME.ko and its compressed forms (.gz, .xz, .zst). */
bool kmodule_file_name(const char *file);

/* Finds the wanted modules and all they depend on somewhere below dir. One that is neither there nor built in is an error if
 * polecat cannot do without it, and left out otherwise. */
bool kmodules_resolve(struct kmodules *m, const char *dir, struct err *err);
void kmodules_finish(struct kmodules *m);

/* The value of key in a module's .modinfo section, "depends" for one. Owned by the caller; "" if it has no such key; NULL with
 * ERR_INPUT if the bytes are no 64-bit ELF object. */
char *kmodule_info(const void *bytes, size_t size, const char *key, struct err *err);

#endif
