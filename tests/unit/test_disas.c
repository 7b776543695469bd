#include "engine/disas.h"
#include "unit.h"

static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xe8, 0xf7, 0x0f, 0x01, 0x00, 0x48, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, 0x06, 0xc3};

static size_t read_code(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	if (address < 0x1000 || address >= 0x1000 + sizeof code)
		return 0;
	size_t left = 0x1000 + sizeof code - (size_t)address;
	size = size < left ? size : left;
	memcpy(out, code + (address - 0x1000), size);
	return size;
}

static void name(void *data, uint64_t address, struct buf *out)
{
	(void)data;
	if (address >= 0x1000 && address < 0x1100)
		buf_printf(out, "start+%d", (int)(address - 0x1000));
	else if (address == 0x12000)
		buf_str(out, "callee");
}

static const struct disas plain = {read_code, NULL, NULL, false}, named = {read_code, name, NULL, false};

static void instructions_are_named(void)
{
	struct buf out = {0};
	CU_ASSERT_TRUE(disas_print(&named, 0x1000, 0, 4, 0x1001, &out, NULL));
	CU_ASSERT_STRING_EQUAL(out.data,
		"   0x0000000000001000 <start+0>: push rbp\n"
		"=> 0x0000000000001001 <start+1>: mov rbp, rsp\n"
		"   0x0000000000001004 <start+4>: call 0x12000  # 0x12000 <callee>\n"
		"   0x0000000000001009 <start+9>: mov rax, qword ptr [rip + 0x10]  # 0x1020 <start+32>\n");
	buf_free(&out);
}

static void it_stops_where_it_is_told(void)
{
	struct buf out = {0};
	CU_ASSERT_TRUE(disas_print(&plain, 0x1000, 0x1004, 100, 0, &out, NULL));
	CU_ASSERT_STRING_EQUAL(out.data, "   0x0000000000001000: push rbp\n   0x0000000000001001: mov rbp, rsp\n");
	buf_clear(&out);
	struct disas att = plain;
	att.att = true;
	CU_ASSERT_TRUE(disas_print(&att, 0x1001, 0, 1, 0, &out, NULL));
	CU_ASSERT_STRING_EQUAL(out.data, "   0x0000000000001001: movq %rsp, %rbp\n");
	buf_free(&out);
}

static void what_is_no_code_is_said(void)
{
	struct buf out = {0};
	struct err err = {0};
	CU_ASSERT_TRUE(disas_print(&plain, 0x1010, 0, 100, 0, &out, &err)); /* ends with the memory */
	CU_ASSERT_STRING_EQUAL(out.data, "   0x0000000000001010: (bad) 06\n   0x0000000000001011: ret\n");
	CU_ASSERT_FALSE(disas_print(&plain, 0x2000, 0, 1, 0, &out, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "the code at 0x2000 is not in memory");
	buf_free(&out);
}

const struct test suite_disas[] = {{"instructions are named", instructions_are_named},
	{"it stops where it is told", it_stops_where_it_is_told}, {"what is no code is said", what_is_no_code_is_said}, {0}};
