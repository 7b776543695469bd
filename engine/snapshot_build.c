/* Boot snapshots: making one, while others that want the same wait. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/json.h"
#include "engine/ram.h"
#include "engine/replaylog.h"
#include "engine/replaystate.h"
#include "engine/snapshot_data.h"

#define DEVICE_MAX      (64u << 20)
#define BOOT_STEP_MS    100
#define BOOT_MAX_MS     300000
#define BOOT_ICOUNT     700000000 /* about what a boot takes: for the progress only */
#define LOCK_STEP_MS    100
#define START_INFO_PAGE 0x1000 /* where QEMU puts hvm_start_info for a PVH kernel */

struct build {
	const struct snapshot_spec *spec;
	snapshot_progress *progress;
	void *data;
	int dir; /* half-built entry */
};

static void say(const struct build *b, double fraction, const char *words)
{
	if (b->progress)
		b->progress(b->data, fraction < 1 ? fraction : 1, words);
}

static bool boot_failed(struct machine *m, const char *what, struct err *err)
{
	struct buf why = {0};
	machine_diagnosis(m, &why);
	err_set(err, ERR_QEMU, "booting the guest: %s: %.1500s", what, why.data ? why.data : "nothing more is known");
	buf_free(&why);
	return false;
}

static bool wait_for_barrier(const struct build *b, struct machine *m, struct err *err)
{
	enum machine_state state = MACHINE_RUNNING;
	if (!machine_cont(m, err))
		return false;
	for (int waited_ms = 0; state == MACHINE_RUNNING; waited_ms += BOOT_STEP_MS) {
		uint64_t icount = 0;
		if (waited_ms > BOOT_MAX_MS)
			return boot_failed(m, "it is not ready after five minutes", err);
		if (!machine_poll(m, BOOT_STEP_MS, &state, err))
			return false;
		if (state == MACHINE_RUNNING && !machine_icount(m, &icount, err))
			return false;
		say(b, (double)icount / BOOT_ICOUNT, "booting");
	}
	if (state == MACHINE_BARRIER)
		return true;
	return boot_failed(m, state == MACHINE_GUEST_DIED ? "it reset or powered off" : "QEMU ended", err);
}

static bool save_ram(const struct build *b, struct machine *m, struct err *err)
{
	int fd = file_open_in(b->dir, SNAPSHOT_RAM, O_RDWR | O_CREAT | O_TRUNC, err);
	bool ok = fd >= 0 && ram_save(machine_memory(m), fd, err);
	/* QEMU leaves words of its own stack in the page that told the kernel where things are; nobody reads it any more. */
	if (ok && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, START_INFO_PAGE, RAM_PAGE) < 0)
		ok = err_sys(err, errno, "writing %s", SNAPSHOT_RAM);
	if (ok && fsync(fd) < 0)
		ok = err_sys(err, errno, "writing %s", SNAPSHOT_RAM);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool save_device(const struct build *b, struct machine *m, const char *name, struct err *err)
{
	struct buf bytes = {0};
	int fd = machine_device_fd(m);
	bool ok = file_read_fd(fd, name, DEVICE_MAX, &bytes, err) && file_write_in(b->dir, name, bytes.data, bytes.size, err);
	buf_free(&bytes);
	return ok;
}

/*
 * A boot ends with the agent's HELLO, the one byte on its serial port, and with the barrier behind it. Where the barrier stops
 * the guest, QEMU may still move the virtual clock: its main loop sees an idle processor before it has noticed the stop. So the
 * boot is recorded to the barrier, and the snapshot is taken from a replay of it, one instruction after HELLO: a replay moves the
 * clock only where the log says so. A snapshot taken at the barrier itself had another clock in about one boot of three.
 */
static struct machine *boot(const struct build *b, int initrd, const struct buf *log, struct err *err)
{
	const struct snapshot_spec *s = b->spec;
	struct machine_boot boot = {.qemu = s->qemu->path,
		.kernel = s->kernel->vmlinux,
		.initrd_fd = initrd,
		.memory_mib = s->memory_mib,
		.output_mib = snapshot_output_of(s),
		.log = log ? log->data : NULL,
		.log_size = log ? log->size : 0,
		.cancel_fd = s->cancel_fd};
	return machine_boot(&boot, err);
}

/* First machine: boots to the barrier. Gives its log and the count at which to take the snapshot. */
static bool record_boot(const struct build *b, int initrd, struct buf *log, uint64_t *icount, struct err *err)
{
	uint64_t *icounts = NULL;
	size_t count = 0;
	struct machine *m = boot(b, initrd, NULL, err);
	bool ok = m && wait_for_barrier(b, m, err) && machine_log(m, log, err) &&
		replaylog_serial((const uint8_t *)log->data, log->size, &icounts, &count, NULL, err);
	if (ok && count != 1)
		ok = err_set(
			err, ERR_QEMU, "the guest did not boot: its agent wrote %zu bytes to the serial port, not one", count);
	if (ok)
		*icount = icounts[0] + 1;
	free(icounts);
	machine_destroy(m);
	return ok;
}

/* Second machine: boots again by that log, and leaves the device state "boot" and the memory in the half-built entry. */
static bool boot_once(const struct build *b, uint64_t *icount, struct err *err)
{
	say(b, 0, "building the guest image");
	int initrd = image_build(b->spec->image, err);
	if (initrd < 0)
		return false;
	struct buf log = {0};
	enum machine_state state = MACHINE_STOPPED;
	struct machine *m = NULL;
	bool ok = record_boot(b, initrd, &log, icount, err);
	if (ok) {
		say(b, 1, "stopping it exactly");
		m = boot(b, initrd, &log, err);
		ok = m && machine_run_to(m, *icount, &state, err);
	}
	if (ok && state != MACHINE_AT_BREAK)
		ok = boot_failed(m, "a replay of its boot ends early", err);
	ok = ok && machine_save(m, "boot", err) && save_ram(b, m, err) && machine_quit(m, err) &&
		replaystate_forget_unread(machine_device_fd(m), err) && save_device(b, m, SNAPSHOT_DEVICE, err);
	machine_destroy(m);
	close(initrd);
	buf_free(&log);
	return ok;
}

