#include "engine/regs.h"
#include "unit.h"

static const char sample[] = "\nCPU#0\n"
			     "RAX=0000000000000001 RBX=0000000034d78923 RCX=00007ffccf136274 RDX=0000000000000505\n"
			     "RSI=000000000047d24b RDI=00007ffccf136275 RBP=0000000034d7137b RSP=00007ffccf138328\n"
			     "R8 =0000000000000008 R9 =0000000000000009 R10=00000000ffffffff R11=0000000000000202\n"
			     "R12=0000000034d706b0 R13=0000000034d788b0 R14=00007ffccf138420 R15=0000000000000002\n"
			     "RIP=00000000004316d0 RFL=00000206 [-----P-] CPL=3 II=0 A20=1 SMM=0 HLT=1\n"
			     "ES =0000 0000000000000000 00000000 00000000\n"
			     "CS =0033 0000000000000000 ffffffff 00a0fb00 DPL=3 CS64 [-RA]\n"
			     "SS =002b 0000000000000000 ffffffff 00c0f300 DPL=3 DS   [-WA]\n"
			     "DS =0000 0000000000000000 00000000 00000000\n"
			     "FS =0000 0000000034d6f380 00000000 00000000\n"
			     "GS =0000 ffff888007a00000 00000000 00000000\n"
			     "LDT=0000 0000000000000000 00000000 00008200 DPL=0 LDT\n"
			     "TR =0040 fffffe0000003000 00004087 00008900 DPL=0 TSS64-avl\n"
			     "GDT=     fffffe0000001000 0000007f\n"
			     "IDT=     fffffe0000000000 00000fff\n"
			     "CR0=80050033 CR2=0000000034d808e8 CR3=000000000610e000 CR4=000006f0\n"
			     "DR0=0000000000000000 DR1=0000000000000000 DR2=0000000000000000 DR3=0000000000000000 \n"
			     "DR6=00000000ffff0ff0 DR7=0000000000000400\n"
			     "CCS=0000000000000044 CCD=0000000000000000 CCO=EFLAGS\n"
			     "EFER=0000000000000d01\n"
			     "FCW=037f FSW=0000 [ST=0] FTW=00 MXCSR=00001f80\n"
			     "FPR0=8000000000000001 3fff FPR1=0000000000000000 0000\n"
			     "XMM00=00ff0000ff000000 000000ff00000000 XMM01=2525252525252525 2525252525252526\n";

static void every_value_is_found(void)
{
	struct regs r;
	struct err err = {0};
	CU_ASSERT_TRUE_FATAL(regs_parse(&r, sample, strlen(sample), &err));
	CU_ASSERT_EQUAL(r.gpr[REGS_RAX], 1);
	CU_ASSERT_EQUAL(r.gpr[REGS_RBX], 0x34d78923);
	CU_ASSERT_EQUAL(r.gpr[REGS_RDI], 0x7ffccf136275);
	CU_ASSERT_EQUAL(r.gpr[REGS_RSP], 0x7ffccf138328);
	CU_ASSERT_EQUAL(r.gpr[REGS_R8], 8);
	CU_ASSERT_EQUAL(r.gpr[15], 2);
	CU_ASSERT_EQUAL(r.rip, 0x4316d0);
	CU_ASSERT_EQUAL(r.rflags, 0x206);
	CU_ASSERT_EQUAL(r.cpl, 3);
	CU_ASSERT_EQUAL(r.halted, 1);
	CU_ASSERT_EQUAL(r.selector[REGS_CS], 0x33);
	CU_ASSERT_EQUAL(r.segment_base[REGS_FS], 0x34d6f380);
	CU_ASSERT_EQUAL(r.segment_base[REGS_GS], 0xffff888007a00000);
	CU_ASSERT_EQUAL(r.selector[REGS_TR], 0x40);
	CU_ASSERT_EQUAL(r.gdt_base, 0xfffffe0000001000);
	CU_ASSERT_EQUAL(r.cr3, 0x610e000);
	CU_ASSERT_EQUAL(r.cr4, 0x6f0);
	CU_ASSERT_EQUAL(r.efer, 0xd01);
	CU_ASSERT_EQUAL(r.mxcsr, 0x1f80);
	CU_ASSERT_EQUAL(r.fpr[0], 0x8000000000000001);
	CU_ASSERT_EQUAL(r.fpr_high[0], 0x3fff);
	CU_ASSERT_EQUAL(r.ftw, 0);
	CU_ASSERT_TRUE(r.has_xmm);
	CU_ASSERT_EQUAL(r.xmm[0][1], 0x00ff0000ff000000); /* QEMU prints the high half first */
	CU_ASSERT_EQUAL(r.xmm[1][0], 0x2525252525252526);
}

