/*
 * DWARF location expressions: where a variable is, or what it is. Also the registers of a frame that they refer to.
 */
#ifndef ENGINE_EXPR_H
#define ENGINE_EXPR_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/regs.h"

#define EXPR_STACK_MAX  64
#define EXPR_STEPS_MAX  4096 /* operations of one expression, loops included */
#define EXPR_PIECES_MAX 8

/* Registers by their DWARF numbers on x86-64: 0 to 15 general, 16 the address of the next instruction, 17 to 32 xmm. */
enum { FRAME_RAX = 0, FRAME_RBX = 3, FRAME_RSP = 7, FRAME_RBP = 6, FRAME_PC = 16, FRAME_XMM0 = 17, FRAME_REGISTERS = 33 };

struct frame_registers {
	uint64_t value[FRAME_REGISTERS];
	uint64_t high[16]; /* upper halves of xmm */
	uint64_t known;    /* bit N: value[N] is known in this frame */
	uint64_t fs_base;  /* of the thread */
};

enum { EXPR_INTEGERS = 17 };
/* "rax" for 0, ..., "rip" for 16. */
const char *expr_register_name(int number);

/* The registers of a processor in the order DWARF counts them. */
void expr_registers(const struct regs *regs, struct frame_registers *ret);

/* Reads memory of the address space that is looked at; how many bytes could be read. */
typedef size_t expr_read(void *data, uint64_t address, void *out, size_t size);

struct expr_context {
	const struct frame_registers *registers;
	expr_read *read;
	void *data;          /* for read */
	uint64_t bias;       /* what is added to the file's addresses */
	uint64_t cfa;        /* call frame address, when has_cfa */
	uint64_t frame_base; /* when has_frame_base */
	uint64_t tls_base;   /* of the module's thread-local storage, when has_tls */
	uint64_t object;     /* pushed first, for members and arrays that describe themselves; when has_object */
	bool has_cfa, has_frame_base, has_tls, has_object;
};

enum expr_kind {
	EXPR_UNKNOWN,  /* optimised away, or a register whose value is not known in this frame */
	EXPR_ADDRESS,  /* in memory at value */
	EXPR_VALUE,    /* has no place; value is what it is */
	EXPR_REGISTER, /* in register number value */
	EXPR_BYTES,    /* has no place; its bytes are in the debug information */
	EXPR_PIECES,   /* spread over several of the above */
};

struct expr_result {
	enum expr_kind kind;
	uint64_t value;
	const unsigned char *bytes; /* borrowed from the debug information */
	size_t size;                /* of bytes */
	struct expr_piece {
		enum expr_kind kind;
		uint64_t value;
		size_t size; /* bytes */
	} pieces[EXPR_PIECES_MAX];
	size_t piece_count;
};

/*
 * Evaluates an expression. attr (may be NULL) is where it came from: needed for the operations that carry blocks. An
 * operation that is not understood, too deep a stack or too many steps give EXPR_UNKNOWN.
 */
struct expr_result expr_evaluate(const struct expr_context *context, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t count);

#endif
