/* Small runs that unit tests write by hand, in a directory of their own below the system's temporary one. */
#ifndef TESTS_UNIT_MADE_H
#define TESTS_UNIT_MADE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/event.h"
#include "engine/file.h"
#include "engine/plan.h"
#include "engine/scenario.h"
#include "unit.h"

struct made {
	char root[64]; /* holds the run directory, so that it can be renamed */
	char path[128];
	struct buf events;
	uint64_t seq;
};

/* name is that of the run directory in the root. */
static inline void made_init(struct made *m, const char *name)
{
	*m = (struct made){0};
	snprintf(m->root, sizeof m->root, "%s", "/tmp/polecat-unit-XXXXXX");
	if (!mkdtemp(m->root))
		CU_FAIL_FATAL("no temporary directory");
	snprintf(m->path, sizeof m->path, "%s/%s", m->root, name);
	if (!file_mkdirs(m->path, NULL))
		CU_FAIL_FATAL("no run directory");
}

static inline void made_finish(struct made *m)
{
	int tmp = file_open_dir("/tmp", NULL);
	file_remove_in(tmp, m->root + strlen("/tmp/"), NULL);
	close(tmp);
	buf_free(&m->events);
}

static inline void made_file(const struct made *m, const char *name, const char *bytes, size_t size)
{
	int dir = file_open_dir(m->path, NULL);
	CU_ASSERT_TRUE(file_write_in(dir, name, bytes, size, NULL));
	close(dir);
}

static inline void made_text(const struct made *m, const char *name, const char *text)
{
	made_file(m, name, text, strlen(text));
}

/* Appends to the events; made_events writes them. */
static inline void made_event(struct made *m, uint64_t icount, uint64_t vtime_ns, struct event e)
{
	e.seq = ++m->seq;
	e.icount = icount;
	e.vtime_ns = vtime_ns;
	if (!e.node)
		e.node = "";
	event_write(&e, &m->events);
}

static inline void made_line(struct made *m, uint64_t icount, uint64_t vtime_ns, const char *node, const char *text)
{
	made_event(m, icount, vtime_ns,
		(struct event){
			.kind = EVENT_IO_LINE, .node = node, .invocation = 1, .line = m->seq, .text = {text, strlen(text)}});
}

static inline void made_fault(
	struct made *m, uint64_t icount, uint64_t vtime_ns, enum event_kind kind, const char *node, const char *id)
{
	char type[32];
	snprintf(type, sizeof type, "%.*s", (int)strcspn(id, "#"), id);
	made_event(m, icount, vtime_ns,
		(struct event){.kind = kind, .node = node, .invocation = 1, .fault = id, .type = type, .why = ""});
}

static inline void made_exit(struct made *m, uint64_t icount, uint64_t vtime_ns, const char *node, bool by_signal, int status)
{
	static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	made_event(m, icount, vtime_ns,
		(struct event){.kind = EVENT_NODE_EXITED,
			.node = node,
			.invocation = 1,
			.by_signal = by_signal,
			.status = status,
			.out_sha256 = empty,
			.err_sha256 = empty});
}

static inline void made_start(struct made *m, uint64_t icount, uint64_t vtime_ns)
{
	static const char plan[] = "0000000000000000000000000000000000000000000000000000000000000000";
	made_event(m, icount, vtime_ns, (struct event){.kind = EVENT_RUN_START, .plan = plan});
}

static inline void made_end(struct made *m, uint64_t icount, uint64_t vtime_ns)
{
	made_event(m, icount, vtime_ns, (struct event){.kind = EVENT_RUN_END, .reason = "done", .why = ""});
}

static inline void made_events(const struct made *m)
{
	made_file(m, "events.jsonl", m->events.data ? m->events.data : "", m->events.size);
}

/* plan.json, from a scenario. */
static inline void made_plan(const struct made *m, const char *scenario, uint64_t seed)
{
	struct err err = {0};
	struct scenario *s = scenario_parse(scenario, strlen(scenario), "made.yaml", "", &err);
	if (!s)
		CU_FAIL_FATAL(err.text);
	struct plan *plan = plan_make(s, seed, NULL);
	struct buf bytes = {0};
	plan_write(plan, &bytes);
	made_file(m, "plan.json", bytes.data, bytes.size);
	buf_free(&bytes);
	plan_destroy(plan);
	scenario_destroy(s);
}

#endif
