/* Debug commands that go on or back to where a condition holds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/moves.h"
#include "engine/verb.h"

/* ---- conditions --------------------------------------------------------------------------------------------- */

static bool kernel_symbol(struct verbs *v, const char *name, struct scan_watch *ret, struct err *err)
{
	const struct guest *guest = here_guest(session_here(v->session), err);
	const struct ksym *symbol = guest ? ksyms_find(guest->layout->ksyms, name) : NULL;
	if (guest && !symbol)
		return err_set(err, ERR_QEMU, "this kernel has no symbol %s", name);
	if (symbol)
		*ret = (struct scan_watch){.kind = SCAN_EXEC, .low = symbol->address, .high = symbol->address + 1};
	return symbol != NULL;
}

static bool expect_words(const struct words *w, size_t least, size_t most, const char *form, struct err *err)
{
	return (w->count >= least && w->count <= most) || err_set(err, ERR_USAGE, "expected: %s %s", w->list[0], form);
}

static bool until_pc(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	uint64_t at;
	if (!expect_words(w, 3, 3, "pc ADDRESS", err) || !verb_address(v, w->list[2], &at, NULL, err))
		return false;
	struct scan_watch watch = verb_code_watch(v, at);
	return verb_add_watch(r, &watch, err);
}

/* Of the thread in focus only. */
static bool by_thread(struct verbs *v, struct scan_request *r, struct err *err)
{
	uint64_t task = here_thread(session_here(v->session), err);
	if (task && !r->task_at)
		return err_set(err, ERR_QEMU, "the kernel's current task was not found in its memory");
	r->tasks[r->task_count++] = task;
	return task != 0;
}

static bool until_access(struct verbs *v, const struct words *w, uint32_t kind, struct scan_request *r, struct err *err)
{
	struct scan_watch watch;
	const char *test;
	bool by = w->count > 4 && !strcmp(w->list[3], "by") && !strcmp(w->list[4], "thread");
	return expect_words(w, 3, WORDS_MAX, "write|read VARIABLE|ADDRESS [by thread] [if EXPRESSION]", err) &&
		verb_take_test(w, by ? 5 : 3, &test, err) && (!by || by_thread(v, r, err)) &&
		verb_add_access(v, kind, w->list[2], test, r, &watch, err);
}

static bool until_write(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	return until_access(v, w, SCAN_WRITE, r, err);
}

static bool until_read(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	return until_access(v, w, SCAN_READ, r, err);
}

static bool until_mem(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	struct scan_watch watch;
	uint64_t value;
	if (!expect_words(w, 5, 5, "mem ADDRESS == VALUE", err) || strcmp(w->list[3], "=="))
		return err_set(err, ERR_USAGE, "expected: %s mem ADDRESS == VALUE", w->list[0]);
	if (!verb_memory_watch(v, w->list[2], 0, &watch, err) || !verb_number(w->list[4], "the value", &value, err))
		return false;
	if (watch.high - watch.low > 8)
		watch.high = watch.low + 8;
	watch.compare = (uint32_t)(watch.high - watch.low);
	watch.value = value;
	return verb_add_watch(r, &watch, err);
}

/* The process of an invocation of a node that is not here any more (or not yet, when there was none before), as the agent told.
 */
static bool told_pid(struct verbs *v, int node, uint64_t *ret, struct err *err)
{
	const struct timeline *t = session_timeline(v->session);
	struct timeline_filter starts = {.kinds = UINT64_C(1) << EVENT_NODE_STARTED, .node = node + 2};
	struct timeline_event e = {0};
	size_t event = session_event(v->session);
	size_t found = event == TIMELINE_NONE ? event : timeline_prev(t, event + 1, &starts);
	found = found == TIMELINE_NONE ? timeline_next(t, event, &starts) : found;
	bool ok = found == TIMELINE_NONE ? err_set(err, ERR_INPUT, "the node never started") : timeline_event(t, found, &e, err);
	*ret = ok ? e.event.pid : 0;
	timeline_event_finish(&e);
	return ok;
}

/* The process that a word names: *ret_process, if it is here, else NULL. One that is not ended before, which is what is asked for
 * after a failure, or has not begun: known by its number alone. */
