#include "engine/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COPY_BLOCK   (1u << 20)
#define LOCK_STEP_MS 10
#define REMOVE_DEPTH 256 /* directories inside directories; more is not something we made */

bool file_mkdirs(const char *path, struct err *err)
{
	char *copy = mem_str(path);
	bool ok = true;
	for (char *p = copy + 1; ok && *copy; p++) {
		char was = *p;
		if (was && was != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST && errno != EISDIR)
			ok = err_sys(err, errno, "making directory %s", copy);
		*p = was;
		if (!was)
			break;
	}
	struct stat st;
	if (ok && (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)))
		ok = err_sys(err, ENOTDIR, "making directory %s", path);
	free(copy);
	return ok;
}

int file_open_dir(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err_sys(err, errno, "opening directory %s", path);
	return fd;
}

/* Kernels before 5.6 have no openat2: walk by hand, one component at a time, refusing links. */
static int open_by_steps(int dir, const char *path, int flags)
{
	int at = dir;
	for (;;) {
		size_t n = strcspn(path, "/");
		bool last = path[n] == '\0';
		if (n == 0 || n > NAME_MAX || (n == 2 && !memcmp(path, "..", 2))) {
			errno = n > NAME_MAX ? ENAMETOOLONG : EXDEV;
			break;
		}
		char name[NAME_MAX + 1];
		memcpy(name, path, n);
		name[n] = '\0';
		int fd = openat(at, name, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC, 0600);
		int why = errno;
		if (at != dir)
			close(at);
		errno = why;
		if (last || fd < 0)
			return fd;
		at = fd;
		path += n + 1;
	}
	int why = errno;
	if (at != dir)
		close(at);
	errno = why;
	return -1;
}

/* Whether "..", which even below dir says more than a name should, is a part of the path. */
static bool goes_up(const char *path)
{
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", 2))
			return true;
		p += n + (p[n] == '/');
	}
	return false;
}

static int open_beneath(int dir, const char *path, int flags)
{
	if (goes_up(path)) {
		errno = EXDEV;
		return -1;
	}
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? 0600 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd;
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN); /* a rename raced with the walk */
	/* EPERM: a seccomp filter that does not know the call, as some containers have. */
	return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_by_steps(dir, path, flags) : fd;
}

int file_open_in(int dir, const char *path, int flags, struct err *err)
{
	int fd = open_beneath(dir, path, flags);
	if (fd < 0) {
		int why = errno;
		if (why == ELOOP || why == EXDEV)
			err_set(err, ERR_INPUT, "%s: refused, because it is or passes through a link or leaves its directory",
				path);
		else
			err_sys(err, why, "opening %s", path);
		errno = why;
	}
	return fd;
}

int file_mkdir_in(int dir, const char *name, struct err *err)
{
	if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST) {
		err_sys(err, errno, "making directory %s", name);
		return -1;
	}
	return file_open_in(dir, name, O_RDONLY | O_DIRECTORY, err);
}

static int regular(int fd, const char *path, struct err *err)
{
	struct stat st;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		err_set(err, ERR_INPUT, "%s: expected a regular file", path);
		close(fd);
		return -1;
	}
	return fd;
}

