/* A device state is read out of any bytes, or refused: the input changes a good image (pairs of place and value). */
/* smoke runs: 2500 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/qcow2.h"
#include "tests/fuzz/fuzz.h"

static struct buf good;

static void set_up(void)
{
	struct qcow2_writer w;
	int fd = file_memory("image", NULL);
	require(qcow2_begin(&w, fd, NULL) && qcow2_add(&w, "ready", "abcdef", 6, 1, NULL) &&
		qcow2_add(&w, "c1", "ghi", 3, 2, NULL) && qcow2_end(&w, NULL) &&
		file_read_fd(fd, "image", 16 << 20, &good, NULL));
	close(fd);
}

/* Most of an image is zeros: a place is a cluster and one of its first 256 bytes, the last cluster being the list. */
static void change(int fd, const uint8_t *three)
{
	off_t at = (off_t)(three[0] % (good.size / 65536)) * 65536 + three[1];
	require(pwrite(fd, &three[2], 1, at) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf out = {0};
	if (!good.data)
		set_up();
	int fd = file_memory_of("image", good.data, good.size, NULL);
	for (size_t i = 0; i + 2 < size; i += 3)
		change(fd, data + i);
	if (size % 3 == 1)
		require(ftruncate(fd, (off_t)(good.size - (size_t)data[size - 1] * 512)) == 0);
	static const char *const names[] = {"ready", "c1", ""};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		buf_clear(&out);
		buf_str(&out, "x");
		bool ok = qcow2_state(fd, names[i], &out, NULL);
		require(out.data[0] == 'x' && (ok ? out.size > 1 && out.size <= 1 + QCOW2_STATE_MAX : out.size == 1));
	}
	close(fd);
	buf_free(&out);
	return 0;
}
