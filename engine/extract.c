#include "engine/extract.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/text.h"

/* Is this the first mapping of a file of which some part is code? */
static bool is_wanted(const struct maps *maps, size_t n)
{
	bool code = false;
	for (size_t i = 0; i < maps->count; i++) {
		if (maps->list[i].inode != maps->list[n].inode)
			continue;
		if (i < n)
			return false;
		code |= (maps->list[i].flags & MAPS_EXEC) != 0;
	}
	return maps->list[n].inode && code;
}

const struct map *extract_main(const struct guest *guest, const struct process *process, const struct maps *maps)
{
	uint64_t file = process->mm ? guest_value(guest, LAYOUT_MM_EXE, process->mm) : 0;
	uint64_t inode = file ? guest_value(guest, LAYOUT_FILE_INODE, file) : 0;
	for (size_t i = 0; inode && i < maps->count; i++)
		if (maps->list[i].inode == inode)
			return &maps->list[i];
	/* An overlay's file is mapped as the one below it, with another inode. The kernel puts the program below its libraries.
	 */
	for (size_t i = 0; i < maps->count; i++)
		if (is_wanted(maps, i))
			return &maps->list[i];
	return NULL;
}

/* A name from the guest's memory: absolute, without parts that lead elsewhere. */
static bool is_path(const char *name)
{
	if (*name != '/' || !name[1])
		return false;
	for (const char *part = name; part; part = strchr(part, '/')) {
		size_t size = strcspn(++part, "/");
		if (!size || (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
			return false;
	}
	return true;
}

static bool make_parents(int dir, const char *path, struct err *err)
{
	bool ok = true;
	for (const char *slash = strchr(path, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
		char *parent = mem_strn(path, (size_t)(slash - path));
		if (mkdirat(dir, parent, 0700) < 0 && errno != EEXIST)
			ok = err_sys(err, errno, "a directory for %.200s", parent);
		free(parent);
	}
	return ok;
}

static bool extract(const struct guest *guest, const struct map *map, int dir, struct buf *missing, struct err *err)
{
	struct guestfile file = guestfile_inode(guest, map->inode);
	struct buf bytes = {0};
	struct err why = {0};
	const char *path = map->name + 1;
	bool ok = is_path(map->name);
	if (!ok)
		err_set(&why, ERR_INPUT, "it has no path");
	else if (faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	else if (file.size > EXTRACT_FILE_MAX)
		ok = err_set(&why, ERR_INPUT, "it has more than 1 GiB");
	if (!ok || !guestfile_read(guest, &file, 0, file.size, &bytes, &why)) {
		text_put_safe(missing, map->name, strlen(map->name));
		buf_printf(missing, ": %s\n", why.text);
		buf_free(&bytes);
		return true;
	}
	ok = make_parents(dir, path, err);
	int fd = ok ? file_open_in(dir, path, O_WRONLY | O_CREAT | O_TRUNC, err) : -1;
	ok = fd >= 0 && file_write_fd(fd, bytes.data ? bytes.data : "", bytes.size, path, err);
	if (fd >= 0)
		close(fd);
	buf_free(&bytes);
	return ok;
}

size_t extract_count(const struct maps *maps)
{
	size_t count = 0;
	for (size_t i = 0; i < maps->count; i++)
		count += is_wanted(maps, i);
	return count;
}

bool extract_files(const struct guest *guest, const struct maps *maps, int dir, struct buf *missing, struct err *err)
{
	size_t files = 0;
	for (size_t i = 0; i < maps->count && files < EXTRACT_FILES_MAX; i++) {
		if (!is_wanted(maps, i))
			continue;
		files++;
		if (!extract(guest, &maps->list[i], dir, missing, err))
			return false;
	}
	return true;
}
