/* Is a scenario with a seed reproducible on this host? Two recordings from scratch and a replay of each, compared. */
#ifndef ENGINE_VERIFY_H
#define ENGINE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/record.h"
#include "engine/replay.h"

enum { VERIFY_PROBES = 4 };

struct verify_result {
	struct record_result first, second;
	struct replay_probe probes[VERIFY_PROBES]; /* of the first replay; the second's are equal */
	uint64_t events;
};

/*
 * Records twice, replays both, and compares events byte for byte, and the digests of registers and of all memory at
 * VERIFY_PROBES counts spread over the run. ERR_DIVERGED says what differs. On success the first run is kept, the second
 * is removed; when they differ both are kept, for `polecat diff`.
 */
bool verify_run(const struct record_options *options, struct verify_result *ret, struct err *err);

#endif
