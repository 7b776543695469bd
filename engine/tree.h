/* A workload as a canonical tree of files: from a static binary, a root file system directory, or a tar of one. */
#ifndef ENGINE_TREE_H
#define ENGINE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/digest.h"
#include "engine/err.h"

#define TREE_ENTRIES_MAX 65536
#define TREE_BYTES_MAX   (512u << 20)
#define TREE_PATH_MAX    1024
#define TREE_DEPTH_MAX   64

enum tree_kind { TREE_FILE, TREE_DIR, TREE_LINK };

struct tree_entry {
	char *path; /* "usr/bin/redis-server": relative, no empty, "." or ".." parts */
	enum tree_kind kind;
	unsigned mode; /* permission bits, at most 0777 plus the sticky bit */
	unsigned uid, gid;
	char *target;   /* TREE_LINK: the text of the link */
	uint8_t *bytes; /* TREE_FILE: content, owned; NULL if empty */
	size_t size;
};

struct tree {
	struct tree_entry *entries; /* sorted by path in byte order; every parent is there and a directory */
	size_t count, room;
	uint64_t bytes; /* sum of the sizes */
};

/* Each makes a whole tree or fails with the path and the reason: devices, sockets and fifos; set-user-id files; names that leave
 * the tree; more than the limits above. Hard links become copies. Times are dropped. */
struct tree *tree_of_binary(const char *path, const char *name, struct err *err); /* at /name, mode 0755 */
struct tree *tree_of_dir(const char *path, struct err *err);                      /* owners become root */
struct tree *tree_of_rootfs(const char *path, struct err *err); /* whichever path is: a directory or a tar file */
struct tree *tree_of_tar(const char *path, struct err *err);    /* owners kept; gz, xz, zst or plain */
struct tree *tree_of_tar_bytes(const void *bytes, size_t size, const char *name, struct err *err);

/* A tree made by hand (OCI layers, tests): add in any order, then finish. Adding a path again replaces it. */
struct tree *tree_create(void);
bool tree_add(struct tree *t, const char *path, enum tree_kind kind, unsigned mode, unsigned uid, unsigned gid,
	const char *target, const void *bytes, size_t size, struct err *err);
/* Removes path and all below it; nothing if it is not there. */
void tree_remove(struct tree *t, const char *path);
/* Sorts, adds missing parents (mode 0755), refuses a file that is also a parent. */
bool tree_finish(struct tree *t, struct err *err);
void tree_destroy(struct tree *t);

const struct tree_entry *tree_find(const struct tree *t, const char *path);
/* Of everything that a guest can see: paths, kinds, modes, owners, targets, bytes. */
void tree_digest(const struct tree *t, uint8_t out[DIGEST_SIZE]);

#endif
