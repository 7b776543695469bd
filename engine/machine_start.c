/* Starting a machine: the files QEMU is given, QEMU itself, and the way to the snapshot it stands at. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/machine_data.h"
#include "engine/qcow2.h"
#include "engine/replaylog.h"

#define READY "ready"

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
	close_fd(&m->keys_fd);
	close_fd(&m->input_fd);
	close_fd(&m->speaks_fd);
	close_fd(&m->speech_fd);
	buf_free(&m->seen);
	free(m);
}

static struct machine *blank(unsigned memory_mib, unsigned output_mib, int cancel_fd)
{
	struct machine *m = mem_alloc(sizeof *m);
	m->child.pid_fd = m->ram.fd = m->ready.fd = m->errors_fd = m->keys_fd = m->input_fd = m->speaks_fd = m->speech_fd = -1;
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
	setup->open = m->open;
	setup->typed = m->keys_fd >= 0;
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
		.in_fd = m->keys_fd < 0 ? 0 : m->keys_fd,
		.out_fd = m->speaks_fd < 0 ? m->errors_fd : m->speaks_fd,
		.err_fd = m->errors_fd,
		.background = setup->background,
		.dir = "/"};
	bool ok = child_start(&m->child, &spec, err);
	qemuargs_finish(&args);
	close(pair[1]);
	m->fds.monitor = m->fds.initrd = -1;
	close_fd(&m->keys_fd);
	close_fd(&m->speaks_fd);
	m->monitor = monitor_create(pair[0], m->cancel_fd);
	monitor_set_cancel(m->monitor, m->cancel);
	return ok;
}

/* Switches the monitor on and asks that snapshots leave guest memory, which is our file, alone. */
static bool greet(struct machine *m, struct err *err)
{
	struct json *arguments = json_new_object(), *list = json_new_array(), *capability = json_new_object();
	json_put_str(capability, "capability", "x-ignore-shared");
	json_put_bool(capability, "state", true);
	json_push(list, capability);
	json_put(arguments, "capabilities", list);
	monitor_send(m->monitor, "qmp_capabilities", NULL);
	return monitor_call(m->monitor, "migrate-set-capabilities", arguments, MACHINE_ANSWER_MS, NULL, err);
}

/* What the last words of a QEMU that does not start mean, for those that people meet; "" for others. */
static const char *meaning_of(const char *words)
{
	if (strstr(words, "unsupported machine type"))
		return ": this QEMU was built without the machine microvm, which polecat runs everything in; Debian's "
		       "qemu-system-x86 "
		       "has it";
	return "";
}

static bool died_early(struct machine *m, struct err *err)
{
	struct buf why = {0};
	if (err && err->code == ERR_CANCELLED)
		return false;
	bool ended = child_wait(&m->child, 1000);
	machine_diagnosis(m, &why);
	if (ended) {
		err_set(err, ERR_QEMU, "QEMU does not start%s (%.1500s)", meaning_of(why.data), why.data);
	} else {
		err_prefix(err, "starting QEMU");
		if (err && why.size)
			snprintf(err->text + strlen(err->text), sizeof err->text - strlen(err->text), " (%.900s)", why.data);
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

/* The snapshot's state and others in one file. */
static bool gather_states(int fd, const struct machine_options *o, struct err *err)
{
	struct qcow2_writer w = {.fd = -1};
	struct buf ready = {0};
	bool ok = qcow2_state(o->base->device_fd, READY, &ready, err) && qcow2_begin(&w, fd, err) &&
		qcow2_add(&w, READY, ready.data, ready.size, o->base->icount, err) && o->states(o->states_data, &w, err) &&
		qcow2_end(&w, err);
	qcow2_abort(&w);
	buf_free(&ready);
	return ok;
}

/* The snapshot's device state in a memory file of our own, and the log. */
static bool make_start_files(struct machine *m, const struct machine_options *o, struct err *err)
{
	m->fds.device = file_memory("device state", err);
	if (m->fds.device < 0 ||
		!(o->states ? gather_states(m->fds.device, o, err) : file_copy(o->base->device_fd, m->fds.device, err)))
		return false;
	m->log_lead = o->base->log_lead;
	return make_log(m, o, err) && ram_open_image(&m->ready, o->base->ram_fd, err) &&
		make_files(m, o->orders, o->orders_size, err) &&
		(!m->open || m->mode == MACHINE_REPLAY || machine_make_input(m, err));
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
	struct qemu_setup setup = {.plugins = o->plugins, .gdb = o->gdb, .background = o->background, .fds.initrd = -1};
	m->mode = o->mode;
	m->cancel = o->cancel;
	m->open = o->base->open;
	bool clean = o->base->load_is_clean;
	/* Memory is filled while QEMU, a process of its own, starts up; before that, if what QEMU writes is still to be found
	 * out. */
	if (measure_log(m, o, err) && make_start_files(m, o, err) && (clean || ram_fill(&m->ram, &m->ready, err)) &&
		launch(m, o->base->qemu, &setup, err) && (!clean || ram_fill(&m->ram, &m->ready, err)) && arrive(m, o, err))
		return m;
	machine_destroy(m);
	return NULL;
}
