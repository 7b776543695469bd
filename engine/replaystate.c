#include "engine/replaystate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"

enum { DEVICE_MAX = 1 << 30 };

bool replaystate_forget_unread(int fd, struct err *err)
{
	static const uint8_t head[] = {6, 'r', 'e', 'p', 'l', 'a', 'y', 0, 0, 0, 0, 0, 0, 0, 2};
	enum { UNREAD = sizeof head + 2 * 8 + 8 + 4 + 4 };
	static const uint8_t yes[4] = {0, 0, 0, 1}, no[4] = {0};
	struct buf file = {0};
	unsigned found = 0;
	bool ok = file_read_fd(fd, "device state", DEVICE_MAX, &file, err);
	for (const char *at = file.data, *end = at + file.size;
		ok && (at = memmem(at, (size_t)(end - at), head, sizeof head)) && end - at >= UNREAD + 4; at++) {
		if (memcmp(at + UNREAD, yes, sizeof yes))
			continue;
		found++;
		if (pwrite(fd, no, sizeof no, at - file.data + UNREAD) != sizeof no)
			ok = err_sys(err, errno, "writing device state");
	}
	buf_free(&file);
	return ok && (found || err_set(err, ERR_QEMU, "this QEMU keeps the state of its replay in a form that is not known"));
}
