#include <stdio.h>
#include <stdlib.h>
#include "engine/buf.h"
#include "engine/scenario.h"
#include "unit.h"

#define NODES \
	"nodes:\n" \
	"  server: {workload: {binary: w/server}, ready: {port: 70}, restart: after-fault}\n" \
	"  client: {workload: {rootfs: /root}, command: [/c, \"1 2\", 3]}\n"
#define PROPERTIES "properties:\n  - {id: ends, eventually: {node: client, exited: 0}}\n"
#define HEAD       "polecat: 1\nname: demo\n"

static struct scenario *parse(const char *text, struct err *err)
{
	*err = (struct err){0};
	return scenario_parse(text, strlen(text), "demo.yaml", "dir", err);
}

/* A scenario that must be good. */
static struct scenario *good(const char *text)
{
	struct err err;
	struct scenario *s = parse(text, &err);
	if (!s)
		CU_FAIL(err.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	return s;
}

static bool equal(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

static void defaults_are_filled_in(void)
{
	struct scenario *s = good(HEAD NODES PROPERTIES);
	const struct scenario_node *server = &s->nodes[0], *client = &s->nodes[1];

	CU_ASSERT_TRUE(equal(s->name, "demo") && equal(s->file, "demo.yaml") && !s->about);
	CU_ASSERT_EQUAL(strlen(s->sha256), 64);
	CU_ASSERT_EQUAL(s->memory_bytes, 128 << 20);
	CU_ASSERT_EQUAL(s->limits.vtime_ns, UINT64_C(120000000000));
	CU_ASSERT_EQUAL(s->limits.instructions, UINT64_C(20000000000));
	CU_ASSERT_EQUAL(s->limits.events, 200000);
	CU_ASSERT_EQUAL(s->limits.bytes, 64 << 20);
	CU_ASSERT_EQUAL(s->limits.wall_s, 300);
	CU_ASSERT_EQUAL(s->until, 2); /* the client: neither ready nor restart */
	CU_ASSERT_FALSE(s->until_vtime);
	CU_ASSERT_TRUE(equal(server->workload_path, "dir/w/server") && server->workload == WORKLOAD_BINARY);
	CU_ASSERT_TRUE(server->command.count == 1 && equal(server->command.items[0], "/server"));
	CU_ASSERT_TRUE(server->ready == READY_PORT && server->ready_port == 70 && server->restart == RESTART_AFTER_FAULT);
	CU_ASSERT_TRUE(equal(server->cwd, "/") && server->uid == 0 && server->gid == 0 && server->disk_bytes == 0);
	CU_ASSERT_TRUE(equal(client->workload_path, "/root") && client->workload == WORKLOAD_ROOTFS);
	CU_ASSERT_TRUE(
		client->command.count == 3 && equal(client->command.items[1], "1 2") && equal(client->command.items[2], "3"));
	CU_ASSERT_TRUE(client->after == 1 && server->after == 0);
	CU_ASSERT_TRUE(client->ready == READY_START && client->restart == RESTART_NEVER && client->input_count == 0);
	CU_ASSERT_EQUAL(scenario_node_index(s, "client"), 1);
	CU_ASSERT_EQUAL(scenario_node_index(s, "x"), SCENARIO_NONE);
	scenario_destroy(s);
	scenario_destroy(NULL);
}

static void nodes_are_read(void)
{
	struct scenario *s = good(
		HEAD "about: b\nmachine: {memory: 192MiB}\nnodes:\n"
		     "  a: {workload: {binary: /x}, env: {A: 1, B: 'c d'}, cwd: /tmp, user: '10:20', disk: {size: 64MiB}, after: "
		     "[b],\n"
		     "      ready: {line: up}, restart: {when: always, delay: 1ms..2ms}, stdin: hello}\n"
		     "  b: {workload: {binary: /y}, user: 5, after: [], stdin: [{text: x, delay: 1s}, {text: yz, eof: false}]}\n"
		     "limits: {vtime: 10s, wall: 2s}\nuntil: {vtime: 5s}\n"
		     "properties: [{id: p, sometimes: {event: node.ready}}]\n");
	const struct scenario_node *a = &s->nodes[0], *b = &s->nodes[1];

	CU_ASSERT_TRUE(equal(s->about, "b") && s->memory_bytes == 192 << 20);
	CU_ASSERT_TRUE(s->until == 0 && s->until_vtime && s->limits.vtime_ns == UINT64_C(5000000000) && s->limits.wall_s == 2);
	CU_ASSERT_TRUE(a->env.count == 2 && equal(a->env.items[0], "A=1") && equal(a->env.items[1], "B=c d"));
	CU_ASSERT_TRUE(equal(a->cwd, "/tmp") && a->uid == 10 && a->gid == 20 && a->disk_bytes == 64 << 20 && a->after == 2);
	CU_ASSERT_TRUE(a->ready == READY_LINE && equal(a->ready_text, "up"));
	CU_ASSERT_TRUE(a->restart == RESTART_ALWAYS && a->restart_delay_ns.low == 1000000 && a->restart_delay_ns.high == 2000000);
	CU_ASSERT_TRUE(a->input_count == 1 && a->input[0].eof && a->input[0].size == 5 && a->input[0].invocation == 0);
	CU_ASSERT_TRUE(b->uid == 5 && b->gid == 5 && b->after == 0);
	CU_ASSERT_TRUE(b->input_count == 2 && !b->input[0].eof && !b->input[1].eof && b->input[0].delay_ns.low == 1000000000);
	scenario_destroy(s);
}

static void faults_are_read(void)
{
	struct scenario *s =
		good(HEAD NODES "faults:\n"
				"  - {kill: server, times: 1..3, after: {lines: 20..150, of: client}, delay: 0s..1ms}\n"
				"  - {kill: [server, client], signal: SIGTERM, at: 0s..2s}\n"
				"  - {stop: client, for: 10ms..20ms, after: {fault: kill, stage: healed}, times: 2}\n"
				"  - {restart: server, after: {fault: kill#2}}\n"
				"  - {kill: client, after: {exited: server, nth: 1..4}}\n"
				"  - {kill: client, times: 2}\n" PROPERTIES);
	const struct scenario_fault *f = s->faults;

	CU_ASSERT_EQUAL_FATAL(s->fault_count, 6);
	CU_ASSERT_TRUE(f[0].times.low == 1 && f[0].times.high == 3 && f[0].target_count == 1 && f[0].targets[0] == 0);
	CU_ASSERT_TRUE(f[0].trigger.kind == TRIGGER_LINES && f[0].trigger.node == 1 && f[0].trigger.value.high == 150);
	CU_ASSERT_TRUE(f[0].trigger.delay_ns.high == 1000000 && f[0].param_count == 1 && equal(f[0].params[0].value, "SIGKILL"));
	CU_ASSERT_TRUE(f[1].target_count == 2 && f[1].targets[1] == 1 && equal(f[1].params[0].value, "SIGTERM"));
	CU_ASSERT_TRUE(
		f[1].trigger.kind == TRIGGER_AT && f[1].trigger.value.high == 2000000000 && f[1].trigger.delay_ns.high == 0);
	CU_ASSERT_TRUE(f[2].trigger.kind == TRIGGER_FAULT && f[2].trigger.fault == fault_find("kill") &&
		f[2].trigger.fault_ordinal == 0);
	CU_ASSERT_TRUE(f[2].trigger.stage == FAULT_HEALED && f[2].for_ns.low == 10000000);
	CU_ASSERT_TRUE(
		f[3].trigger.fault_ordinal == 2 && f[3].trigger.stage == FAULT_APPLIED && equal(f[3].params[0].value, "10s"));
	CU_ASSERT_TRUE(f[4].trigger.kind == TRIGGER_EXITED && f[4].trigger.node == 0 && f[4].trigger.value.high == 4);
	CU_ASSERT_TRUE(f[5].trigger.kind == TRIGGER_READY && f[5].trigger.node == SCENARIO_NONE && f[5].trigger.value.high == 0);
	CU_ASSERT_TRUE(f[5].trigger.delay_ns.low == 0 && f[5].trigger.delay_ns.high == 1000000000);
	CU_ASSERT_TRUE(f[0].place.line == 7 && f[0].place.column == 6);
	scenario_destroy(s);
}

static void properties_are_read(void)
{
	struct scenario *s = good(
		HEAD NODES "faults: [{kill: server}]\nproperties:\n"
			   "  - {id: a, about: why, never: 'mismatch'}\n"
			   "  - {id: b, always: {node: client, line: '^(?<n>\\d+) (?<m>\\d+)$', stream: err, where: {n: '<= m', "
			   "m: '!= -3'}}}\n"
			   "  - {id: c, sometimes: {event: node.started, node: server, nth: 2}}\n"
			   "  - {id: d, eventually: {line: x}, after: {fault: kill#1, stage: observed}, within: 2s}\n"
			   "  - {id: e, ordered: ['sent (?<k>.)', {line: 'echo (?<k>.)'}], each: k}\n"
			   "  - {id: f, checker: {set: {added: 'acked (\\d+)', read: {node: client, user: 'read (\\d+)'}}}}\n"
			   "  - {id: g, never: {node: server, exited: SIGSEGV}}\n"
			   "  - {id: h, sometimes: {event: user.event, json: {a.b: 1, c: '1', d: true, e: text}}}\n");
	const struct property *p = s->properties;

	CU_ASSERT_EQUAL_FATAL(s->property_count, 8);
	CU_ASSERT_TRUE(p[0].form == PROPERTY_NEVER && equal(p[0].about, "why") && p[0].matchers->kind == EVENT_IO_LINE);
	CU_ASSERT_TRUE(equal(pattern_text(p[0].matchers->pattern), "mismatch") && !p[0].matchers->node);
	const struct matcher *m = p[1].matchers;
	CU_ASSERT_TRUE(equal(m->node, "client") && m->has_stream && m->is_stderr && m->where_count == 2);
	CU_ASSERT_TRUE(m->where[0].left_group == 1 && m->where[0].right_group == 2 && m->where[0].compare == COMPARE_LE);
	CU_ASSERT_TRUE(m->where[1].right_group == 0 && m->where[1].number == -3 && m->where[1].compare == COMPARE_NE);
	CU_ASSERT_TRUE(
		p[2].matchers->nth == 2 && p[2].matchers->kind == EVENT_NODE_STARTED && equal(p[2].matchers->node, "server"));
	CU_ASSERT_TRUE(p[3].within_ns == 2000000000 && p[3].after && p[3].after->fault_ordinal == 1 &&
		p[3].after->stage == FAULT_OBSERVED);
	CU_ASSERT_TRUE(p[4].form == PROPERTY_ORDERED && p[4].matcher_count == 2 && equal(p[4].each, "k"));
	CU_ASSERT_TRUE(p[5].form == PROPERTY_SET && p[5].matchers[PROPERTY_SET_READ].kind == EVENT_USER_EVENT);
	CU_ASSERT_PTR_NULL(p[5].matchers[PROPERTY_SET_LOST].pattern);
	CU_ASSERT_TRUE(p[6].matchers->by_signal && p[6].matchers->status == 11);
	m = p[7].matchers;
	CU_ASSERT_TRUE(m->kind == EVENT_USER_EVENT && m->json_count == 4 && equal(m->json[0].path, "a.b") &&
		equal(m->json[0].value, "1"));
	CU_ASSERT_TRUE(
		equal(m->json[1].value, "\"1\"") && equal(m->json[2].value, "true") && equal(m->json[3].value, "\"text\""));
	CU_ASSERT_TRUE(p[2].place.line == 10 && p[2].place.column > 0);
	scenario_destroy(s);
}

/* What is wrong, and what is said of it. */
static const struct {
	const char *text, *error;
} mistakes[] = {
	{"[]", "demo.yaml:1:1: a scenario must be a map"},
	{HEAD "propertees: []",
		"demo.yaml:3:1: a scenario has no key `propertees`; did you mean `properties`?\n    propertees: []\n    ^"},
	{HEAD NODES, "demo.yaml:1:1: a scenario needs `properties`"},
	{"polecat: 2\nname: x\n" NODES PROPERTIES, "demo.yaml:1:10: `polecat` is `2`; expected something within 1"},
	{"polecat: 1\nname: Big\n" NODES PROPERTIES, "demo.yaml:2:7: `name` is `Big`; expected lower case letters"},
	{"polecat: 1\nname:\n" NODES PROPERTIES, "demo.yaml:2:1: `name` has no value"},
	{HEAD "machine: {memory: 1GB}\n" NODES PROPERTIES,
		"demo.yaml:3:19: `memory` is `1GB`; expected a size such as 512KiB or 64MiB"},
	{HEAD "machine: {memory: 1MiB}\n" NODES PROPERTIES,
		"demo.yaml:3:19: `memory` is `1MiB`; expected something within 96MiB..2GiB"},
	{HEAD "limits: {vtime: 1s..2s}\n" NODES PROPERTIES, "demo.yaml:3:17: `vtime` is `1s..2s`; expected one value"},
	{HEAD "limits: {wall: 1500ms}\n" NODES PROPERTIES, "demo.yaml:3:16: `wall` must be a whole number of seconds"},
	{HEAD "until: {exited: [client], vtime: 1s}\n" NODES PROPERTIES, "demo.yaml:3:8: `until` needs exactly one"},
	{HEAD "until: {exited: clent}\n" NODES PROPERTIES,
		"demo.yaml:3:17: `exited` is `clent`, but there is no node of that name; did you mean `client`?"},
	{HEAD "until: {vtime: 500s}\n" NODES PROPERTIES, "demo.yaml:3:16: `until` is later than `limits.vtime`"},
	/* nodes */
	{HEAD "nodes: {}\n" PROPERTIES, "demo.yaml:3:8: `nodes` must be a map from names to nodes, with at least one"},
	{HEAD "nodes: {a: {}}\n" PROPERTIES, "demo.yaml:3:12: a node needs `workload`"},
	{HEAD "nodes: {A: {workload: {binary: x}}}\n" PROPERTIES, "demo.yaml:3:9: `A` cannot be the name of a node"},
	{HEAD "nodes: {localhost: {workload: {binary: x}}}\n" PROPERTIES, "demo.yaml:3:9: `localhost` cannot be"},
	{HEAD "nodes:\n  a: {workload: {binary: x}}\n  a: {workload: {binary: x}}\n" PROPERTIES,
		"demo.yaml:5:3: `a` is here twice"},
	{HEAD "nodes: {a: {workload: {oci: x}}}\n" PROPERTIES, "demo.yaml:3:24: `oci` workloads cannot be read yet"},
	{HEAD "nodes: {a: {workload: {binary: x, rootfs: y}}}\n" PROPERTIES, "demo.yaml:3:23: `workload` needs exactly one"},
	{HEAD "nodes: {a: {workload: {rootfs: y}}}\n" PROPERTIES, "demo.yaml:3:23: node `a` needs `command`"},
	{HEAD "nodes: {a: {workload: {binary: x}, command: x y}}\n" PROPERTIES,
		"demo.yaml:3:45: `command` must be a list such as"},
	{HEAD "nodes: {a: {workload: {binary: x}, comand: [x]}}\n" PROPERTIES,
		"demo.yaml:3:36: a node has no key `comand`; did you mean `command`?"},
	{HEAD "nodes: {a: {workload: {binary: x}, env: [A]}}\n" PROPERTIES, "demo.yaml:3:41: `env` must be a map"},
	{HEAD "nodes: {a: {workload: {binary: x}, cwd: tmp}}\n" PROPERTIES,
		"demo.yaml:3:41: `cwd` is `tmp`; expected an absolute path"},
	{HEAD "nodes: {a: {workload: {binary: x}, user: root}}\n" PROPERTIES,
		"demo.yaml:3:42: `user` is `root`; expected UID:GID as numbers"},
	{HEAD "nodes: {a: {workload: {binary: x}, ready: {port: 0}}}\n" PROPERTIES,
		"demo.yaml:3:50: `port` is `0`; expected something within 1..65535"},
	{HEAD "nodes: {a: {workload: {binary: x}, ready: {}}}\n" PROPERTIES, "demo.yaml:3:43: `ready` needs exactly one"},
	{HEAD "nodes: {a: {workload: {binary: x}, restart: allways}}\n" PROPERTIES,
		"demo.yaml:3:45: `when` is `allways`; expected `never`, `after-fault` or `always`; did you mean `always`?"},
	{HEAD "nodes: {a: {workload: {binary: x}, after: [a]}}\n" PROPERTIES,
		"demo.yaml:3:9: node `a` waits, over `after`, for itself"},
	{HEAD "nodes: {a: {workload: {binary: x}, after: b}, b: {workload: {binary: x}, after: a}}\n" PROPERTIES,
		"demo.yaml:3:9: node `a` waits"},
	{HEAD "nodes: {a: {workload: {binary: x}, stdin: [{text: x, invocation: 1}, {text: y}]}}\n" PROPERTIES,
		"demo.yaml:3:70: either all entries"},
	{HEAD "nodes: {a: {workload: {binary: x}, stdin: [{text: x, eof: true}, {text: y}]}}\n" PROPERTIES,
		"demo.yaml:3:66: standard input has ended"},
	{HEAD "nodes: {a: {workload: {binary: x}, stdin: [{text: x, eof: yes}]}}\n" PROPERTIES,
		"demo.yaml:3:59: `eof` is `yes`; expected true or false"},
	{HEAD "nodes: {a: {workload: {binary: x}, disk: {}}}\n" PROPERTIES, "demo.yaml:3:42: `disk` needs `size`"},
	/* faults */
	{HEAD NODES "faults: [{kil: server}]\n" PROPERTIES, "demo.yaml:6:11: a fault has no key `kil`; did you mean `kill`?"},
	{HEAD NODES "faults: [{times: 1}]\n" PROPERTIES, "demo.yaml:6:10: a fault needs a kind and its target"},
	{HEAD NODES "faults: [{kill: server, stop: server}]\n" PROPERTIES,
		"demo.yaml:6:25: a fault is of one kind: `kill` or `stop`?"},
	{HEAD NODES "faults: [{partition: [client, server], for: 1s}]\n" PROPERTIES,
		"demo.yaml:6:11: faults `partition` cannot be applied yet; this version applies `kill`, `stop`, `restart`"},
	{HEAD NODES "faults: [{kill: sever}]\n" PROPERTIES,
		"demo.yaml:6:17: the target of a fault is `sever`, but there is no node of that name; did you mean `server`?"},
	{HEAD NODES "faults: [{kill: server, signal: KILLALL}]\n" PROPERTIES,
		"demo.yaml:6:33: `signal` is `KILLALL`; expected a signal"},
	{HEAD NODES "faults: [{kill: server, grace: 1s}]\n" PROPERTIES, "demo.yaml:6:25: a fault has no key `grace`"},
	{HEAD NODES "faults: [{kill: server, times: 3..1}]\n" PROPERTIES,
		"demo.yaml:6:32: `times` is `3..1`; expected a whole number such as 3, or a range"},
	{HEAD NODES "faults: [{kill: server, times: 0}]\n" PROPERTIES, "demo.yaml:6:32: `times` is 0"},
	{HEAD NODES "faults: [{kill: server, times: 65}]\n" PROPERTIES,
		"demo.yaml:6:32: `times` is `65`; expected something within 0..64"},
	{HEAD NODES "faults: [{kill: server, for: 1s}]\n" PROPERTIES, "demo.yaml:6:25: a fault `kill` has no `for`"},
	{HEAD NODES "faults: [{stop: server}]\n" PROPERTIES, "demo.yaml:6:11: a fault `stop` needs `for`"},
	{HEAD NODES "faults: [{kill: server, at: 1s..500s}]\n" PROPERTIES,
		"demo.yaml:6:29: the end of `at` is later than the run can last"},
	{HEAD NODES "faults: [{kill: server, at: 1s, after: {lines: 1}}]\n" PROPERTIES,
		"demo.yaml:6:33: a fault comes either `at`"},
	{HEAD NODES "faults: [{kill: server, at: 1s, delay: 1s}]\n" PROPERTIES, "demo.yaml:6:33: `delay` goes with `after`"},
	{HEAD NODES "faults: [{kill: server, after: {}}]\n" PROPERTIES, "demo.yaml:6:32: `after` needs one of"},
	{HEAD NODES "faults: [{kill: server, after: {lines: 1, ready: server}}]\n" PROPERTIES,
		"demo.yaml:6:43: `after` waits for one thing"},
	{HEAD NODES "faults: [{kill: server, after: {lines: 0}}]\n" PROPERTIES, "demo.yaml:6:40: `lines` is `0`"},
	{HEAD NODES "faults: [{kill: server, after: {lines: 1, nth: 2}}]\n" PROPERTIES, "demo.yaml:6:43: `nth` goes with"},
	{HEAD NODES "faults: [{kill: server, times: 1..3, after: {lines: 4..5}}]\n" PROPERTIES,
		"demo.yaml:6:53: 3 faults get different values of this range, which has 2"},
	{HEAD NODES "faults: [{kill: server, after: {fault: kill}}]\n" PROPERTIES,
		"demo.yaml:6:40: no entry above this one has a fault `kill`"},
	{HEAD NODES "faults: [{kill: server}, {kill: server, after: {fault: kill#2}}]\n" PROPERTIES,
		"demo.yaml:6:56: the entries above give at most 1"},
	/* properties */
	{HEAD NODES "properties: []\n", "demo.yaml:6:13: `properties` must be a list of at least one property"},
	{HEAD NODES "properties: [{id: a}]\n", "demo.yaml:6:14: a property needs one of `always`"},
	{HEAD NODES "properties: [{id: a, never: x, always: y}]\n",
		"demo.yaml:6:22: a property has one form: `always` or `never`?"},
	{HEAD NODES "properties: [{id: a, never: x}, {id: a, never: y}]\n",
		"demo.yaml:6:38: a property `a` is already in line 6"},
	{HEAD NODES "properties: [{id: a, never: 'x(\\d'}]\n",
		"demo.yaml:6:34: this expression cannot be compiled: missing closing parenthesis"},
	{HEAD NODES "properties: [{id: a, never: {node: clint, line: x}}]\n",
		"demo.yaml:6:36: `node` is `clint`, but there is no node of that name; did you mean `client`?"},
	{HEAD NODES "properties: [{id: a, never: {event: node.start}}]\n",
		"demo.yaml:6:37: `event` is `node.start`; expected a kind of event such as node.started; did you mean"},
	{HEAD NODES "properties: [{id: a, never: {event: node.ready, line: x}}]\n",
		"demo.yaml:6:49: `line` looks at io.line events, but another key"},
	{HEAD NODES "properties: [{id: a, never: {fault: kill, stage: applied}}]\n",
		"demo.yaml:6:37: the scenario has at most 0 faults `kill`"},
	{HEAD NODES "properties: [{id: a, never: {}}]\n", "demo.yaml:6:29: `never` must be a map of tests"},
	{HEAD NODES "properties: [{id: a, always: {event: node.ready}}]\n",
		"demo.yaml:6:30: `always` needs a test that an event may fail"},
	{HEAD NODES "properties: [{id: a, sometimes: {line: x}, within: 1s}]\n",
		"demo.yaml:6:44: `within` goes with `eventually`"},
	{HEAD NODES "properties: [{id: a, eventually: {line: x}, within: 500s}]\n",
		"demo.yaml:6:53: `within` is longer than the run can last"},
	{HEAD NODES "properties: [{id: a, never: {line: x, where: {n: '> 1'}}}]\n",
		"demo.yaml:6:47: the expression has no group (?<n>...)"},
	{HEAD NODES "properties: [{id: a, never: {line: '(?<n>x)', where: {n: '> m'}}}]\n",
		"demo.yaml:6:58: `m` is neither a whole number nor a group"},
	{HEAD NODES "properties: [{id: a, ordered: [x]}]\n", "demo.yaml:6:31: `ordered` must be a list of 2 to 16 matchers"},
	{HEAD NODES "properties: [{id: a, ordered: [x, y], each: n}]\n", "demo.yaml:6:32: this matcher has no group (?<n>...)"},
	{HEAD NODES "properties: [{id: a, checker: {sett: {}}}]\n",
		"demo.yaml:6:32: `checker` has no key `sett`; did you mean `set`?"},
	{HEAD NODES "properties: [{id: a, checker: {set: {added: x, read: y}}}]\n",
		"demo.yaml:6:45: `added` needs an expression with a group"},
	{HEAD NODES "properties: [{id: a, never: {exited: 256}}]\n",
		"demo.yaml:6:38: `exited` is `256`; expected a status 0 to 255 or a signal"},
};

static void mistakes_are_told(void)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct err err;
		struct scenario *s = parse(mistakes[i].text, &err);
		if (s || strncmp(err.text, mistakes[i].error, strlen(mistakes[i].error)) != 0) {
			fprintf(stderr, "\n%s\n-> %s\nwanted: %s\n", mistakes[i].text, s ? "taken" : err.text, mistakes[i].error);
			CU_FAIL("a mistake is told otherwise");
		}
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "\n    ")); /* the line is shown */
		scenario_destroy(s);
	}
}

