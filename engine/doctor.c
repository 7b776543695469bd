#include "engine/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "engine/checkpoint.h"
#include "engine/file.h"
#include "engine/orders.h"
#include "engine/replaylog.h"
#include "engine/scan.h"
#include "engine/scenario.h"

enum { RUN_MS = 60000, DISK_LOW_MIB = 1024, MEMORY_LOW_MIB = 512, STOPS = 5 };

/* Processes, sleeping, output: what the machine of a real run does. */
static const char scenario_text[] =
	"polecat: 1\n"
	"name: doctor\n"
	"machine: {memory: 128MiB}\n"
	"nodes:\n"
	"  patient:\n"
	"    workload: {binary: \"%s\"}\n"
	"    command: [/busybox, sh, -c, \"for i in 1 2 3 4 5 6 7 8; do echo pulse $i; sleep 0.02; done\"]\n"
	"properties:\n"
	"  - {id: lives, eventually: {node: patient, exited: 0}}\n"
	"limits: {vtime: 30s}\n";

/* What a machine was like when it had stopped. */
struct shape {
	uint64_t icount, serial_size;
	uint8_t registers[DIGEST_SIZE], memory[DIGEST_SIZE];
};

struct doctor {
	struct doctor_report *report;
	struct progress progress;
	struct cancel *cancel;
	doctor_told *told;
	void *data;
	struct hostqemu qemu;
	char *cache, *busybox;
	struct scenario *scenario;
	struct prepared prepared;
	struct buf orders, log;
	struct shape end; /* of the first recording */
	uint64_t *icounts;
	size_t icount_count;
};

const char *doctor_status_name(enum doctor_status status)
{
	static const char *const names[] = {"ok", "warning", "bad", "skipped"};
	return names[status];
}

/* ---- the host ---- */

static bool check_qemu(struct doctor *d, char *text, size_t room, struct err *err)
{
	if (!hostqemu_find(&d->qemu, d->cache, err))
		return false;
	snprintf(text, room, "%s is QEMU %s%s%s", d->qemu.path, d->qemu.version, *d->qemu.package ? ", " : "", d->qemu.package);
	return true;
}

static bool check_cache(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct statvfs s;
	d->cache = file_cache_dir(err);
	int dir = d->cache ? file_open_dir(d->cache, err) : -1;
	if (dir < 0)
		return false;
	bool ok = file_write_in(dir, "doctor", "", 0, err) && file_remove_in(dir, "doctor", err);
	ok = ok && (fstatvfs(dir, &s) == 0 || err_set(err, ERR_SYSTEM, "cannot tell the free space of %s", d->cache));
	close(dir);
	if (!ok)
		return false;
	uint64_t free_mib = (uint64_t)s.f_bavail * s.f_frsize >> 20;
	snprintf(text, room, "%s, %" PRIu64 " MiB free%s", d->cache, free_mib,
		free_mib < DISK_LOW_MIB ? ": a boot snapshot needs about 100 MiB" : "");
	if (free_mib < DISK_LOW_MIB)
		d->report->checks[DOCTOR_CACHE].status = DOCTOR_WARNING;
	return true;
}

static bool check_memory(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct buf info = {0};
	bool ok = file_read("/proc/meminfo", 65536, &info, err);
	const char *line = ok ? strstr(info.data, "MemAvailable:") : NULL;
	uint64_t mib = line ? strtoull(line + 13, NULL, 10) >> 10 : 0;
	snprintf(text, room, "%" PRIu64 " MiB available%s", mib, mib < MEMORY_LOW_MIB ? ": a run needs 200 MiB and more" : "");
	if (mib < MEMORY_LOW_MIB)
		d->report->checks[DOCTOR_MEMORY].status = DOCTOR_WARNING;
	buf_free(&info);
	return ok;
}

static bool check_busybox(struct doctor *d, char *text, size_t room, struct err *err)
{
	d->busybox = image_find_busybox(err);
	if (d->busybox)
		snprintf(text, room, "%s", d->busybox);
	return d->busybox != NULL;
}

