#include "engine/lineage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/wire.h"
#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/replaylog.h"
#include "engine/rundir.h"
#include "engine/snapshot.h"
#include "engine/text.h"

enum { SLICE = 8000000, TAIL_AT = 8 /* in the header of the region for frames */ };

uint64_t lineage_zero(const struct lineage *l)
{
	return l->base.icount - l->past.icount;
}

const struct listener_past *lineage_visited(const struct lineage *l)
{
	return l->visited ? &l->past : NULL;
}

static bool is_visit(const void *request, size_t size)
{
	struct wire_message m;
	size_t used;
	return wire_decode(request, size, &m, &used) == WIRE_OK && m.type == WIRE_VISIT;
}

void lineage_finish(struct lineage *l)
{
	if (l->forked)
		origin_finish(&l->origin);
	free((void *)(uintptr_t)l->past.icounts);
	*l = (struct lineage){0};
}

/* Bytes of frames at `ready`, from the snapshot's memory. */
static bool first_frame(const struct machine_base *base, size_t *first, struct err *err)
{
	uint64_t tail;
	if (pread(base->ram_fd, &tail, sizeof tail, ((off_t)base->memory_mib << 20) + TAIL_AT) != sizeof tail)
		return err_sys(err, errno, "reading the boot snapshot's memory");
	*first = (size_t)tail;
	return true;
}

bool lineage_branch(struct lineage *l, const struct lineage *of, const struct recorded *parent, struct machine *m, bool open,
	const void *request, size_t size, struct err *err)
{
	uint64_t *own = NULL, *all = NULL, now;
	size_t own_count = 0, count = 0, room = 0;
	*l = (struct lineage){0};
	if (!machine_icount(m, &now, err) ||
		!replaylog_serial((const uint8_t *)parent->log.data, parent->log.size, &own, &own_count, NULL, err))
		return false;
	for (size_t i = 0; i < of->past.count; i++)
		ARRAY_PUSH(all, count, room) = of->past.icounts[i];
	for (size_t i = 0; i < own_count && of->base.icount + own[i] <= now; i++)
		ARRAY_PUSH(all, count, room) = of->past.icount + own[i];
	free(own);
	l->past =
		(struct listener_past){.icounts = all, .count = count, .icount = now - lineage_zero(of), .first = of->past.first};
	bool ok = (of->forked || first_frame(&of->base, &l->past.first, err)) &&
		origin_make(m, &of->base, open, request, size, &l->origin, err);
	if (!ok) {
		lineage_finish(l);
		return false;
	}
	l->base = l->origin.base;
	l->forked = true;
	l->visited = is_visit(request, size);
	return true;
}

/* ---- of a recorded fork ------------------------------------------------------------------------------------- */

static bool run_to(struct machine *m, uint64_t icount, struct cancel *cancel, struct err *err)
{
	uint64_t now = machine_start_icount(m);
	while (now < icount) {
		enum machine_state state;
		uint64_t next = icount - now > SLICE ? now + SLICE : icount;
		if (!cancel_check(cancel, err) || !machine_run_to(m, next, &state, err))
			return false;
		if (state != MACHINE_AT_BREAK)
			return err_set(err, ERR_DIVERGED, "the parent ended before the fork's moment when it was executed again");
		now = next;
	}
	return true;
}

static bool open_at(struct lineage *l, const struct recorded *r, const char *path, const struct prepared *p, unsigned depth,
	struct cancel *cancel, struct err *err);

/* Executes the parent up to the fork's moment and takes that as the start. */
static bool branch_off(struct lineage *l, const struct recorded *r, const char *parent_path, const struct prepared *p,
	unsigned depth, struct cancel *cancel, struct err *err)
{
	struct recorded parent;
	struct prepared prepared = {0};
	struct lineage of = {0};
	struct buf request = {0};
	if (!recorded_load(&parent, parent_path, err)) {
		err_prefix(err, "the run that this is a fork of");
		if (err && err->code == ERR_SYSTEM)
			err->code = ERR_INPUT; /* it is not there: the fork cannot be used without it */
		return false;
	}
	bool ok = prepare_recorded(&prepared, &parent.manifest, err) &&
		open_at(&of, &parent, parent_path, &prepared, depth + 1, cancel, err) &&
		rundir_read(r->dir, &r->manifest, LINEAGE_REQUEST, &request, err);
	struct machine *m = NULL;
	if (ok) {
		struct machine_options options = {.mode = MACHINE_REPLAY,
			.base = &of.base,
			.orders = parent.orders.data,
			.orders_size = parent.orders.size,
			.log = parent.log.data,
			.log_size = parent.log.size,
			.cancel_fd = -1};
		m = machine_start(&options, err);
		ok = m && run_to(m, lineage_zero(&of) + r->manifest.parent_icount, cancel, err) &&
			lineage_branch(l, &of, &parent, m, manifest_is_open(&r->manifest), request.data, request.size, err);
	}
	/* The program's path is the prepared's, which ends here; the caller's is the same QEMU and lives on. */
	if (ok)
		l->base.qemu = l->origin.base.qemu = snapshot_base(p->snapshot)->qemu;
	machine_destroy(m);
	buf_free(&request);
	lineage_finish(&of);
	prepare_finish(&prepared);
	recorded_finish(&parent);
	return ok;
}

static bool open_at(struct lineage *l, const struct recorded *r, const char *path, const struct prepared *p, unsigned depth,
	struct cancel *cancel, struct err *err)
{
	*l = (struct lineage){.base = *snapshot_base(p->snapshot)};
	if (!r->manifest.parent)
		return true;
	if (depth == LINEAGE_DEPTH_MAX)
		return err_set(err, ERR_INPUT, "%s: more than %d forks of forks", path, LINEAGE_DEPTH_MAX);
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	while (size && path[size - 1] != '/')
		size--;
	char *parent = mem_printf("%.*s%s", (int)size, path, r->manifest.parent);
	bool ok = branch_off(l, r, parent, p, depth, cancel, err);
	free(parent);
	if (!ok)
		*l = (struct lineage){0};
	return ok;
}

bool lineage_open(struct lineage *l, const struct recorded *r, const char *path, const struct prepared *p, struct cancel *cancel,
	struct err *err)
{
	return open_at(l, r, path, p, 0, cancel, err);
}

void lineage_describe(const void *request, size_t size, struct buf *out)
{
	struct wire_message m;
	size_t used;
	if (wire_decode(request, size, &m, &used) != WIRE_OK)
		return;
	if (m.type != WIRE_VISIT) {
		buf_str(out, "other faults");
		return;
	}
	const char *at = (const char *)m.argv.data, *end = at + m.argv.size;
	for (size_t n; at < end; at += n + 1) {
		n = strnlen(at, (size_t)(end - at));
		if (at != (const char *)m.argv.data)
			buf_char(out, ' ');
		text_put_safe(out, at, n);
	}
}
