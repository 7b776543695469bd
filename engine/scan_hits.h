/*
 * What the engine and its QEMU plugin say to each other: one piece of shared memory. The engine writes the request while the
 * machine is stopped and then restores a checkpoint, which makes QEMU translate its code anew; the plugin writes the answer while
 * the machine runs.
 */
#ifndef ENGINE_SCAN_HITS_H
#define ENGINE_SCAN_HITS_H

#include <stdint.h>

#include "engine/scan_test.h"

#define SCAN_VERSION 4
#define SCAN_WATCHES 256
#define SCAN_TASKS   32
#define SCAN_TESTS   1024  /* operations of all conditions together */
#define SCAN_FIRST   64    /* hits kept from the start of a scan */
#define SCAN_LAST    65536 /* and from its end: a ring */

/* Bits: WRITE | READ is either. VIRTUAL says what the addresses of a WRITE or READ are; those of EXEC always are. */
enum scan_kind { SCAN_EXEC = 1, SCAN_WRITE = 2, SCAN_READ = 4, SCAN_VIRTUAL = 8 };
enum { SCAN_ACCESS = SCAN_WRITE | SCAN_READ };

/* What is looked for. EXEC: an instruction whose virtual address is in [low, high) is about to be executed. WRITE, READ: one that
 * stores into or loads from [low, high), physical unless VIRTUAL, has been. */
struct scan_watch {
	uint32_t kind;
	uint32_t compare; /* WRITE, not VIRTUAL: bytes at low (1 to 8) that must be value afterwards; 0: no matter */
	uint64_t low, high;
	uint64_t value;
	uint64_t task;             /* kernel address: only what this one does; 0: everybody */
	uint64_t process;          /* number: only what its threads do, in user code or for them in the kernel; 0: everybody */
	uint32_t test, test_count; /* EXEC, WRITE: what must hold besides; operations of `tests`; none: no matter */
};

struct scan_hit {
	uint64_t icount; /* as QEMU counts: EXEC: before the instruction; WRITE, READ: with it */
	uint64_t pc, address, physical;
	uint64_t before, after; /* WRITE: 8 bytes at the watch's low; VIRTUAL, READ: after only, 8 bytes at physical */
	uint64_t task;          /* kernel address; 0 when not known */
	uint32_t watch, size;
};

struct scan_shared {
	uint32_t version; /* set by the engine; the plugin refuses others */
	uint32_t count;   /* of watches; 0: nothing is looked for, at full speed */
	struct scan_watch watches[SCAN_WATCHES];
	uint64_t from, to;          /* hits with from <= icount <= to count */
	uint64_t task_at;           /* physical address of the kernel's pointer to the current task; 0: not known */
	uint64_t tasks[SCAN_TASKS]; /* if task_count: only hits of these */
	uint32_t task_count;
	uint32_t process_offset; /* in a task, of the number of its process */
	uint64_t direct_map;     /* virtual address of the kernel's mapping of physical 0 */
	uint32_t memory_count;   /* which watches are not EXEC */
	uint32_t memory[SCAN_WATCHES];
	uint32_t test_count;
	struct scan_op tests[SCAN_TESTS];
	uint32_t can_test;             /* by the plugin: conditions of EXEC can be evaluated in this QEMU */
	uint32_t failed;               /* by the plugin: it cannot do its work in this QEMU */
	uint64_t before[SCAN_WATCHES]; /* by the engine: 8 bytes at each watch's low where the scan starts */
	uint64_t hits;                 /* so far */
	struct scan_hit first[SCAN_FIRST],
		last[SCAN_LAST]; /* hit n is in first[n] if n < SCAN_FIRST, and in last[n % SCAN_LAST] */
};

#endif
