#include "engine/checkpoint.h"

#include <stdlib.h>

#include "engine/buf.h"

struct checkpoint {
	char *name; /* in QEMU's snapshot file: by count and taking, so never twice */
	uint64_t icount, serial_size;
	struct ram_delta *delta;
};

struct checkpoint *checkpoint_take(struct machine *m, const struct checkpoint *previous, struct err *err)
{
	struct checkpoint *c = mem_alloc(sizeof *c);
	bool ok = machine_icount(m, &c->icount, err);
	c->name = mem_printf("c%llu", (unsigned long long)machine_next_number(m));
	c->serial_size = machine_serial_size(m);
	c->delta = ok ? ram_take(machine_memory(m), machine_ready_memory(m), previous ? previous->delta : NULL, err) : NULL;
	if (c->delta && machine_save(m, c->name, err))
		return c;
	checkpoint_destroy(c, NULL);
	err_prefix(err, "keeping a checkpoint");
	return NULL;
}

bool checkpoint_restore(struct machine *m, const struct checkpoint *c, struct err *err)
{
	/* loadvm resets the machine, which may write memory: pages come after it. */
	return (machine_load(m, c->name, err) && ram_put(machine_memory(m), machine_ready_memory(m), c->delta, NULL, err) &&
		       machine_rewound(m, c->serial_size, err)) ||
		err_prefix(err, "going back to a checkpoint");
}

bool checkpoint_restore_ready(struct machine *m, struct err *err)
{
	return (machine_load(m, "ready", err) && ram_put(machine_memory(m), machine_ready_memory(m), NULL, NULL, err) &&
		       machine_rewound(m, 0, err)) ||
		err_prefix(err, "going back to the start");
}

void checkpoint_destroy(struct checkpoint *c, struct machine *m)
{
	if (!c)
		return;
	/* Only room inside QEMU's memory file is lost if this fails. */
	if (m)
		machine_drop(m, c->name, NULL);
	ram_delta_destroy(c->delta);
	free(c->name);
	free(c);
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
	return sizeof *c + ram_delta_bytes(c->delta);
}
