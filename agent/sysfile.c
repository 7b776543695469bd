#include "agent/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *path, const char *data, size_t size, struct why *why)
{
	while (size) {
		ssize_t n = write(fd, data, size);
		if (n < 0)
			return why_set(why, errno, "writing %s", path);
		data += n;
		size -= (size_t)n;
	}
	return true;
}

bool sysfile_write(const char *path, const char *text, struct why *why)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return why_set(why, errno, "opening %s", path);
	bool ok = write_all(fd, path, text, strlen(text), why);
	close(fd);
	return ok;
}

bool sysfile_make(const char *path, const void *data, size_t size, mode_t mode, struct why *why)
{
	if (unlink(path) != 0 && errno != ENOENT)
		return why_set(why, errno, "replacing %s", path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return why_set(why, errno, "making %s", path);
	bool ok = write_all(fd, path, data, size, why);
	close(fd);
	return ok;
}

bool sysfile_read(int dir, const char *path, void *data, size_t room, size_t *ret_size, struct why *why)
{
	size_t size = 0;
	ssize_t n = 1;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return why_set(why, errno, "opening %s", path);
	while (size < room && (n = read(fd, (char *)data + size, room - size)) > 0)
		size += (size_t)n;
	int errnum = errno;
	close(fd);
	if (n < 0)
		return why_set(why, errnum, "reading %s", path);
	*ret_size = size;
	return true;
}

bool sysfile_directory(const char *path, mode_t mode, struct why *why)
{
	return mkdir(path, mode) == 0 || errno == EEXIST || why_set(why, errno, "making the directory %s", path);
}
