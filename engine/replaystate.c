#include "engine/replaystate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"

enum { DEVICE_MAX = 1 << 30 };

/* A version of the section: where "unread" is behind the section's head, and how many bytes it has. */
static const struct form {
	uint8_t version;
	size_t unread, size;
} forms[] = {{2, 2 * 8 + 8 + 4 + 4, 4}, {3, 2 * 8 + 8 + 4 + 4 + 4, 1}};

/* The head of the section: length of its name, name, instance, version. */
static const uint8_t head[] = {6, 'r', 'e', 'p', 'l', 'a', 'y', 0, 0, 0, 0, 0, 0, 0};

/* Where the word "unread" of the section at `at` is, if it is a section of a known form that says yes; *ret_size are its bytes.
 */
static const char *unread_of(const char *at, const char *end, size_t *ret_size)
{
	static const uint8_t yes4[] = {0, 0, 0, 1}, yes1[] = {1};
	size_t left = (size_t)(end - at);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		const struct form *f = &forms[i];
		const char *unread = at + sizeof head + 1 + f->unread;
		if (left < sizeof head + 1 + f->unread + f->size || (uint8_t)at[sizeof head] != f->version)
			continue;
		if (memcmp(unread, f->size == 4 ? yes4 : yes1, f->size))
			continue;
		*ret_size = f->size;
		return unread;
	}
	return NULL;
}

bool replaystate_forget_idling(int fd, struct err *err)
{
	static const char name[] = "timer/icount/warp_timer";
	static const uint8_t version[4] = {0, 0, 0, 1};
	enum { NAME = sizeof name - 1, VALUES = NAME + sizeof version, SIZE = 2 * 8 };
	uint8_t none[SIZE];
	struct buf file = {0};
	unsigned found = 0;
	memset(none, 0xff, sizeof none);
	bool ok = file_read_fd(fd, "device state", DEVICE_MAX, &file, err);
	for (const char *at = file.data, *end = at + file.size; ok && (at = memmem(at, (size_t)(end - at), name, NAME)); at++) {
		if (end - at < VALUES + SIZE || memcmp(at + NAME, version, sizeof version))
			continue;
		found++;
		if (pwrite(fd, none, sizeof none, at - file.data + VALUES) != sizeof none)
			ok = err_sys(err, errno, "writing device state");
	}
	buf_free(&file);
	return ok && (found || err_set(err, ERR_QEMU, "this QEMU keeps the state of its clock in a form that is not known"));
}

bool replaystate_forget_unread(int fd, struct err *err)
{
	static const uint8_t no[4] = {0};
	struct buf file = {0};
	unsigned found = 0;
	bool ok = file_read_fd(fd, "device state", DEVICE_MAX, &file, err);
	const char *end = file.data + file.size;
	for (const char *at = file.data; ok && (at = memmem(at, (size_t)(end - at), head, sizeof head)); at++) {
		size_t size;
		const char *unread = unread_of(at, end, &size);
		if (!unread)
			continue;
		found++;
		if (pwrite(fd, no, size, unread - file.data) != (ssize_t)size)
			ok = err_sys(err, errno, "writing device state");
	}
	buf_free(&file);
	return ok && (found || err_set(err, ERR_QEMU, "this QEMU keeps the state of its replay in a form that is not known"));
}
