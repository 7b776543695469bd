/* What a machine writes: its serial port, the console, the replay log, and its last words. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/machine_data.h"
#include "engine/replaylog.h"

#define QUIT_MS    30000
#define REAP_MS    2000 /* between the monitor's end of file and the process's end */
#define LOG_MAX    ((size_t)4 << 30)
#define TAIL_SIZE  65536
#define WORDS_SIZE 800 /* of QEMU's and of the console's last words in a diagnosis */

/* ---- serial port and console ---- */

uint64_t machine_serial_size(const struct machine *m)
{
	return file_size(m->fds.serial);
}

static bool read_from(int fd, uint64_t *offset, struct buf *out, const char *name, struct err *err)
{
	uint64_t size = file_size(fd);
	while (*offset < size) {
		size_t want = size - *offset > TAIL_SIZE ? TAIL_SIZE : (size_t)(size - *offset);
		buf_reserve(out, want);
		ssize_t got = pread(fd, out->data + out->size, want, (off_t)*offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0 || err_sys(err, errno, "reading %s", name);
		out->size += (size_t)got;
		out->data[out->size] = '\0';
		*offset += (uint64_t)got;
	}
	return true;
}

bool machine_serial(struct machine *m, uint64_t *offset, struct buf *out, struct err *err)
{
	return read_from(m->fds.serial, offset, out, "the serial port", err);
}

bool machine_rewound(struct machine *m, uint64_t serial_size, struct err *err)
{
	uint64_t size = machine_serial_size(m), seen = m->seen.size;
	m->log_spoilt = m->mode == MACHINE_RECORD;
	m->panicked = m->shut = false;
	m->state = MACHINE_STOPPED;
	/* Going back takes bytes away and going forward again gives them: what was ever said is kept, for it will be said again.
	 */
	if (!read_from(m->fds.serial, &seen, &m->seen, "the serial port", err))
		return false;
	if (serial_size > m->seen.size)
		return err_set(err, ERR_QEMU, "the checkpoint is ahead of everything the serial port has said");
	if (ftruncate(m->fds.serial, (off_t)serial_size) < 0)
		return err_sys(err, errno, "taking back what the serial port said");
	for (ssize_t put = 0; size<serial_size; size += put> 0 ? (size_t)put : 0) {
		put = pwrite(m->fds.serial, m->seen.data + size, (size_t)(serial_size - size), (off_t)size);
		if (put < 0 && errno != EINTR)
			return err_sys(err, errno, "giving back what the serial port said");
	}
	return true;
}

static void tail(int fd, size_t limit, struct buf *out)
{
	uint64_t size = file_size(fd), offset = size > limit ? size - limit : 0;
	read_from(fd, &offset, out, "", NULL);
}

void machine_console(struct machine *m, struct buf *out)
{
	tail(m->fds.console, TAIL_SIZE, out);
}

static void add_words(struct buf *out, const char *label, int fd)
{
	struct buf words = {0};
	tail(fd, WORDS_SIZE, &words);
	while (words.size && strchr(" \r\n", words.data[words.size - 1]))
		words.size--;
	if (words.size)
		buf_printf(out, "%s%s: ", out->size ? "; " : "", label);
	for (size_t i = 0; i < words.size; i++) {
		unsigned char c = (unsigned char)words.data[i];
		if (c == '\n')
			buf_str(out, " | ");
		else if (c >= 0x20 && c < 0x7f)
			buf_char(out, (char)c);
	}
	buf_free(&words);
}

void machine_diagnosis(struct machine *m, struct buf *out)
{
	char text[80];
	if (child_wait(&m->child, m->state == MACHINE_DIED ? REAP_MS : 0))
		buf_printf(out, "QEMU %s", child_status_text(m->child.status, text, sizeof text));
	add_words(out, "QEMU said", m->errors_fd);
	add_words(out, "console", m->fds.console);
}

/* ---- the end, and the log ---- */

bool machine_quit(struct machine *m, struct err *err)
{
	monitor_send(m->monitor, "quit", NULL);
	if (!child_wait(&m->child, QUIT_MS))
		return err_set(err, ERR_QEMU, "QEMU did not end within %d ms", QUIT_MS);
	m->log_taken = true;
	m->state = MACHINE_DIED;
	return true;
}

int machine_device_fd(const struct machine *m)
{
	return m->fds.device;
}

bool machine_log(struct machine *m, struct buf *out, struct err *err)
{
	if (m->mode != MACHINE_RECORD || m->log_taken || m->log_spoilt)
		return err_set(err, ERR_USAGE, "this machine has no log to give");
	if (!machine_quit(m, err))
		return false;
	size_t start = out->size, size = 0;
	bool ok = file_read_fd(m->fds.log, "the replay log", LOG_MAX, out, err) &&
		replaylog_close((uint8_t *)out->data + start, out->size - start, &size, err) &&
		(!m->log_lead || replaylog_shift((uint8_t *)out->data + start, size, -(int64_t)m->log_lead, NULL, err));
	out->size = start + (ok ? size : 0);
	if (out->data)
		out->data[out->size] = '\0';
	return ok;
}

/* Finds where the lead is counted, in the first block that QEMU has written. */
static bool find_lead(struct machine *m, struct err *err)
{
	struct buf head = {0};
	uint64_t offset = 0;
	bool ok = read_from(m->fds.log, &offset, &head, "the replay log", err);
	/* That there are no instructions yet is no error: the block is not full. */
	if (ok && head.size)
		replaylog_shift((uint8_t *)head.data, head.size, -(int64_t)m->log_lead, &m->lead_offset, NULL);
	buf_free(&head);
	return ok;
}

bool machine_log_so_far(struct machine *m, uint64_t *offset, struct buf *out, struct err *err)
{
	if (m->log_lead && !m->lead_offset && !find_lead(m, err))
		return false;
	if (m->log_lead && !m->lead_offset)
		return true;
	/* The event that has the lead is read whole or not at all: nothing ends inside the first block of 4 KiB. */
	size_t start = out->size;
	uint64_t from = *offset;
	if (!read_from(m->fds.log, offset, out, "the replay log", err))
		return false;
	if (!m->log_lead || from > m->lead_offset || *offset <= m->lead_offset)
		return true;
	struct buf head = {0};
	uint64_t zero = 0;
	bool ok = read_from(m->fds.log, &zero, &head, "the replay log", err) &&
		replaylog_shift((uint8_t *)head.data, head.size, -(int64_t)m->log_lead, NULL, err);
	if (ok)
		memcpy(out->data + start, head.data + from, out->size - start);
	buf_free(&head);
	return ok;
}