static bool process_asked(
	struct verbs *v, const char *word, const struct process **ret_process, uint64_t *ret_pid, struct err *err)
{
	struct err none = {0};
	int node = verb_node(v, word);
	*ret_process = verb_process(v, word, &none);
	if (*ret_process) {
		*ret_pid = (*ret_process)->pid;
		return true;
	}
	if (none.code == ERR_USAGE)
		return verb_process(v, word, err) != NULL;
	return node >= 0 ? told_pid(v, node, ret_pid, err) : verb_number(word, "the process", ret_pid, err);
}

/* A process that is here ends with its first thread. */
static bool until_exit(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	struct scan_watch watch;
	const struct process *p;
	uint64_t pid;
	if (!expect_words(w, 3, 3, "exit PID|NODE", err) || !kernel_symbol(v, "do_exit", &watch, err) ||
		!process_asked(v, w->list[2], &p, &pid, err))
		return false;
	if (p)
		r->tasks[r->task_count++] = p->task;
	else
		watch.process = pid;
	return verb_add_watch(r, &watch, err);
}

/* A signal that kills with a dump of memory (SIGSEGV, SIGABRT, SIGFPE, ...): the kernel comes here in the thread that caused it,
 * whether a dump is written or not (get_signal), and in no other thread. */
static bool until_signal(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	struct scan_watch watch;
	const struct process *p;
	uint64_t pid = 0;
	if (!expect_words(w, 2, 3, "signal [PID|NODE]", err) || !kernel_symbol(v, "do_coredump", &watch, err) ||
		(w->count == 3 && !process_asked(v, w->list[2], &p, &pid, err)))
		return false;
	watch.process = pid;
	return verb_add_watch(r, &watch, err);
}

static bool until_syscall(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	struct scan_watch watch;
	return expect_words(w, 2, 2, "syscall", err) && kernel_symbol(v, "entry_SYSCALL_64", &watch, err) &&
		verb_add_watch(r, &watch, err);
}

static bool until_switch(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err)
{
	(void)v;
	if (!expect_words(w, 2, 2, "switch", err))
		return false;
	if (!r->task_at)
		return err_set(err, ERR_QEMU, "the kernel's current task was not found in its memory");
	return verb_add_watch(r, &(struct scan_watch){.kind = SCAN_WRITE, .low = r->task_at, .high = r->task_at + 8}, err);
}

static const struct condition {
	const char *name;
	bool (*parse)(struct verbs *v, const struct words *w, struct scan_request *r, struct err *err);
} conditions[] = {
	{"pc", until_pc},
	{"write", until_write},
	{"read", until_read},
	{"mem", until_mem},
	{"exit", until_exit},
	{"signal", until_signal},
	{"syscall", until_syscall},
	{"switch", until_switch},
};

/* An expression over variables: somebody writes one of them, and then it is true. */
static bool until_true(struct verbs *v, const struct words *w, bool backward, struct buf *out, struct err *err)
{
	struct scan_request *request = mem_alloc(sizeof *request);
	bool ok = w->count > 2 || strpbrk(w->list[1], "=<>!&|")
		? (verb_prepare(v, request), verb_watch_truth(v, w->rest[1], request, err)) &&
			verb_go_to_hit(v, request, backward, false, out, err)
		: err_set(err, ERR_USAGE,
			  "'%.60s' is no condition: expected pc, write, read, mem, exit, signal, syscall, switch, event, or a "
			  "comparison such "
			  "as %.60s == 5",
			  w->list[1], w->list[1]);
	free(request);
	return ok;
}

static bool until(struct verbs *v, const struct words *w, bool backward, struct buf *out, struct err *err)
{
	struct scan_request request;
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		if (strcmp(conditions[i].name, w->list[1]))
			continue;
		verb_prepare(v, &request);
		return conditions[i].parse(v, w, &request, err) && verb_go_to_hit(v, &request, backward, false, out, err);
	}
	if (strcmp(w->list[1], "event"))
		return until_true(v, w, backward, out, err);
	/* Events are known without executing anything. */
	const struct timeline *t = session_timeline(v->session);
	struct moves_filter filter;
	size_t event;
	return moves_parse(t, (const char *const *)w->list + 2, w->count - 2, &filter, err) &&
		moves_find(t, &filter, session_icount(v->session), backward, v->cancel, &event, err) &&
		verb_go(v, timeline_entries(t)[event].icount, out, err);
}

bool verb_until(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return until(v, w, false, out, err);
}

bool verb_runtil(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return until(v, w, true, out, err);
}
