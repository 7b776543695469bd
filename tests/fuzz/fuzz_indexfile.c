/*
 * An index file of any bytes is used only if all that the rest of the program relies on holds. The input changes a good file
 * (pairs of place and value); its checksum is made right again, since with a wrong one nothing else would be looked at.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/file.h"
#include "engine/indexfile.h"
#include "tests/fuzz/fuzz.h"

#define NAMES_SIZE_AT 64 /* places in the header of version 1 */
#define CHECKSUM_AT   72
#define HEADER_SIZE   80

static const char events[] = "{\"seq\":1,\"icount\":5,\"vtime_ns\":6,\"node\":\"\",\"kind\":\"run.start\",\"plan\":\"00\"}\n"
			     "{\"seq\":2,\"icount\":9,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"io.line\",\"inv\":1,\"stream\":"
			     "\"out\",\"line\":1,\"text\":\"x\"}\n"
			     "{\"seq\":3,\"icount\":12,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"fault.applied\",\"fault\":\"kill#"
			     "1\",\"type\":\"kill\",\"inv\":1,"
			     "\"why\":\"\"}\n"
			     "{\"seq\":4,\"icount\":12,\"vtime_ns\":10,\"node\":\"b\",\"kind\":\"node.ready\",\"inv\":1}\n";

static struct {
	char path[64];
	int dir;
	struct eventfile *events;
	struct buf good;
} the;

static void clean_up(void)
{
	eventfile_close(the.events);
	unlinkat(the.dir, EVENTFILE_NAME, 0);
	unlinkat(the.dir, INDEXFILE_NAME, 0);
	rmdir(the.path);
}

static void set_up(void)
{
	struct eventindex x;
	strcpy(the.path, "/tmp/polecat-fuzz-XXXXXX");
	require(mkdtemp(the.path));
	the.dir = file_open_dir(the.path, NULL);
	atexit(clean_up);
	require(file_write_in(the.dir, EVENTFILE_NAME, events, sizeof events - 1, NULL));
	the.events = eventfile_open(the.dir, NULL, NULL);
	require(the.events);
	require(eventindex_init(&x, NULL, 0, NULL, 0, NULL) && eventindex_read(&x, the.events, NULL));
	indexfile_save(&x, the.dir, the.events);
	eventindex_finish(&x);
	require(file_read_in(the.dir, INDEXFILE_NAME, 1 << 20, &the.good, NULL));
}

static void sign(struct buf *file)
{
	uint64_t names, sum;
	memcpy(&names, file->data + NAMES_SIZE_AT, sizeof names);
	if (names > file->size - HEADER_SIZE)
		return;
	sum = eventindex_hash(1, file->data + HEADER_SIZE, names);
	sum = eventindex_hash(sum, file->data + HEADER_SIZE + names, file->size - HEADER_SIZE - names);
	memcpy(file->data + CHECKSUM_AT, &sum, sizeof sum);
}

static void check(const struct eventindex *x)
{
	require(x->end <= sizeof events - 1 && x->nodes.count > 0 && x->nodes.list[0][0] == '\0');
	for (size_t i = 0; i < x->count; i++) {
		const struct entry *e = &x->entries[i];
		require(e->offset < x->end && e->node < x->nodes.count && e->fault <= x->faults.count &&
			e->kind < EVENT_KIND_COUNT);
		require(i == 0 || (e[-1].offset < e->offset && e[-1].icount <= e->icount && e[-1].vtime_ns <= e->vtime_ns));
	}
}

static bool try(const struct buf *file)
{
	struct eventindex x;
	/* A new file each time: file systems write a file that was cut to nothing out to the disk. */
	unlinkat(the.dir, INDEXFILE_NAME, 0);
	int fd = openat(the.dir, INDEXFILE_NAME, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	require(write(fd, file->data, file->size) == (ssize_t)file->size);
	close(fd);
	require(eventindex_init(&x, NULL, 0, NULL, 0, NULL));
	bool ok = indexfile_load(&x, the.dir, the.events);
	check(&x);
	eventindex_finish(&x);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!the.good.data) {
		set_up();
		require(try(&the.good));
	}
	struct buf file = {0};
	buf_add(&file, the.good.data, the.good.size);
	for (size_t i = 0; i + 2 < size; i += 3)
		file.data[(data[i] | (size_t)data[i + 1] << 8) % file.size] = (char)data[i + 2];
	if (size % 3 == 1)
		file.size -= data[size - 1] % 64;
	sign(&file);
	try(&file);
	buf_free(&file);
	return 0;
}
