#include "engine/unwind.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_REGISTERS 17

struct unwinder {
	const struct symbols *symbols;
	expr_read *read;
	void *data;
};

static bool read_word(const struct unwinder *u, uint64_t address, uint64_t *ret_value)
{
	return u->read(u->data, address, ret_value, sizeof *ret_value) == sizeof *ret_value;
}

/* The unwind information for an address, from either section. NULL: none. To be freed. */
static Dwarf_Frame *find_rules(Dwfl_Module *module, uint64_t address, uint64_t *ret_bias)
{
	Dwarf_Addr bias;
	Dwarf_Frame *rules = NULL;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &rules)) {
		*ret_bias = bias;
		return rules;
	}
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &rules)) {
		*ret_bias = bias;
		return rules;
	}
	return NULL;
}

static uint64_t code_address(const struct frame *frame)
{
	return frame->is_return ? frame->pc - 1 : frame->pc;
}

static bool compute_cfa(Dwarf_Frame *rules, struct expr_context *context, struct frame *frame)
{
	Dwarf_Op *ops;
	size_t count;
	if (dwarf_frame_cfa(rules, &ops, &count) || !ops)
		return false;
	struct expr_result result = expr_evaluate(context, NULL, ops, count);
	if (result.kind != EXPR_ADDRESS && result.kind != EXPR_VALUE)
		return false;
	frame->cfa = result.value;
	frame->has_cfa = true;
	return true;
}

void unwind_cfa(const struct symbols *symbols, expr_read *read, void *data, struct frame *frame)
{
	uint64_t bias = 0;
	Dwfl_Module *module = dwfl_addrmodule(symbols_dwfl(symbols), code_address(frame));
	Dwarf_Frame *rules = module ? find_rules(module, code_address(frame), &bias) : NULL;
	if (!rules)
		return;
	struct expr_context context = {.registers = &frame->registers, .read = read, .data = data, .bias = bias};
	compute_cfa(rules, &context, frame);
	free(rules);
}

/* One register of the caller. */
static void restore_register(const struct unwinder *u, Dwarf_Frame *rules, struct expr_context *context, int number,
	const struct frame *frame, struct frame_registers *next)
{
	Dwarf_Op memory[3], *ops;
	size_t count;
	uint64_t value;
	if (dwarf_frame_register(rules, number, memory, &ops, &count))
		return;
	/* Where the rules say nothing a callee's registers are unchanged by convention. Of these elfutils (0.188, x86_64_cfi.c)
	 * takes rax for rbx. */
	bool unspecified = !ops || (!count && ops == memory);
	if (unspecified && number == FRAME_RAX)
		return;
	if (unspecified && number == FRAME_RBX)
		ops = NULL;
	if (!count && ops == memory)
		return; /* undefined: lost, as registers that a callee may change are */
	if (!ops) {     /* unchanged */
		if (number == FRAME_RSP) {
			next->value[number] = frame->cfa; /* by definition of the cfa */
			next->known |= UINT64_C(1) << number;
		} else if (frame->registers.known >> number & 1) {
			next->value[number] = frame->registers.value[number];
			next->known |= UINT64_C(1) << number;
		}
		return;
	}
	struct expr_result result = expr_evaluate(context, NULL, ops, count);
	bool known = result.kind == EXPR_VALUE;
	value = result.value;
	if (result.kind == EXPR_ADDRESS)
		known = read_word(u, result.value, &value);
	if (result.kind == EXPR_REGISTER && result.value < FRAME_REGISTERS && frame->registers.known >> result.value & 1) {
		value = frame->registers.value[result.value];
		known = true;
	}
	if (known) {
		next->value[number] = value;
		next->known |= UINT64_C(1) << number;
	}
}

