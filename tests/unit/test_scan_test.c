/* Conditions as the scan plugin evaluates them. */
#include "engine/scan_test.h"

#include "unit.h"

static bool register_value(void *data, uint64_t number, uint64_t *ret)
{
	(void)data;
	*ret = 100 + number;
	return number < 18;
}

/* Memory holds its own addresses, byte by byte; below 16 there is none. */
static bool load(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)out)[i] = (uint8_t)(address + i);
	return address >= 16;
}

static const struct scan_machine machine = {register_value, load, load, NULL, NULL};

static bool holds(const struct scan_op *ops, size_t count)
{
	return scan_holds(ops, count, &machine);
}

/* a OP b */
static bool two(uint64_t a, uint64_t b, enum scan_op_kind kind, bool is_signed, uint64_t wanted)
{
	struct scan_op ops[] = {{.kind = SCAN_PUSH, .value = a}, {.kind = SCAN_PUSH, .value = b},
		{.kind = (uint16_t)kind, .is_signed = is_signed}, {.kind = SCAN_PUSH, .value = wanted}, {.kind = SCAN_EQUAL}};
	return holds(ops, 5);
}

static void operators_calculate(void)
{
	const uint64_t minus = UINT64_MAX, least = UINT64_C(1) << 63;
	CU_ASSERT_TRUE(two(2, 3, SCAN_ADD, true, 5));
	CU_ASSERT_TRUE(two(2, 3, SCAN_SUBTRACT, true, minus));
	CU_ASSERT_TRUE(two(7, 6, SCAN_MULTIPLY, true, 42));
	CU_ASSERT_TRUE(two(0 - UINT64_C(7), 2, SCAN_DIVIDE, true, 0 - UINT64_C(3)));
	CU_ASSERT_TRUE(two(0 - UINT64_C(7), 2, SCAN_REMAINDER, true, minus));
	CU_ASSERT_TRUE(two(minus, 2, SCAN_DIVIDE, false, minus / 2));
	CU_ASSERT_TRUE(two(least, minus, SCAN_DIVIDE, true, least));
	CU_ASSERT_TRUE(two(least, minus, SCAN_REMAINDER, true, 0));
	CU_ASSERT_FALSE(two(1, 0, SCAN_DIVIDE, true, 0));
	CU_ASSERT_FALSE(two(1, 0, SCAN_REMAINDER, false, 0));
	CU_ASSERT_TRUE(two(6, 3, SCAN_AND, true, 2));
	CU_ASSERT_TRUE(two(6, 3, SCAN_OR, true, 7));
	CU_ASSERT_TRUE(two(6, 3, SCAN_XOR, true, 5));
	CU_ASSERT_TRUE(two(1, 63, SCAN_LEFT, true, least));
	CU_ASSERT_TRUE(two(1, 64, SCAN_LEFT, true, 0));
	CU_ASSERT_TRUE(two(minus, 70, SCAN_RIGHT, true, minus));
	CU_ASSERT_TRUE(two(minus, 63, SCAN_RIGHT, false, 1));
	CU_ASSERT_TRUE(two(minus, 1, SCAN_LESS, true, 1));
	CU_ASSERT_TRUE(two(minus, 1, SCAN_LESS, false, 0));
	CU_ASSERT_TRUE(two(1, 1, SCAN_NOT_MORE, false, 1));
	CU_ASSERT_TRUE(two(1, 2, SCAN_UNEQUAL, false, 1));
}

static void memory_and_registers_are_read(void)
{
	struct scan_op reg[] = {{.kind = SCAN_REGISTER, .value = 7}, {.kind = SCAN_PUSH, .value = 107}, {.kind = SCAN_EQUAL}};
	CU_ASSERT_TRUE(holds(reg, 3));
	reg[0].value = 18;
	CU_ASSERT_FALSE(holds(reg, 3));
	struct scan_op memory[] = {{.kind = SCAN_PUSH, .value = 0xfe}, {.kind = SCAN_LOAD, .size = 1, .is_signed = 1},
		{.kind = SCAN_PUSH, .value = 0 - UINT64_C(2)}, {.kind = SCAN_EQUAL}};
	CU_ASSERT_TRUE(holds(memory, 4));
	memory[1].is_signed = 0;
	CU_ASSERT_FALSE(holds(memory, 4));
	memory[2].value = 0xfe;
	CU_ASSERT_TRUE(holds(memory, 4));
	memory[0].value = 3; /* where there is no memory */
	CU_ASSERT_FALSE(holds(memory, 4));
	memory[0].value = 0xfe;
	memory[1].size = 9;
	CU_ASSERT_FALSE(holds(memory, 4));
	struct scan_op physical[] = {
		{.kind = SCAN_PHYSICAL, .size = 2, .value = 0x20}, {.kind = SCAN_PUSH, .value = 0x2120}, {.kind = SCAN_EQUAL}};
	CU_ASSERT_TRUE(holds(physical, 3));
}

