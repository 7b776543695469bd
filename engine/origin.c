#include "engine/origin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/checkpoint.h"
#include "engine/file.h"
#include "engine/replaylog.h"
#include "engine/replaystate.h"

#define VISIT_STATE "visit"

enum { REQUEST_AT = 64 /* in the header of the agent's region (docs/FORMATS.md, "Frames in memory") */ };

static bool put_request(struct machine *m, const void *request, size_t size, struct err *err)
{
	if (size > ORIGIN_REQUEST_MAX)
		return err_set(
			err, ERR_USAGE, "the command is too long: %zu bytes, expected at most %d", size, ORIGIN_REQUEST_MAX);
	uint8_t *at = machine_memory(m)->map + machine_output_address(m) + REQUEST_AT;
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(size >> (8 * i));
	memcpy(at + 4, request, size);
	return true;
}

/*
 * The port's loopback mode takes a byte that is written as one that was received: with the machine stopped there is no other way
 * to make its interrupt pending. 0x3fc is the modem control register (0x10: loopback), 0x3f8 the data register (the bytes are
 * INPUT_ESCAPE and INPUT_RING of agent/input.h), 0x3fa the FIFO control register, as Linux sets it but for 2: what a former
 * visitor's person had typed makes room.
 */
static bool ring(struct machine *m, struct err *err)
{
	static const char *const lines[] = {
		"o/b 0x3fa 0x83", "o/b 0x3fc 0x1b", "o/b 0x3f8 0x10", "o/b 0x3f8 0x2e", "o/b 0x3fc 0x0b"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct buf answer = {0};
		bool ok = machine_monitor(m, lines[i], &answer, err) &&
			(!answer.size || err_set(err, ERR_QEMU, "ringing for the agent: QEMU said: %.200s", answer.data));
		buf_free(&answer);
		if (!ok)
			return false;
	}
	return true;
}

/* The snapshot file as it is now: what QEMU holds back is written first. */
static bool copy_out(struct machine *m, struct origin *o, struct err *err)
{
	struct buf answer = {0};
	bool ok = machine_monitor(m, "qemu-io snap \"flush\"", &answer, err);
	buf_free(&answer);
	return ok && (o->device_fd = file_memory("device state", err)) >= 0 && (o->ram_fd = file_memory("memory", err)) >= 0 &&
		file_copy(machine_device_fd(m), o->device_fd, err) && ram_save(machine_memory(m), o->ram_fd, err);
}

/* A second machine loads that state while its own log is empty and saves it as "ready": the start of a log (as snapshot.c). */
static bool make_ready(struct origin *o, struct err *err)
{
	struct machine_options options = {.mode = MACHINE_RECORD, .base = &o->base, .cancel_fd = -1, .state = VISIT_STATE};
	struct machine *m = machine_start(&options, err);
	struct buf log = {0};
	bool ok = m && machine_drop(m, VISIT_STATE, err) && machine_save(m, "ready", err) && machine_log(m, &log, err) &&
		replaylog_total((const uint8_t *)log.data, log.size, &o->base.log_lead, err);
	int device = ok ? file_memory("device state", err) : -1;
	ok = device >= 0 && file_copy(machine_device_fd(m), device, err);
	if (device >= 0) {
		close(o->device_fd);
		o->device_fd = o->base.device_fd = device;
	}
	buf_free(&log);
	machine_destroy(m);
	return ok && (!o->base.open || replaystate_forget_idling(o->device_fd, err));
}

bool origin_make(struct machine *m, const struct machine_base *of, bool open, const void *request, size_t size,
	struct origin *ret, struct err *err)
{
	*ret = (struct origin){.device_fd = -1, .ram_fd = -1};
	struct checkpoint *here = checkpoint_take(m, NULL, err);
	if (!here)
		return false;
	bool ok = put_request(m, request, size, err) && ring(m, err) && machine_save(m, VISIT_STATE, err) &&
		copy_out(m, ret, err) && machine_drop(m, VISIT_STATE, err);
	ret->base = (struct machine_base){.qemu = of->qemu,
		.memory_mib = of->memory_mib,
		.output_mib = of->output_mib,
		.device_fd = ret->device_fd,
		.ram_fd = ret->ram_fd,
		.icount = checkpoint_icount(here),
		.open = open || of->open};
	ok = checkpoint_restore(m, here, ok ? err : NULL) && ok;
	checkpoint_destroy(here);
	ok = ok && replaystate_forget_unread(ret->device_fd, err) && make_ready(ret, err);
	if (!ok) {
		origin_finish(ret);
		err_prefix(err, "making a fork of this moment");
	}
	return ok;
}

void origin_finish(struct origin *o)
{
	if (o->device_fd >= 0)
		close(o->device_fd);
	if (o->ram_fd >= 0)
		close(o->ram_fd);
	*o = (struct origin){.device_fd = -1, .ram_fd = -1};
}
