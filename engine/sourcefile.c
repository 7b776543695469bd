#include "engine/sourcefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/text.h"

/* Appends the parts of a path, each after a '/'. */
static void add_parts(const char *path, struct buf *out)
{
	while (*path) {
		size_t size = strcspn(path, "/");
		if (size == 2 && !memcmp(path, "..", 2))
			while (out->size && out->data[--out->size] != '/')
				;
		else if (size && !(size == 1 && *path == '.')) {
			buf_char(out, '/');
			buf_add(out, path, size);
		}
		path += size + (path[size] == '/');
	}
}

void sourcefile_path(const char *directory, const char *file, struct buf *out)
{
	struct buf path = {0};
	if (directory && *file != '/')
		add_parts(directory, &path);
	add_parts(file, &path);
	bool absolute = *file == '/' || (directory && *directory == '/');
	if (path.size)
		buf_add(out, path.data + !absolute, path.size - !absolute);
	buf_free(&path);
}

static int open_below(const char *dir, const char *path, struct buf *found)
{
	for (const char *at = path + (*path == '/'), *next; at; at = next) {
		char *name = mem_printf("%s/%s", dir, at);
		next = strchr(at, '/');
		next = next ? next + 1 : NULL;
		int fd = file_open(name, NULL);
		if (fd >= 0)
			buf_str(found, name);
		free(name);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

int sourcefile_open(const char *path, const char *const *dirs, size_t dir_count, struct buf *found, struct err *err)
{
	for (size_t i = 0; i < dir_count; i++) {
		int fd = open_below(dirs[i], path, found);
		if (fd >= 0)
			return fd;
	}
	int fd = file_open(path, NULL);
	if (fd >= 0)
		buf_str(found, path);
	else
		err_set(err, ERR_INPUT, "the source file %s is not on this host%s (--source-dir DIR looks below DIR)", path,
			dir_count ? ", nor below any --source-dir" : "");
	return fd;
}

/* Code is full of tabs and backslashes: these stay what they are. */
static void print_line(const char *line, size_t size, struct buf *out)
{
	while (size) {
		size_t plain = 0;
		while (plain < size && line[plain] != '\t' && line[plain] != '\\')
			plain++;
		text_put_safe(out, line, plain);
		line += plain;
		size -= plain;
		if (size) {
			buf_str(out, *line == '\t' ? "    " : "\\");
			line++;
			size--;
		}
	}
}

bool sourcefile_print(const char *text, size_t size, int first, int last, int current, struct buf *out)
{
	bool has_current = false;
	int number = 1;
	for (size_t at = 0; at < size && number <= last; number++) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - text) : size;
		if (number >= first) {
			buf_printf(out, "%s %5d  ", number == current ? "=>" : "  ", number);
			print_line(text + at, end - at, out);
			buf_char(out, '\n');
		}
		has_current |= number == current;
		at = end + 1;
	}
	return has_current;
}
