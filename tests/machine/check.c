/* Tests of the machine layer on a real QEMU with a guest of our own: build/MODE/machine-check GUEST. Uses the cache directory of
 * the environment, so the guest boots once. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/checkpoint.h"
#include "engine/file.h"
#include "engine/hostqemu.h"
#include "engine/machine.h"
#include "engine/replaylog.h"
#include "engine/snapshot.h"

enum { WAIT_MS = 60000, SAMPLES = 50, RESTORES = 60 };

struct world {
	struct snapshot *snapshot;
	const struct machine_base *base;
	int passed, failed;
	bool ok; /* of the test that runs now */
};

/* What a finished machine was like. */
struct outcome {
	struct buf serial, log, output;
	uint64_t icount;
	uint8_t memory[DIGEST_SIZE], registers[DIGEST_SIZE];
	enum machine_state state;
};

static void check(struct world *w, bool ok, const char *what, const struct err *err)
{
	if (ok)
		return;
	w->ok = false;
	printf("  FAIL: %s%s%s\n", what, err && err->text[0] ? ": " : "", err ? err->text : "");
}

static void outcome_finish(struct outcome *o)
{
	buf_free(&o->serial);
	buf_free(&o->log);
	buf_free(&o->output);
}

static bool look(struct machine *m, struct outcome *o, struct err *err)
{
	struct buf text = {0};
	uint64_t offset = 0;
	size_t size;
	const uint8_t *output = machine_output(m, &size);
	buf_clear(&o->serial);
	buf_clear(&o->output);
	buf_add(&o->output, output, 1 << 20);
	bool ok = machine_icount(m, &o->icount, err) && machine_registers(m, &text, err) &&
		machine_ram_digest(m, o->memory, err) && machine_serial(m, &offset, &o->serial, err);
	digest_sha256(text.data ? text.data : "", text.size, o->registers);
	o->state = machine_state(m);
	buf_free(&text);
	return ok;
}

static struct machine *start(struct world *w, enum machine_mode mode, const char *orders, const struct buf *log, struct err *err)
{
	struct machine_options o = {.mode = mode,
		.base = w->base,
		.orders = orders,
		.orders_size = strlen(orders),
		.log = log ? log->data : NULL,
		.log_size = log ? log->size : 0,
		.cancel_fd = -1};
	return machine_start(&o, err);
}

static bool run(
	struct world *w, enum machine_mode mode, const char *orders, const struct buf *log, struct outcome *o, struct err *err)
{
	enum machine_state state;
	struct machine *m = start(w, mode, orders, log, err);
	bool ok = m && machine_cont(m, err) && machine_poll(m, WAIT_MS, &state, err);
	if (ok && state == MACHINE_RUNNING)
		ok = err_set(err, ERR_QEMU, "still running after %d ms", WAIT_MS);
	ok = ok && look(m, o, err) && (mode == MACHINE_REPLAY || machine_log(m, &o->log, err));
	machine_destroy(m);
	return ok;
}

static bool alike(const struct outcome *a, const struct outcome *b)
{
	return a->icount == b->icount && a->state == b->state && a->serial.size == b->serial.size &&
		!memcmp(a->serial.data, b->serial.data, a->serial.size) &&
		!memcmp(a->output.data, b->output.data, a->output.size) && !memcmp(a->memory, b->memory, DIGEST_SIZE) &&
		!memcmp(a->registers, b->registers, DIGEST_SIZE);
}

/* ---- the tests ---- */

static void records_and_replays_alike(struct world *w)
{
	struct outcome a = {0}, b = {0}, c = {0}, d = {0};
	struct err err = {0};
	check(w, run(w, MACHINE_RECORD, "l25", NULL, &a, &err), "first recording", &err);
	check(w, run(w, MACHINE_RECORD, "l25", NULL, &b, &err), "second recording", &err);
	check(w, run(w, MACHINE_REPLAY, "l25", &a.log, &c, &err), "replay", &err);
	if (!w->ok)
		goto out;
	check(w, a.state == MACHINE_BARRIER, "the run ends at the barrier", NULL);
	check(w, a.serial.size > 200 && !memcmp(a.serial.data, "start\n", 6), "the guest spoke", NULL);
	check(w, !memcmp(a.output.data, "polecat\1", 8) && !memcmp(a.output.data + 4096, "0 ", 2), "the guest wrote its region",
		NULL);
	check(w, alike(&a, &b), "two recordings from scratch are equal", NULL);
	check(w, alike(&a, &c), "the replay is equal", NULL);
	check(w, run(w, MACHINE_RECORD, "l26", NULL, &d, &err) && !alike(&a, &d), "other orders, another run", &err);
out:
	outcome_finish(&a);
	outcome_finish(&b);
	outcome_finish(&c);
	outcome_finish(&d);
}

