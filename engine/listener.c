#include "engine/listener.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/replaylog.h"

/* Layout of the region (docs/FORMATS.md, "Frames in memory"). */
enum { REGION_TAIL = 8, REGION_DATA = 4096 };
static const char region_magic[8] = "polecat\1";

struct listener {
	struct machine *machine;
	struct observer *observer;
	bool replaying;
	size_t first;  /* tail at `ready`: frames of the boot end there */
	size_t size;   /* bytes of frames of the run */
	size_t before; /* of them, those that were there when the listener was made */
	uint64_t *icounts;
	size_t known, room; /* counts: of the past, then decoded from the log */
	size_t past;        /* how many are of the past */
	uint64_t past_icount;
	struct replaylog log;
	uint64_t log_offset;
	struct buf log_bytes; /* read but not yet decoded */
};

bool listener_tail(struct machine *m, uint64_t *tail, struct err *err)
{
	size_t region_size;
	const uint8_t *region = machine_output(m, &region_size);
	if (memcmp(region, region_magic, sizeof region_magic))
		return err_set(err, ERR_QEMU, "the agent did not prepare its memory for frames");
	/* The guest may be storing it right now; it is aligned, so one load sees the old or the new value. */
	*tail = __atomic_load_n((const uint64_t *)(const void *)(region + REGION_TAIL), __ATOMIC_ACQUIRE);
	if (*tail > region_size - REGION_DATA)
		return err_set(err, ERR_QEMU, "the agent says its memory for frames holds %llu bytes: it has room for %zu",
			(unsigned long long)*tail, region_size - REGION_DATA);
	return true;
}

static bool read_tail(const struct listener *l, uint64_t *tail, struct err *err)
{
	return listener_tail(l->machine, tail, err) &&
		(*tail >= l->first ||
			err_set(err, ERR_QEMU, "the agent took back frames: %llu bytes after %zu", (unsigned long long)*tail,
				l->first));
}

static bool take_past(struct listener *l, const struct listener_past *past, struct err *err)
{
	uint64_t tail = 0;
	bool ok = read_tail(l, &tail, err);
	l->first = (size_t)tail;
	if (!past || !past->icount)
		return ok;
	l->before = l->first - past->first;
	l->first = past->first;
	l->past_icount = past->icount;
	for (size_t i = 0; i < past->count; i++)
		ARRAY_PUSH(l->icounts, l->known, l->room) = past->icounts[i];
	l->past = l->known;
	return ok;
}

struct listener *listener_create_after(struct machine *m, struct observer *o, const void *log, size_t log_size,
	const struct listener_past *past, struct err *err)
{
	struct listener *l = mem_alloc(sizeof *l);
	l->machine = m;
	l->observer = o;
	l->replaying = log != NULL;
	uint64_t *own = NULL;
	size_t count = 0;
	bool ok = take_past(l, past, err) && (!log || replaylog_serial(log, log_size, &own, &count, NULL, err));
	for (size_t i = 0; ok && i < count; i++)
		ARRAY_PUSH(l->icounts, l->known, l->room) = l->past_icount + own[i];
	free(own);
	if (ok)
		return l;
	listener_destroy(l);
	return NULL;
}

struct listener *listener_create(struct machine *m, struct observer *o, const void *log, size_t log_size, struct err *err)
{
	return listener_create_after(m, o, log, log_size, NULL, err);
}

void listener_destroy(struct listener *l)
{
	if (!l)
		return;
	free(l->icounts);
	buf_free(&l->log_bytes);
	free(l);
}

static bool decode_log(struct listener *l, struct err *err)
{
	const uint8_t *bytes = (const uint8_t *)l->log_bytes.data;
	size_t at = 0;
	for (;;) {
		struct replaylog_event e;
		size_t used;
		enum replaylog_result result = replaylog_next(&l->log, bytes + at, l->log_bytes.size - at, &used, &e, err);
		if (result == REPLAYLOG_BAD)
			return false;
		if (result == REPLAYLOG_MORE)
			break;
		at += used;
		if (e.kind == REPLAYLOG_CHAR_WRITE && e.written)
			ARRAY_PUSH(l->icounts, l->known, l->room) = l->past_icount + e.icount;
		if (e.kind == REPLAYLOG_END)
			break;
	}
	buf_drop(&l->log_bytes, at);
	return true;
}

/* The tail is read after the counts: a frame is in memory before its byte is on the serial port. */
static bool hand_on(struct listener *l, size_t counted, struct err *err)
{
	uint64_t tail;
	if (!read_tail(l, &tail, err))
		return false;
	l->size = (size_t)tail - l->first;
	size_t size;
	const uint8_t *frames = listener_frames(l, &size);
	return observer_feed(l->observer, frames, size, l->icounts, counted, err);
}

bool listener_step(struct listener *l, struct err *err)
{
	if (l->replaying) {
		uint64_t rung = l->past + machine_serial_size(l->machine);
		if (rung > l->known)
			return err_set(err, ERR_DIVERGED, "the replay spoke %llu times, the recording %zu times",
				(unsigned long long)rung, l->known);
		return hand_on(l, (size_t)rung, err);
	}
	return machine_log_so_far(l->machine, &l->log_offset, &l->log_bytes, err) && decode_log(l, err) &&
		hand_on(l, l->known, err) && observer_reached(l->observer, listener_icount(l), err);
}

bool listener_end(struct listener *l, struct buf *log, struct err *err)
{
	size_t from = log->size;
	if (!machine_log(l->machine, log, err))
		return false;
	/* The finished log is decoded once more from its start: QEMU fills in its header last. */
	l->log = (struct replaylog){0};
	l->known = l->past;
	buf_clear(&l->log_bytes);
	buf_add(&l->log_bytes, log->data + from, log->size - from);
	return decode_log(l, err) && hand_on(l, l->known, err) && observer_reached(l->observer, listener_icount(l), err);
}

size_t listener_before(const struct listener *l)
{
	return l->before;
}

uint64_t listener_took_over(const struct listener *l)
{
	return l->past_icount;
}

uint64_t listener_icount(const struct listener *l)
{
	return l->past_icount + l->log.icount;
}

const uint8_t *listener_frames(const struct listener *l, size_t *size)
{
	size_t region_size;
	const uint8_t *region = machine_output(l->machine, &region_size);
	*size = l->size;
	return region + REGION_DATA + l->first;
}

const uint64_t *listener_icounts(const struct listener *l, size_t *count)
{
	*count = l->known;
	return l->icounts;
}