/* The caller by call frame information. *ret_outermost: the information says that there is no caller. */
static bool step_cfi(const struct unwinder *u, struct frame *frame, struct frame *next, bool *ret_outermost)
{
	uint64_t bias = 0;
	Dwfl_Module *module = dwfl_addrmodule(symbols_dwfl(u->symbols), code_address(frame));
	Dwarf_Frame *rules = module ? find_rules(module, code_address(frame), &bias) : NULL;
	if (!rules)
		return false;
	struct expr_context context = {.registers = &frame->registers, .read = u->read, .data = u->data, .bias = bias};
	bool signal = false, ok = compute_cfa(rules, &context, frame);
	Dwarf_Addr start, end;
	dwarf_frame_info(rules, &start, &end, &signal);
	if (signal) {
		/* The rules begin one byte before this code, which nothing calls; what it is is known by where it begins. */
		frame->is_signal = true;
		frame->is_return = false;
	}
	*next = (struct frame){.how = FRAME_CFI, .is_return = !signal};
	next->registers.fs_base = frame->registers.fs_base;
	if (ok) {
		/* Rules for registers start from the cfa. */
		context.cfa = frame->cfa;
		context.has_cfa = true;
		for (int i = 0; i < INTEGER_REGISTERS; i++)
			restore_register(u, rules, &context, i, frame, &next->registers);
		if (!(next->registers.known >> FRAME_RSP & 1)) {
			next->registers.value[FRAME_RSP] = frame->cfa;
			next->registers.known |= UINT64_C(1) << FRAME_RSP;
		}
	}
	free(rules);
	*ret_outermost = ok && !(next->registers.known >> FRAME_PC & 1);
	next->pc = next->registers.value[FRAME_PC];
	return ok && !*ret_outermost;
}

/* ---- guesses ---------------------------------------------------------------------------------------------------- */

enum {
	JUMP_REACH = 256 /* bytes of a function that are looked at */,
	JUMPS = 2 /* one after the other */,
	CALL_MAX = 7,
	SCAN_WORDS = 1024 /* of the stack */,
	REACH = 1 << 20 /* of a frame pointer */
};

