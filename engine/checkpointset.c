#include "engine/checkpointset.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

enum {
	STATES_MAX = 4096, /* that a machine is started with */
	ALIKE_TRIES = 16,
	REWRITE_ALWAYS = 64 << 20, /* bytes: a file up to this size is written anew for whatever is new */
	REWRITE_SHARE = 8,         /* a larger one when this part of it is new */
};

/* What a mark stands for. */
struct kept {
	struct checkpoint *checkpoint;
	unsigned in; /* the machine of this generation has the state; 0: none */
};

static struct kept *kept_at(const struct checkpointset *s, size_t i)
{
	return s->marks.list[i].what;
}

struct checkpoint *checkpointset_get(const struct checkpointset *s, size_t i)
{
	return kept_at(s, i)->checkpoint;
}

static size_t forget(void *data, void *what)
{
	struct checkpointset *s = data;
	struct kept *k = what;
	struct checkpoint *c = k->checkpoint;
	if (s->machine && k->in == s->generation)
		checkpoint_drop(c, s->machine);
	free(k);
	bool light = checkpoint_is_stored(c);
	checkpoint_unload(c);
	if (s->writer) { /* which may be about to read it */
		ARRAY_PUSH(s->gone, s->gone_count, s->gone_room) = c;
		return light ? 0 : checkpoint_bytes(c);
	}
	size_t freed = checkpoint_destroy(c);
	return light ? 0 : freed;
}

/* ---- the store ---------------------------------------------------------------------------------------------- */

static void add_stored(struct checkpointset *s, struct checkpointfile *f)
{
	const struct buf *serial = checkpointfile_serial(f);
	for (size_t i = 0; i < checkpointfile_count(f); i++) {
		struct kept *k = mem_alloc(sizeof *k);
		k->checkpoint = checkpoint_stored(f, i);
		marks_add_light(&s->marks, checkpointfile_icount(f, i), k);
	}
	if (serial->size > s->serial.size)
		buf_add(&s->serial, serial->data + s->serial.size, serial->size - s->serial.size);
}

/* Nothing is read from the file any more. Pages that checkpoints in memory share with it are theirs alone now. */
static void leave_file(struct checkpointset *s)
{
	if (!s->file)
		return;
	checkpointfile_forget(s->file);
	s->marks.bytes += checkpointfile_held(s->file);
	checkpointfile_unref(s->file);
	s->file = NULL;
}

/* What is stored is read from this file from now on, which the set owns then: one that was replaced would keep its pages, and its
 * room on the disk, outside of every budget. What is not in it is given up. */
static void adopt(struct checkpointset *s, struct checkpointfile *f)
{
	size_t k = checkpointfile_count(f);
	for (size_t i = s->marks.count; i-- > 0;) {
		struct checkpoint *c = checkpointset_get(s, i);
		if (!checkpoint_is_stored(c))
			continue;
		while (k && checkpointfile_icount(f, k - 1) > s->marks.list[i].icount)
			k--;
		if (k && checkpointfile_icount(f, k - 1) == s->marks.list[i].icount)
			checkpoint_move(c, f, k - 1);
		else
			marks_drop(&s->marks, i);
	}
	leave_file(s);
	s->file = f;
}

/* What another session has written meanwhile is taken in as well. */
static void load(struct checkpointset *s)
{
	struct err err;
	if (s->file && checkpointstore_has(s->store, s->key, s->file))
		return;
	struct checkpointfile *f = checkpointstore_load(s->store, s->key, s->ram_pages, &err);
	if (!f && err.code == ERR_NONE)
		return;
	if (!f) {
		s->note = err;
		return;
	}
	adopt(s, f);
	add_stored(s, f);
}

/* Nothing of the files is used any more. */
static void distrust(struct checkpointset *s, const struct err *why)
{
	for (size_t i = s->marks.count; i-- > 0;)
		if (checkpoint_is_stored(checkpointset_get(s, i)))
			marks_drop(&s->marks, i);
	leave_file(s);
	checkpointstore_forget(s->store, s->key);
	s->note = *why;
}

