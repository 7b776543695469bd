#include "engine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/child.h"
#include "engine/file.h"
#include "engine/monitor.h"
#include "engine/qcow2.h"
#include "engine/qemuargs.h"
#include "engine/replaylog.h"

#define ANSWER_MS  30000 /* a command of the monitor; they take milliseconds */
#define QUIT_MS    30000
#define REAP_MS    2000 /* between the monitor's end of file and the process's end */
#define LOG_MAX    ((size_t)4 << 30)
#define TAIL_SIZE  65536
#define WORDS_SIZE 800 /* of QEMU's and of the console's last words in a diagnosis */
#define SAVE_TRIES 50
#define READY      "ready"

struct machine {
	enum machine_mode mode;
	enum machine_state state;
	struct child child;
	struct monitor *monitor;
	struct ram ram;
	struct ram ready; /* fd -1 while booting */
	struct qemu_fds fds;
	int errors_fd;
	unsigned memory_mib, output_mib;
	uint64_t start_icount, end_icount;
	uint64_t log_lead, lead_offset; /* machine_base.log_lead; where in the log it is, once known */
	uint64_t number;
	size_t load_writes;
	int cancel_fd;
	struct buf seen; /* the longest the serial port has said, at the last restore */
	bool panicked, shut, break_set, log_taken, log_spoilt;
};

/* ---- starting ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void machine_destroy(struct machine *m)
{
	if (!m)
		return;
	child_kill(&m->child);
	monitor_destroy(m->monitor);
	ram_finish(&m->ram);
	ram_finish(&m->ready);
	m->fds.ram = -1; /* was ram.fd */
	close_fd(&m->fds.device);
	close_fd(&m->fds.log);
	close_fd(&m->fds.serial);
	close_fd(&m->fds.console);
	close_fd(&m->fds.orders);
	close_fd(&m->errors_fd);
	buf_free(&m->seen);
	free(m);
}

static struct machine *blank(unsigned memory_mib, unsigned output_mib, int cancel_fd)
{
	struct machine *m = mem_alloc(sizeof *m);
	m->child.pid_fd = m->ram.fd = m->ready.fd = m->errors_fd = -1;
	m->fds = (struct qemu_fds){-1, -1, -1, -1, -1, -1, -1, -1};
	m->memory_mib = memory_mib;
	m->output_mib = output_mib;
	m->cancel_fd = cancel_fd > 0 ? cancel_fd : -1;
	m->end_icount = UINT64_MAX;
	return m;
}

/* The files that every machine has; log and device state are made by the caller. */
static bool make_files(struct machine *m, const void *orders, size_t orders_size, struct err *err)
{
	size_t size = ((size_t)m->memory_mib + m->output_mib) << 20;
	if (m->memory_mib < MACHINE_MEMORY_MIN_MIB || m->memory_mib > MACHINE_MEMORY_MAX_MIB)
		return err_set(err, ERR_INPUT, "a machine of %u MiB: expected %d to %d MiB", m->memory_mib,
			MACHINE_MEMORY_MIN_MIB, MACHINE_MEMORY_MAX_MIB);
	if (!ram_create(&m->ram, size, err))
		return false;
	m->fds.ram = m->ram.fd;
	/* QEMU refuses an empty fw_cfg file. */
	m->fds.orders = orders_size ? file_memory_of("orders", orders, orders_size, err) : file_memory_of("orders", "", 1, err);
	m->fds.serial = file_memory("serial", err);
	m->fds.console = file_memory("console", err);
	m->errors_fd = file_memory("errors", err);
	return m->fds.orders >= 0 && m->fds.serial >= 0 && m->fds.console >= 0 && m->errors_fd >= 0;
}

static bool launch(struct machine *m, const char *qemu, struct qemu_setup *setup, struct err *err)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, errno, "making a socket for QEMU");
	setup->replay = m->mode == MACHINE_REPLAY;
	setup->memory_mib = m->memory_mib;
	setup->output_mib = m->output_mib;
	m->fds.monitor = pair[1];
	m->fds.initrd = setup->fds.initrd;
	setup->fds = m->fds;
	struct qemuargs args;
	qemuargs_build(&args, qemu, setup);
	int inherit[] = {m->fds.ram, m->fds.device, m->fds.log, m->fds.serial, m->fds.console, m->fds.orders, m->fds.monitor,
		m->fds.initrd};
	struct child_spec spec = {.argv = (const char *const *)args.argv,
		.inherit = inherit,
		.inherit_count = sizeof inherit / sizeof *inherit - (m->fds.initrd < 0),
		.out_fd = m->errors_fd,
		.err_fd = m->errors_fd,
		.dir = "/"};
	bool ok = child_start(&m->child, &spec, err);
	qemuargs_finish(&args);
	close(pair[1]);
	m->fds.monitor = m->fds.initrd = -1;
	m->monitor = monitor_create(pair[0], m->cancel_fd);
	return ok;
}