static void counts_of_serial_bytes_are_exact(struct world *w)
{
	struct outcome a = {0};
	struct err err = {0};
	uint64_t *icounts = NULL, total = 0;
	size_t count = 0;
	enum machine_state state;
	struct machine *m = NULL;
	bool ok = run(w, MACHINE_RECORD, "l25", NULL, &a, &err) &&
		replaylog_serial((const uint8_t *)a.log.data, a.log.size, &icounts, &count, &total, &err) &&
		(m = start(w, MACHINE_REPLAY, "l25", &a.log, &err)) != NULL;
	check(w, ok, "recording and its log", &err);
	check(w, !ok || count == a.serial.size, "one count for each byte", NULL);
	check(w, !ok || total == a.icount - w->base->icount, "the log's total is the end", NULL);
	for (size_t i = 0; ok && i < SAMPLES; i++) {
		size_t byte = i * (count - 1) / (SAMPLES - 1);
		uint64_t at = w->base->icount + icounts[byte], now = 0;
		bool last = at == machine_end_icount(m);
		ok = machine_run_to(m, at - 1, &state, &err) && machine_icount(m, &now, &err);
		check(w, ok && now == at - 1 && machine_serial_size(m) == byte, "before the count the byte is not yet written",
			&err);
		if (!ok || last)
			break;
		ok = machine_run_to(m, at + 1, &state, &err) && machine_icount(m, &now, &err);
		check(w, ok && now == at + 1 && machine_serial_size(m) == byte + 1, "after the count the byte is written", &err);
	}
	machine_destroy(m);
	free(icounts);
	outcome_finish(&a);
}

static void checkpoints_bring_everything_back(struct world *w)
{
	struct outcome a = {0}, mid = {0}, late = {0}, again = {0};
	struct err err = {0};
	enum machine_state state;
	struct machine *m = NULL;
	struct checkpoint *c = NULL, *d = NULL;
	uint64_t start_icount = w->base->icount;
	bool ok = run(w, MACHINE_RECORD, "l25", NULL, &a, &err) && (m = start(w, MACHINE_REPLAY, "l25", &a.log, &err)) != NULL;
	uint64_t span = a.icount - start_icount;
	ok = ok && machine_run_to(m, start_icount + span / 2, &state, &err) && look(m, &mid, &err) &&
		(c = checkpoint_take(m, NULL, &err)) != NULL && machine_run_to(m, start_icount + span * 3 / 4, &state, &err) &&
		look(m, &late, &err) && (d = checkpoint_take(m, c, &err)) != NULL;
	check(w, ok, "two checkpoints", &err);
	for (int i = 0; ok && i < 3; i++) {
		ok = checkpoint_restore(m, c, &err) && look(m, &again, &err);
		mid.state = again.state;
		check(w, ok && alike(&mid, &again), "back at the first checkpoint", &err);
		ok = ok && machine_run_to(m, start_icount + span * 3 / 4, &state, &err) && look(m, &again, &err);
		check(w, ok && alike(&late, &again), "forward from it", &err);
		ok = ok && checkpoint_restore(m, c, &err) && checkpoint_restore(m, d, &err) && look(m, &again, &err);
		late.state = again.state;
		check(w, ok && alike(&late, &again), "straight to the second one", &err);
		late.state = MACHINE_AT_BREAK;
	}
	checkpoint_destroy(c);
	ok = ok && checkpoint_restore_ready(m, &err) && machine_cont(m, &err) && machine_poll(m, WAIT_MS, &state, &err) &&
		look(m, &again, &err);
	check(w, ok && alike(&a, &again), "from the start to the end once more", &err);
	ok = ok && checkpoint_restore(m, d, &err) && look(m, &again, &err);
	late.state = again.state;
	check(w, ok && alike(&late, &again), "back from the end, the first checkpoint being gone", &err);
	checkpoint_destroy(d);
	machine_destroy(m);
	outcome_finish(&a);
	outcome_finish(&mid);
	outcome_finish(&late);
	outcome_finish(&again);
}

/* loadvm once made QEMU wait for itself, about one time in five. */
static void many_restores_in_a_row(struct world *w)
{
	struct outcome a = {0};
	struct err err = {0};
	enum machine_state state;
	struct machine *m = NULL;
	bool ok = run(w, MACHINE_RECORD, "l3", NULL, &a, &err) && (m = start(w, MACHINE_REPLAY, "l3", &a.log, &err)) != NULL;
	uint64_t span = a.icount - w->base->icount;
	for (int i = 0; ok && i < RESTORES; i++) {
		uint64_t to = i % 3 == 0 ? a.icount : w->base->icount + span / 2 + (unsigned)(i * 7919) % 1000;
		ok = machine_run_to(m, to, &state, &err) && checkpoint_restore_ready(m, &err);
	}
	check(w, ok, "there and back again", &err);
	machine_destroy(m);
	outcome_finish(&a);
}