void checkpointset_init(struct checkpointset *s, uint64_t spacing, size_t budget, size_t ram_pages, struct checkpointstore *store,
	const uint8_t *key)
{
	*s = (struct checkpointset){.ram_pages = ram_pages, .store = store, .draft = {.fd = -1}};
	marks_init(&s->marks, spacing, budget, forget, s);
	if (!store)
		return;
	memcpy(s->key, key, DIGEST_SIZE);
	load(s);
}

static void end_writing(struct checkpointset *s)
{
	checkpointfile_end(s->writer);
	s->writer = NULL;
	if (s->store)
		checkpointstore_abandon(s->store, &s->draft);
	for (size_t i = 0; i < s->gone_count; i++)
		checkpoint_destroy(s->gone[i]);
	s->gone_count = 0;
}

void checkpointset_finish(struct checkpointset *s)
{
	end_writing(s);
	free(s->gone);
	s->gone = NULL;
	marks_finish(&s->marks);
	checkpointfile_unref(s->file);
	s->file = NULL;
	buf_free(&s->serial);
}

static bool begin_writing(struct checkpointset *s, struct err *err)
{
	struct checkpointfile_item *items = mem_array(s->marks.count + 1, sizeof *items);
	size_t count = 0;
	for (size_t i = 0; i < s->marks.count && count < CHECKPOINTFILE_COUNT_MAX; i++)
		if (!s->marks.list[i].hot)
			items[count++] = checkpoint_item(checkpointset_get(s, i));
	bool ok = checkpointstore_begin(s->store, s->key, &s->draft, err);
	if (ok)
		s->writer = checkpointfile_begin(s->draft.fd, s->key, s->ram_pages, items, count, &s->serial, err);
	free(items);
	return ok && s->writer;
}

static bool worth_writing(const struct checkpointset *s)
{
	uint64_t there = s->file ? checkpointfile_size(s->file) : 0;
	return s->store && s->problem.code == ERR_NONE && s->fresh &&
		(there <= REWRITE_ALWAYS || s->fresh >= there / REWRITE_SHARE);
}

static bool commit(struct checkpointset *s, struct err *err)
{
	struct checkpointfile *f = checkpointfile_open(s->draft.fd, s->key, s->ram_pages, err);
	if (!f || !checkpointstore_commit(s->store, s->key, &s->draft, err)) {
		checkpointfile_unref(f);
		return false;
	}
	adopt(s, f);
	return true;
}

void checkpointset_save(struct checkpointset *s, bool *more)
{
	struct err err = {0};
	bool done = false, ok = true;
	*more = s->writer || worth_writing(s);
	if (!*more)
		return;
	if (!s->writer) {
		load(s);
		s->fresh = 0;
		ok = begin_writing(s, &err);
	} else {
		ok = checkpointfile_step(s->writer, &done, &err) && (!done || commit(s, &err));
	}
	if (!ok && err.code == ERR_INPUT && s->file)
		distrust(s, &err); /* it was reading the old file; what is in memory can be written next time */
	else if (!ok)
		s->problem = err;
	if (!ok || done)
		end_writing(s);
	*more = s->writer != NULL;
}

size_t checkpointset_stored(const struct checkpointset *s)
{
	return s->file ? checkpointfile_count(s->file) : 0;
}

/* ---- machines ----------------------------------------------------------------------------------------------- */

void checkpointset_machine(struct checkpointset *s, struct machine *m, unsigned generation)
{
	s->machine = m;
	s->generation = m ? generation : 0;
	if (m)
		machine_heard(m, &s->serial);
}