/* Third machine: loads "boot" while its own log is still empty and saves "ready", whose place in the log is therefore the start
 * of any log. */
static bool make_ready(const struct build *b, struct machine_base *found, struct err *err)
{
	int device = file_open_in(b->dir, SNAPSHOT_DEVICE, O_RDONLY, err),
	    ram = file_open_in(b->dir, SNAPSHOT_RAM, O_RDONLY, err);
	struct machine_base base = {.qemu = b->spec->qemu->path,
		.memory_mib = b->spec->memory_mib,
		.output_mib = snapshot_output_of(b->spec),
		.device_fd = device,
		.ram_fd = ram,
		.icount = found->icount};
	struct machine_options options = {
		.mode = MACHINE_RECORD, .base = &base, .cancel_fd = b->spec->cancel_fd, .state = "boot"};
	say(b, 1, "keeping the snapshot");
	struct machine *m = device >= 0 && ram >= 0 ? machine_start(&options, err) : NULL;
	/* Nothing was executed: what this log counts had been executed before. */
	struct buf log = {0};
	bool ok = m && machine_drop(m, "boot", err) && machine_save(m, "ready", err) && machine_log(m, &log, err) &&
		replaylog_total((const uint8_t *)log.data, log.size, &found->log_lead, err) &&
		save_device(b, m, SNAPSHOT_DEVICE, err);
	buf_free(&log);
	found->load_is_clean = ok && machine_load_writes(m) == 0;
	machine_destroy(m);
	if (device >= 0)
		close(device);
	if (ram >= 0)
		close(ram);
	return ok;
}

static bool save_state(const struct build *b, const char *identity, const struct machine_base *found, struct err *err)
{
	struct json *j = json_new_object();
	struct buf text = {0};
	json_put_u64(j, "icount", found->icount);
	json_put_u64(j, "log_lead", found->log_lead);
	json_put_bool(j, "load_is_clean", found->load_is_clean);
	json_put_u64(j, "memory_mib", b->spec->memory_mib);
	json_put_u64(j, "output_mib", snapshot_output_of(b->spec));
	json_write_pretty(j, &text);
	json_destroy(j);
	bool ok = file_write_in(b->dir, SNAPSHOT_IDENTITY, identity, strlen(identity), err) &&
		file_write_in(b->dir, SNAPSHOT_STATE, text.data, text.size, err);
	buf_free(&text);
	return ok;
}

static bool build_entry(struct build *b, int dir, const char *name, const char *identity, struct err *err)
{
	char *half = mem_printf(".%s", name);
	struct machine_base found = {0};
	/* We hold this entry's lock: what lies there was left by a builder that died. */
	bool ok = file_remove_in(dir, half, err);
	b->dir = ok ? file_mkdir_in(dir, half, err) : -1;
	ok = b->dir >= 0 && boot_once(b, &found.icount, err) && make_ready(b, &found, err) &&
		save_state(b, identity, &found, err);
	if (ok && renameat(dir, half, dir, name) < 0)
		ok = err_sys(err, errno, "keeping a boot snapshot");
	if (!ok)
		file_remove_in(dir, half, NULL);
	if (b->dir >= 0)
		close(b->dir);
	free(half);
	return ok;
}

static bool cancelled(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};
	return fd > 0 && poll(&p, 1, 0) > 0;
}

/* Waits for a builder of the same entry, looking for a wish to stop meanwhile. */
static int lock_entry(const struct build *b, int dir, const char *name, struct err *err)
{
	char *lock_name = mem_printf(".%s.lock", name);
	bool busy = true;
	int lock = -1;
	while (lock < 0 && busy) {
		if (cancelled(b->spec->cancel_fd)) {
			err_set(err, ERR_CANCELLED, "cancelled");
			break;
		}
		lock = file_lock_in(dir, lock_name, LOCK_STEP_MS, &busy, err);
		if (lock < 0 && busy)
			say(b, 0, "waiting for another polecat that is booting this guest");
	}
	free(lock_name);
	return lock;
}

static bool build_under_lock(struct build *b, int dir, const char *name, const char *identity, struct err *err)
{
	int lock = lock_entry(b, dir, name, err);
	if (lock < 0)
		return false;
	bool ok = snapshot_there(dir, name) || build_entry(b, dir, name, identity, err);
	char *lock_name = mem_printf(".%s.lock", name);
	/* Once the entry is whole nobody needs the lock; whoever waits for it finds the entry. */
	if (ok)
		unlinkat(dir, lock_name, 0);
	free(lock_name);
	close(lock);
	return ok;
}

struct snapshot *snapshot_get(const struct snapshot_spec *spec, snapshot_progress *progress, void *data, struct err *err)
{
	uint8_t digest[DIGEST_SIZE];
	char name[DIGEST_TEXT_MAX];
	struct build b = {.spec = spec, .progress = progress, .data = data, .dir = -1};
	struct snapshot *s = NULL;
	char *identity = snapshot_identity_of(spec, digest, err);
	int dir = identity ? snapshot_cache_open(spec->cache, err) : -1;
	if (dir >= 0) {
		digest_hex(digest, DIGEST_SIZE, name);
		if (snapshot_there(dir, name) || build_under_lock(&b, dir, name, identity, err))
			s = snapshot_open_entry(dir, name, spec->qemu->path, err);
		close(dir);
	}
	free(identity);
	return s;
}