static void ends_of_the_log_are_ends(struct world *w)
{
	struct outcome a = {0};
	struct err err = {0};
	enum machine_state state;
	uint64_t now = 0;
	struct machine *m = NULL;
	bool ok = run(w, MACHINE_RECORD, "l3", NULL, &a, &err) && (m = start(w, MACHINE_REPLAY, "l3", &a.log, &err)) != NULL;
	check(w, ok, "recording and replay", &err);
	check(w, !ok || !machine_break(m, a.icount + 1, &err), "no break behind the end", NULL);
	check(w, strstr(err.text, "no instruction") != NULL, "and a sentence about it", NULL);
	check(w, !ok || !machine_break(m, w->base->icount - 1, &err), "no break before the start", NULL);
	ok = ok && machine_run_to(m, a.icount, &state, &err) && machine_icount(m, &now, &err);
	check(w, ok && now == a.icount && machine_serial_size(m) == a.serial.size, "the last instruction can be reached", &err);
	machine_destroy(m);
	outcome_finish(&a);
}

/* A recording that is given up while the guest runs ends somewhere; its replay must end there and not wait for ever. */
static void a_recording_given_up_replays_to_its_end(struct world *w)
{
	struct err err = {0};
	struct buf log = {0};
	enum machine_state state;
	uint64_t now = 0;
	struct machine *m = start(w, MACHINE_RECORD, "s0", NULL, &err);
	bool ok = m && machine_cont(m, &err) && machine_poll(m, 300, &state, &err) && state == MACHINE_RUNNING &&
		machine_log(m, &log, &err);
	check(w, ok, "recording for 0.3 s", &err);
	machine_destroy(m);
	m = ok ? start(w, MACHINE_REPLAY, "s0", &log, &err) : NULL;
	ok = m && machine_cont(m, &err) && machine_poll(m, WAIT_MS, &state, &err) && machine_icount(m, &now, &err);
	check(w, ok && state == MACHINE_AT_BREAK && now == machine_end_icount(m), "its replay stops at the end", &err);
	machine_destroy(m);
	buf_free(&log);
}

static void a_panic_is_told_and_replays(struct world *w)
{
	struct outcome a = {0}, b = {0};
	struct err err = {0};
	struct buf console = {0};
	enum machine_state state;
	struct machine *m = start(w, MACHINE_RECORD, "p0", NULL, &err);
	bool ok = m && machine_cont(m, &err) && machine_poll(m, WAIT_MS, &state, &err) && look(m, &a, &err);
	check(w, ok && state == MACHINE_GUEST_DIED, "the guest dies", &err);
	if (m)
		machine_console(m, &console);
	check(w, console.data && strstr(console.data, "Kernel panic"), "the console says why", NULL);
	check(w, ok && machine_log(m, &a.log, &err), "there is a log", &err);
	machine_destroy(m);
	check(w, ok && run(w, MACHINE_REPLAY, "p0", &a.log, &b, &err), "replay", &err);
	check(w, ok && b.icount == a.icount && a.serial.size == b.serial.size && !memcmp(a.memory, b.memory, DIGEST_SIZE),
		"the replay dies alike", NULL);
	buf_free(&console);
	outcome_finish(&a);
	outcome_finish(&b);
}

static void a_killed_qemu_is_an_error_value(struct world *w)
{
	struct err err = {0};
	struct buf text = {0}, log = {0};
	enum machine_state state;
	struct machine *m = start(w, MACHINE_RECORD, "s0", NULL, &err);
	bool ok = m && machine_cont(m, &err) && machine_poll(m, 50, &state, &err);
	check(w, ok && state == MACHINE_RUNNING, "the guest runs", &err);
	if (ok) {
		kill(machine_pid(m), SIGKILL);
		ok = machine_poll(m, WAIT_MS, &state, &err);
		check(w, ok && state == MACHINE_DIED, "its death is a state", &err);
		machine_diagnosis(m, &text);
		check(w, text.data && strstr(text.data, "signal 9"), "and told", NULL);
		check(w, !machine_cont(m, &err) && !machine_log(m, &log, &err), "nothing more works", NULL);
		check(w, err.code == ERR_INPUT || err.code == ERR_QEMU, "and each failure has a sentence", NULL);
	}
	machine_destroy(m);
	buf_free(&text);
	buf_free(&log);
}