static bool add_states(void *data, struct qcow2_writer *w, struct err *err)
{
	struct checkpointset *s = data;
	for (size_t i = s->marks.count; i-- > 0 && w->count < STATES_MAX;) {
		struct err why = {0};
		struct kept *k = kept_at(s, i);
		if (k->in == s->coming)
			continue;
		if (checkpoint_add_state(k->checkpoint, w, &why)) {
			k->in = s->coming;
			continue;
		}
		if (!checkpoint_is_stored(k->checkpoint) || why.code != ERR_INPUT) {
			*err = why;
			return false;
		}
		distrust(s, &why);
		i = i < s->marks.count ? i : s->marks.count;
	}
	return true;
}

checkpointset_adder *checkpointset_states(struct checkpointset *s, unsigned generation)
{
	s->coming = generation;
	return s->marks.count ? add_states : NULL;
}

/* ---- taking and restoring ----------------------------------------------------------------------------------- */

size_t checkpointset_before(const struct checkpointset *s, uint64_t icount, bool in_machine)
{
	size_t i = marks_before(&s->marks, icount);
	while (in_machine && i != MARKS_NONE && !checkpointset_in_machine(s, i))
		i = i ? i - 1 : MARKS_NONE;
	return i;
}

bool checkpointset_in_machine(const struct checkpointset *s, size_t i)
{
	return s->generation && kept_at(s, i)->in == s->generation;
}

static bool hear(struct checkpointset *s, struct machine *m, struct err *err)
{
	uint64_t from = s->serial.size;
	return machine_serial(m, &from, &s->serial, err);
}

size_t checkpointset_bytes(const struct checkpointset *s)
{
	return s->marks.bytes + (s->file ? checkpointfile_held(s->file) : 0);
}

/* Lets go of pages that can be read again. */
static void unload(struct checkpointset *s, const struct checkpoint *but)
{
	for (size_t i = 0; i < s->marks.count; i++)
		if (checkpointset_get(s, i) != but)
			checkpoint_unload(checkpointset_get(s, i));
	if (s->file)
		checkpointfile_forget(s->file);
}

/* The nearest one before whose pages are at hand: most are the same. */
static const struct checkpoint *alike(const struct checkpointset *s, uint64_t icount)
{
	size_t i = marks_before(&s->marks, icount);
	for (int tries = 0; i != MARKS_NONE && tries < ALIKE_TRIES; tries++, i = i ? i - 1 : MARKS_NONE)
		if (checkpoint_is_loaded(checkpointset_get(s, i)))
			return checkpointset_get(s, i);
	return NULL;
}

bool checkpointset_take(struct checkpointset *s, struct machine *m, uint64_t icount, bool own, bool hot, struct err *err)
{
	size_t i = marks_before(&s->marks, icount);
	struct kept *k = i != MARKS_NONE && s->marks.list[i].icount == icount ? kept_at(s, i) : NULL;
	if (k && (!own || k->in == s->generation))
		return true;
	if (k) { /* it was made by another machine: this one gets the state as well */
		if (!checkpoint_save_again(k->checkpoint, m, err))
			return false;
		k->in = s->generation;
		return true;
	}
	struct checkpoint *c = hear(s, m, err) ? checkpoint_take(m, alike(s, icount), err) : NULL;
	if (!c)
		return false;
	k = mem_alloc(sizeof *k);
	k->checkpoint = c;
	k->in = own ? s->generation : 0;
	if (!hot)
		s->fresh += checkpoint_bytes(c);
	marks_add(&s->marks, icount, checkpoint_bytes(c), hot, k);
	if (checkpointset_bytes(s) > s->marks.budget)
		unload(s, NULL);
	return true;
}

bool checkpointset_restore(struct checkpointset *s, size_t i, struct machine *m, struct err *err)
{
	struct checkpoint *c = checkpointset_get(s, i);
	struct err why = {0};
	marks_use(&s->marks, i);
	if (checkpoint_restore(m, c, &why)) {
		if (checkpointset_bytes(s) > s->marks.budget)
			unload(s, c);
		return true;
	}
	*err = why;
	if (checkpoint_is_stored(c) && why.code == ERR_INPUT)
		distrust(s, &why);
	else if (why.code != ERR_CANCELLED && machine_is_alive(m))
		marks_drop(&s->marks, i);
	return false;
}