static void writes_are_compared(void)
{
	const uint64_t written[] = {0x1ff, 0xaa00};
	const struct scan_machine writer = {register_value, load, load, NULL, written};
	struct scan_op less[] = {{.kind = SCAN_NEW, .size = 1}, {.kind = SCAN_OLD, .size = 1}, {.kind = SCAN_LESS}};
	CU_ASSERT_TRUE(scan_holds(less, 3, &writer));
	less[0].size = less[1].size = 2;
	CU_ASSERT_FALSE(scan_holds(less, 3, &writer));
	less[0].is_signed = less[1].is_signed = less[2].is_signed = 1; /* 0xaa00 is below 0 then */
	CU_ASSERT_TRUE(scan_holds(less, 3, &writer));
	CU_ASSERT_FALSE(holds(less, 3)); /* no write */
	struct scan_op old[] = {{.kind = SCAN_OLD, .size = 8}, {.kind = SCAN_PUSH, .value = 0x1ff}, {.kind = SCAN_EQUAL}};
	CU_ASSERT_TRUE(scan_holds(old, 3, &writer));
}

static void jumps_and_prefixes(void)
{
	struct scan_op choice[] = {{.kind = SCAN_PUSH, .value = 1}, {.kind = SCAN_JUMP_IF_NOT, .value = 2},
		{.kind = SCAN_PUSH, .value = 5}, {.kind = SCAN_JUMP, .value = 1}, {.kind = SCAN_PUSH, .value = 0}};
	CU_ASSERT_TRUE(holds(choice, 5));
	choice[0].value = 0;
	CU_ASSERT_FALSE(holds(choice, 5));
	choice[4].value = 9;
	CU_ASSERT_TRUE(holds(choice, 5));
	choice[1].value = 4; /* beyond the end */
	CU_ASSERT_FALSE(holds(choice, 5));
	struct scan_op prefix[] = {{.kind = SCAN_PUSH, .value = 0}, {.kind = SCAN_NOT}, {.kind = SCAN_NEGATE},
		{.kind = SCAN_COMPLEMENT}, {.kind = SCAN_TRUTH}};
	CU_ASSERT_TRUE(holds(prefix, 2));
	CU_ASSERT_FALSE(holds(prefix, 5)); /* ~-1 */
	struct scan_op bits[] = {{.kind = SCAN_PUSH, .value = 0x1f}, {.kind = SCAN_EXTEND, .size = 5, .is_signed = 1},
		{.kind = SCAN_PUSH, .value = UINT64_MAX}, {.kind = SCAN_EQUAL}};
	CU_ASSERT_TRUE(holds(bits, 4));
}

static void what_is_no_program_does_not_hold(void)
{
	struct scan_op many[SCAN_STACK_MAX + 1];
	for (size_t i = 0; i < SCAN_STACK_MAX + 1; i++)
		many[i] = (struct scan_op){.kind = SCAN_PUSH, .value = 1};
	CU_ASSERT_FALSE(holds(many, 0));
	CU_ASSERT_TRUE(holds(many, 1));
	CU_ASSERT_FALSE(holds(many, 2)); /* two results */
	CU_ASSERT_FALSE(holds(many, SCAN_STACK_MAX + 1));
	for (uint16_t kind = 0; kind < SCAN_OPS + 3; kind++) {
		struct scan_op alone = {.kind = kind, .size = 8};
		if (kind != SCAN_REGISTER && kind != SCAN_PUSH && kind != SCAN_PHYSICAL)
			CU_ASSERT_FALSE(holds(&alone, 1));
	}
}

const struct test suite_scan_test[] = {{"operators calculate", operators_calculate},
	{"memory and registers are read", memory_and_registers_are_read}, {"writes are compared", writes_are_compared},
	{"jumps and prefixes", jumps_and_prefixes}, {"what is no program does not hold", what_is_no_program_does_not_hold}, {0}};