static struct json *one(const char *key, struct json *value)
{
	struct json *j = json_new_object();
	json_put(j, key, value);
	return j;
}

/* Switches the monitor on and asks that snapshots leave guest memory, which is our file, alone. */
static bool greet(struct machine *m, struct err *err)
{
	struct json *capability = json_new_object(), *list = json_new_array();
	json_put_str(capability, "capability", "x-ignore-shared");
	json_put_bool(capability, "state", true);
	json_push(list, capability);
	monitor_send(m->monitor, "qmp_capabilities", NULL);
	return monitor_call(m->monitor, "migrate-set-capabilities", one("capabilities", list), ANSWER_MS, NULL, err);
}

static bool died_early(struct machine *m, struct err *err)
{
	struct buf why = {0};
	if (err && err->code == ERR_CANCELLED)
		return false;
	child_wait(&m->child, 1000);
	machine_diagnosis(m, &why);
	err_prefix(err, "starting QEMU");
	if (err && why.size) {
		size_t used = strlen(err->text);
		snprintf(err->text + used, sizeof err->text - used, " (%.900s)", why.data);
	}
	buf_free(&why);
	return false;
}

struct machine *machine_boot(const struct machine_boot *boot, struct err *err)
{
	struct machine *m = blank(boot->memory_mib, boot->output_mib, boot->cancel_fd);
	struct buf empty = {0};
	qcow2_empty(&empty);
	struct qemu_setup setup = {.kernel = boot->kernel, .fds.initrd = boot->initrd_fd};
	m->mode = boot->log ? MACHINE_REPLAY : MACHINE_RECORD;
	m->fds.device = file_memory_of("device state", empty.data, empty.size, err);
	if (m->fds.device >= 0)
		m->fds.log = boot->log ? file_memory_of("log", boot->log, boot->log_size, err) : file_memory("log", err);
	buf_free(&empty);
	if (m->fds.log >= 0 && make_files(m, NULL, 0, err) && launch(m, boot->qemu, &setup, err) &&
		(greet(m, err) || died_early(m, err)))
		return m;
	machine_destroy(m);
	return NULL;
}

static bool make_log(struct machine *m, const struct machine_options *o, struct err *err)
{
	struct buf log = {0};
	if (o->mode == MACHINE_REPLAY)
		buf_add(&log, o->log, o->log_size);
	bool ok = o->mode == MACHINE_RECORD || !m->log_lead ||
		replaylog_shift((uint8_t *)log.data, log.size, (int64_t)m->log_lead, NULL, err);
	m->fds.log = ok ? file_memory_of("log", log.data, log.size, err) : -1;
	buf_free(&log);
	return m->fds.log >= 0;
}

/* The snapshot's device state in a memory file of our own, and the log. */
static bool make_start_files(struct machine *m, const struct machine_options *o, struct err *err)
{
	m->fds.device = file_memory("device state", err);
	if (m->fds.device < 0 || !file_copy(o->base->device_fd, m->fds.device, err))
		return false;
	m->log_lead = o->base->log_lead;
	return make_log(m, o, err) && ram_open_image(&m->ready, o->base->ram_fd, err) &&
		make_files(m, o->orders, o->orders_size, err);
}

static bool measure_log(struct machine *m, const struct machine_options *o, struct err *err)
{
	uint64_t total = 0;
	if (o->mode == MACHINE_REPLAY && !replaylog_total(o->log, o->log_size, &total, err))
		return false;
	m->start_icount = o->base->icount;
	m->end_icount = o->mode == MACHINE_REPLAY ? m->start_icount + total : UINT64_MAX;
	return true;
}

static bool arrive(struct machine *m, const struct machine_options *o, struct err *err)
{
	uint64_t icount;
	/* loadvm first, then the pages: it resets the machine, which may write memory. */
	if (!greet(m, err) || !machine_load(m, o->state ? o->state : READY, err) ||
		!(o->base->load_is_clean || ram_put(&m->ram, &m->ready, NULL, &m->load_writes, err)) ||
		!machine_icount(m, &icount, err))
		return died_early(m, err);
	return icount == m->start_icount ||
		err_set(err, ERR_QEMU, "the snapshot stands at %" PRIu64 " instructions, expected %" PRIu64, icount,
			m->start_icount);
}

