/*
 * make-run DIR: writes a whole and valid run directory that no machine has ever run. The same options give the same bytes.
 * For fixtures of screens and commands, and for runs of a size that would take hours to record.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/wire.h"
#include "engine/check.h"
#include "engine/digest.h"
#include "engine/eventfile.h"
#include "engine/file.h"
#include "engine/lineage.h"
#include "engine/manifest.h"
#include "engine/scenario.h"
#include "tests/tools/simulate.h"

struct options {
	const char *dir, *parent, *command; /* of a fork: the run it was made from, what it executed */
	uint64_t moment, seed, nodes, kills, stops;
	bool incomplete; /* as if it were still being recorded: no properties, no manifest, half a last line */
	struct simulate_options simulate;
};

static const char usage[] =
	"usage: make-run DIR [--events N] [--nodes N] [--kills N] [--stops N] [--seed N] [--loses] [--hostile]\n"
	"                [--idle N] [--incomplete] [--parent NAME --moment N --command PROGRAM]\n";

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = {{"events", 1, NULL, 'e'}, {"nodes", 1, NULL, 'n'}, {"kills", 1, NULL, 'k'},
		{"stops", 1, NULL, 's'}, {"seed", 1, NULL, 'S'}, {"loses", 0, NULL, 'l'}, {"hostile", 0, NULL, 'h'},
		{"idle", 1, NULL, 'i'}, {"incomplete", 0, NULL, 'I'}, {"parent", 1, NULL, 'p'}, {"moment", 1, NULL, 'm'},
		{"command", 1, NULL, 'c'}, {0}};
	*o = (struct options){.seed = 42, .nodes = 2, .kills = 1, .stops = 1, .simulate = {.events = 400, .idle_one_in = 100}};
	int c;
	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		uint64_t value = 0;
		if (optarg && c != 'p' && c != 'c' && !text_parse_u64(optarg, &value))
			return false;
		switch (c) {
		case 'e':
			o->simulate.events = value;
			break;
		case 'n':
			o->nodes = value;
			break;
		case 'k':
			o->kills = value;
			break;
		case 's':
			o->stops = value;
			break;
		case 'S':
			o->seed = value;
			break;
		case 'l':
			o->simulate.loses = true;
			break;
		case 'h':
			o->simulate.hostile = true;
			break;
		case 'i':
			o->simulate.idle_one_in = value;
			break;
		case 'I':
			o->incomplete = true;
			break;
		case 'p':
			o->parent = optarg;
			break;
		case 'm':
			o->moment = value;
			break;
		case 'c':
			o->command = optarg;
			break;
		default:
			return false;
		}
	}
	if (optind != argc - 1 || o->nodes < 2 || o->nodes > SCENARIO_NODES_MAX)
		return false;
	o->dir = argv[optind];
	return true;
}

/* -- the scenario -- */

static void put_scenario(const struct options *o, struct buf *out)
{
	buf_str(out, "polecat: 1\nname: made\nabout: A run that was made up for tests.\nnodes:\n");
	for (uint64_t i = 0; i < o->nodes; i++) {
		if (i == 0)
			buf_str(out, "  server:\n");
		else if (i == o->nodes - 1)
			buf_str(out, "  client:\n");
		else
			buf_printf(out, "  replica-%" PRIu64 ":\n", i);
		buf_str(out, "    workload: {binary: program}\n    command: [/program]\n    restart: after-fault\n");
	}
	uint64_t lines = o->simulate.events / (o->nodes + 1);
	if (o->kills + o->stops > 0)
		buf_str(out, "faults:\n");
	if (o->kills > 0)
		buf_printf(out,
			"  - {kill: server, times: %" PRIu64 "..%" PRIu64 ", after: {lines: %" PRIu64 "..%" PRIu64
			", of: client}}\n",
			(o->kills + 1) / 2, o->kills, lines / 8 + 1, lines * 3 / 4 + 2);
	if (o->stops > 0)
		buf_printf(out,
			"  - {stop: client, times: %" PRIu64 ", for: 50ms..2s, after: {lines: %" PRIu64 "..%" PRIu64
			", of: server}}\n",
			o->stops, lines / 8 + 1, lines / 2 + 2);
	buf_str(out,
		"limits: {vtime: 24h, events: 10M}\nproperties:\n"
		"  - {id: no-lost-ack, checker: {set: {added: 'acked (\\d+)', read: 'read (\\d+)'}}}\n"
		"  - {id: client-finishes, eventually: {node: client, exited: 0}, within: 1h}\n"
		"  - {id: server-restarts, sometimes: {event: node.started, node: server, nth: 2}}\n"
		"  - {id: no-panic, never: {node: server, line: 'panic'}}\n");
}

/* -- the files -- */

static bool write_file(int dir, struct manifest *m, const char *name, const struct buf *bytes, struct err *err)
{
	if (m)
		manifest_add_file(m, name, bytes->data ? bytes->data : "", bytes->size);
	return file_write_in(dir, name, bytes->data ? bytes->data : "", bytes->size, err);
}

struct writer {
	struct buf events;
	struct event_sink checks;
	struct event last;
	uint64_t lines;
};

static bool take_event(void *data, const struct event *e, struct err *err)
{
	struct writer *w = data;
	event_write(e, &w->events);
	w->last = *e;
	w->lines += e->kind == EVENT_IO_LINE;
	return w->checks.event(w->checks.data, e, err);
}

