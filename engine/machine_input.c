/* Input from outside, for an open machine that records. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "engine/machine_data.h"

#define SPEECH_ROOM (1 << 20)

/* A pipe for what is typed. What is said comes through another, so that somebody can wait for it; it must never be full, since
 * that would be the host's pace in the recording: there is room for more frames than the guest's region has. */
bool machine_make_input(struct machine *m, struct err *err)
{
	int keys[2], speech[2];
	if (pipe2(keys, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_sys(err, errno, "making a pipe for input");
	m->keys_fd = keys[0];
	m->input_fd = keys[1];
	if (pipe2(speech, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_sys(err, errno, "making a pipe for input");
	m->speech_fd = speech[0];
	m->speaks_fd = speech[1];
	return fcntl(m->speaks_fd, F_SETPIPE_SZ, SPEECH_ROOM) >= 0 || err_sys(err, errno, "making room in a pipe");
}

bool machine_input(struct machine *m, const void *bytes, size_t size, struct err *err)
{
	if (m->input_fd < 0)
		return err_set(err, ERR_USAGE, "this machine takes no input");
	/* Never short: what is under way fits a pipe many times over. A QEMU that has ended is noticed by whoever waits for it.
	 */
	ssize_t put = write(m->input_fd, bytes, size);
	return put == (ssize_t)size || (put < 0 && errno == EPIPE) ||
		err_sys(err, put < 0 ? errno : EAGAIN, "handing input to QEMU");
}

int machine_speech_fd(const struct machine *m)
{
	return m->speech_fd;
}

bool machine_take_speech(struct machine *m, struct err *err)
{
	char bytes[4096];
	ssize_t size;
	while (m->speech_fd >= 0 && (size = read(m->speech_fd, bytes, sizeof bytes)) > 0)
		if (write(m->fds.serial, bytes, (size_t)size) != size)
			return err_sys(err, errno, "keeping what the serial port said");
	return true;
}
