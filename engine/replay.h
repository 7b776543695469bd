/* Replays a recorded run and compares as it goes: the same events, byte for byte, or the first one that is not. */
#ifndef ENGINE_REPLAY_H
#define ENGINE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/cancel.h"
#include "engine/digest.h"
#include "engine/err.h"
#include "engine/manifest.h"
#include "engine/prepare.h"

#define REPLAY_PROBES_MAX 16

/* What the whole machine looks like at one count: registers and every byte of memory. */
struct replay_probe {
	uint64_t icount; /* since the barrier */
	bool reached;    /* false: the run ended earlier */
	uint8_t registers[DIGEST_SIZE], memory[DIGEST_SIZE];
};

struct replay_options {
	const char *run; /* path */
	struct cancel *cancel;
	struct progress progress;
	struct replay_probe *probes; /* filled in; ascending icounts; may be NULL */
	size_t probe_count;
};

struct replay_result {
	uint64_t events;  /* compared equal */
	uint64_t wall_ms; /* from QEMU's start to its end */
};

/*
 * Checks every digest and the whole identity before QEMU starts (ERR_INPUT names the file or field), then re-executes.
 * ERR_DIVERGED: the sentence shows the first event that differs, is missing or is surplus, with its neighbours.
 */
bool replay_run(const struct replay_options *options, struct replay_result *ret, struct err *err);

#endif
