/* The spec of an image and the orders of a run, as the agent reads them: good ones, cut ones, and each rule broken once. */
#include <stdlib.h>
#include <string.h>
#include "agent/mission.h"
#include "agent/spec.h"
#include "unit.h"

struct file {
	uint8_t data[8192];
	size_t size;
};

#define TEXT(literal) \
	{ \
		(const uint8_t *)(literal), sizeof(literal) - 1 \
	}

static void put(struct file *f, struct wire_message m)
{
	size_t size = wire_encode(&m, f->data + f->size, sizeof f->data - f->size);
	CU_ASSERT_FATAL(size > 0);
	f->size += size;
}

static struct wire_message host(uint64_t node, const char *name)
{
	return (struct wire_message){
		.type = WIRE_HOST, .node = node, .bytes = {(const uint8_t *)name, strlen(name)}, .image = node};
}

static struct file good_spec(void)
{
	struct file f = {0};
	put(&f, (struct wire_message){.type = WIRE_MACHINE, .value = WIRE_VERSION, .bytes = TEXT("test")});
	put(&f, host(0, "server"));
	put(&f, host(1, "client-2"));
	return f;
}

static struct spec two_nodes(void)
{
	struct file f = good_spec();
	struct spec spec;
	struct why why;
	CU_ASSERT_FATAL(spec_read(f.data, f.size, &spec, &why));
	return spec;
}

static void a_spec_is_read(void)
{
	struct spec spec = two_nodes();
	CU_ASSERT_EQUAL(spec.count, 2);
	CU_ASSERT_STRING_EQUAL(spec.hosts[1].name, "client-2");
	CU_ASSERT_EQUAL(spec.hosts[0].address, 0x0a4d000a);
	CU_ASSERT_EQUAL(spec.hosts[1].address, 0x0a4d000b);
	CU_ASSERT_EQUAL(spec.hosts[1].image, 1);
}

static void expect_bad_spec(struct file f, const char *words)
{
	struct spec spec;
	struct why why = {0};
	CU_ASSERT_FALSE(spec_read(f.data, f.size, &spec, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why.text, words));
}

static void bad_specs_are_refused(void)
{
	struct file good = good_spec(), f = {0};
	expect_bad_spec(f, "no node");
	for (size_t cut = 1; cut < good.size; cut++) {
		struct spec spec;
		struct why why = {0};
		uint8_t *part = malloc(cut);
		memcpy(part, good.data, cut);
		/* Between two frames the rest is missing without a sign; the first end is that of a machine without nodes. */
		bool whole = spec_read(part, cut, &spec, &why);
		CU_ASSERT_EQUAL(whole, !why.text[0]);
		CU_ASSERT_TRUE(!whole || spec.count == 1);
		free(part);
	}
	f = good;
	put(&f, host(3, "third"));
	expect_bad_spec(f, "expected node 2");
	f = good;
	put(&f, host(2, "server"));
	expect_bad_spec(f, "one name");
	f = good;
	put(&f, host(2, "a/b"));
	expect_bad_spec(f, "letters");
	f = good;
	put(&f, (struct wire_message){.type = WIRE_MACHINE, .value = WIRE_VERSION});
	expect_bad_spec(f, "expected host");
	f = (struct file){0};
	put(&f, (struct wire_message){.type = WIRE_MACHINE, .value = WIRE_VERSION + 1});
	expect_bad_spec(f, "version 2: expected 1");
	f = (struct file){0};
	put(&f, host(0, "server"));
	expect_bad_spec(f, "expected machine");
}

static struct wire_message run_frame(void)
{
	static const uint8_t digest[WIRE_DIGEST_SIZE] = {1, 2, 3};
	return (struct wire_message){.type = WIRE_RUN,
		.value = WIRE_VERSION,
		.bytes = {digest, sizeof digest},
		.entropy = TEXT("dice"),
		.limit_ns = 5,
		.wait = 2};
}

static struct wire_message node_frame(uint64_t node)
{
	return (struct wire_message){.type = WIRE_NODE,
		.node = node,
		.argv = TEXT("sh\0-c\0\0"),
		.env = TEXT("A=1\0"),
		.cwd = TEXT("/srv"),
		.uid = 7,
		.gid = 8,
		.ready = WIRE_READY_PORT,
		.ready_value = 80,
		.restart = WIRE_RESTART_AFTER_FAULT,
		.delay_ns = 9};
}

static struct wire_message trouble_frame(uint64_t fault)
{
	return (struct wire_message){.type = WIRE_TROUBLE,
		.fault = fault,
		.bytes = TEXT("kill"),
		.node = 1,
		.params = TEXT("signal=TERM\0x=\0"),
		.trigger = WIRE_LINES,
		.trigger_value = 3,
		.trigger_of = 1};
}

static struct file good_orders(void)
{
	struct file f = {0};
	put(&f, run_frame());
	put(&f, node_frame(0));
	put(&f, node_frame(1));
	put(&f, (struct wire_message){.type = WIRE_STDIN, .node = 1, .invocation = 2, .bytes = TEXT("in"), .code = 1});
	put(&f, trouble_frame(0));
	return f;
}

