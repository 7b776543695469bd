#include "engine/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/buf.h"

struct checkpoint {
	uint64_t icount, serial_size;
	struct buf state;        /* empty when stored */
	struct ram_delta *delta; /* NULL: not read yet */
	struct checkpointfile *file;
	size_t index; /* in file */
};

/* Of the state in QEMU's file. What the machine is at a count is always the same. */
static const char *name_of(const struct checkpoint *c, char name[32])
{
	snprintf(name, 32, "c%" PRIu64, c->icount);
	return name;
}

struct checkpoint *checkpoint_take(struct machine *m, const struct checkpoint *previous, struct err *err)
{
	struct checkpoint *c = mem_alloc(sizeof *c);
	char name[32];
	bool ok = machine_icount(m, &c->icount, err);
	c->serial_size = machine_serial_size(m);
	c->delta = ok ? ram_take(machine_memory(m), machine_ready_memory(m), previous ? previous->delta : NULL, err) : NULL;
	if (c->delta && machine_save(m, name_of(c, name), err) && machine_saved(m, name, &c->state, err))
		return c;
	checkpoint_destroy(c);
	err_prefix(err, "keeping a checkpoint");
	return NULL;
}

bool checkpoint_save_again(const struct checkpoint *c, struct machine *m, struct err *err)
{
	char name[32];
	return machine_save(m, name_of(c, name), err);
}

struct checkpoint *checkpoint_stored(struct checkpointfile *f, size_t i)
{
	struct checkpoint *c = mem_alloc(sizeof *c);
	c->icount = checkpointfile_icount(f, i);
	c->serial_size = checkpointfile_serial_size(f, i);
	c->file = checkpointfile_ref(f);
	c->index = i;
	return c;
}

bool checkpoint_restore(struct machine *m, struct checkpoint *c, struct err *err)
{
	char name[32];
	if (!c->delta && !(c->delta = checkpointfile_delta(c->file, c->index, err)))
		return false;
	/* loadvm resets the machine, which may write memory: pages come after it. */
	return (machine_load(m, name_of(c, name), err) &&
		       ram_put(machine_memory(m), machine_ready_memory(m), c->delta, NULL, err) &&
		       machine_rewound(m, c->serial_size, err)) ||
		err_prefix(err, "going back to a checkpoint");
}

bool checkpoint_restore_ready(struct machine *m, struct err *err)
{
	return (machine_load(m, "ready", err) && ram_put(machine_memory(m), machine_ready_memory(m), NULL, NULL, err) &&
		       machine_rewound(m, 0, err)) ||
		err_prefix(err, "going back to the start");
}

size_t checkpoint_destroy(struct checkpoint *c)
{
	if (!c)
		return 0;
	size_t freed = sizeof *c + c->state.room;
	freed += c->file ? 0 : ram_delta_destroy(c->delta);
	checkpoint_unload(c);
	checkpointfile_unref(c->file);
	buf_free(&c->state);
	free(c);
	return freed;
}

void checkpoint_drop(const struct checkpoint *c, struct machine *m)
{
	char name[32];
	/* Only room inside QEMU's memory file is lost if this fails. */
	machine_drop(m, name_of(c, name), NULL);
}

bool checkpoint_add_state(struct checkpoint *c, struct qcow2_writer *w, struct err *err)
{
	char name[32];
	struct buf read = {0};
	const struct buf *state = c->file ? &read : &c->state;
	bool ok = (!c->file || checkpointfile_state(c->file, c->index, &read, err)) &&
		qcow2_add(w, name_of(c, name), state->data, state->size, c->icount, err);
	buf_free(&read);
	return ok;
}

struct checkpointfile_item checkpoint_item(const struct checkpoint *c)
{
	return (struct checkpointfile_item){.icount = c->icount,
		.serial_size = c->serial_size,
		.state = &c->state,
		.delta = c->file ? NULL : c->delta,
		.file = c->file,
		.index = c->index};
}

uint64_t checkpoint_icount(const struct checkpoint *c)
{
	return c->icount;
}

uint64_t checkpoint_serial_size(const struct checkpoint *c)
{
	return c->serial_size;
}

size_t checkpoint_bytes(const struct checkpoint *c)
{
	return sizeof *c + c->state.room + (c->file ? 0 : ram_delta_bytes(c->delta));
}

bool checkpoint_is_stored(const struct checkpoint *c)
{
	return c->file != NULL;
}

bool checkpoint_is_loaded(const struct checkpoint *c)
{
	return c->delta != NULL;
}

void checkpoint_unload(struct checkpoint *c)
{
	if (!c->file)
		return;
	ram_delta_destroy(c->delta);
	c->delta = NULL;
}

void checkpoint_move(struct checkpoint *c, struct checkpointfile *f, size_t i)
{
	checkpoint_unload(c);
	checkpointfile_ref(f);
	checkpointfile_unref(c->file);
	c->file = f;
	c->index = i;
}
