#include "engine/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/json.h"
#include "engine/qemuargs.h"
#include "engine/ram.h"
#include "engine/replaylog.h"
#include "engine/replaystate.h"

#define DEVICE_NAME     "dev.qcow2"
#define RAM_FILE        "ram"
#define STATE_NAME      "snapshot.json"
#define IDENTITY_NAME   "identity.json"
#define JSON_MAX        (1u << 20)
#define DEVICE_MAX      (64u << 20)
#define BOOT_STEP_MS    100
#define BOOT_MAX_MS     300000
#define BOOT_ICOUNT     700000000 /* about what a boot takes: for the progress only */
#define LOCK_STEP_MS    100
#define START_INFO_PAGE 0x1000 /* where QEMU puts hvm_start_info for a PVH kernel */

struct snapshot {
	struct machine_base base;
	char *qemu, *identity;
	uint8_t digest[DIGEST_SIZE];
};

/* ---- identity ---- */

static struct json *machine_json(unsigned memory_mib, unsigned output_mib)
{
	struct qemu_setup setup = {.memory_mib = memory_mib, .output_mib = output_mib, .fds = {-1, -1, -1, -1, -1, -1, -1, -1}};
	struct qemuargs args;
	struct json *list = json_new_array();
	qemuargs_build(&args, "qemu", &setup);
	for (size_t i = 1; i < args.count; i++)
		json_push(list, json_new_str(args.argv[i]));
	qemuargs_finish(&args);
	return list;
}

static void put_digest(struct json *j, const char *key, const uint8_t digest[DIGEST_SIZE])
{
	char hex[DIGEST_TEXT_MAX];
	digest_hex(digest, DIGEST_SIZE, hex);
	json_put_str(j, key, hex);
}

static struct json *qemu_json(const struct hostqemu *q)
{
	struct json *j = json_new_object();
	json_put_str(j, "version", q->version);
	json_put_str(j, "package", q->package);
	put_digest(j, "sha256", q->digest);
	return j;
}

static unsigned output_of(const struct snapshot_spec *spec)
{
	return spec->output_mib ? spec->output_mib : MACHINE_OUTPUT_MIB;
}

char *snapshot_identity_of(const struct snapshot_spec *spec, uint8_t digest[DIGEST_SIZE], struct err *err)
{
	uint8_t image[DIGEST_SIZE];
	if (!image_digest(spec->image, image, err))
		return NULL;
	struct json *j = json_new_object(), *kernel = json_new_object();
	char *words = qemuargs_kernel_words(spec->memory_mib, output_of(spec));
	json_put_u64(j, "format", SNAPSHOT_FORMAT);
	json_put(j, "qemu", qemu_json(spec->qemu));
	json_put_str(kernel, "release", spec->kernel->release);
	json_put_str(kernel, "command_line", words);
	put_digest(kernel, "sha256", spec->kernel->digest);
	json_put(j, "kernel", kernel);
	put_digest(j, "image_sha256", image);
	json_put_u64(j, "memory_mib", spec->memory_mib);
	json_put_u64(j, "output_mib", output_of(spec));
	json_put(j, "machine", machine_json(spec->memory_mib, output_of(spec)));
	struct buf text = {0};
	json_write_canonical(j, &text);
	json_destroy(j);
	free(words);
	digest_sha256(text.data, text.size, digest);
	return buf_take(&text);
}

/* ---- opening ---- */

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	if (s->base.device_fd >= 0)
		close(s->base.device_fd);
	if (s->base.ram_fd >= 0)
		close(s->base.ram_fd);
	free(s->qemu);
	free(s->identity);
	free(s);
}

static struct json *read_json(int dir, const char *name, struct buf *text, struct err *err)
{
	return file_read_in(dir, name, JSON_MAX, text, err) ? json_parse(text->data, text->size, name, err) : NULL;
}

static bool read_state(struct snapshot *s, int dir, struct err *err)
{
	struct buf text = {0};
	struct json *j = read_json(dir, STATE_NAME, &text, err);
	uint64_t memory_mib = 0, output_mib = 0;
	bool ok = j && json_get_u64(j, "icount", &s->base.icount, err) && json_get_u64(j, "log_lead", &s->base.log_lead, err) &&
		json_get_bool(j, "load_is_clean", &s->base.load_is_clean, err) &&
		json_get_u64(j, "memory_mib", &memory_mib, err) && json_get_u64(j, "output_mib", &output_mib, err);
	if (ok &&
		(memory_mib < MACHINE_MEMORY_MIN_MIB || memory_mib > MACHINE_MEMORY_MAX_MIB ||
			output_mib > MACHINE_MEMORY_MAX_MIB))
		ok = err_set(err, ERR_INPUT, "%s: impossible sizes of memory", STATE_NAME);
	s->base.memory_mib = (unsigned)memory_mib;
	s->base.output_mib = (unsigned)output_mib;
	json_destroy(j);
	buf_free(&text);
	return ok;
}