struct machine *machine_start(const struct machine_options *o, struct err *err)
{
	struct machine *m = blank(o->base->memory_mib, o->base->output_mib, o->cancel_fd);
	struct qemu_setup setup = {.plugins = o->plugins, .gdb = o->gdb, .fds.initrd = -1};
	m->mode = o->mode;
	bool clean = o->base->load_is_clean;
	/* Memory is filled while QEMU, a process of its own, starts up; before that, if what QEMU writes is still to be found
	 * out. */
	if (measure_log(m, o, err) && make_start_files(m, o, err) && (clean || ram_fill(&m->ram, &m->ready, err)) &&
		launch(m, o->base->qemu, &setup, err) && (!clean || ram_fill(&m->ram, &m->ready, err)) && arrive(m, o, err))
		return m;
	machine_destroy(m);
	return NULL;
}

/* ---- running ---- */

static bool stopped(const struct machine *m, const char *what, struct err *err)
{
	if (m->state == MACHINE_RUNNING || m->state == MACHINE_DIED || m->log_taken)
		return err_set(
			err, ERR_QEMU, "%s: the machine %s", what, m->state == MACHINE_RUNNING ? "is running" : "has ended");
	return true;
}

static bool set_break(struct machine *m, uint64_t icount, struct err *err)
{
	if (!monitor_call(m->monitor, "replay-break", one("icount", json_new_u64(icount)), ANSWER_MS, NULL, err))
		return false;
	m->break_set = true;
	return true;
}

bool machine_cont(struct machine *m, struct err *err)
{
	if (!stopped(m, "continuing", err))
		return false;
	/* A replay that ran past the end of its log would wait for ever. */
	if (m->mode == MACHINE_REPLAY && !m->break_set && !set_break(m, m->end_icount, err))
		return false;
	m->panicked = false;
	if (!monitor_call(m->monitor, "cont", NULL, ANSWER_MS, NULL, err))
		return false;
	m->state = MACHINE_RUNNING;
	return true;
}

static void on_event(struct machine *m, const struct qmp_message *e)
{
	if (!strcmp(e->event, "GUEST_PANICKED"))
		m->panicked = true;
	else if (!strcmp(e->event, "SHUTDOWN"))
		m->shut = true;
	if (strcmp(e->event, "STOP") && !m->shut)
		return;
	if (m->shut)
		m->state = MACHINE_GUEST_DIED;
	else if (m->panicked)
		m->state = MACHINE_BARRIER;
	else if (m->break_set)
		m->state = MACHINE_AT_BREAK;
	else
		m->state = MACHINE_STOPPED;
	/* QEMU forgets a break that it stopped at. */
	if (m->state == MACHINE_AT_BREAK)
		m->break_set = false;
}

bool machine_poll(struct machine *m, int timeout_ms, enum machine_state *state, struct err *err)
{
	bool got = true;
	while (got && m->state == MACHINE_RUNNING) {
		struct qmp_message e;
		if (!monitor_event(m->monitor, timeout_ms, &got, &e, err))
			return false;
		if (got) {
			on_event(m, &e);
			qmp_message_finish(&e);
		} else if (monitor_closed(m->monitor)) {
			m->state = MACHINE_DIED;
		}
	}
	*state = m->state;
	return true;
}

bool machine_pause(struct machine *m, struct err *err)
{
	enum machine_state state = m->state;
	if (state != MACHINE_RUNNING)
		return true;
	m->log_spoilt = m->mode == MACHINE_RECORD;
	return monitor_call(m->monitor, "stop", NULL, ANSWER_MS, NULL, err) && machine_poll(m, ANSWER_MS, &state, err) &&
		(state != MACHINE_RUNNING || err_set(err, ERR_QEMU, "QEMU did not stop within %d ms", ANSWER_MS));
}

int machine_fd(const struct machine *m)
{
	return monitor_fd(m->monitor);
}

int machine_pid(const struct machine *m)
{
	return m->child.pid;
}

enum machine_state machine_state(const struct machine *m)
{
	return m->state;
}

enum machine_mode machine_mode(const struct machine *m)
{
	return m->mode;
}

bool machine_icount(struct machine *m, uint64_t *icount, struct err *err)
{
	struct qmp_message answer;
	if (!monitor_call(m->monitor, "query-replay", NULL, ANSWER_MS, &answer, err))
		return false;
	bool ok = json_get_u64(answer.data, "icount", icount, err);
	qmp_message_finish(&answer);
	return ok;
}