int file_open(const char *path, struct err *err)
{
	/* O_NONBLOCK: a fifo of that name must not hang us before we can refuse it. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		enum err_code code = errno == ENOENT || errno == EACCES || errno == ENOTDIR ? ERR_INPUT : ERR_SYSTEM;
		err_sys(err, errno, "opening %s", path);
		if (err)
			err->code = code;
		return -1;
	}
	return regular(fd, path, err);
}

bool file_read_fd(int fd, const char *name, size_t limit, struct buf *out, struct err *err)
{
	size_t start = out->size, size = file_size(fd);
	if (size < limit)
		buf_reserve(out, size);
	for (;;) {
		size_t have = out->size - start;
		if (have > limit) {
			out->size = start;
			return err_set(err, ERR_INPUT, "%s: has more than %zu bytes, which is the limit", name, limit);
		}
		buf_reserve(out, 65536);
		ssize_t got = pread(fd, out->data + out->size, out->room - out->size - 1, (off_t)have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			out->size = start;
			return err_sys(err, errno, "reading %s", name);
		}
		if (got == 0)
			break;
		out->size += (size_t)got;
	}
	out->data[out->size] = '\0';
	return true;
}

static bool read_and_close(int fd, const char *name, size_t limit, struct buf *out, struct err *err)
{
	if (fd < 0)
		return false;
	bool ok = file_read_fd(fd, name, limit, out, err);
	close(fd);
	return ok;
}

bool file_read(const char *path, size_t limit, struct buf *out, struct err *err)
{
	return read_and_close(file_open(path, err), path, limit, out, err);
}

bool file_read_in(int dir, const char *path, size_t limit, struct buf *out, struct err *err)
{
	int fd = regular(file_open_in(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, err), path, err);
	return read_and_close(fd, path, limit, out, err);
}

bool file_write_fd(int fd, const void *bytes, size_t size, const char *name, struct err *err)
{
	const char *p = bytes;
	while (size) {
		ssize_t put = write(fd, p, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_sys(err, errno, "writing %s", name);
		p += put;
		size -= (size_t)put;
	}
	return true;
}

/* A name beside `name` that no other process or thread uses. The host's pid never reaches a result: the file is renamed. */
static int make_temporary(int dir, const char *name, char *temporary, size_t room, struct err *err)
{
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(temporary, room, ".%.200s.%ld.%u", name, (long)gettid(), i);
		int fd = openat(dir, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST) {
			if (fd < 0)
				err_sys(err, errno, "writing %s", name);
			return fd;
		}
	}
	err_set(err, ERR_SYSTEM, "writing %s: a thousand temporary files are in the way", name);
	return -1;
}

bool file_write_in(int dir, const char *name, const void *bytes, size_t size, struct err *err)
{
	char temporary[NAME_MAX + 1];
	int fd = make_temporary(dir, name, temporary, sizeof temporary, err);
	if (fd < 0)
		return false;
	bool ok = file_write_fd(fd, bytes, size, name, err);
	if (ok && fdatasync(fd) < 0)
		ok = err_sys(err, errno, "writing %s", name);
	close(fd);
	if (ok && renameat(dir, temporary, dir, name) < 0)
		ok = err_sys(err, errno, "renaming %s into place", name);
	if (!ok)
		unlinkat(dir, temporary, 0);
	return ok;
}

bool file_write(const char *path, const void *bytes, size_t size, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? mem_strn(path, slash == path ? 1 : (size_t)(slash - path)) : mem_str(".");
	int dir = file_open_dir(parent, err);
	free(parent);
	if (dir < 0)
		return false;
	bool ok = file_write_in(dir, slash ? slash + 1 : path, bytes, size, err);
	close(dir);
	return ok;
}

/* Holders may remove their lock file; a lock on a file that is no longer there under its name protects nothing. */
static bool still_there(int fd, int dir, const char *name)
{
	struct stat own, named;
	return fstat(fd, &own) == 0 && fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && own.st_ino == named.st_ino &&
		own.st_dev == named.st_dev;
}

/* 1: locked; 0: another holds it, or the file was replaced; -1: failure. */
static int try_lock(int fd, int dir, const char *name, bool wait)
{
	while (flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) < 0)
		if (errno != EINTR)
			return errno == EWOULDBLOCK ? 0 : -1;
	return still_there(fd, dir, name);
}

int file_lock_in(int dir, const char *name, int wait_ms, bool *busy, struct err *err)
{
	int got = 0;
	if (busy)
		*busy = false;
	for (int waited_ms = 0; got == 0 && (wait_ms < 0 || waited_ms <= wait_ms); waited_ms += LOCK_STEP_MS) {
		if (waited_ms)
			nanosleep(&(struct timespec){.tv_nsec = LOCK_STEP_MS * 1000000}, NULL);
		int fd = file_open_in(dir, name, O_RDWR | O_CREAT, err);
		if (fd < 0)
			return -1;
		got = try_lock(fd, dir, name, wait_ms < 0);
		if (got > 0)
			return fd;
		close(fd);
	}
	if (busy)
		*busy = got == 0;
	if (got == 0)
		err_set(err, ERR_SYSTEM, "%s is locked by another process", name);
	else
		err_sys(err, errno, "locking %s", name);
	return -1;
}