/* One entry of the cache. NULL if it is absent or not whole. A use is remembered as the directory's time. */
static struct snapshot *open_entry(int snapshots, const char *name, const char *qemu, struct err *err)
{
	struct snapshot *s = mem_alloc(sizeof *s);
	struct buf identity = {0};
	s->base.device_fd = s->base.ram_fd = -1;
	int dir = file_open_in(snapshots, name, O_RDONLY | O_DIRECTORY, err);
	bool ok = dir >= 0 && read_state(s, dir, err) && file_read_in(dir, IDENTITY_NAME, JSON_MAX, &identity, err) &&
		(s->base.device_fd = file_open_in(dir, DEVICE_NAME, O_RDONLY, err)) >= 0 &&
		(s->base.ram_fd = file_open_in(dir, RAM_FILE, O_RDONLY, err)) >= 0;
	if (ok && file_size(s->base.ram_fd) != ((uint64_t)s->base.memory_mib + s->base.output_mib) << 20)
		ok = err_set(err, ERR_INPUT, "%s: has another size than the machine's memory", RAM_FILE);
	if (ok) {
		digest_sha256(identity.data, identity.size, s->digest);
		s->identity = buf_take(&identity);
		s->qemu = mem_str(qemu);
		s->base.qemu = s->qemu;
		futimens(dir, NULL);
	}
	buf_free(&identity);
	if (dir >= 0)
		close(dir);
	if (ok)
		return s;
	err_prefix(err, "boot snapshot %.16s", name);
	snapshot_destroy(s);
	return NULL;
}

static int open_cache(const char *cache, struct err *err)
{
	char *path = mem_printf("%s/snapshots", cache);
	int fd = file_mkdirs(path, err) ? file_open_dir(path, err) : -1;
	free(path);
	return fd;
}

static bool there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool names_differ(const struct json *recorded, const struct json *host, struct err *err)
{
	static const char *const members[] = {"version", "package", "sha256"};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const char *was, *is;
		if (!json_get_str(recorded, members[i], &was, err) || !json_get_str(host, members[i], &is, err))
			return err_prefix(err, "identity: qemu");
		if (strcmp(was, is))
			return err_set(err, ERR_INPUT,
				"identity: qemu.%s differs: recorded with %.100s, this host has %.100s (set POLECAT_QEMU to "
				"another QEMU)",
				members[i], was, is);
	}
	return true;
}

static bool same_qemu(const char *identity_json, const struct hostqemu *qemu, struct err *err)
{
	const struct json *recorded;
	struct json *j = json_parse(identity_json, strlen(identity_json), "identity", err), *host = qemu_json(qemu);
	bool ok = j && json_get(j, "qemu", JSON_OBJECT, &recorded, err) && names_differ(recorded, host, err);
	uint64_t format = 0;
	ok = ok && json_get_u64(j, "format", &format, err);
	if (ok && format != SNAPSHOT_FORMAT)
		ok = err_set(err, ERR_INPUT, "identity: format %" PRIu64 ", expected %d: recorded by another version of polecat",
			format, SNAPSHOT_FORMAT);
	json_destroy(host);
	json_destroy(j);
	return ok;
}

struct snapshot *snapshot_open(const char *cache, const struct hostqemu *qemu, const char *identity_json, struct err *err)
{
	uint8_t digest[DIGEST_SIZE];
	char name[DIGEST_TEXT_MAX];
	if (!same_qemu(identity_json, qemu, err))
		return NULL;
	int dir = open_cache(cache, err);
	if (dir < 0)
		return NULL;
	digest_sha256(identity_json, strlen(identity_json), digest);
	digest_hex(digest, DIGEST_SIZE, name);
	struct snapshot *s = NULL;
	if (there(dir, name))
		s = open_entry(dir, name, qemu->path, err);
	else
		err_set(err, ERR_INPUT,
			"the boot snapshot %.16s that the run started from is no longer in the cache: record its scenario once "
			"more, which makes it again",
			name);
	close(dir);
	return s;
}

/* ---- building ---- */

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
	int fd = file_open_in(b->dir, RAM_FILE, O_RDWR | O_CREAT | O_TRUNC, err);
	bool ok = fd >= 0 && ram_save(machine_memory(m), fd, err);
	/* QEMU leaves words of its own stack in the page that told the kernel where things are; nobody reads it any more. */
	if (ok && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, START_INFO_PAGE, RAM_PAGE) < 0)
		ok = err_sys(err, errno, "writing %s", RAM_FILE);
	if (ok && fsync(fd) < 0)
		ok = err_sys(err, errno, "writing %s", RAM_FILE);
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
		.output_mib = output_of(s),
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
		replaystate_forget_unread(machine_device_fd(m), err) && save_device(b, m, DEVICE_NAME, err);
	machine_destroy(m);
	close(initrd);
	buf_free(&log);
	return ok;
}

/* Third machine: loads "boot" while its own log is still empty and saves "ready", whose place in the log is therefore the start
 * of any log. */
