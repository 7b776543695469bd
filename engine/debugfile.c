#include "engine/debugfile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/buf.h"

int debugfile_by_id(const char *dir, const unsigned char *id, size_t size, char **ret_name)
{
	struct buf path = {0};
	if (size < 2 || size > DEBUGFILE_ID_MAX)
		return -1;
	buf_printf(&path, "%s/.build-id/", dir);
	buf_hex(&path, id, 1);
	buf_char(&path, '/');
	buf_hex(&path, id + 1, size - 1);
	buf_str(&path, ".debug");
	int fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		*ret_name = buf_take(&path);
	buf_free(&path);
	return fd;
}

uint32_t debugfile_crc(uint32_t crc, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static bool has_crc(int fd, uint32_t wanted)
{
	struct stat st;
	char bytes[65536];
	uint32_t crc = 0;
	ssize_t size = -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	while ((size = read(fd, bytes, sizeof bytes)) > 0)
		crc = debugfile_crc(crc, bytes, (size_t)size);
	return !size && crc == wanted && !lseek(fd, 0, SEEK_SET);
}

int debugfile_by_link(const char *dir, const char *program, const char *link, uint32_t crc, char **ret_name)
{
	const char *slash = program && *program == '/' ? strrchr(program, '/') : NULL;
	/* Both names come out of the guest, and must not lead out of the directory. */
	if (!*link || strchr(link, '/') || !strcmp(link, "..") || (program && strstr(program, "..")))
		return -1;
	int folder = slash ? (int)(slash - program) : 0, fd = -1;
	char *paths[] = {mem_printf("%s%.*s/%s", dir, folder, slash ? program : "", link),
		mem_printf("%s%.*s/.debug/%s", dir, folder, slash ? program : "", link), mem_printf("%s/%s", dir, link)};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (fd < 0 && (fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK)) >= 0) {
			if (has_crc(fd, crc)) {
				*ret_name = paths[i];
				continue;
			}
			close(fd);
			fd = -1;
		}
		free(paths[i]);
	}
	return fd;
}
