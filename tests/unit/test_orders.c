#include <stdlib.h>
#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/orders.h"
#include "unit.h"

static const char text[] = "polecat: 1\nname: demo\nnodes:\n"
			   "  server: {workload: {binary: s}, command: [/s, a b], env: {A: b}, ready: {line: up}, restart: "
			   "{when: always, delay: 2ms}, user: '3:4', "
			   "disk: {size: 1MiB}}\n"
			   "  client: {workload: {binary: c}, stdin: x}\n"
			   "faults:\n"
			   "  - {kill: server, after: {lines: 7, of: client}, delay: 1ms}\n"
			   "  - {stop: client, for: 5ms, at: 1s}\n"
			   "  - {restart: server, grace: 3s, after: {fault: kill, stage: healed}}\n"
			   "  - {kill: client, signal: SIGTERM, after: {exited: server, nth: 3}}\n"
			   "limits: {vtime: 9s}\n"
			   "properties: [{id: p, never: x}]\n";

static bool is_text(struct wire_bytes b, const char *bytes, size_t size)
{
	return b.size == size && memcmp(b.data, bytes, size) == 0;
}
#define IS(b, literal) is_text(b, literal, sizeof(literal) - 1)

static struct scenario *scenario(void)
{
	struct err err = {0};
	struct scenario *s = scenario_parse(text, sizeof text - 1, "demo.yaml", "", &err);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	return s;
}

static struct wire_message next(struct buf *b, size_t *at, enum wire_type type)
{
	struct wire_message m = {0};
	size_t used = 0;
	CU_ASSERT_EQUAL_FATAL(wire_decode((const uint8_t *)b->data + *at, b->size - *at, &m, &used), WIRE_OK);
	CU_ASSERT_EQUAL(m.type, type);
	*at += used;
	return m;
}

static void a_plan_becomes_frames(void)
{
	struct err err = {0};
	struct scenario *s = scenario();
	struct plan *p = plan_make(s, 1, &err);
	struct buf out = {0};
	uint8_t digest[32];
	size_t at = 0;

	CU_ASSERT_TRUE_FATAL(orders_encode(p, &out, &err));
	struct wire_message m = next(&out, &at, WIRE_RUN);
	plan_digest(p, digest);
	CU_ASSERT_TRUE(m.value == WIRE_VERSION && m.limit_ns == UINT64_C(9000000000) && m.wait == 2);
	CU_ASSERT_TRUE(is_text(m.bytes, (const char *)digest, 32) && is_text(m.entropy, (const char *)p->entropy, 32));
	m = next(&out, &at, WIRE_NODE);
	CU_ASSERT_TRUE(
		m.node == 0 && IS(m.argv, "/s\0a b\0") && IS(m.env, "A=b\0") && IS(m.cwd, "/") && m.uid == 3 && m.gid == 4);
	CU_ASSERT_TRUE(m.ready == WIRE_READY_LINE && IS(m.ready_text, "up") && m.restart == WIRE_RESTART_ALWAYS &&
		m.delay_ns == 2000000);
	CU_ASSERT_EQUAL(m.wait, 0);
	m = next(&out, &at, WIRE_NODE);
	CU_ASSERT_TRUE(m.node == 1 && IS(m.argv, "/c\0") && m.wait == 1 && m.ready == WIRE_READY_START &&
		m.restart == WIRE_RESTART_NEVER);
	m = next(&out, &at, WIRE_STDIN);
	CU_ASSERT_TRUE(m.node == 1 && m.invocation == 0 && m.offset == 0 && m.code == 1 && IS(m.bytes, "x"));
	m = next(&out, &at, WIRE_TROUBLE);
	CU_ASSERT_TRUE(m.fault == 0 && IS(m.bytes, "kill") && m.node == 0 && IS(m.params, "signal=9\0") && m.for_ns == 0);
	CU_ASSERT_TRUE(m.trigger == WIRE_LINES && m.trigger_value == 7 && m.trigger_of == 1 && m.delay_ns == 1000000);
	m = next(&out, &at, WIRE_TROUBLE);
	CU_ASSERT_TRUE(m.fault == 1 && IS(m.bytes, "stop") && m.node == 1 && m.params.size == 0 && m.for_ns == 5000000);
	CU_ASSERT_TRUE(m.trigger == WIRE_AT && m.trigger_value == 1000000000 && m.trigger_of == 0);
	m = next(&out, &at, WIRE_TROUBLE);
	CU_ASSERT_TRUE(m.fault == 2 && IS(m.bytes, "restart") && IS(m.params, "grace_ns=3000000000\0"));
	CU_ASSERT_TRUE(m.trigger == WIRE_AFTER && m.trigger_value == WIRE_HEALED && m.trigger_of == 0);
	m = next(&out, &at, WIRE_TROUBLE);
	CU_ASSERT_TRUE(m.fault == 3 && IS(m.params, "signal=15\0") && m.trigger == WIRE_ON_EXIT && m.trigger_of == 0 &&
		m.trigger_nth == 3);
	CU_ASSERT_EQUAL(at, out.size);
	buf_free(&out);
	plan_destroy(p);
	scenario_destroy(s);
}

static void a_scenario_becomes_a_spec(void)
{
	struct err err = {0};
	struct scenario *s = scenario();
	struct buf out = {0};
	unsigned images[] = {4, 5};
	size_t at = 0;

	CU_ASSERT_TRUE_FATAL(orders_spec(s, images, &out, &err));
	CU_ASSERT_EQUAL(next(&out, &at, WIRE_MACHINE).value, WIRE_VERSION);
	struct wire_message m = next(&out, &at, WIRE_HOST);
	CU_ASSERT_TRUE(m.node == 0 && IS(m.bytes, "server") && m.address == 0x0a4d000a && m.value == 1 << 20 && m.image == 4);
	m = next(&out, &at, WIRE_HOST);
	CU_ASSERT_TRUE(m.node == 1 && IS(m.bytes, "client") && m.address == 0x0a4d000b && m.value == 0 && m.image == 5);
	CU_ASSERT_EQUAL(at, out.size);
	buf_free(&out);
	scenario_destroy(s);
}

static void what_does_not_fit_is_told(void)
{
	struct err err = {0};
	struct scenario *s = scenario();
	struct plan *p = plan_make(s, 1, &err);
	struct buf out = {0}, big = {0};

	while (big.size < WIRE_PAYLOAD_MAX)
		buf_char(&big, 'x');
	free(p->nodes[1].argv.items[0]);
	p->nodes[1].argv.items[0] = buf_take(&big);
	CU_ASSERT_FALSE(orders_encode(p, &out, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "node client: the orders of node do not fit a frame of 65535 bytes");
	buf_free(&out);
	plan_destroy(p);
	scenario_destroy(s);
}

const struct test suite_orders[] = {
	{"a plan becomes frames", a_plan_becomes_frames},
	{"a scenario becomes a spec", a_scenario_becomes_a_spec},
	{"what does not fit is told", what_does_not_fit_is_told},
	{0},
};
