#include "agent/faults.h"

#include <string.h>

#include "agent/trouble_process.h"

/* Every kind of fault there is. */
static const struct trouble_kind *const kinds[] = {&trouble_kill, &trouble_stop, &trouble_restart};

static const struct trouble_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

/* ---- triggers ----------------------------------------------------------------------------------------------- */

static void trigger(struct faults *fs, struct trouble *t)
{
	t->state = TROUBLE_DUE;
	/* At once means within the tick that is going on, whose time is already a little behind the clock. */
	t->due_ns = t->mission->delay_ns ? outbox_now_ns(fs->outbox) + t->mission->delay_ns : 0;
}

/* Triggers every waiting fault whose trigger is of this kind, for this number and value. */
static void trigger_all(struct faults *fs, enum wire_trigger kind, uint64_t of, uint64_t nth)
{
	for (size_t i = 0; i < fs->mission->trouble_count && !fs->closed; i++) {
		struct trouble *t = &fs->list[i];
		const struct mission_trouble *o = t->mission;
		uint64_t wanted = kind == WIRE_AFTER || kind == WIRE_LINES ? o->trigger_value : o->trigger_nth;
		if (t->state == TROUBLE_WAITING && o->trigger == kind && o->trigger_of == of && wanted == nth)
			trigger(fs, t);
	}
}

static void staged(void *data, struct trouble *t, enum wire_stage stage)
{
	trigger_all(data, WIRE_AFTER, t->index, stage);
}

static void set_line_stop(struct faults *fs, struct node *n)
{
	n->line_stop = NODE_NEVER;
	for (size_t i = 0; i < fs->mission->trouble_count; i++) {
		const struct trouble *t = &fs->list[i];
		const struct mission_trouble *o = t->mission;
		if (t->state == TROUBLE_WAITING && o->trigger == WIRE_LINES && o->trigger_of == n->index &&
			o->trigger_value > n->lines && o->trigger_value < n->line_stop)
			n->line_stop = o->trigger_value;
	}
}

/* ---- life --------------------------------------------------------------------------------------------------- */

static void begin_one(struct faults *fs, size_t index)
{
	struct trouble *t = &fs->list[index];
	const struct mission_trouble *o = &fs->mission->troubles[index];
	*t = (struct trouble){.kind = find_kind(o->kind),
		.mission = o,
		.index = index,
		.target = &fs->nodes[o->node],
		.outbox = fs->outbox,
		.due_ns = TROUBLE_NEVER,
		.staged = staged,
		.data = fs};
	if (o->trigger == WIRE_AT) {
		t->state = TROUBLE_DUE;
		t->due_ns = o->trigger_value + o->delay_ns;
	}
}

static void select_one(struct trouble *t)
{
	struct why why = {0};
	trouble_stage(t, WIRE_SELECTED, NULL);
	if (!t->kind)
		why_set(&why, 0, "this agent knows no fault '%s'", t->mission->kind);
	if (!t->kind || (t->kind->read && !t->kind->read(t, &why)))
		trouble_stage(t, WIRE_REJECTED, &why);
}

void faults_begin(struct faults *fs, const struct mission *mission, struct node *nodes, struct outbox *outbox)
{
	fs->mission = mission;
	fs->nodes = nodes;
	fs->outbox = outbox;
	fs->closed = false;
	for (size_t i = 0; i < mission->trouble_count; i++)
		begin_one(fs, i);
	for (size_t i = 0; i < mission->trouble_count; i++)
		select_one(&fs->list[i]);
	for (size_t i = 0; i < mission->node_count; i++)
		set_line_stop(fs, &nodes[i]);
}

bool faults_is_open(const struct faults *fs, size_t index)
{
	enum trouble_state state = fs->list[index].state;
	return state == TROUBLE_WAITING || state == TROUBLE_DUE || state == TROUBLE_HELD;
}

/* Has what the fault waits for been already? */
static bool is_past(const struct faults *fs, const struct trouble *t, uint64_t now_ns)
{
	const struct mission_trouble *o = t->mission;
	const struct node *n = o->trigger == WIRE_AT || o->trigger == WIRE_AFTER ? NULL : &fs->nodes[o->trigger_of];
	switch (o->trigger) {
	case WIRE_AT:
		return t->due_ns < now_ns;
	case WIRE_LINES:
		return o->trigger_value <= n->lines;
	case WIRE_ON_START:
		return o->trigger_nth <= n->starts;
	case WIRE_ON_READY:
		return o->trigger_nth <= n->readies;
	case WIRE_ON_EXIT:
		return o->trigger_nth <= n->exits;
	default:
		return false; /* faults follow such as are as new as they are */
	}
}

