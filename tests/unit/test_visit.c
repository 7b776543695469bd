/* The request that a fork's agent reads: bytes that somebody put into its memory. */
#include <stdlib.h>
#include <string.h>

#include "agent/visit.h"
#include "unit.h"

static uint8_t header[OUTBOX_HEADER];

static void put(const struct wire_message *m)
{
	memset(header, 0xee, sizeof header);
	size_t size = wire_encode(m, header + VISIT_REQUEST + 4, VISIT_REQUEST_MAX);
	CU_ASSERT(size > 0);
	for (int i = 0; i < 4; i++)
		header[VISIT_REQUEST + i] = (uint8_t)(size >> (8 * i));
}

static struct wire_bytes bytes(const char *data, size_t size)
{
	return (struct wire_bytes){(const uint8_t *)data, size};
}

static void a_request(void)
{
	struct visit_request r;
	struct why why = {0};
	struct wire_message m = {
		.type = WIRE_VISIT, .node = 1, .argv = bytes("ls\0/", 5), .env = bytes("A=1", 4), .cwd = bytes("/tmp", 4)};
	put(&m);
	CU_ASSERT(visit_read(header, 2, &r, &why));
	CU_ASSERT_EQUAL(r.node, 1);
	CU_ASSERT_STRING_EQUAL(r.argv[0], "ls");
	CU_ASSERT_STRING_EQUAL(r.argv[1], "/");
	CU_ASSERT_PTR_NULL(r.argv[2]);
	CU_ASSERT_STRING_EQUAL(r.env[0], "A=1");
	CU_ASSERT_PTR_NULL(r.env[1]);
	CU_ASSERT_STRING_EQUAL(r.cwd, "/tmp");
	CU_ASSERT_EQUAL(r.reads, WIRE_VISIT_ALONE);
	/* One more than the last node is the machine; one more than that is nobody. */
	CU_ASSERT(visit_read(header, 1, &r, &why));
	CU_ASSERT_FALSE(visit_read(header, 0, &r, &why));
}

static void a_terminal(void)
{
	struct visit_request r;
	struct why why = {0};
	struct wire_message m = {.type = WIRE_VISIT, .argv = bytes("sh", 3), .code = WIRE_VISIT_TERMINAL, .value = 24 | 80 << 16};
	put(&m);
	CU_ASSERT(visit_read(header, 2, &r, &why));
	CU_ASSERT_EQUAL(r.reads, WIRE_VISIT_TERMINAL);
	CU_ASSERT_EQUAL(r.rows, 24);
	CU_ASSERT_EQUAL(r.columns, 80);
	CU_ASSERT_FALSE(r.hold);
	m.code |= WIRE_VISIT_HOLD;
	put(&m);
	CU_ASSERT(visit_read(header, 2, &r, &why));
	CU_ASSERT_EQUAL(r.reads, WIRE_VISIT_TERMINAL);
	CU_ASSERT(r.hold);
	m.code = WIRE_VISIT_FED;
	m.value = 0;
	put(&m);
	CU_ASSERT(visit_read(header, 2, &r, &why));
	CU_ASSERT_EQUAL(r.reads, WIRE_VISIT_FED);
}

static void no_requests(void)
{
	struct visit_request r;
	struct why why = {0};
	char many[2 * (VISIT_STRINGS_MAX + 1)], deep[300];
	memset(many, 'x', sizeof many);
	for (size_t i = 1; i < sizeof many; i += 2)
		many[i] = '\0';
	memset(deep, '/', sizeof deep);
	const struct wire_message bad[] = {
		{.type = WIRE_RUN, .value = 1},
		{.type = WIRE_VISIT},
		{.type = WIRE_VISIT, .argv = bytes("ls", 2)},
		{.type = WIRE_VISIT, .argv = bytes(many, sizeof many)},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .env = bytes("A=1", 3)},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .cwd = bytes(deep, sizeof deep)},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .cwd = bytes("/\0x", 3)},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .node = 3},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_TERMINAL + 1},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_HOLD * 2},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_TERMINAL},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_TERMINAL, .value = 24},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_TERMINAL, .value = 24 | 1001 << 16},
		{.type = WIRE_VISIT, .argv = bytes("ls", 3), .code = WIRE_VISIT_TERMINAL, .value = 24 | 1ULL << 40},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		put(&bad[i]);
		why.text[0] = '\0';
		CU_ASSERT_FALSE(visit_read(header, 2, &r, &why));
		CU_ASSERT(why.text[0] != '\0');
	}
	memset(header, 0, sizeof header);
	CU_ASSERT_FALSE(visit_read(header, 2, &r, &why));
	memset(header, 0xff, sizeof header);
	CU_ASSERT_FALSE(visit_read(header, 2, &r, &why));
}

/* A request that is cut or longer than it says is none. */
static void every_size(void)
{
	struct visit_request r;
	struct why why = {0};
	struct wire_message m = {.type = WIRE_VISIT, .argv = bytes("ls\0/", 5)};
	put(&m);
	size_t size = header[VISIT_REQUEST];
	for (size_t i = 0; i < 256; i++) {
		header[VISIT_REQUEST] = (uint8_t)i;
		CU_ASSERT_EQUAL(visit_read(header, 2, &r, &why), i == size);
	}
}

const struct test suite_visit[] = {
	{"a request", a_request},
	{"a terminal", a_terminal},
	{"no requests", no_requests},
	{"every size", every_size},
	{0},
};