int file_memory(const char *name, struct err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		err_sys(err, errno, "making a memory file for %s", name);
	return fd;
}

int file_memory_of(const char *name, const void *bytes, size_t size, struct err *err)
{
	int fd = file_memory(name, err);
	if (fd >= 0 && (!file_write_fd(fd, bytes, size, name, err) || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

uint64_t file_size(int fd)
{
	struct stat st;
	return fstat(fd, &st) < 0 || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
}

static bool copy_extent(int from, int to, off_t at, off_t end, char *block, struct err *err)
{
	while (at < end) {
		size_t want = end - at > (off_t)COPY_BLOCK ? COPY_BLOCK : (size_t)(end - at);
		ssize_t got = pread(from, block, want, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_sys(err, got < 0 ? errno : EIO, "copying a file");
		for (ssize_t done = 0, put; done < got; done += put) {
			put = pwrite(to, block + done, (size_t)(got - done), at + done);
			if (put < 0 && errno == EINTR)
				put = 0;
			else if (put < 0)
				return err_sys(err, errno, "copying a file");
		}
		at += got;
	}
	return true;
}

bool file_copy(int from, int to, struct err *err)
{
	off_t size = (off_t)file_size(from);
	if (size > 0 && ioctl(to, FICLONE, from) == 0)
		return true;
	if (ftruncate(to, size) < 0)
		return err_sys(err, errno, "copying a file");
	char *block = mem_alloc(COPY_BLOCK);
	bool ok = true;
	for (off_t data = 0; ok && data < size;) {
		off_t start = lseek(from, data, SEEK_DATA);
		if (start < 0 && errno == ENXIO)
			break; /* a hole up to the end */
		off_t end = start < 0 ? size : lseek(from, start, SEEK_HOLE);
		if (start < 0)
			start = data; /* no holes on this file system: all is data */
		if (end < 0)
			end = size;
		ok = copy_extent(from, to, start, end, block, err);
		data = end;
	}
	free(block);
	return ok;
}

static bool remove_at(int dir, const char *name, int depth, struct err *err)
{
	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return err_sys(err, errno, "removing %s", name);
	if (depth == 0)
		return err_set(err, ERR_SYSTEM, "removing %s: more than %d directories deep", name, REMOVE_DEPTH);
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "removing %s", name);
	DIR *list = fdopendir(fd);
	if (!list) {
		close(fd);
		return err_sys(err, errno, "removing %s", name);
	}
	bool ok = true;
	for (struct dirent *e; ok && (e = readdir(list));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			ok = remove_at(fd, e->d_name, depth - 1, err);
	closedir(list);
	if (ok && unlinkat(dir, name, AT_REMOVEDIR) < 0)
		ok = err_sys(err, errno, "removing %s", name);
	return ok;
}

bool file_remove_in(int dir, const char *name, struct err *err)
{
	return remove_at(dir, name, REMOVE_DEPTH, err);
}

static char *home_dir(const char *variable, const char *below_home, struct err *err)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	char *path;
	if (base && base[0] == '/') /* the XDG rule: a relative path is ignored */
		path = mem_printf("%s/polecat", base);
	else if (home && home[0] == '/')
		path = mem_printf("%s/%s/polecat", home, below_home);
	else {
		err_set(err, ERR_SYSTEM, "neither %s nor HOME is set to an absolute path: nowhere to keep files", variable);
		return NULL;
	}
	if (!file_mkdirs(path, err)) {
		free(path);
		return NULL;
	}
	return path;
}

char *file_cache_dir(struct err *err)
{
	return home_dir("XDG_CACHE_HOME", ".cache", err);
}

char *file_state_dir(struct err *err)
{
	return home_dir("XDG_STATE_HOME", ".local/state", err);
}