static void limits_hold(void)
{
	struct err err;
	struct buf text = {0};

	buf_str(&text, HEAD "nodes:\n");
	for (int i = 0; i <= SCENARIO_NODES_MAX; i++)
		buf_printf(&text, "  n%d: {workload: {binary: x}}\n", i);
	buf_str(&text, PROPERTIES);
	CU_ASSERT_PTR_NULL(parse(text.data, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "`nodes` has 17 nodes; at most 16"));
	buf_clear(&text);
	buf_str(&text, HEAD NODES "faults:\n");
	for (int i = 0; i < 5; i++)
		buf_str(&text, "  - {kill: server, times: 64}\n");
	buf_str(&text, PROPERTIES);
	CU_ASSERT_PTR_NULL(parse(text.data, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "the entries give up to 320 faults; at most 256"));
	buf_clear(&text);
	buf_str(&text, HEAD NODES "properties:\n");
	for (int i = 0; i <= PROPERTY_MAX; i++)
		buf_printf(&text, "  - {id: p%d, never: x}\n", i);
	CU_ASSERT_PTR_NULL(parse(text.data, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "`properties` has 65 entries; at most 64"));
	buf_clear(&text);
	buf_str(&text, HEAD "about: ");
	for (int i = 0; i <= SCENARIO_TEXT_MAX; i++)
		buf_char(&text, 'x');
	buf_str(&text, "\n" NODES PROPERTIES);
	CU_ASSERT_PTR_NULL(parse(text.data, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "`about` has 4097 bytes; at most 4096"));
	buf_clear(&text);
	while (text.size <= SCENARIO_BYTES_MAX)
		buf_str(&text, "# a line that says nothing\n");
	CU_ASSERT_PTR_NULL(parse(text.data, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "demo.yaml: more than 1048576 bytes");
	buf_free(&text);
}

static void the_scenarios_of_the_tree_are_good(void)
{
	static const char *const files[] = {
		"echo-restart", "echo-corrupt", "redis-acked-writes", "redis-memory-only", "busybox-httpd"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct err err = {0};
		char *path = mem_printf("scenarios/%s.yaml", files[i]);
		struct scenario *s = scenario_load(path, &err);
		CU_ASSERT_STRING_EQUAL(err.text, "");
		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		CU_ASSERT_STRING_EQUAL(s->name, files[i]);
		CU_ASSERT_TRUE(strncmp(s->nodes[0].workload_path, "scenarios/../build/workloads/", 29) == 0);
		scenario_destroy(s);
		free(path);
	}
	struct err err = {0};
	CU_ASSERT_PTR_NULL(scenario_load("scenarios/none.yaml", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "scenarios/none.yaml"));
}

static void workloads_are_looked_for(void)
{
	struct err err = {0};
	struct scenario *s = good(HEAD "nodes:\n  a: {workload: {binary: none}}\n"
				       "properties: [{id: p, never: x}]\n");

	CU_ASSERT_FALSE(scenario_check_workloads(s, &err));
	CU_ASSERT_TRUE(strncmp(err.text, "demo.yaml:4:26: node `a`: dir/none: No such file or directory\n", 62) == 0);
	scenario_destroy(s);
	s = good(HEAD "nodes:\n  a: {workload: {binary: /etc/passwd}}\n"
		      "properties: [{id: p, never: x}]\n");
	CU_ASSERT_FALSE(scenario_check_workloads(s, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/etc/passwd is not a program"));
	scenario_destroy(s);
	s = good(HEAD "nodes:\n  a: {workload: {rootfs: /dev/null}, command: [x]}\n"
		      "properties: [{id: p, never: x}]\n");
	CU_ASSERT_FALSE(scenario_check_workloads(s, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/dev/null is neither a directory nor a tar file"));
	scenario_destroy(s);
	s = good(HEAD "nodes:\n  a: {workload: {rootfs: /}, command: [x]}\n"
		      "properties: [{id: p, never: x}]\n");
	CU_ASSERT_TRUE(scenario_check_workloads(s, &err));
	scenario_destroy(s);
}

const struct test suite_scenario[] = {
	{"defaults are filled in", defaults_are_filled_in},
	{"nodes are read", nodes_are_read},
	{"faults are read", faults_are_read},
	{"properties are read", properties_are_read},
	{"mistakes are told", mistakes_are_told},
	{"limits hold", limits_hold},
	{"the scenarios of the tree are good", the_scenarios_of_the_tree_are_good},
	{"workloads are looked for", workloads_are_looked_for},
	{0},
};
