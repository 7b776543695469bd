#include "engine/checkpointstore.h"

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

#define FOLDER  "checkpoints"
#define LOCK    ".lock"
#define LOCK_MS 2000 /* it is held for milliseconds */

bool checkpointstore_open(struct checkpointstore *s, const char *cache, unsigned budget_mib, struct err *err)
{
	char *path = mem_printf("%s/" FOLDER, cache);
	*s = (struct checkpointstore){.dir = -1, .budget = (uint64_t)budget_mib << 20};
	if (file_mkdirs(path, err))
		s->dir = file_open_dir(path, err);
	free(path);
	return s->dir >= 0;
}

void checkpointstore_close(struct checkpointstore *s)
{
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
}

void checkpointstore_forget(struct checkpointstore *s, const uint8_t key[DIGEST_SIZE])
{
	char name[DIGEST_TEXT_MAX];
	digest_hex(key, DIGEST_SIZE, name);
	unlinkat(s->dir, name, 0);
}

/* Ours alone, and a file: what others can write to or reach by another name is not trusted. */
static bool is_own_file(int fd, struct err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "stored checkpoints");
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != geteuid() || (st.st_mode & 077))
		return err_set(err, ERR_INPUT, "stored checkpoints: not a file that only its owner can reach");
	return true;
}

struct checkpointfile *checkpointstore_load(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], size_t ram_pages, struct err *err)
{
	char name[DIGEST_TEXT_MAX];
	struct checkpointfile *f = NULL;
	*err = (struct err){0};
	digest_hex(key, DIGEST_SIZE, name);
	int fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		err_sys(err, errno, "stored checkpoints");
	else if (is_own_file(fd, err))
		f = checkpointfile_open(fd, key, ram_pages, err);
	if (f)
		futimens(fd, NULL);
	else
		checkpointstore_forget(s, key);
	if (fd >= 0)
		close(fd);
	return f;
}

bool checkpointstore_has(const struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], const struct checkpointfile *f)
{
	char name[DIGEST_TEXT_MAX];
	struct stat there, own;
	digest_hex(key, DIGEST_SIZE, name);
	return fstatat(s->dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(checkpointfile_fd(f), &own) == 0 &&
		there.st_dev == own.st_dev && there.st_ino == own.st_ino;
}

/* ---- what is there ------------------------------------------------------------------------------------------ */

static bool older(const struct checkpointstore_entry *a, const struct checkpointstore_entry *b)
{
	return a->used_s != b->used_s ? a->used_s < b->used_s : a->used_ns < b->used_ns;
}

static int by_use(const void *a, const void *b)
{
	return older(a, b) ? -1
		: older(b, a)
		? 1
		: strcmp(((const struct checkpointstore_entry *)a)->name, ((const struct checkpointstore_entry *)b)->name);
}

/* Calls each(data, name) for everything in the folder. */
static bool walk_folder(struct checkpointstore *s, void (*each)(void *data, const char *name), void *data, struct err *err)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries) {
		err_sys(err, errno, "listing stored checkpoints");
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *e; (e = readdir(entries));)
		each(data, e->d_name);
	closedir(entries);
	return true;
}

struct listing {
	struct checkpointstore *store;
	struct checkpointstore_entry *list;
	size_t count, room;
};

