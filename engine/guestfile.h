/*
 * Files of the guest, read from the kernel's own memory: names of open files, and contents. File systems that live in memory
 * (tmpfs, ramfs) are all there; of others only what the kernel has cached, and the answers say so.
 */
#ifndef ENGINE_GUESTFILE_H
#define ENGINE_GUESTFILE_H

#include "engine/buf.h"
#include "engine/layout.h"

#define GUESTFILE_PATH_MAX  4096
#define GUESTFILE_DEPTH_MAX 256 /* directories in a path, mounts included */

/* A place in the guest's tree of files: kernel addresses of a struct vfsmount and a struct dentry. */
struct guest_place {
	uint64_t mnt, dentry;
};

enum guestfile_kind {
	GUESTFILE_NONE,
	GUESTFILE_FILE,
	GUESTFILE_DIR,
	GUESTFILE_LINK,
	GUESTFILE_PIPE,
	GUESTFILE_SOCKET,
	GUESTFILE_DEVICE
};

struct guestfile {
	uint64_t inode;  /* kernel address */
	uint64_t number; /* inode number */
	uint64_t device; /* as (major << 20 | minor) */
	uint64_t size;
	uint32_t mode, uid;
	enum guestfile_kind kind;
	bool in_memory; /* its file system lives in memory: nothing is missing */
	bool is_made;   /* its contents are made whenever it is read, as those of /proc and /sys: none of them are in memory */
};

/*
 * Appends the path of a place as the kernel would print it: below root (NULL: below the root of its mount namespace),
 * "pipe:[123]" and the like for what has no path, " (deleted)" at the end. False, with what was found so far, when a
 * pointer leads nowhere.
 */
bool guestfile_path(const struct guest *guest, struct guest_place at, const struct guest_place *root, struct buf *out);

/* Of the mode of an inode. GUESTFILE_NONE for 0; an anonymous inode, which has no type, is a file. */
enum guestfile_kind guestfile_kind(uint32_t mode);

/* What the inode at a kernel address says. kind is GUESTFILE_NONE when it is not in memory. */
struct guestfile guestfile_inode(const struct guest *guest, uint64_t inode);

/* Root and working directory of a task; zeros when it has none any more. */
struct guest_place guestfile_root(const struct guest *guest, uint64_t task);
struct guest_place guestfile_cwd(const struct guest *guest, uint64_t task);

/*
 * Appends up to size bytes of a file from offset. Fewer are there when the file ends. False when a page of it is not in
 * memory, with the offset named; what came before it has been appended.
 */
bool guestfile_read(const struct guest *guest, const struct guestfile *file, uint64_t offset, uint64_t size, struct buf *out,
	struct err *err);

/* A dentry's own name; false when it is not in memory. */
#define GUESTFILE_NAME_SIZE 256 /* with its NUL */
bool guestfile_name(const struct guest *guest, uint64_t dentry, char name[GUESTFILE_NAME_SIZE]);

#endif