/* Is pc where a call returns to? *ret_target: what a direct call calls; 0 for others. */
static bool is_behind_call(const struct unwinder *u, uint64_t pc, uint64_t *ret_target)
{
	uint8_t code[CALL_MAX];
	int32_t distance;
	*ret_target = 0;
	if (pc < sizeof code || !dwfl_addrmodule(symbols_dwfl(u->symbols), pc - 1) ||
		u->read(u->data, pc - sizeof code, code, sizeof code) != sizeof code)
		return false;
	if (code[2] == 0xe8) {
		memcpy(&distance, code + 3, sizeof distance);
		*ret_target = pc + (uint64_t)(int64_t)distance;
		return true;
	}
	/* FF /2: through a register or memory, 2, 3, 4, 6 or 7 bytes long. */
	static const uint8_t sizes[] = {2, 3, 4, 6, 7};
	for (size_t i = 0; i < sizeof sizes; i++)
		if (code[CALL_MAX - sizes[i]] == 0xff && (code[CALL_MAX - sizes[i] + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

static struct frame guess(const struct frame *frame, enum frame_how how, uint64_t pc, uint64_t sp)
{
	struct frame next = {.how = how, .is_return = true, .pc = pc};
	next.registers.value[FRAME_RSP] = sp;
	next.registers.value[FRAME_PC] = pc;
	next.registers.fs_base = frame->registers.fs_base;
	next.registers.known = UINT64_C(1) << FRAME_RSP | UINT64_C(1) << FRAME_PC;
	return next;
}

/* Does the code at `from` jump to a function as its last act, or to one that does? Then a call of that one is a call of the
 * function. */
static bool jumps_to(const struct unwinder *u, uint64_t from, uint64_t function, int depth)
{
	uint8_t code[JUMP_REACH + 5];
	int32_t distance;
	uint64_t offset, end;
	const char *name = symbols_name(u->symbols, from, &offset);
	if (!name || offset || depth > JUMPS)
		return false;
	size_t size = u->read(u->data, from, code, sizeof code);
	for (size_t i = 0; i + 5 <= size && i < JUMP_REACH; i++) {
		if (code[i] != 0xe9)
			continue;
		memcpy(&distance, code + i + 1, sizeof distance);
		end = from + i + 5 + (uint64_t)(int64_t)distance;
		if (end == function || (end != from && jumps_to(u, end, function, depth + 1)))
			return true;
	}
	return false;
}

/* The caller by the frame pointer: [rbp] is the caller's rbp and above it lies the address to return to. */
static bool step_pointer(const struct unwinder *u, const struct frame *frame, struct frame *next)
{
	uint64_t bp = frame->registers.value[FRAME_RBP], saved, pc, target;
	if (!(frame->registers.known >> FRAME_RBP & 1) || bp < frame->registers.value[FRAME_RSP] || bp % 8 ||
		!read_word(u, bp, &saved) || !read_word(u, bp + 8, &pc) || !is_behind_call(u, pc, &target))
		return false;
	/* A program that has something else in rbp calls from where it likes: a direct call must call this function. */
	uint64_t offset = 0;
	const char *name = symbols_name(u->symbols, code_address(frame), &offset);
	if (target && name && target != code_address(frame) - offset && !jumps_to(u, target, code_address(frame) - offset, 0))
		return false;
	*next = guess(frame, FRAME_POINTER, pc, bp + 16);
	next->registers.value[FRAME_RBP] = saved;
	next->registers.known |= UINT64_C(1) << FRAME_RBP;
	return true;
}

/*
 * The nearest address on the stack that a call of this very function returns to, also one through a jump; without one the nearest
 * that a call through a pointer does. Of code without names nothing can be said.
 */
static bool step_scan(const struct unwinder *u, const struct frame *frame, struct frame *next)
{
	uint64_t words[SCAN_WORDS], sp = frame->registers.value[FRAME_RSP], offset = 0, target,
				    bp = frame->registers.value[FRAME_RBP];
	size_t count = u->read(u->data, sp, words, sizeof words) / sizeof *words, found = count, i;
	const char *name = symbols_name(u->symbols, code_address(frame), &offset);
	uint64_t start = code_address(frame) - offset;
	if (sp % 8 || !name)
		return false;
	for (i = 0; i < count; i++) {
		if (!is_behind_call(u, words[i], &target))
			continue;
		if (target && (target == start || jumps_to(u, target, start, 0)))
			break;
		found = found == count && !target ? i : found;
	}
	found = i < count ? i : found;
	if (found == count)
		return false;
	*next = guess(frame, FRAME_SCAN, words[found], sp + 8 * (found + 1));
	/* Such code rarely changes rbp, or puts it back. */
	if (frame->registers.known >> FRAME_RBP & 1 && bp >= next->registers.value[FRAME_RSP] && bp - sp < REACH && bp % 8 == 0) {
		next->registers.value[FRAME_RBP] = bp;
		next->registers.known |= UINT64_C(1) << FRAME_RBP;
	}
	return true;
}

/* Where programs and threads begin, in C libraries that do not say so. */
static bool is_outermost(const struct unwinder *u, const struct frame *frame)
{
	static const char *const names[] = {
		"_start", "_start_c", "_dlstart", "libc_start_main_stage2", "clone", "__clone", "__clone_internal"};
	uint64_t offset;
	const char *name = symbols_name(u->symbols, code_address(frame), &offset);
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void unwind_user(const struct symbols *symbols, const struct frame_registers *registers, enum frame_how how, expr_read *read,
	void *data, struct frames *frames)
{
	struct unwinder u = {symbols, read, data};
	struct frame frame = {.registers = *registers, .pc = registers->value[FRAME_PC], .how = how};
	frames->end = NULL;
	while (!frames->end) {
		struct frame next = {0};
		bool outermost = false;
		bool found = step_cfi(&u, &frame, &next, &outermost);
		if (!found && !outermost) {
			outermost = is_outermost(&u, &frame);
			found = !outermost && (step_pointer(&u, &frame, &next) || step_scan(&u, &frame, &next));
			next.is_guess = true;
		}
		next.is_guess = next.is_guess || frame.is_guess;
		ARRAY_PUSH(frames->list, frames->count, frames->room) = frame;
		if (outermost || (found && !next.pc))
			frames->end = "the outermost frame";
		else if (!found)
			frames->end = "no frame information";
		else if (next.registers.value[FRAME_RSP] <= frame.registers.value[FRAME_RSP] && frame.how != FRAME_FIRST &&
			next.is_return && frame.is_return)
			frames->end = "the stack does not go on (damaged?)"; /* a caller's stack pointer is always higher */
		else if (frames->count >= UNWIND_FRAMES_MAX)
			frames->end = "more frames than are shown";
		frame = next;
	}
}

void unwind_finish(struct frames *frames)
{
	free(frames->list);
	*frames = (struct frames){0};
}