static bool check_kernel(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct kernel *k = kernel_get(d->cache, NULL, NULL, err);
	if (k)
		snprintf(text, room, "Linux %s with %zu modules", k->release, k->module_count);
	kernel_destroy(k);
	return k != NULL;
}

/* ---- the patient ---- */

static bool make_orders(struct doctor *d, struct err *err)
{
	struct plan *plan = plan_make(d->scenario, 1, err);
	bool ok = plan && orders_encode(plan, &d->orders, err);
	plan_destroy(plan);
	return ok;
}

static bool check_boot(struct doctor *d, char *text, size_t room, struct err *err)
{
	char *yaml = mem_printf(scenario_text, d->busybox);
	d->scenario = scenario_parse(yaml, strlen(yaml), "doctor's scenario", "", err);
	free(yaml);
	if (!d->scenario || !make_orders(d, err) || !prepare_scenario(&d->prepared, d->scenario, d->progress, d->cancel, err))
		return false;
	snprintf(text, room, "the guest is ready after %" PRIu64 " M instructions",
		snapshot_icount(d->prepared.snapshot) / 1000000);
	return true;
}

static struct machine *start_with(struct doctor *d, enum machine_mode mode, const char *const *plugins, struct err *err)
{
	struct machine_options o = {.mode = mode,
		.plugins = plugins,
		.base = snapshot_base(d->prepared.snapshot),
		.orders = d->orders.data,
		.orders_size = d->orders.size,
		.log = d->log.data,
		.log_size = d->log.size,
		.cancel_fd = d->cancel ? d->cancel->fd : -1};
	return machine_start(&o, err);
}

static struct machine *start(struct doctor *d, enum machine_mode mode, struct err *err)
{
	return start_with(d, mode, NULL, err);
}

static bool look(struct machine *m, struct shape *s, struct err *err)
{
	struct buf text = {0};
	bool ok = machine_icount(m, &s->icount, err) && machine_registers(m, &text, err) && machine_ram_digest(m, s->memory, err);
	if (ok)
		digest_sha256(text.data, text.size, s->registers);
	s->serial_size = machine_serial_size(m);
	buf_free(&text);
	return ok;
}

static bool same(const struct shape *a, const struct shape *b, const char *what, struct err *err)
{
	const char *differs = a->icount != b->icount              ? "the instruction count"
		: a->serial_size != b->serial_size                ? "what the guest said"
		: memcmp(a->memory, b->memory, DIGEST_SIZE)       ? "memory"
		: memcmp(a->registers, b->registers, DIGEST_SIZE) ? "the registers"
								  : NULL;
	return !differs || err_set(err, ERR_DIVERGED, "%s: %s differs", what, differs);
}

/* From `ready` to the end, which must be the guest's own. */
static bool run_to_end(struct machine *m, struct shape *end, struct err *err)
{
	enum machine_state state;
	if (!machine_cont(m, err) || !machine_poll(m, RUN_MS, &state, err))
		return false;
	if (state == MACHINE_BARRIER)
		return look(m, end, err);
	struct buf why = {0};
	machine_diagnosis(m, &why);
	err_set(err, ERR_QEMU, "the run did not come to its end (%s): %.800s",
		state == MACHINE_RUNNING ? "it still runs" : "it stopped", why.data ? why.data : "");
	buf_free(&why);
	return false;
}

static bool check_record(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct machine *m = start(d, MACHINE_RECORD, err);
	bool ok = m && run_to_end(m, &d->end, err) && machine_log(m, &d->log, err) &&
		replaylog_serial((const uint8_t *)d->log.data, d->log.size, &d->icounts, &d->icount_count, NULL, err);
	machine_destroy(m);
	if (ok && d->icount_count < 10)
		ok = err_set(err, ERR_QEMU, "the guest said only %zu things", d->icount_count);
	snprintf(text, room, "%" PRIu64 " M instructions, %zu frames, log of %zu bytes",
		(d->end.icount - snapshot_icount(d->prepared.snapshot)) / 1000000, d->icount_count, d->log.size);
	return ok;
}

