/*
 * seeks RUN straight|WAY FIRST COUNT [SPACING [BUDGET_MIB]]: what the machine of a recorded run is at COUNT random moments, of
 * those that a fixed seed gives the ones from FIRST on: a line for each, with its instruction count, a digest of the registers
 *and one of the memory (of all pages that differ from the boot snapshot, which is the same for everybody).
 *
 * straight goes to them in their order with a bare replaying machine: no checkpoint, no way back. The other ways are debug
 * sessions, which go to them as they come:
 *	made	makes checkpoints as it goes, and in the background, and keeps them for the next session
 *	kept	the same, and fails unless there were some to begin with
 *	alone	neither uses nor keeps any of other sessions
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/prepare.h"
#include "engine/recorded.h"
#include "engine/rng.h"
#include "engine/session.h"

enum { ARGUMENTS = 7, SEED = 20, ONE_MIB = 6 };

struct request {
	const char *run, *way;
	size_t first, count, budget_mib;
	uint64_t spacing;
	uint64_t *moments;
};

static void add_page(void *data, uint32_t number, const uint8_t *page, const uint8_t *ready)
{
	uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
	(void)ready;
	digest_add(data, bytes, sizeof bytes);
	digest_add(data, page, RAM_PAGE);
}

static bool say(struct machine *m, uint64_t icount, struct err *err)
{
	struct buf registers = {0};
	uint8_t sum[DIGEST_SIZE];
	char first[DIGEST_TEXT_MAX], second[DIGEST_TEXT_MAX];
	uint64_t at;
	struct digest *d = digest_create();
	bool ok = machine_icount(m, &at, err) && machine_registers(m, &registers, err) &&
		ram_compare(machine_memory(m), machine_ready_memory(m), add_page, d, err);
	if (ok && at - machine_start_icount(m) != icount)
		ok = err_set(err, ERR_DIVERGED, "the machine is at %" PRIu64 ", not at %" PRIu64, at - machine_start_icount(m),
			icount);
	if (ok) {
		digest_end(d, sum);
		digest_hex(sum, sizeof sum, second);
		digest_sha256(registers.data, registers.size, sum);
		digest_hex(sum, sizeof sum, first);
		printf("%" PRIu64 " %s %s\n", icount, first, second);
	}
	digest_destroy(d);
	buf_free(&registers);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void draw(struct request *r, uint64_t end)
{
	struct rng rng;
	rng_init(&rng, SEED, "seeks");
	r->moments = mem_array(r->count, sizeof *r->moments);
	for (size_t i = 0; i < r->first + r->count; i++) {
		uint64_t moment = rng_range(&rng, (struct text_range){0, end});
		if (i >= r->first)
			r->moments[i - r->first] = moment;
	}
}

static bool straight(struct request *r, struct err *err)
{
	struct recorded recorded;
	struct prepared prepared = {0};
	if (!recorded_load(&recorded, r->run, err) || !prepare_recorded(&prepared, &recorded.manifest, err))
		return false;
	struct machine_options options = {.mode = MACHINE_REPLAY,
		.base = snapshot_base(prepared.snapshot),
		.orders = recorded.orders.data,
		.orders_size = recorded.orders.size,
		.log = recorded.log.data,
		.log_size = recorded.log.size,
		.cancel_fd = -1};
	struct machine *m = machine_start(&options, err);
	enum machine_state state;
	bool ok = m != NULL;
	draw(r, recorded.manifest.icount);
	qsort(r->moments, r->count, sizeof *r->moments, by_value);
	for (size_t i = 0; ok && i < r->count; i++)
		ok = machine_run_to(m, machine_start_icount(m) + r->moments[i], &state, err) && say(m, r->moments[i], err);
	machine_destroy(m);
	prepare_finish(&prepared);
	recorded_finish(&recorded);
	return ok;
}

static bool jump(struct request *r, struct err *err)
{
	struct session_options options = {.run = r->run,
		.spacing = r->spacing,
		.budget_mib = (unsigned)r->budget_mib,
		.store_nothing = !strcmp(r->way, "alone")};
	struct session *s = session_open(&options, err);
	if (!s)
		return false;
	struct walk_checkpoints known;
	walk_checkpoints(session_walk(s), &known);
	bool ok = strcmp(r->way, "kept") || known.stored || err_set(err, ERR_SYSTEM, "no checkpoints were kept");
	size_t stored = known.stored, most = 0;
	draw(r, session_end(s));
	for (size_t i = 0; ok && i < r->count; i++) {
		struct walk_trip trip;
		ok = session_go(s, r->moments[i], &trip, err);
		session_idle(s, NULL, NULL);
		ok = ok && say(walk_machine(session_walk(s)), r->moments[i], err);
		walk_checkpoints(session_walk(s), &known);
		most = known.count > most ? known.count : most;
		/* The one that it stands at may be read from disk, and one that was just made is always kept. */
		if (ok && r->budget_mib && known.bytes > (r->budget_mib + ONE_MIB) << 20)
			ok = err_set(err, ERR_SYSTEM, "%zu checkpoints hold %zu bytes", known.count, known.bytes);
	}
	fprintf(stderr, "%s: %zu stored before, %zu checkpoints at most, %zu at last with %zu KiB, %u machines\n", r->way, stored,
		most, known.count, known.bytes >> 10, walk_generation(session_walk(s)));
	session_close(s);
	return ok;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	if (argc < 5 || argc > ARGUMENTS) {
		fprintf(stderr, "usage: seeks RUN straight|made|kept|alone FIRST COUNT [SPACING [BUDGET_MIB]]\n");
		return 2;
	}
	struct request r = {.run = argv[1],
		.way = argv[2],
		.first = strtoul(argv[3], NULL, 10),
		.count = strtoul(argv[4], NULL, 10),
		.spacing = argc > 5 ? strtoull(argv[5], NULL, 10) : 0,
		.budget_mib = argc > 6 ? strtoul(argv[6], NULL, 10) : 0};
	bool ok = strcmp(r.way, "straight") ? jump(&r, &err) : straight(&r, &err);
	if (!ok)
		fprintf(stderr, "seeks: %s\n", err.text);
	free(r.moments);
	return ok ? 0 : 1;
}