static bool make_ready(const struct build *b, struct machine_base *found, struct err *err)
{
	int device = file_open_in(b->dir, DEVICE_NAME, O_RDONLY, err), ram = file_open_in(b->dir, RAM_FILE, O_RDONLY, err);
	struct machine_base base = {.qemu = b->spec->qemu->path,
		.memory_mib = b->spec->memory_mib,
		.output_mib = output_of(b->spec),
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
		save_device(b, m, DEVICE_NAME, err);
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
	json_put_u64(j, "output_mib", output_of(b->spec));
	json_write_pretty(j, &text);
	json_destroy(j);
	bool ok = file_write_in(b->dir, IDENTITY_NAME, identity, strlen(identity), err) &&
		file_write_in(b->dir, STATE_NAME, text.data, text.size, err);
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
	bool ok = there(dir, name) || build_entry(b, dir, name, identity, err);
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
	int dir = identity ? open_cache(spec->cache, err) : -1;
	if (dir >= 0) {
		digest_hex(digest, DIGEST_SIZE, name);
		if (there(dir, name) || build_under_lock(&b, dir, name, identity, err))
			s = open_entry(dir, name, spec->qemu->path, err);
		close(dir);
	}
	free(identity);
	return s;
}

/* ---- what it holds ---- */

const struct machine_base *snapshot_base(const struct snapshot *s)
{
	return &s->base;
}

const char *snapshot_identity_json(const struct snapshot *s)
{
	return s->identity;
}

void snapshot_identity(const struct snapshot *s, uint8_t out[DIGEST_SIZE])
{
	memcpy(out, s->digest, DIGEST_SIZE);
}

uint64_t snapshot_icount(const struct snapshot *s)
{
	return s->base.icount;
}

unsigned snapshot_memory_mib(const struct snapshot *s)
{
	return s->base.memory_mib;
}

unsigned snapshot_output_mib(const struct snapshot *s)
{
	return s->base.output_mib;
}

/* ---- the cache ---- */

static uint64_t disk_use(int dir, const char *name)
{
	static const char *const files[] = {DEVICE_NAME, RAM_FILE, STATE_NAME, IDENTITY_NAME};
	struct err ignored;
	uint64_t sum = 0;
	int fd = file_open_in(dir, name, O_RDONLY | O_DIRECTORY, &ignored);
	for (size_t i = 0; fd >= 0 && i < sizeof files / sizeof *files; i++) {
		struct stat st;
		if (fstatat(fd, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (uint64_t)st.st_blocks * 512;
	}
	if (fd >= 0)
		close(fd);
	return sum;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct snapshot_entry *)a)->name, ((const struct snapshot_entry *)b)->name);
}

/* A builder at work holds its lock. */
static bool being_built(int dir, const char *name)
{
	char *lock_name = mem_printf(".%s.lock", name);
	int fd = openat(dir, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
	if (fd >= 0)
		close(fd);
	free(lock_name);
	return busy;
}

bool snapshot_list(const char *cache, struct snapshot_entry **list, size_t *count, struct err *err)
{
	uint8_t ignored[DIGEST_SIZE];
	size_t room = 0;
	*list = NULL;
	*count = 0;
	int dir = open_cache(cache, err);
	DIR *entries = dir >= 0 ? fdopendir(dir) : NULL;
	if (!entries)
		return dir < 0 ? false : err_sys(err, errno, "listing boot snapshots");
	for (struct dirent *e; (e = readdir(entries));) {
		const char *name = e->d_name + (e->d_name[0] == '.');
		struct stat st;
		if (!digest_parse(name, ignored) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (e->d_name[0] == '.' && being_built(dir, name))
			continue;
		struct snapshot_entry entry = {
			.disk_bytes = disk_use(dir, e->d_name), .used_s = st.st_mtim.tv_sec, .whole = e->d_name[0] != '.'};
		memcpy(entry.name, name, sizeof entry.name);
		ARRAY_PUSH(*list, *count, room) = entry;
	}
	closedir(entries);
	if (*count)
		qsort(*list, *count, sizeof **list, by_name);
	return true;
}

bool snapshot_remove(const char *cache, const char *name, struct err *err)
{
	uint8_t ignored[DIGEST_SIZE];
	if (!digest_parse(name, ignored))
		return err_set(err, ERR_USAGE, "%.80s is not the name of a boot snapshot: expected 64 hexadecimal digits", name);
	int dir = open_cache(cache, err);
	if (dir < 0)
		return false;
	char *lock_name = mem_printf(".%s.lock", name), *half = mem_printf(".%s", name);
	bool busy;
	int lock = file_lock_in(dir, lock_name, 0, &busy, err);
	/* Renamed first: nobody opens an entry that is half removed. */
	bool ok = lock >= 0 && file_remove_in(dir, half, err) && (renameat(dir, name, dir, half) == 0 || errno == ENOENT) &&
		file_remove_in(dir, half, err);
	if (lock < 0 && busy)
		err_set(err, ERR_SYSTEM, "boot snapshot %.16s is being built by another polecat", name);
	if (lock >= 0) {
		unlinkat(dir, lock_name, 0);
		close(lock);
	}
	close(dir);
	free(lock_name);
	free(half);
	return ok;
}
