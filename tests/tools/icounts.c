/*
 * icounts RUN: is every event exactly where its icount says? For up to 50 events spread over a recorded run, a replay is
 * stopped one instruction before the event (its byte is not yet on the serial port) and one after it (it is). Also: the
 * count itself, where it has just been written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/machine.h"
#include "engine/prepare.h"
#include "engine/recorded.h"
#include "engine/replaylog.h"

enum { SPREAD = 50 };

static bool rung(struct machine *m, uint64_t icount, uint64_t *ret, struct err *err)
{
	enum machine_state state;
	if (!machine_run_to(m, machine_start_icount(m) + icount, &state, err))
		return false;
	*ret = machine_serial_size(m);
	return true;
}

/* The first of the frames at a count: several bytes can share one only if the agent wrote them by one instruction, which it
 * never does. */
static bool look(struct machine *m, const uint64_t *icounts, size_t frame, struct err *err)
{
	uint64_t before, at, after;
	if (!rung(m, icounts[frame] - 1, &before, err) || !rung(m, icounts[frame], &at, err) ||
		!rung(m, icounts[frame] + 1, &after, err))
		return false;
	if (before == frame && at == frame + 1 && after == frame + 1)
		return true;
	return err_set(err, ERR_DIVERGED, "frame %zu at %llu: %llu bytes before, %llu at, %llu after it", frame,
		(unsigned long long)icounts[frame], (unsigned long long)before, (unsigned long long)at,
		(unsigned long long)after);
}

static bool look_all(struct machine *m, const uint64_t *icounts, size_t count, size_t *looked, struct err *err)
{
	size_t step = count / SPREAD ? count / SPREAD : 1;
	/* The last frame is the end of the run: one instruction later there is only the barrier. */
	for (size_t i = 0; i + 1 < count && *looked < SPREAD; i += step, ++*looked)
		if (!look(m, icounts, i, err))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct recorded r;
	struct prepared prepared = {0};
	uint64_t *icounts = NULL;
	size_t count = 0, looked = 0;
	if (argc != 2 || !recorded_load(&r, argv[1], &err) || !prepare_recorded(&prepared, &r.manifest, &err)) {
		fprintf(stderr, "icounts: %s\n", argc == 2 ? err.text : "expected a run");
		return 1;
	}
	struct machine_options options = {.mode = MACHINE_REPLAY,
		.base = snapshot_base(prepared.snapshot),
		.orders = r.orders.data,
		.orders_size = r.orders.size,
		.log = r.log.data,
		.log_size = r.log.size,
		.cancel_fd = -1};
	struct machine *m = machine_start(&options, &err);
	bool ok = m && replaylog_serial((const uint8_t *)r.log.data, r.log.size, &icounts, &count, NULL, &err) &&
		look_all(m, icounts, count, &looked, &err);
	if (ok)
		printf("%zu events, each exactly at its count\n", looked);
	else
		printf("icounts: %s\n", err.text);
	free(icounts);
	machine_destroy(m);
	prepare_finish(&prepared);
	recorded_finish(&r);
	return ok && looked >= SPREAD ? 0 : 1;
}