static void list_one(void *data, const char *name)
{
	struct listing *l = data;
	uint8_t ignored[DIGEST_SIZE];
	struct stat st;
	if (!digest_parse(name, ignored) || fstatat(l->store->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(st.st_mode))
		return;
	struct checkpointstore_entry e = {
		.disk_bytes = (uint64_t)st.st_blocks * 512, .used_s = st.st_mtim.tv_sec, .used_ns = st.st_mtim.tv_nsec};
	memcpy(e.name, name, sizeof e.name);
	ARRAY_PUSH(l->list, l->count, l->room) = e;
}

bool checkpointstore_list(struct checkpointstore *s, struct checkpointstore_entry **list, size_t *count, struct err *err)
{
	struct listing l = {.store = s};
	bool ok = walk_folder(s, list_one, &l, err);
	if (ok && l.count)
		qsort(l.list, l.count, sizeof *l.list, by_use);
	*list = l.list;
	*count = l.count;
	return ok;
}

/* A draft whose writer lives is locked by it. */
static void sweep_one(void *data, const char *name)
{
	struct checkpointstore *s = data;
	if (name[0] != '.' || !strcmp(name, LOCK) || !strcmp(name, ".") || !strcmp(name, ".."))
		return;
	int fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 ? errno == ELOOP : flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(s->dir, name, 0);
	if (fd >= 0)
		close(fd);
}

/* With the lock held. */
static bool trim(struct checkpointstore *s, uint64_t most, size_t *removed, uint64_t *bytes, struct err *err)
{
	struct checkpointstore_entry *list = NULL;
	size_t count = 0;
	uint64_t sum = 0;
	bool ok = walk_folder(s, sweep_one, s, err) && checkpointstore_list(s, &list, &count, err);
	for (size_t i = 0; i < count; i++)
		sum += list[i].disk_bytes;
	for (size_t i = 0; ok && i < count && sum > most; i++) {
		if (unlinkat(s->dir, list[i].name, 0) < 0)
			continue;
		sum -= list[i].disk_bytes;
		*bytes += list[i].disk_bytes;
		++*removed;
	}
	free(list);
	return ok;
}

bool checkpointstore_trim(struct checkpointstore *s, uint64_t most, size_t *removed, uint64_t *bytes, struct err *err)
{
	int lock = file_lock_in(s->dir, LOCK, LOCK_MS, NULL, err);
	bool ok = lock >= 0 && trim(s, most, removed, bytes, err);
	if (lock >= 0)
		close(lock);
	return ok;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

bool checkpointstore_begin(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], struct checkpointstore_draft *d, struct err *err)
{
	char hex[DIGEST_TEXT_MAX];
	*d = (struct checkpointstore_draft){.fd = -1};
	int lock = file_lock_in(s->dir, LOCK, LOCK_MS, NULL, err);
	if (lock < 0)
		return false;
	digest_hex(key, DIGEST_SIZE, hex);
	bool ok = walk_folder(s, sweep_one, s, err);
	/* Two sessions of one process may write the same run. */
	for (unsigned n = 0; ok && d->fd < 0 && n < 1000; n++) {
		snprintf(d->name, sizeof d->name, ".%s.%d.%u", hex, (int)getpid(), n);
		d->fd = openat(s->dir, d->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (d->fd < 0 && errno != EEXIST)
			break;
	}
	if (ok && d->fd < 0)
		ok = err_sys(err, errno, "keeping checkpoints");
	else if (ok && flock(d->fd, LOCK_EX | LOCK_NB) < 0)
		ok = err_sys(err, errno, "keeping checkpoints");
	close(lock);
	if (!ok)
		checkpointstore_abandon(s, d);
	return ok;
}

bool checkpointstore_commit(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], struct checkpointstore_draft *d, struct err *err)
{
	char hex[DIGEST_TEXT_MAX];
	size_t removed = 0;
	uint64_t bytes = 0;
	int lock = file_lock_in(s->dir, LOCK, LOCK_MS, NULL, err);
	digest_hex(key, DIGEST_SIZE, hex);
	bool ok = lock >= 0 && (renameat(s->dir, d->name, s->dir, hex) == 0 || err_sys(err, errno, "keeping checkpoints"));
	if (ok) {
		close(d->fd);
		d->fd = -1;
		ok = trim(s, s->budget, &removed, &bytes, err);
	}
	if (lock >= 0)
		close(lock);
	checkpointstore_abandon(s, d);
	return ok;
}

void checkpointstore_abandon(struct checkpointstore *s, struct checkpointstore_draft *d)
{
	if (d->fd < 0)
		return;
	unlinkat(s->dir, d->name, 0);
	close(d->fd);
	d->fd = -1;
}
