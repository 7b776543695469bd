#include "engine/runlist.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* The directories in runs, sorted. */
static bool list_names(int fd, char ***ret, size_t *count, struct err *err)
{
	int again = dup(fd);
	DIR *d = again < 0 ? NULL : fdopendir(again);
	if (!d)
		return err_sys(err, errno, "list the runs");
	rewinddir(d);
	size_t room = 0;
	*ret = NULL;
	*count = 0;
	for (struct dirent *e; (e = readdir(d)) && *count < RUNLIST_MAX;) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
			!S_ISDIR(st.st_mode))
			continue;
		ARRAY_PUSH(*ret, *count, room) = mem_str(e->d_name);
	}
	closedir(d);
	if (*count)
		qsort(*ret, *count, sizeof **ret, by_name);
	return true;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);
	return n > s && !strcmp(name + n - s, suffix);
}

static uint64_t bytes_in(int dir)
{
	uint64_t total = 0;
	int again = dup(dir);
	DIR *d = again < 0 ? NULL : fdopendir(again);
	if (!d)
		return 0;
	rewinddir(d);
	struct stat st;
	for (struct dirent *e; (e = readdir(d));)
		if (!fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			total += (uint64_t)st.st_blocks * 512;
	closedir(d);
	return total;
}

static void look(int runs, const char *name, struct runlist_entry *e)
{
	e->name = mem_str(name);
	int dir = openat(runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0) {
		e->state = RUN_DAMAGED;
		return;
	}
	e->bytes = bytes_in(dir);
	struct buf text = {0};
	if (!strncmp(name, RUNDIR_INCOMPLETE, strlen(RUNDIR_INCOMPLETE)))
		e->state = rundir_abandoned(dir) ? RUN_ABANDONED : RUN_RECORDING;
	else if (has_suffix(name, RUNDIR_FAILED))
		e->state = RUN_FAILED;
	else if (file_read_in(dir, MANIFEST_NAME, MANIFEST_SIZE_MAX, &text, NULL) &&
		manifest_parse(&e->manifest, text.data, text.size, MANIFEST_NAME, NULL))
		e->state = RUN_WHOLE;
	else
		e->state = RUN_DAMAGED;
	buf_free(&text);
	close(dir);
}

/* -1 without an error when there is no such directory: an empty list. */
static int open_runs(const char *runs, bool *missing, struct err *err)
{
	struct stat st;
	*missing = stat(runs, &st) && errno == ENOENT;
	return *missing ? -1 : file_open_dir(runs, err);
}

bool runlist_read(const char *runs, struct runlist_entry **ret, size_t *count, struct err *err)
{
	bool missing;
	char **names;
	*ret = NULL;
	*count = 0;
	int fd = open_runs(runs, &missing, err);
	if (fd < 0)
		return missing;
	bool ok = list_names(fd, &names, count, err);
	if (ok) {
		*ret = mem_array(*count, sizeof **ret);
		for (size_t i = 0; i < *count; i++)
			look(fd, names[i], &(*ret)[i]);
		free_names(names, *count);
	}
	close(fd);
	return ok;
}

void runlist_free(struct runlist_entry *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].name);
		manifest_finish(&list[i].manifest);
	}
	free(list);
}

bool runlist_remove(const char *runs, const char *name, struct err *err)
{
	int fd = file_open_dir(runs, err);
	if (fd < 0)
		return false;
	bool ok = file_remove_in(fd, name, err);
	close(fd);
	return ok;
}

bool runlist_sweep(const char *runs, size_t *removed, struct err *err)
{
	bool missing, ok = true;
	char **names;
	size_t count, swept = 0;
	int fd = open_runs(runs, &missing, err);
	if (removed)
		*removed = 0;
	if (fd < 0)
		return missing;
	if (!list_names(fd, &names, &count, err)) {
		close(fd);
		return false;
	}
	for (size_t i = 0; ok && i < count; i++) {
		if (strncmp(names[i], RUNDIR_INCOMPLETE, strlen(RUNDIR_INCOMPLETE)))
			continue;
		int dir = openat(fd, names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		/* The lock is kept while removing, so that nobody takes the directory for living. */
		if (dir >= 0 && !flock(dir, LOCK_EX | LOCK_NB)) {
			ok = file_remove_in(fd, names[i], err);
			swept += ok;
		}
		if (dir >= 0)
			close(dir);
	}
	free_names(names, count);
	close(fd);
	if (removed)
		*removed = swept;
	return ok;
}

/* ---- finding ---------------------------------------------------------------------------------------------- */

static bool is_dir(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static char *find_in(const char *runs, char **names, size_t count, const char *word, struct err *err)
{
	const char *hit = NULL;
	for (size_t i = 0; i < count; i++) {
		if (names[i][0] == '.' || has_suffix(names[i], RUNDIR_FAILED))
			continue;
		if (!strcmp(names[i], word) || !strcmp(word, "last")) {
			hit = names[i];
			continue;
		}
		if (!strstr(names[i], word))
			continue;
		if (hit) {
			err_set(err, ERR_INPUT, "'%s' fits more than one run: %s and %s", word, hit, names[i]);
			return NULL;
		}
		hit = names[i];
	}
	if (hit)
		return mem_printf("%s/%s", runs, hit);
	err_set(err, ERR_INPUT, "there is no run '%s' in %s (`polecat ls` lists them)", word, runs);
	return NULL;
}

char *runlist_find(const char *runs, const char *word, struct err *err)
{
	if (is_dir(word) && (strchr(word, '/') || !strcmp(word, ".")))
		return mem_str(word);
	bool missing;
	char **names;
	size_t count;
	int fd = open_runs(runs, &missing, err);
	if (fd < 0) {
		if (missing)
			err_set(err, ERR_INPUT, "there is no run '%s', and no directory %s", word, runs);
		return NULL;
	}
	char *path = NULL;
	if (list_names(fd, &names, &count, err)) {
		path = find_in(runs, names, count, word, err);
		free_names(names, count);
	}
	close(fd);
	return path;
}