static bool check_repeat(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct shape again;
	struct machine *m = start(d, MACHINE_RECORD, err);
	bool ok = m && run_to_end(m, &again, err) && same(&d->end, &again, "a second recording", err);
	machine_destroy(m);
	snprintf(text, room, "a second recording from scratch is equal: instructions, registers, memory");
	return ok;
}

static bool check_replay(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct shape again;
	struct machine *m = start(d, MACHINE_REPLAY, err);
	bool ok = m && run_to_end(m, &again, err) && same(&d->end, &again, "the replay", err);
	machine_destroy(m);
	snprintf(text, room, "the replay is equal: instructions, registers, memory");
	return ok;
}

static bool check_stop(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct machine *m = start(d, MACHINE_REPLAY, err);
	enum machine_state state;
	uint64_t now = 0;
	bool ok = m != NULL;
	for (size_t i = 0; ok && i < STOPS; i++) {
		size_t frame = i * (d->icount_count - 2) / (STOPS - 1);
		uint64_t at = machine_start_icount(m) + d->icounts[frame];
		for (uint64_t step = 0; ok && step < 2; step++) {
			uint64_t wanted = step ? at + 1 : at - 1;
			ok = machine_run_to(m, wanted, &state, err) && machine_icount(m, &now, err);
			if (ok && (now != wanted || machine_serial_size(m) != frame + step))
				ok = err_set(err, ERR_QEMU,
					"asked to stop at %" PRIu64 ", stopped at %" PRIu64 " with %" PRIu64
					" frames, expected %zu",
					wanted, now, machine_serial_size(m), frame + (size_t)step);
		}
	}
	machine_destroy(m);
	snprintf(text, room, "%d stops, each exact to the instruction", 2 * STOPS);
	return ok;
}

static bool seek(struct machine *m, struct shape *early, char *text, size_t room, struct err *err)
{
	struct shape late, again;
	enum machine_state state;
	uint64_t start = machine_start_icount(m), span = machine_end_icount(m) - start;
	if (!machine_run_to(m, start + span / 2, &state, err) || !look(m, early, err))
		return false;
	struct checkpoint *c = checkpoint_take(m, NULL, err);
	bool ok = c && machine_run_to(m, start + span * 3 / 4, &state, err) && look(m, &late, err) &&
		checkpoint_restore(m, c, err) && look(m, &again, err) && same(early, &again, "back at a checkpoint", err) &&
		machine_run_to(m, start + span * 3 / 4, &state, err) && look(m, &again, err) &&
		same(&late, &again, "forward from a checkpoint", err) && checkpoint_restore_ready(m, err) &&
		machine_run_to(m, start + span / 2, &state, err) && look(m, &again, err) &&
		same(early, &again, "from the start again", err);
	snprintf(text, room, "there and back: registers and memory are equal (checkpoint of %zu KiB)",
		c ? checkpoint_bytes(c) >> 10 : 0);
	checkpoint_destroy(c);
	return ok;
}

static bool check_seek(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct shape early;
	struct machine *m = start(d, MACHINE_REPLAY, err);
	bool ok = m && seek(m, &early, text, room, err);
	machine_destroy(m);
	return ok;
}

/* Scans need a plugin in QEMU; everything else works without it, so a QEMU that does not take it is a warning. */
static bool check_plugin(struct doctor *d, char *text, size_t room, struct err *err)
{
	struct shape again;
	struct err why;
	struct scan *scan = scan_create(&why);
	struct machine *m = scan ? start_with(d, MACHINE_REPLAY, scan_plugins(scan), &why) : NULL;
	bool ok = !m || (run_to_end(m, &again, err) && same(&d->end, &again, "a replay with the plugin", err));
	snprintf(text, room, "QEMU loads polecat's plugin, and a replay with it is equal");
	if (!m) {
		snprintf(text, room, "no scans (last, until, watch): %.300s", why.text);
		d->report->checks[DOCTOR_PLUGIN].status = DOCTOR_WARNING;
	}
	machine_destroy(m);
	scan_destroy(scan);
	return ok;
}

