/*
 * Files of others: archives of images (libarchive), zstd frames of runs, and the device state that QEMU saved. Each is refused
 * with a sentence or read within its limits.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/archive.h"
#include "engine/file.h"
#include "engine/replaystate.h"
#include "engine/zst.h"
#include "tests/fuzz/fuzz.h"

enum { CONTENT_MAX = 1 << 20, ENTRIES_MAX = 1000 };

static bool read_entry(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err)
{
	size_t *left = data;
	struct buf bytes = {0};
	require(e->path);
	bool ok = e->kind != ARCHIVE_FILE || archive_content(content, CONTENT_MAX, &bytes, err);
	require(bytes.size <= CONTENT_MAX);
	buf_free(&bytes);
	return ok && ((*left)-- > 1 || err_set(err, ERR_INPUT, "enough"));
}

static void archives(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct buf out = {0};
	size_t left = ENTRIES_MAX;
	require(archive_read_bytes(data, size, "the archive", read_entry, &left, &err) || err.text[0]);
	require(archive_decompress(data, size, CONTENT_MAX, "the file", &out, &err) ? out.size <= CONTENT_MAX : err.text[0]);
	buf_free(&out);
}

static void frames(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct buf out = {0};
	size_t packed;
	uint64_t content;
	require(zst_unpack(data, size, CONTENT_MAX, "the frames", &out, &err) ? out.size <= CONTENT_MAX
									      : err.text[0] && !out.size);
	buf_free(&out);
	if (!zst_frame(data, size, &packed, &content))
		return;
	require(packed <= size);
	if (content > CONTENT_MAX)
		return;
	char *to = mem_alloc(content + 1);
	require(zst_unpack_frame(data, packed, to, content, &err) || err.text[0]);
	free(to);
}

static void states(const uint8_t *data, size_t size)
{
	struct err err = {0};
	int fd = file_memory_of("state", data, size, &err);
	require(fd >= 0);
	require(replaystate_forget_unread(fd, &err) || err.text[0]);
	err = (struct err){0};
	require(replaystate_forget_idling(fd, &err) || err.text[0]);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	archives(data, size);
	frames(data, size);
	states(data, size);
	return 0;
}
