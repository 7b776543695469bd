/*
 * The chain of calls of a user program: from the registers of one frame those of the frame that called it, by the call
 * frame information (.eh_frame, .debug_frame) of the file that holds the code. Where there is none it is a guess: by the frame
 * pointer if it leads to where a call returns to, else the nearest address on the stack that one returns to.
 */
#ifndef ENGINE_UNWIND_H
#define ENGINE_UNWIND_H

#include "engine/expr.h"
#include "engine/symbols.h"

#define UNWIND_FRAMES_MAX 512

enum frame_how {
	FRAME_FIRST,   /* the registers themselves */
	FRAME_CFI,     /* by call frame information */
	FRAME_POINTER, /* by following rbp: may be wrong */
	FRAME_SCAN,    /* by an address on the stack that a call returns to: may be wrong */
	FRAME_ORC,     /* kernel: by its ORC tables */
	FRAME_ENTRY,   /* user code below the kernel's: from the registers saved when the kernel was entered */
};

struct frame {
	struct frame_registers registers;
	uint64_t pc, cfa;
	bool has_cfa;
	bool is_return; /* pc is where a call returns to: the call is before it */
	bool kernel;
	bool is_signal; /* the code that a signal handler returns to: pc is not behind a call */
	bool is_guess;  /* it, or one further in, was found without call frame information */
	enum frame_how how;
};

struct frames {
	struct frame *list; /* innermost first; owned */
	size_t count, room;
	const char *end; /* why it ends there: "the outermost frame", ... */
};

/*
 * Appends the frames of user code that start with these registers, at most UNWIND_FRAMES_MAX in all. first_is_return: the pc
 * is one that a call returns to. Never fails: a chain that breaks ends, and frames->end says how.
 */
void unwind_user(const struct symbols *symbols, const struct frame_registers *registers, enum frame_how how, expr_read *read,
	void *data, struct frames *frames);
void unwind_finish(struct frames *frames);

/* Computes the cfa of a frame that was made some other way. */
void unwind_cfa(const struct symbols *symbols, expr_read *read, void *data, struct frame *frame);

#endif
