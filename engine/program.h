/*
 * A process of a stopped guest with its memory map, its files and their symbols: what `where`, `print`, `disas` and `source`
 * ask. The kernel's own code is a part of every program.
 */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "engine/layout.h"
#include "engine/maps.h"
#include "engine/process.h"
#include "engine/symbols.h"
#include "engine/unwind.h"
#include "engine/variables.h"

/* Where files and debug information come from. */
struct program_files {
	const char *const *debug_dirs; /* with .build-id below them; borrowed during program_create */
	size_t debug_dir_count;
	/*
	 * Opens the host's copy of a file that processes of a cgroup see at path; -1 when there is none. Only asked when the
	 * guest's memory does not hold the whole file. May be NULL.
	 */
	int (*open)(void *data, const char *cgroup, const char *path);
	void *data;
};

struct program;

/*
 * The program of a process at a stop. guest, its layout and its stop are borrowed and must outlive it. previous (may be NULL,
 * owned by this call) is the program of the same process at another stop: when the same files are mapped at the same places its
 * symbols are kept, which is what makes this fast. Never fails for files that cannot be read: they have no symbols.
 */
struct program *program_create(const struct guest *guest, const struct process *process, const struct program_files *files,
	struct program *previous, struct err *err);
void program_destroy(struct program *program);

const struct maps *program_maps(const struct program *program);
const struct symbols *program_symbols(const struct program *program);
/* For somebody who moves the machine meanwhile, which ends the program: symbols_destroy gives the share up. */
struct symbols *program_share_symbols(struct program *program);

/* Reads the process's memory, user and kernel addresses: how many bytes could be read. */
size_t program_read(void *program, uint64_t address, void *out, size_t size);

/* Appends "function+0x12" for an address of the program or the kernel; nothing when there is no name. Safe for a terminal. */
void program_name(void *program, uint64_t address, struct buf *out);

/* The frames of a thread of the process (its task, from struct thread): kernel frames first when it is in the kernel. */
void program_where(struct program *program, uint64_t task, struct frames *frames);

/* The place of a frame: as symbols_at; a kernel frame has one place, with the module's name or "kernel". Borrowed from the
 * program. */
size_t program_places(const struct program *program, const struct frame *frame, struct symbols_place places[SYMBOLS_INLINE_MAX]);

/* "#2  outer (depth=3) at prog.c:44", after lines without a number for the calls that were inlined there. */
void program_print_frame(struct program *program, const struct frame *frame, size_t number, struct buf *out);
/* That for each frame, and why there is none further out. The one with the number `chosen` (SIZE_MAX: none) is marked: "#2  >".
 */
void program_print_calls(struct program *program, const struct frames *frames, size_t chosen, struct buf *out);
void program_print_where(struct program *program, const struct frames *frames, struct buf *out); /* none is marked */

/* For variables_print and its kin. frame may be NULL: globals only. */
struct scope program_scope(struct program *program, const struct frame *frame);

/* Instructions from address; see disas_print. */
bool program_disas(
	struct program *program, uint64_t address, uint64_t end, size_t count, uint64_t pc, struct buf *out, struct err *err);

/*
 * An address from what a person types: a number, "name", "name+12", "file.c:34", "$rip" (with a frame), or "&expression".
 * *ret_size (may be NULL) is how many bytes are there: a symbol's or a variable's, else 8.
 */
bool program_address(struct program *program, const struct frame *frame, const char *text, uint64_t *ret_address,
	uint64_t *ret_size, struct err *err);

#endif