/* Cut anywhere it is either whole enough or says what is missing; it never invents registers. */
static void every_beginning_is_refused_or_whole(void)
{
	const size_t enough = (size_t)(strstr(sample, "EFER=0000000000000d01") - sample) + 5;
	for (size_t size = 0; size <= strlen(sample); size++) {
		struct regs r = {.rip = 77};
		struct err err = {0};
		bool ok = regs_parse(&r, sample, size, &err);
		CU_ASSERT_EQUAL(ok, size > enough);
		if (!ok) {
			CU_ASSERT_EQUAL(err.code, ERR_QEMU);
			CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "registers: no value for"));
			CU_ASSERT_EQUAL(r.rip, 77);
		}
	}
}

static void what_is_wrong_is_named(void)
{
	struct regs r;
	struct err err = {0};
	CU_ASSERT_FALSE(regs_parse(&r, "RAX=00000000000000001", 21, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "registers: the number after \"RAX=\" has more than 16 digits");
	static const char old[] = "EAX=00000000 EBX=00000000 EIP=0000fff0";
	CU_ASSERT_FALSE(regs_parse(&r, old, strlen(old), &err));
	CU_ASSERT_STRING_EQUAL(err.text, "registers: no value for \"RAX\" in what QEMU printed (is the machine in 64-bit mode?)");
	CU_ASSERT_FALSE(regs_parse(&r, sample, REGS_TEXT_MAX + 1, &err));
}

static void names_are_those_of_the_processor(void)
{
	struct regs r;
	uint64_t value = 0;
	CU_ASSERT_TRUE_FATAL(regs_parse(&r, sample, strlen(sample), NULL));
	CU_ASSERT_TRUE(regs_get(&r, "$rip", &value) && value == 0x4316d0);
	CU_ASSERT_TRUE(regs_get(&r, "PC", &value) && value == 0x4316d0);
	CU_ASSERT_TRUE(regs_get(&r, "fs_base", &value) && value == 0x34d6f380);
	CU_ASSERT_FALSE(regs_get(&r, "eax", &value));
	CU_ASSERT_FALSE(regs_get(&r, "", &value));
}

static void changes_are_marked(void)
{
	struct regs a, b;
	struct buf out = {0};
	CU_ASSERT_TRUE_FATAL(regs_parse(&a, sample, strlen(sample), NULL));
	b = a;
	CU_ASSERT_EQUAL(regs_differ(&a, &b), 0);
	b.gpr[REGS_RAX] = 0xbeef;
	b.xmm[3][1] = 5;
	CU_ASSERT_EQUAL(regs_differ(&a, &b), 2);
	regs_print(&b, &a, false, &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "* rax       0x000000000000beef (was 0x1)\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "* xmm3_high 0x0000000000000005 (was 0x0)\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  rbx       0x0000000034d78923\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "0x0000000000000206 [PF IF]\n"));
	CU_ASSERT_PTR_NULL(strstr(out.data, "xmm4"));
	buf_free(&out);
}

const struct test suite_regs[] = {{"every value is found", every_value_is_found},
	{"every beginning is refused or whole", every_beginning_is_refused_or_whole},
	{"what is wrong is named", what_is_wrong_is_named},
	{"names are those of the processor", names_are_those_of_the_processor}, {"changes are marked", changes_are_marked}, {0}};
