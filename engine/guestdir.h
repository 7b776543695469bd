/*
 * Directories of the guest, read from the kernel's memory: finding a path as a process would, and listing. Overlays are put
 * together from their layers, so a node's whole tree is there although the kernel has cached little of it.
 */
#ifndef ENGINE_GUESTDIR_H
#define ENGINE_GUESTDIR_H

#include "engine/guestfile.h"

#define GUESTDIR_LINKS_MAX  40    /* symbolic links followed */
#define GUESTDIR_LIST_MAX   65536 /* names in a directory, mounts in a namespace */
#define GUESTDIR_LAYERS_MAX 16    /* of an overlay */

/* A place that was found. In an overlay it is made of dentries of the file systems below it, the upper one first. */
struct guestdir_node {
	struct guest_place at; /* dentry is 0 when the kernel has none for it: only its layers are known */
	uint64_t layers[GUESTDIR_LAYERS_MAX];
	size_t layer_count; /* 0: no overlay */
};

/*
 * Finds path as the task would: its root, its mounts, symbolic links followed (the last one too if follow). A relative path
 * starts at its working directory. ret_file is the file's real inode. ERR_INPUT: no such file, with the part that is missing;
 * ret_file->in_memory says then whether that is certain, or memory does not hold all that is to be known.
 *
 * Appends to path_out (may be NULL) the path from the task's root, links and ".." resolved as far as they could be, the rest as
 * it is. Nothing when the path cannot be meant.
 */
bool guestdir_find(const struct guest *guest, uint64_t task, const char *path, bool follow, struct guestdir_node *ret_node,
	struct guestfile *ret_file, struct buf *path_out, struct err *err);

struct guestdir_entry {
	char *name;
	struct guestfile file;
};

struct guestdir_list {
	struct guestdir_entry *entries; /* by name, in byte order */
	size_t count, room;
	bool complete; /* false: only the names that the kernel has cached */
};

/* The names in a directory. The list is to be finished also on failure. */
bool guestdir_ls(const struct guest *guest, const struct guestdir_node *directory, struct guestdir_list *list, struct err *err);
/* By name. */
void guestdir_list_sort(struct guestdir_list *list);
void guestdir_list_finish(struct guestdir_list *list);
void guestdir_list_print(const struct guestdir_list *list, struct buf *out);

#endif