/* As a recording does: many events are packed. */
static bool write_events(int dir, struct manifest *m, const struct buf *events, struct err *err)
{
	bool packed = events->size >= EVENTFILE_PACK_MIN;
	if (!write_file(dir, m, EVENTFILE_NAME, events, err))
		return false;
	m->files[m->file_count - 1].packed = packed;
	return !packed || eventfile_pack(dir, events->size, EVENTFILE_FRAME, err);
}

/* What the agent of a fork was asked for. */
static bool write_request(const struct options *o, int dir, struct manifest *m, struct err *err)
{
	static const char *const arguments[] = {"-c", "exit 0"};
	struct buf argv = {0}, bytes = {0};
	buf_add(&argv, o->command, strlen(o->command) + 1);
	for (size_t i = 0; i < 2; i++)
		buf_add(&argv, arguments[i], strlen(arguments[i]) + 1);
	struct wire_message message = {.type = WIRE_VISIT, .argv = {(const uint8_t *)argv.data, argv.size}};
	buf_reserve(&bytes, wire_size(&message));
	bytes.size = wire_encode(&message, (uint8_t *)bytes.data, wire_size(&message));
	bool ok = write_file(dir, m, LINEAGE_REQUEST, &bytes, err);
	buf_free(&argv);
	buf_free(&bytes);
	return ok;
}

static bool write_whole(const struct options *o, int dir, const struct scenario *s, const struct plan *plan,
	const struct writer *w, const struct checks *checks, const struct buf *plan_bytes, struct err *err)
{
	struct buf scenario = {.data = s->bytes, .size = s->size}, properties = {0}, none = {0}, out = {0};
	struct manifest m = {.polecat = mem_str("made"),
		.scenario = mem_str(plan->scenario),
		.seed = plan->seed,
		.created = mem_str("2026-01-01T00:00:00Z"),
		.kind = mem_str("closed"),
		.reproducible = mem_str("seed"),
		.end = mem_str("done"),
		.verdict = checks_verdict(checks),
		.icount = w->last.icount,
		.vtime_ns = w->last.vtime_ns,
		.events = w->last.seq,
		.lines = w->lines,
		.faults = plan->fault_count,
		.faults_applied = plan->fault_count,
		.parent = mem_str(o->parent),
		.parent_icount = o->moment,
		.identity = mem_str("{\"made\":true}")};
	uint8_t digest[DIGEST_SIZE];
	digest_sha256(m.identity, strlen(m.identity), digest);
	digest_hex(digest, sizeof digest, m.identity_sha256);
	checks_write(checks, &properties);
	bool ok = write_file(dir, &m, "scenario.yaml", &scenario, err) && write_file(dir, &m, "plan.json", plan_bytes, err) &&
		write_events(dir, &m, &w->events, err) && write_file(dir, &m, "replay.log.zst", &none, err) &&
		write_file(dir, &m, "properties.json", &properties, err) && write_file(dir, &m, "console.log", &none, err);
	ok = ok && (!o->command || write_request(o, dir, &m, err));
	manifest_write(&m, &out);
	ok = ok && write_file(dir, NULL, MANIFEST_NAME, &out, err);
	manifest_finish(&m);
	buf_free(&properties);
	buf_free(&out);
	return ok;
}

static bool write_half(int dir, const struct scenario *s, const struct writer *w, const struct buf *plan_bytes, struct err *err)
{
	struct buf scenario = {.data = s->bytes, .size = s->size}, events = w->events;
	events.size -= events.size / 3;
	return write_file(dir, NULL, "scenario.yaml", &scenario, err) && write_file(dir, NULL, "plan.json", plan_bytes, err) &&
		write_file(dir, NULL, EVENTFILE_NAME, &events, err);
}

static bool make(const struct options *o, const struct scenario *s, const struct plan *plan, struct err *err)
{
	struct checks *checks = checks_create(s);
	struct writer w = {.checks = checks_sink(checks)};
	struct buf plan_bytes = {0};
	plan_write(plan, &plan_bytes);
	bool ok = simulate(plan, &o->simulate, (struct event_sink){take_event, &w}, err);
	checks_finish(checks);
	if (ok && mkdir(o->dir, 0700) < 0)
		ok = err_set(err, ERR_SYSTEM, "%s: it exists, or cannot be made", o->dir);
	int dir = ok ? file_open_dir(o->dir, err) : -1;
	ok = dir >= 0 &&
		(o->incomplete ? write_half(dir, s, &w, &plan_bytes, err)
			       : write_whole(o, dir, s, plan, &w, checks, &plan_bytes, err));
	if (dir >= 0)
		close(dir);
	checks_destroy(checks);
	buf_free(&w.events);
	buf_free(&plan_bytes);
	return ok;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err err = {0};
	if (!parse(argc, argv, &o)) {
		fputs(usage, stderr);
		return 4;
	}
	struct buf text = {0};
	put_scenario(&o, &text);
	struct scenario *s = scenario_parse(text.data, text.size, "made.yaml", "", &err);
	struct plan *plan = s ? plan_make(s, o.seed, &err) : NULL;
	bool ok = plan && make(&o, s, plan, &err);
	if (!ok)
		fprintf(stderr, "make-run: %s\n", err.text);
	plan_destroy(plan);
	scenario_destroy(s);
	buf_free(&text);
	return ok ? 0 : err_exit_status(err.code);
}
