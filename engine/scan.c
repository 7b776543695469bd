#include "engine/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"
#include "engine/prepare.h"

#define PLUGIN "polecat-scan.so"

enum { STRIDE_FIRST = 1000000, STRIDE_MAX = 64000000 };

struct scan {
	int fd;
	struct scan_shared *shared;
	char *argument;
	const char *plugins[2];
	const struct scan_request *request; /* during a pass */
	uint64_t from, to;
};

/* QEMU ends a value at a comma; a doubled one is a comma. */
static char *doubled(const char *path)
{
	struct buf out = {0};
	for (; *path; path++)
		buf_str(&out, *path == ',' ? ",," : (char[]){*path, '\0'});
	return buf_take(&out);
}

struct scan *scan_create(struct err *err)
{
	char *path = prepare_own_file(PLUGIN, err);
	if (!path)
		return NULL;
	struct scan *s = mem_alloc(sizeof *s);
	char *safe = doubled(path);
	free(path);
	s->fd = file_memory("scan", err);
	bool ok = s->fd >= 0 && (ftruncate(s->fd, sizeof *s->shared) == 0 || err_sys(err, errno, "making room for scans"));
	void *map = ok ? mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0) : MAP_FAILED;
	if (ok && map == MAP_FAILED)
		ok = err_sys(err, errno, "mapping room for scans");
	if (ok) {
		s->shared = map;
		s->shared->version = SCAN_VERSION;
		/* Our descriptor by our own number: QEMU opens it while it starts. */
		s->argument = mem_printf("%s,shared=/proc/%d/fd/%d", safe, (int)getpid(), s->fd);
		s->plugins[0] = s->argument;
	}
	free(safe);
	if (ok)
		return s;
	scan_destroy(s);
	return NULL;
}

void scan_destroy(struct scan *s)
{
	if (!s)
		return;
	if (s->shared)
		munmap(s->shared, sizeof *s->shared);
	if (s->fd >= 0)
		close(s->fd);
	free(s->argument);
	free(s);
}

const char *const *scan_plugins(const struct scan *s)
{
	return s->plugins;
}

void scan_hits_finish(struct scan_hits *h)
{
	free(h->list);
	*h = (struct scan_hits){.from = h->from, .to = h->to};
}

/* The machine stands where the pass begins. */
static void arm(void *data, struct machine *m)
{
	struct scan *s = data;
	struct scan_shared *shared = s->shared;
	const struct scan_request *r = s->request;
	size_t size;
	const uint8_t *ram = machine_ram(m, &size);
	shared->memory_count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		shared->before[i] = 0;
		if ((r->watches[i].kind & (SCAN_WRITE | SCAN_VIRTUAL)) == SCAN_WRITE &&
			r->watches[i].low <= size - sizeof shared->before[i])
			memcpy(&shared->before[i], ram + r->watches[i].low, sizeof shared->before[i]);
		if (r->watches[i].kind & SCAN_ACCESS)
			shared->memory[shared->memory_count++] = i;
	}
	memcpy(shared->watches, r->watches, sizeof shared->watches);
	memcpy(shared->tasks, r->tasks, sizeof shared->tasks);
	shared->task_count = r->task_count;
	memcpy(shared->tests, r->tests, r->test_count * sizeof *r->tests);
	shared->test_count = r->test_count;
	shared->task_at = r->task_at;
	shared->direct_map = r->direct_map;
	shared->process_offset = r->process_offset;
	shared->from = s->from + 1;
	shared->to = s->to;
	shared->hits = 0;
	shared->count = r->count;
}

/* One pass over (from, to]. */
static bool pass(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, struct err *err)
{
	s->request = r;
	s->from = from;
	s->to = to;
	/* An instruction at `to` is about to be executed there: it is seen by running one further, if there is one. */
	uint64_t end = to < walk_end(w) ? to + 1 : to;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->watches[i].kind == SCAN_EXEC && r->watches[i].test_count && !s->shared->can_test)
			return err_set(
				err, ERR_QEMU, "this QEMU does not give its registers to plugins: it cannot evaluate conditions");
	bool ok = walk_pass(w, from, end, arm, s, err);
	s->shared->count = 0;
	if (ok && s->shared->failed)
		return err_set(
			err, ERR_QEMU, "this QEMU does not give its instruction count to plugins: it cannot look for that");
	return ok;
}

static void add(struct scan_hits *to, const struct scan_hit *hit)
{
	ARRAY_PUSH(to->list, to->count, to->room) = *hit;
}

static void say(const struct scan_request *r, uint64_t done, uint64_t of)
{
	if (r->progress)
		r->progress(r->data, done, of);
}

bool scan_forward(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, size_t most,
	struct scan_hits *ret, struct err *err)
{
	*ret = (struct scan_hits){.from = from, .to = from};
	most = most < SCAN_FIRST ? most : SCAN_FIRST;
	for (uint64_t stride = STRIDE_FIRST; ret->to < to && (ret->count < most || most == 0);
		stride = stride < STRIDE_MAX ? stride * 4 : stride) {
		uint64_t end = to - ret->to > stride ? ret->to + stride : to;
		if (!pass(s, w, r, ret->to, end, err)) {
			scan_hits_finish(ret);
			return false;
		}
		for (uint64_t i = 0; i < s->shared->hits && ret->count < most; i++)
			add(ret, &s->shared->first[i]);
		ret->total += s->shared->hits;
		ret->to = end;
		say(r, end - from, to - from);
	}
	return true;
}

/* Puts the last hits of a pass before those of later passes. */
static void add_before(struct scan_hits *to, const struct scan_shared *shared, size_t most)
{
	uint64_t have = shared->hits < SCAN_LAST ? shared->hits : SCAN_LAST;
	uint64_t take = most - to->count < have ? most - to->count : have;
	struct scan_hits all = {0};
	for (uint64_t i = shared->hits - take; i < shared->hits; i++)
		add(&all, &shared->last[i % SCAN_LAST]);
	for (size_t i = 0; i < to->count; i++)
		add(&all, &to->list[i]);
	free(to->list);
	to->list = all.list;
	to->count = all.count;
	to->room = all.room;
}

bool scan_backward(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, size_t most,
	struct scan_hits *ret, struct err *err)
{
	*ret = (struct scan_hits){.from = to, .to = to};
	most = most < SCAN_LAST ? most : SCAN_LAST;
	for (uint64_t stride = STRIDE_FIRST; ret->from > from && (ret->count < most || most == 0);
		stride = stride < STRIDE_MAX ? stride * 4 : stride) {
		/* Where a checkpoint is, or may be: later scans begin there as well. */
		uint64_t begin = walk_grid_before(w, ret->from, stride);
		begin = begin < from ? from : begin;
		if (!pass(s, w, r, begin, ret->from, err)) {
			scan_hits_finish(ret);
			return false;
		}
		add_before(ret, s->shared, most);
		ret->total += s->shared->hits;
		ret->from = begin;
		say(r, to - begin, to - from);
	}
	return true;
}

bool scan_window(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, struct scan_hits *ret,
	struct err *err)
{
	*ret = (struct scan_hits){.from = from, .to = to};
	for (;; ret->to = from + (ret->to - from) / 4) {
		if (!pass(s, w, r, from, ret->to, err))
			return false;
		/* One instruction has few hits: there is an end to this. */
		if (s->shared->hits <= SCAN_LAST || ret->to - from < 4)
			break;
	}
	add_before(ret, s->shared, SCAN_LAST);
	ret->total = s->shared->hits;
	return true;
}