void faults_replace(struct faults *fs, const bool *given)
{
	size_t count = fs->mission->trouble_count;
	uint64_t now_ns = outbox_now_ns(fs->outbox);
	for (size_t i = 0; i < count; i++)
		if (given[i])
			begin_one(fs, i);
	for (size_t i = 0; i < count; i++)
		if (given[i])
			select_one(&fs->list[i]);
	for (size_t i = 0; i < count; i++) {
		struct trouble *t = &fs->list[i];
		if (!given[i] && faults_is_open(fs, i))
			trouble_stage_text(t, WIRE_REJECTED, "the other seed's plan has no such fault");
		else if (given[i] && faults_is_open(fs, i) && is_past(fs, t, now_ns))
			trouble_stage_text(t, WIRE_REJECTED, "what it waits for lies before the fork");
	}
	for (size_t i = 0; i < fs->mission->node_count; i++)
		set_line_stop(fs, &fs->nodes[i]);
}

static void apply(struct trouble *t)
{
	struct why why = {0};
	t->due_ns = TROUBLE_NEVER;
	if (t->target->state != NODE_RUNNING) {
		t->state = TROUBLE_HELD;
		return;
	}
	t->invocation = t->target->invocation;
	t->state = TROUBLE_ACTIVE;
	if (t->kind->apply(t, &why))
		trouble_stage(t, WIRE_APPLIED, NULL);
	else
		trouble_stage(t, WIRE_REJECTED, &why);
}

void faults_tick(struct faults *fs, uint64_t now_ns)
{
	/* One fault's stage may trigger another, before or after it in the list: once more until nothing is due. */
	for (bool again = true; again && !fs->closed;) {
		again = false;
		for (size_t i = 0; i < fs->mission->trouble_count; i++) {
			struct trouble *t = &fs->list[i];
			if (t->due_ns > now_ns || (t->state != TROUBLE_DUE && t->state != TROUBLE_ACTIVE))
				continue;
			again = true;
			if (t->state == TROUBLE_DUE)
				apply(t);
			else
				t->kind->elapsed(t);
		}
	}
}

void faults_happened(struct faults *fs, struct node *n, enum node_happening what)
{
	if (!fs->mission)
		return; /* before the barrier */
	/* Once the run is ending nothing new is triggered, but what was applied may still be seen to have worked. */
	if (what == NODE_STARTED)
		trigger_all(fs, WIRE_ON_START, n->index, n->starts);
	if (what == NODE_READY)
		trigger_all(fs, WIRE_ON_READY, n->index, n->readies);
	if (what == NODE_EXITED)
		trigger_all(fs, WIRE_ON_EXIT, n->index, n->exits);
	for (size_t i = 0; i < fs->mission->trouble_count; i++) {
		struct trouble *t = &fs->list[i];
		if (t->target != n)
			continue;
		if (t->state == TROUBLE_ACTIVE && t->kind->happened)
			t->kind->happened(t, what);
		else if (t->state == TROUBLE_HELD && what == NODE_STARTED && !fs->closed)
			apply(t);
	}
	faults_tick(fs, outbox_now_ns(fs->outbox));
}

void faults_line(struct faults *fs, struct node *n)
{
	trigger_all(fs, WIRE_LINES, n->index, n->lines);
	set_line_stop(fs, n);
	faults_tick(fs, outbox_now_ns(fs->outbox));
}

uint64_t faults_due_ns(const struct faults *fs)
{
	uint64_t due = TROUBLE_NEVER;
	for (size_t i = 0; i < fs->mission->trouble_count && !fs->closed; i++) {
		const struct trouble *t = &fs->list[i];
		if ((t->state == TROUBLE_DUE || t->state == TROUBLE_ACTIVE) && t->due_ns < due)
			due = t->due_ns;
	}
	return due;
}

void faults_end(struct faults *fs)
{
	fs->closed = true;
	for (size_t i = 0; i < fs->mission->trouble_count; i++) {
		struct trouble *t = &fs->list[i];
		if (t->state == TROUBLE_WAITING)
			trouble_stage_text(t, WIRE_REJECTED, "its trigger never came");
		else if (t->state == TROUBLE_HELD)
			trouble_stage_text(t, WIRE_REJECTED, "the target was not running");
		else if (t->state == TROUBLE_DUE)
			trouble_stage_text(t, WIRE_REJECTED, "the run ended before it was due");
	}
}
