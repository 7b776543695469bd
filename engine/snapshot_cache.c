/* Boot snapshots: the directory they are kept in, listed and cleared up. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/snapshot_data.h"

int snapshot_cache_open(const char *cache, struct err *err)
{
	char *path = mem_printf("%s/snapshots", cache);
	int fd = file_mkdirs(path, err) ? file_open_dir(path, err) : -1;
	free(path);
	return fd;
}

bool snapshot_there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static uint64_t disk_use(int dir, const char *name)
{
	static const char *const files[] = {SNAPSHOT_DEVICE, SNAPSHOT_RAM, SNAPSHOT_STATE, SNAPSHOT_IDENTITY};
	struct err ignored;
	uint64_t sum = 0;
	int fd = file_open_in(dir, name, O_RDONLY | O_DIRECTORY, &ignored);
	for (size_t i = 0; fd >= 0 && i < sizeof files / sizeof *files; i++) {
		struct stat st;
		if (fstatat(fd, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (uint64_t)st.st_blocks * 512;
	}
	if (fd >= 0)
		close(fd);
	return sum;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct snapshot_entry *)a)->name, ((const struct snapshot_entry *)b)->name);
}

/* A builder at work holds its lock. */
static bool being_built(int dir, const char *name)
{
	char *lock_name = mem_printf(".%s.lock", name);
	int fd = openat(dir, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
	if (fd >= 0)
		close(fd);
	free(lock_name);
	return busy;
}

bool snapshot_list(const char *cache, struct snapshot_entry **list, size_t *count, struct err *err)
{
	uint8_t ignored[DIGEST_SIZE];
	size_t room = 0;
	*list = NULL;
	*count = 0;
	int dir = snapshot_cache_open(cache, err);
	DIR *entries = dir >= 0 ? fdopendir(dir) : NULL;
	if (!entries)
		return dir < 0 ? false : err_sys(err, errno, "listing boot snapshots");
	for (struct dirent *e; (e = readdir(entries));) {
		const char *name = e->d_name + (e->d_name[0] == '.');
		struct stat st;
		if (!digest_parse(name, ignored) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (e->d_name[0] == '.' && being_built(dir, name))
			continue;
		struct snapshot_entry entry = {
			.disk_bytes = disk_use(dir, e->d_name), .used_s = st.st_mtim.tv_sec, .whole = e->d_name[0] != '.'};
		memcpy(entry.name, name, sizeof entry.name);
		ARRAY_PUSH(*list, *count, room) = entry;
	}
	closedir(entries);
	if (*count)
		qsort(*list, *count, sizeof **list, by_name);
	return true;
}

bool snapshot_remove(const char *cache, const char *name, struct err *err)
{
	uint8_t ignored[DIGEST_SIZE];
	if (!digest_parse(name, ignored))
		return err_set(err, ERR_USAGE, "%.80s is not the name of a boot snapshot: expected 64 hexadecimal digits", name);
	int dir = snapshot_cache_open(cache, err);
	if (dir < 0)
		return false;
	char *lock_name = mem_printf(".%s.lock", name), *half = mem_printf(".%s", name);
	bool busy;
	int lock = file_lock_in(dir, lock_name, 0, &busy, err);
	/* Renamed first: nobody opens an entry that is half removed. */
	bool ok = lock >= 0 && file_remove_in(dir, half, err) && (renameat(dir, name, dir, half) == 0 || errno == ENOENT) &&
		file_remove_in(dir, half, err);
	if (lock < 0 && busy)
		err_set(err, ERR_SYSTEM, "boot snapshot %.16s is being built by another polecat", name);
	if (lock >= 0) {
		unlinkat(dir, lock_name, 0);
		close(lock);
	}
	close(dir);
	free(lock_name);
	free(half);
	return ok;
}