uint64_t machine_start_icount(const struct machine *m)
{
	return m->start_icount;
}

uint64_t machine_end_icount(const struct machine *m)
{
	return m->end_icount;
}

bool machine_break(struct machine *m, uint64_t icount, struct err *err)
{
	if (m->mode != MACHINE_REPLAY)
		return err_set(err, ERR_USAGE, "only a replay can stop at a chosen instruction");
	if (icount < m->start_icount || icount > m->end_icount)
		return err_set(err, ERR_USAGE, "no instruction %" PRIu64 " in this run: it has %" PRIu64 " to %" PRIu64, icount,
			m->start_icount, m->end_icount);
	return stopped(m, "setting a break", err) && machine_unbreak(m, err) && set_break(m, icount, err);
}

bool machine_unbreak(struct machine *m, struct err *err)
{
	if (!m->break_set)
		return true;
	m->break_set = false;
	return monitor_call(m->monitor, "replay-delete-break", NULL, ANSWER_MS, NULL, err);
}

bool machine_run_to(struct machine *m, uint64_t icount, enum machine_state *state, struct err *err)
{
	uint64_t now;
	if (!stopped(m, "running on", err) || !machine_icount(m, &now, err))
		return false;
	if (now == icount) {
		*state = m->state = MACHINE_AT_BREAK;
		return true;
	}
	if (!machine_break(m, icount, err) || !machine_cont(m, err) || !machine_poll(m, -1, state, err))
		return false;
	return *state == MACHINE_DIED || machine_unbreak(m, err);
}

/* ---- what it says ---- */

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

/* ---- memory, monitor, device state ---- */

const uint8_t *machine_ram(const struct machine *m, size_t *size)
{
	*size = m->ram.size;
	return m->ram.map;
}

const uint8_t *machine_output(const struct machine *m, size_t *size)
{
	*size = (size_t)m->output_mib << 20;
	return m->ram.map + machine_output_address(m);
}

uint64_t machine_output_address(const struct machine *m)
{
	return (uint64_t)m->memory_mib << 20;
}

bool machine_ram_digest(const struct machine *m, uint8_t out[DIGEST_SIZE], struct err *err)
{
	return ram_digest(&m->ram, out, err);
}

bool machine_monitor(struct machine *m, const char *line, struct buf *out, struct err *err)
{
	return monitor_human(m->monitor, line, ANSWER_MS, out, err);
}

/* loadvm, savevm and delvm say nothing when they succeed. */
static bool snapshot_command(struct machine *m, const char *command, const char *name, struct buf *answer, struct err *err)
{
	char *line = mem_printf("%s %s", command, name);
	bool ok = stopped(m, command, err) && monitor_human(m->monitor, line, ANSWER_MS, answer, err);
	free(line);
	return ok;
}

static bool silent(const char *command, const struct buf *answer, struct err *err)
{
	return answer->size == 0 || err_set(err, ERR_QEMU, "%s: QEMU said: %.400s", command, answer->data);
}

bool machine_save(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	bool ok = true;
	/* "Try once more later": an event waits in the replay queue; QEMU's main loop takes it between two commands. */
	for (int i = 0; ok && i < SAVE_TRIES && (i == 0 || strstr(answer.data ? answer.data : "", "Try once more")); i++) {
		buf_clear(&answer);
		ok = snapshot_command(m, "savevm", name, &answer, err);
	}
	ok = ok && silent("savevm", &answer, err);
	buf_free(&answer);
	return ok;
}

bool machine_load(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	/* A break left set would make QEMU abort at the next one. */
	bool ok = (m->mode == MACHINE_RECORD || machine_unbreak(m, err)) && snapshot_command(m, "loadvm", name, &answer, err) &&
		silent("loadvm", &answer, err);
	buf_free(&answer);
	return ok;
}

bool machine_drop(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	bool ok = snapshot_command(m, "delvm", name, &answer, err) && silent("delvm", &answer, err);
	buf_free(&answer);
	return ok;
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

uint64_t machine_next_number(struct machine *m)
{
	return ++m->number;
}

size_t machine_load_writes(const struct machine *m)
{
	return m->load_writes;
}

struct ram *machine_memory(struct machine *m)
{
	return &m->ram;
}

const struct ram *machine_ready_memory(const struct machine *m)
{
	return &m->ready;
}

bool machine_registers(struct machine *m, struct buf *text, struct err *err)
{
	return stopped(m, "reading registers", err) && machine_monitor(m, "info registers", text, err);
}