static void orders_are_read(void)
{
	static struct mission o;
	struct file f = good_orders();
	struct spec spec = two_nodes();
	struct why why;
	CU_ASSERT_TRUE_FATAL(mission_read(f.data, f.size, &spec, &o, &why));
	CU_ASSERT_EQUAL(o.node_count, 2);
	CU_ASSERT_EQUAL(o.limit_ns, 5);
	CU_ASSERT_EQUAL(o.digest[2], 3);
	CU_ASSERT_STRING_EQUAL(o.nodes[1].argv[1], "-c");
	CU_ASSERT_STRING_EQUAL(o.nodes[1].argv[2], ""); /* an empty argument is one */
	CU_ASSERT_PTR_NULL(o.nodes[1].argv[3]);
	CU_ASSERT_STRING_EQUAL(o.nodes[0].cwd, "/srv");
	CU_ASSERT_EQUAL(o.nodes[0].port, 80);
	CU_ASSERT_STRING_EQUAL(mission_param(&o.troubles[0], "signal"), "TERM");
	CU_ASSERT_STRING_EQUAL(mission_param(&o.troubles[0], "x"), "");
	CU_ASSERT_PTR_NULL(mission_param(&o.troubles[0], "sig"));
	CU_ASSERT_TRUE(mission_has_stdin(&o, 1, 2));
	CU_ASSERT_FALSE(mission_has_stdin(&o, 1, 1));
	CU_ASSERT_FALSE(mission_has_stdin(&o, 0, 2));
}

static void expect_bad_orders(struct file f, const char *words)
{
	static struct mission o;
	struct spec spec = two_nodes();
	struct why why = {0};
	CU_ASSERT_FALSE(mission_read(f.data, f.size, &spec, &o, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why.text, words));
}

static void bad_frames_are_refused(void)
{
	struct file f = {0};
	struct wire_message m = run_frame();
	expect_bad_orders(f, "empty");
	m.value = 7;
	put(&f, m);
	expect_bad_orders(f, "version 7: expected 1");
	f = (struct file){0};
	m = run_frame();
	m.bytes.size--;
	put(&f, m);
	expect_bad_orders(f, "digest of 31 bytes");
	f = (struct file){0};
	put(&f, node_frame(0));
	expect_bad_orders(f, "expected run first");
	f = (struct file){0};
	put(&f, run_frame());
	put(&f, run_frame());
	expect_bad_orders(f, "first and once");
	f = good_orders();
	put(&f, host(0, "server"));
	expect_bad_orders(f, "expected node, stdin or trouble");
	f = good_orders();
	f.data[f.size++] = 'x';
	expect_bad_orders(f, "no frame starts here");
}

static void expect_bad_node(struct wire_message m, const char *words)
{
	struct file f = {0};
	put(&f, run_frame());
	put(&f, node_frame(0));
	put(&f, m);
	expect_bad_orders(f, words);
}

static void bad_nodes_are_refused(void)
{
	struct wire_message m = node_frame(1);
	expect_bad_node(node_frame(0), "expected node 1");
	m.argv = (struct wire_bytes)TEXT("sh");
	expect_bad_node(m, "the command of node 1");
	m.argv = (struct wire_bytes){0};
	expect_bad_node(m, "the command of node 1");
	m = node_frame(1);
	m.env = (struct wire_bytes)TEXT("A=1");
	expect_bad_node(m, "environment");
	m = node_frame(1);
	m.cwd = (struct wire_bytes)TEXT("srv");
	expect_bad_node(m, "absolute");
	m.cwd = (struct wire_bytes)TEXT("/s\0v");
	expect_bad_node(m, "absolute");
	m = node_frame(1);
	m.uid = UINT32_MAX;
	expect_bad_node(m, "user or group");
	m = node_frame(1);
	m.restart = 3;
	expect_bad_node(m, "restart 3");
	m = node_frame(1);
	m.ready_value = 0;
	expect_bad_node(m, "port");
	m = node_frame(1);
	m.ready = WIRE_READY_LINE;
	expect_bad_node(m, "ready text");
	m = node_frame(1);
	m.wait = 2;
	expect_bad_node(m, "waits for itself");
	m.wait = 4;
	expect_bad_node(m, "that there is not");
}

static void expect_bad_trouble(struct wire_message m, const char *words)
{
	struct file f = good_orders();
	put(&f, m);
	expect_bad_orders(f, words);
}

static void bad_faults_are_refused(void)
{
	struct wire_message m = trouble_frame(1);
	expect_bad_trouble(trouble_frame(0), "expected fault 1");
	m.node = 2;
	expect_bad_trouble(m, "for node 2");
	m = trouble_frame(1);
	m.bytes.size = 0;
	expect_bad_trouble(m, "expected a name");
	m = trouble_frame(1);
	m.trigger = 6;
	expect_bad_trouble(m, "trigger 6");
	m = trouble_frame(1);
	m.trigger_of = 2;
	expect_bad_trouble(m, "triggered by number 2 of 2");
	m.trigger = WIRE_AFTER;
	expect_bad_trouble(m, "triggered by number 2 of 2");
	m = (struct wire_message){.type = WIRE_STDIN, .node = 2};
	expect_bad_trouble(m, "input for node 2");
}

static void cut_orders_never_pass_for_whole_ones(void)
{
	static struct mission o;
	struct file good = good_orders();
	struct spec spec = two_nodes();
	for (size_t cut = 0; cut < good.size; cut++) {
		struct why why = {0};
		uint8_t *part = malloc(cut ? cut : 1);
		memcpy(part, good.data, cut);
		bool whole = mission_read(part, cut, &spec, &o, &why);
		CU_ASSERT_EQUAL(whole, !why.text[0]);
		/* Only where input or faults might simply not be ordered. */
		CU_ASSERT_TRUE(!whole || (o.node_count == 2 && !o.trouble_count));
		free(part);
	}
}

const struct test suite_mission[] = {
	{"a spec is read", a_spec_is_read},
	{"bad specs are refused", bad_specs_are_refused},
	{"orders are read", orders_are_read},
	{"bad frames are refused", bad_frames_are_refused},
	{"bad nodes are refused", bad_nodes_are_refused},
	{"bad faults are refused", bad_faults_are_refused},
	{"cut orders never pass for whole ones", cut_orders_never_pass_for_whole_ones},
	{0},
};
