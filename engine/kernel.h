/* The guest kernel: Debian's, downloaded and unpacked into the cache, never installed. */
#ifndef ENGINE_KERNEL_H
#define ENGINE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/buf.h"
#include "engine/digest.h"
#include "engine/err.h"

struct kernel_module {
	char *name; /* "veth" */
	char *path; /* plain .ko */
};

struct kernel {
	char *release; /* "6.1.0-57-amd64" */
	char *vmlinux; /* path of the uncompressed ELF image */
	uint8_t vmlinux_digest[DIGEST_SIZE];
	uint8_t digest[DIGEST_SIZE];   /* of vmlinux and all modules below, in order */
	struct kernel_module *modules; /* in load order: dependencies first; built-in ones are left out */
	size_t module_count;
};

/* Called with what is going on, e.g. "downloading linux-image-6.1.0-57-amd64". May be NULL. */
typedef void kernel_progress(void *data, const char *words);

/* The kernel to use: $POLECAT_KERNEL (a vmlinuz or vmlinux; its modules in $POLECAT_MODULES, or lib/modules/RELEASE beside its
 * boot directory, or below /), else the one of the cache, else apt-get download of the package that linux-image-amd64 depends on
 * (no root needed). Safe to call from many processes at once. cache is the polecat cache directory. */
struct kernel *kernel_get(const char *cache, kernel_progress *progress, void *data, struct err *err);
/* The module of this name, or NULL if it is not in the image (built in, or this kernel has none). */
const struct kernel_module *kernel_find_module(const struct kernel *k, const char *name);

/* Appends the uncompressed ELF image of a vmlinuz (bzImage); an ELF image is copied. */
bool kernel_unpack(const void *bytes, size_t size, struct buf *out, struct err *err);
void kernel_destroy(struct kernel *k);

#endif