/* ---- all of them ---- */

typedef bool check_function(struct doctor *d, char *text, size_t room, struct err *err);

#define NEEDS(id) (1u << (id))

static const struct row {
	const char *name;
	check_function *run;
	unsigned needs;
} rows[DOCTOR_CHECKS] = {
	[DOCTOR_CACHE] = {"cache", check_cache, 0},
	[DOCTOR_QEMU] = {"qemu", check_qemu, 0},
	[DOCTOR_MEMORY] = {"memory", check_memory, 0},
	[DOCTOR_BUSYBOX] = {"busybox", check_busybox, 0},
	[DOCTOR_KERNEL] = {"kernel", check_kernel, NEEDS(DOCTOR_CACHE)},
	[DOCTOR_BOOT] = {"boot", check_boot,
		NEEDS(DOCTOR_QEMU) | NEEDS(DOCTOR_CACHE) | NEEDS(DOCTOR_BUSYBOX) | NEEDS(DOCTOR_KERNEL)},
	[DOCTOR_RECORD] = {"record", check_record, NEEDS(DOCTOR_BOOT)},
	[DOCTOR_REPEAT] = {"repeat", check_repeat, NEEDS(DOCTOR_RECORD)},
	[DOCTOR_REPLAY] = {"replay", check_replay, NEEDS(DOCTOR_RECORD)},
	[DOCTOR_STOP] = {"stop", check_stop, NEEDS(DOCTOR_REPLAY)},
	[DOCTOR_SEEK] = {"seek", check_seek, NEEDS(DOCTOR_REPLAY)},
	[DOCTOR_PLUGIN] = {"plugin", check_plugin, NEEDS(DOCTOR_REPLAY)},
};

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The name of a check that this one needs and that is not good, or NULL. */
static const char *blocked_by(const struct doctor *d, const struct row *row)
{
	for (unsigned i = 0; i < DOCTOR_CHECKS; i++)
		if ((row->needs & NEEDS(i)) && d->report->checks[i].status >= DOCTOR_BAD)
			return rows[i].name;
	return NULL;
}

/* False only when cancelled. */
static bool check(struct doctor *d, enum doctor_id id, struct err *err)
{
	struct doctor_check *c = &d->report->checks[id];
	struct err why = {0};
	const char *blocker = blocked_by(d, &rows[id]);
	double start_s = seconds();
	c->name = rows[id].name;
	c->status = DOCTOR_GOOD;
	if (blocker) {
		c->status = DOCTOR_SKIPPED;
		snprintf(c->text, sizeof c->text, "needs %s", blocker);
	} else if (!rows[id].run(d, c->text, sizeof c->text, &why)) {
		c->status = DOCTOR_BAD;
		snprintf(c->text, sizeof c->text, "%s", why.text);
	}
	if (why.code == ERR_CANCELLED) {
		if (err)
			*err = why;
		return false;
	}
	c->seconds = seconds() - start_s;
	d->report->bad += c->status == DOCTOR_BAD;
	d->report->warnings += c->status == DOCTOR_WARNING;
	if (d->told)
		d->told(d->data, c);
	return cancel_check(d->cancel, err);
}

bool doctor_run(struct doctor_report *report, struct progress progress, struct cancel *cancel, doctor_told *told, void *data,
	struct err *err)
{
	struct doctor d = {.report = report, .progress = progress, .cancel = cancel, .told = told, .data = data};
	bool ok = true;
	*report = (struct doctor_report){0};
	for (unsigned i = 0; ok && i < DOCTOR_CHECKS; i++)
		ok = check(&d, i, err);
	prepare_finish(&d.prepared);
	scenario_destroy(d.scenario);
	hostqemu_finish(&d.qemu);
	buf_free(&d.orders);
	buf_free(&d.log);
	free(d.icounts);
	free(d.busybox);
	free(d.cache);
	return ok;
}
