/* A stop that was saved by questions.sh: DIR/ram and DIR/regs. */
#ifndef STOPPED_H
#define STOPPED_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/layout.h"

static inline void die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(2);
}

static inline const char *map_file(const char *dir, const char *name, size_t *ret_size)
{
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !st.st_size) {
		perror(path);
		exit(2);
	}
	void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return bytes;
}

static inline struct stop load_stop(const char *dir)
{
	struct stop stop = {0};
	struct err err = {0};
	size_t size;
	stop.ram = (const unsigned char *)map_file(dir, "ram", &size);
	stop.ram_size = size;
	const char *regs = map_file(dir, "regs", &size);
	if (!regs_parse(&stop.regs, regs, size, &err))
		die(&err);
	return stop;
}

#endif
