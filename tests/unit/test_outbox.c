/* Frames into the region that the host reads: what is below the tail is whole, each rings once, and the end always fits. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "agent/outbox.h"
#include "unit.h"

enum { SIZE = OUTBOX_HEADER + 3 * OUTBOX_RESERVE };

static uint8_t region[SIZE], bells[8192];
static size_t bell_count;
static jmp_buf stopped;

static void ring(uint8_t byte)
{
	CU_ASSERT_FATAL(bell_count < sizeof bells);
	bells[bell_count++] = byte;
}

static void stop(void)
{
	longjmp(stopped, 1);
}

static void open_outbox(struct outbox *o)
{
	struct why why;
	bell_count = 0;
	memset(region, 0xee, sizeof region);
	CU_ASSERT_TRUE_FATAL(outbox_init(o, region, sizeof region, ring, stop, &why));
}

static uint64_t tail(void)
{
	uint64_t n;
	memcpy(&n, region + 8, sizeof n);
	return n;
}

static void frames_stand_back_to_back(void)
{
	static struct outbox o;
	struct wire_message m = {.type = WIRE_READY, .node = 3}, back;
	size_t used;
	open_outbox(&o);
	CU_ASSERT_EQUAL(memcmp(region, "polecat\1\0\0\0\0\0\0\0\0", 16), 0);
	for (int i = 0; i < 300; i++) {
		m.invocation = (uint64_t)i;
		outbox_send(&o, &m);
	}
	CU_ASSERT_EQUAL(bell_count, 300);
	CU_ASSERT_EQUAL(bells[299], 299 % 256);
	uint64_t at = 0;
	for (uint64_t i = 0; i < 300; i++, at += used) {
		CU_ASSERT_EQUAL_FATAL(wire_decode(region + OUTBOX_HEADER + at, tail() - at, &back, &used), WIRE_OK);
		CU_ASSERT_EQUAL(back.invocation, i);
		CU_ASSERT_EQUAL(back.vtime_ns, 0); /* before the barrier there is no time */
	}
	CU_ASSERT_EQUAL(at, tail());
}

static void output_never_takes_the_end_s_room(void)
{
	static struct outbox o;
	static uint8_t bytes[10000];
	struct wire_message output = {.type = WIRE_OUTPUT, .bytes = {bytes, sizeof bytes}}, exited = {.type = WIRE_EXITED};
	open_outbox(&o);
	while (!o.full)
		outbox_send(&o, &output);
	uint64_t full = tail();
	CU_ASSERT_TRUE(full <= 2 * OUTBOX_RESERVE && full > 2 * OUTBOX_RESERVE - 2 * sizeof bytes);
	outbox_send(&o, &output);
	output.bytes.size = 1;
	outbox_send(&o, &output); /* not even a small one: what is lost is lost in order */
	CU_ASSERT_EQUAL(tail(), full);
	for (int i = 0; i < WIRE_NODES_MAX + WIRE_FAULTS_MAX; i++)
		outbox_send(&o, &exited);
	CU_ASSERT_EQUAL(bell_count, o.number);
	CU_ASSERT_TRUE(tail() > full && tail() < o.size);
}

static void fatal_says_why_and_stops(void)
{
	static struct outbox o;
	struct wire_message back;
	size_t used;
	open_outbox(&o);
	if (setjmp(stopped) == 0) {
		outbox_fatal(&o, 2, "opening %s", "x");
		CU_FAIL("it came back");
	}
	CU_ASSERT_EQUAL_FATAL(wire_decode(region + OUTBOX_HEADER, tail(), &back, &used), WIRE_OK);
	CU_ASSERT_EQUAL(back.type, WIRE_FATAL);
	CU_ASSERT_EQUAL(back.bytes.size, strlen("opening x: No such file or directory"));
	CU_ASSERT_EQUAL(memcmp(back.bytes.data, "opening x: No such", 18), 0);
}

static void small_or_nameless_regions_are_refused(void)
{
	static struct outbox o;
	struct why why;
	void *mapped;
	uint64_t size;
	CU_ASSERT_FALSE(outbox_init(&o, region, OUTBOX_HEADER + OUTBOX_RESERVE, ring, stop, &why));
	for (const char *const *bad =
			(const char *const[]){"", "x", "0x1000", "0x1000,", "0x1000,0x1000x", "0x1001,0x1000", "0,0", NULL};
		*bad; bad++) {
		CU_ASSERT_FALSE(outbox_map(*bad, &mapped, &size, &why));
		CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "POLECAT_OUT"));
	}
	CU_ASSERT_FALSE(outbox_map(NULL, &mapped, &size, &why));
}

const struct test suite_outbox[] = {
	{"frames stand back to back", frames_stand_back_to_back},
	{"output never takes the end's room", output_never_takes_the_end_s_room},
	{"fatal says why and stops", fatal_says_why_and_stops},
	{"small or nameless regions are refused", small_or_nameless_regions_are_refused},
	{0},
};
