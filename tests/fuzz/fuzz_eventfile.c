/*
 * An events.jsonl.zst of any bytes is refused with a sentence, or reads the same in pieces of any size as it does in one. The
 * first byte of the input says whether the rest is such a file (even), or events that are packed in frames of that many bytes and
 * then have one byte turned over, the one that the second byte says.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/eventfile.h"
#include "engine/file.h"
#include "tests/fuzz/fuzz.h"

static struct {
	char path[64];
	int dir;
} the;

static void clean_up(void)
{
	unlinkat(the.dir, EVENTFILE_NAME, 0);
	unlinkat(the.dir, EVENTFILE_PACKED, 0);
	rmdir(the.path);
}

static void set_up(void)
{
	strcpy(the.path, "/tmp/polecat-fuzz-XXXXXX");
	require(mkdtemp(the.path));
	the.dir = file_open_dir(the.path, NULL);
	atexit(clean_up);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	int fd = openat(the.dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void pack_and_damage(const uint8_t *data, size_t size)
{
	put(EVENTFILE_NAME, data + 2, size - 2);
	require(eventfile_pack(the.dir, size - 2, data[0], NULL));
	int fd = openat(the.dir, EVENTFILE_PACKED, O_RDWR | O_CLOEXEC);
	uint8_t byte;
	if (pread(fd, &byte, 1, data[1]) == 1) {
		byte ^= data[0];
		require(pwrite(fd, &byte, 1, data[1]) == 1);
	}
	close(fd);
}

static void read_all_ways(const struct eventfile *f)
{
	struct err err = {0};
	size_t size = (size_t)eventfile_size(f), got, whole_got;
	if (size > 8u << 20)
		return; /* a small file may unpack to much: no more than a look */
	char *whole = malloc(size + 1), *piece = malloc(size + 1);
	bool ok = eventfile_read(f, 0, whole, size + 1, &whole_got, &err);
	require(ok ? whole_got == size : err.code == ERR_INPUT && err.text[0]);
	for (size_t step = 1; step <= size; step = step * 3 + 5)
		for (size_t at = 0, n = 0; at < size && n < 50; at += step, n++) {
			bool read = eventfile_read(f, at, piece, step, &got, &err);
			require(read || !ok);
			require(!ok || (got == (size - at < step ? size - at : step) && !memcmp(piece, whole + at, got)));
		}
	free(whole);
	free(piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	bool absent;
	if (!the.path[0])
		set_up();
	if (size < 2)
		return 0;
	unlinkat(the.dir, EVENTFILE_PACKED, 0);
	if (data[0] % 2)
		pack_and_damage(data, size);
	else
		put(EVENTFILE_PACKED, data + 1, size - 1);
	struct eventfile *f = eventfile_open(the.dir, &absent, &err);
	require(!absent && (f || (err.code == ERR_INPUT && err.text[0])));
	if (f)
		read_all_ways(f);
	eventfile_close(f);
	return 0;
}