static void waits_can_be_cancelled(struct world *w)
{
	struct err err = {0};
	int ends[2];
	enum machine_state state;
	if (pipe(ends) < 0)
		return check(w, false, "a pipe", NULL);
	struct machine_options o = {
		.mode = MACHINE_RECORD, .base = w->base, .orders = "s0", .orders_size = 2, .cancel_fd = ends[0]};
	struct machine *m = machine_start(&o, &err);
	check(w, m && machine_cont(m, &err), "start", &err);
	check(w, write(ends[1], "x", 1) == 1 && m && !machine_poll(m, -1, &state, &err) && err.code == ERR_CANCELLED, "cancelled",
		&err);
	machine_destroy(m);
	close(ends[0]);
	close(ends[1]);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Figures, for the reader; nothing is judged. */
static void figures(struct world *w)
{
	struct err err = {0};
	struct outcome a = {0};
	enum machine_state state;
	double t[8] = {0};
	if (!run(w, MACHINE_RECORD, "l25", NULL, &a, &err))
		return;
	t[0] = seconds();
	struct machine *m = start(w, MACHINE_REPLAY, "l25", &a.log, &err);
	t[1] = seconds();
	if (m && machine_run_to(m, w->base->icount + (a.icount - w->base->icount) / 2, &state, &err)) {
		t[2] = seconds();
		struct checkpoint *c = checkpoint_take(m, NULL, &err);
		t[3] = seconds();
		machine_run_to(m, a.icount, &state, &err);
		t[4] = seconds();
		checkpoint_restore(m, c, &err);
		t[5] = seconds();
		uint8_t digest[DIGEST_SIZE];
		machine_ram_digest(m, digest, &err);
		t[6] = seconds();
		printf("  start %.1f ms, checkpoint %.1f ms (%zu KiB), restore %.1f ms, memory digest %.1f ms, %.0f M "
		       "instructions/s\n",
			1e3 * (t[1] - t[0]), 1e3 * (t[3] - t[2]), checkpoint_bytes(c) >> 10, 1e3 * (t[5] - t[4]),
			1e3 * (t[6] - t[5]), (double)(a.icount - w->base->icount) / 1e6 / (t[4] - t[3] + t[2] - t[1]));
		checkpoint_destroy(c);
	}
	machine_destroy(m);
	outcome_finish(&a);
}

static bool prepare(struct world *w, const char *guest, struct err *err)
{
	struct hostqemu qemu = {0};
	struct kernel *kernel = NULL;
	char *cache = file_cache_dir(err);
	bool ok = cache && hostqemu_find(&qemu, cache, err) && (kernel = kernel_get(cache, NULL, NULL, err)) != NULL;
	struct image_spec image = {.agent = guest};
	struct snapshot_spec spec = {
		.cache = cache, .qemu = &qemu, .kernel = kernel, .image = &image, .memory_mib = 128, .cancel_fd = -1};
	double t = seconds();
	w->snapshot = ok ? snapshot_get(&spec, NULL, NULL, err) : NULL;
	if (w->snapshot) {
		w->base = snapshot_base(w->snapshot);
		printf("  boot snapshot at %" PRIu64 " instructions, %.1f s\n", w->base->icount, seconds() - t);
	}
	kernel_destroy(kernel);
	hostqemu_finish(&qemu);
	free(cache);
	return w->snapshot != NULL;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct world *w);
	} tests[] = {{"records and replays alike", records_and_replays_alike},
		{"counts of serial bytes are exact", counts_of_serial_bytes_are_exact},
		{"checkpoints bring everything back", checkpoints_bring_everything_back},
		{"many restores in a row", many_restores_in_a_row}, {"ends of the log are ends", ends_of_the_log_are_ends},
		{"a recording given up replays to its end", a_recording_given_up_replays_to_its_end},
		{"a panic is told and replays", a_panic_is_told_and_replays},
		{"a killed QEMU is an error value", a_killed_qemu_is_an_error_value},
		{"waits can be cancelled", waits_can_be_cancelled}, {"figures", figures}};
	struct world w = {0};
	struct err err = {0};
	if (argc < 2 || !prepare(&w, argv[1], &err)) {
		fprintf(stderr, "machine-check: %s\n", argc < 2 ? "usage: machine-check GUEST [TEST]" : err.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		if (argc > 2 && strcmp(argv[2], tests[i].name))
			continue;
		w.ok = true;
		double t = seconds();
		tests[i].run(&w);
		printf("%s %s (%.2f s)\n", w.ok ? "ok" : "FAILED", tests[i].name, seconds() - t);
		*(w.ok ? &w.passed : &w.failed) += 1;
	}
	snapshot_destroy(w.snapshot);
	printf("%d passed, %d failed\n", w.passed, w.failed);
	return w.failed != 0;
}
