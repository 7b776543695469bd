/* One QEMU process: a machine that records or replays, started at the `ready` snapshot and stopped there.
 *
 * Everything QEMU touches is a descriptor it inherits (memory files and a socket pair), and it dies with the thread that started
 * it: whatever is killed, nothing stays behind.
 *
 * Guest memory is [0, memory_mib) for the kernel and above it output_mib of an append-only region that the agent writes and we
 * read, while the guest runs, from our own mapping. The kernel's command line has POLECAT_OUT=0x<address>,0x<size>, which PID 1
 * finds in its environment. The region is zero at `ready`.
 *
 * Instruction counts are absolute, as QEMU counts them; machine_start_icount is the count at `ready`. "At N" means: N
 * instructions have been executed since power-on, instruction N+1 has not. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/buf.h"
#include "engine/cancel.h"
#include "engine/digest.h"
#include "engine/err.h"
#include "engine/qcow2.h"
#include "engine/ram.h"

#define MACHINE_MEMORY_MIN_MIB 96 /* the uncompressed kernel alone ends at 74 MiB */
#define MACHINE_MEMORY_MAX_MIB 2048
#define MACHINE_OUTPUT_MIB     64
#define MACHINE_NS_PER_ICOUNT  2 /* -icount shift=1: virtual nanoseconds per instruction while the guest is busy */

struct machine;

/* Where a machine starts: what a boot snapshot holds (snapshot_base gives one; borrowed from it). */
struct machine_base {
	const char *qemu; /* program path */
	unsigned memory_mib, output_mib;
	int device_fd;   /* qcow2 with device state */
	int ram_fd;      /* sparse image of guest memory */
	uint64_t icount; /* at `ready` */
	/* Instructions before `ready` that QEMU had not yet put into a log when the snapshot was made, and therefore counts into
	 * the first event of every log that starts there. It depends on the host's pace at that time, so the logs that the
	 * machine gives and takes are without it. */
	uint64_t log_lead;
	/* QEMU's loadvm does not write guest memory (it does when a kernel file was given, by the reset before it): known from
	 * having looked once with the same QEMU. Then memory need not be compared at each start. */
	bool load_is_clean;
	/* Input comes from outside (machine_input), and while the guest is idle its time passes as the host's does, because QEMU
	 * takes no input otherwise. All of that is in the log; a replay needs the same choice. */
	bool open;
};

enum machine_mode { MACHINE_RECORD, MACHINE_REPLAY };

struct machine_options {
	enum machine_mode mode;
	const struct machine_base *base; /* borrowed: must outlive the machine */
	const void *orders;              /* bytes of fw_cfg opt/polecat/orders */
	size_t orders_size;
	const void *log; /* REPLAY: a log as machine_log gave it */
	size_t log_size;
	const char *const *plugins; /* -plugin arguments, NULL-terminated, or NULL */
	const char *state;          /* snapshot to load; NULL: "ready" */
	/* Puts further states, for machine_load, into the snapshot file; NULL: there are none. */
	bool (*states)(void *data, struct qcow2_writer *w, struct err *err);
	void *states_data;
	const char *gdb; /* -gdb argument, e.g. "unix:PATH,server=on,wait=off", or NULL */
	int cancel_fd;   /* readable: waits end with ERR_CANCELLED; -1: none */
	/* The gentle way, for a machine that is to be used on: a command is not cut short. Only when QEMU does not answer within
	 * MONITOR_PATIENCE_MS is it given up (machine_lost). NULL: nobody asks. */
	struct cancel *cancel;
	bool background; /* other processes go first */
};

/* A machine that boots, stopped before its first instruction. For making snapshots. */
struct machine_boot {
	const char *qemu;
	const char *kernel; /* vmlinux */
	int initrd_fd;
	unsigned memory_mib, output_mib;
	const void *log; /* of a recorded boot, which is replayed; NULL: it is recorded */
	size_t log_size;
	int cancel_fd; /* readable: waits end with ERR_CANCELLED; -1: none */
};
struct machine *machine_boot(const struct machine_boot *boot, struct err *err);

/* Starts QEMU and brings it to `ready`, stopped. NULL on failure. Takes 0.1 to 0.2 s. */
struct machine *machine_start(const struct machine_options *options, struct err *err);
/* Ends QEMU at once; a recording not taken by machine_log is lost. NULL allowed. */
void machine_destroy(struct machine *m);

enum machine_state {
	MACHINE_STOPPED, /* before the first cont, after a restore, or by machine_pause */
	MACHINE_RUNNING,
	MACHINE_AT_BREAK,   /* at the count given to machine_break */
	MACHINE_BARRIER,    /* the guest stopped itself: end of the run */
	MACHINE_GUEST_DIED, /* the guest reset or powered off: a kernel panic, or PID 1 ended */
	MACHINE_DIED,       /* QEMU ended by itself; machine_diagnosis says more */
};

/* Resumes the guest. */
bool machine_cont(struct machine *m, struct err *err);
/* Stops the guest wherever it is. In a recording this perturbs virtual time: only for replays and for giving up. A QEMU that
 * takes longer than timeout_ms is lost. */
bool machine_pause(struct machine *m, int timeout_ms, struct err *err);
/* QEMU owes an answer: it can only be destroyed. */
bool machine_lost(const struct machine *m);
/* Neither lost nor ended, as far as can be seen without asking it anything. */
bool machine_is_alive(const struct machine *m);
/* The same by asking it something; a QEMU that takes longer is lost. */
bool machine_answers(struct machine *m, int timeout_ms);

/* Waits until the guest is no longer running, at most timeout_ms (0: looks; -1: for ever). *state is RUNNING when the time is
 * over. False: cancelled (ERR_CANCELLED) or protocol trouble (ERR_QEMU). A died QEMU is a state, not an error. */
bool machine_poll(struct machine *m, int timeout_ms, enum machine_state *state, struct err *err);
/* For the caller's own poll(2): readable when machine_poll(0) may have news. */
int machine_fd(const struct machine *m);
/* QEMU's process id, 0 when it has ended. For diagnosis and tests. */
int machine_pid(const struct machine *m);
enum machine_state machine_state(const struct machine *m);
enum machine_mode machine_mode(const struct machine *m);

/* Replay only. Makes the next machine_cont stop exactly at icount (now or later, at most machine_end_icount). One at a time. */
bool machine_break(struct machine *m, uint64_t icount, struct err *err);
bool machine_unbreak(struct machine *m, struct err *err);
/* break, cont, wait. *state is AT_BREAK, or where it stopped before that count (BARRIER: the run ends earlier). */
bool machine_run_to(struct machine *m, uint64_t icount, enum machine_state *state, struct err *err);

bool machine_icount(struct machine *m, uint64_t *icount, struct err *err);
uint64_t machine_start_icount(const struct machine *m);
/* Replay: where the log ends. A machine_cont without a break stops there at the latest, AT_BREAK, if the guest has not stopped
 * itself (a recording that was given up ends so). Recording: UINT64_MAX. */
uint64_t machine_end_icount(const struct machine *m);

/* The bytes on the serial port so far. Appends those from *offset on to out and moves *offset. After a restore, bytes beyond the
 * restored position are gone again: start from machine_serial_size. */
bool machine_serial(struct machine *m, uint64_t *offset, struct buf *out, struct err *err);
uint64_t machine_serial_size(const struct machine *m);
/* Recording an open machine: bytes for the serial port. QEMU's port holds MACHINE_INPUT_MAX bytes and drops what comes on top, so
 * no more than that may be under way; what the guest has taken is for the two of them to agree on. */
#define MACHINE_INPUT_MAX 16
bool machine_input(struct machine *m, const void *bytes, size_t size, struct err *err);
/* Recording an open machine: a descriptor that is readable when something was written to the serial port. It is to be asked for
 * often, and machine_take_speech to be called then, which makes it unreadable again. Other machines: -1. */
int machine_speech_fd(const struct machine *m);
bool machine_take_speech(struct machine *m, struct err *err);
/* Kernel console (and early panics), at most the last 64 KiB. Diagnostics only. */
void machine_console(struct machine *m, struct buf *out);
/* What is known about a death: exit status, QEMU's last words, the console's last lines. Bounded text. */
void machine_diagnosis(struct machine *m, struct buf *out);

/* Record: asks QEMU to end, waits, and gives the whole log (ended quietly, see replaylog_close). The machine can only be
 * destroyed afterwards. Appends to out. */
bool machine_log(struct machine *m, struct buf *out, struct err *err);
/* Record, while running: the bytes written so far (QEMU writes in blocks of 4 KiB) from *offset on; the header is zeros. */
bool machine_log_so_far(struct machine *m, uint64_t *offset, struct buf *out, struct err *err);

/* All guest memory, mapped. Stable only while the guest is stopped, except the output region below what the agent has published.
 */
const uint8_t *machine_ram(const struct machine *m, size_t *size);
/* The output region alone. */
const uint8_t *machine_output(const struct machine *m, size_t *size);
uint64_t machine_output_address(const struct machine *m);
/* ram_digest of all guest memory. */
bool machine_ram_digest(const struct machine *m, uint8_t out[DIGEST_SIZE], struct err *err);

/* The stopped vCPU's registers as QEMU prints them; regs_parse (engine/regs.h) reads that. Appends. */
bool machine_registers(struct machine *m, struct buf *text, struct err *err);

/* A human monitor command (diagnostics, gdb server start). Appends its answer. */
bool machine_monitor(struct machine *m, const char *line, struct buf *out, struct err *err);

/* ---- the pieces that checkpoint.c is made of (stopped machine only) ---- */

/* Device state into QEMU's snapshot file under a name, and back. After machine_load, memory is for the caller to put. */
bool machine_save(struct machine *m, const char *name, struct err *err);
bool machine_load(struct machine *m, const char *name, struct err *err);
bool machine_drop(struct machine *m, const char *name, struct err *err);
/* Appends a state that machine_save made, as bytes. */
bool machine_saved(struct machine *m, const char *name, struct buf *out, struct err *err);
/* What the serial port says on the way to states that another machine saved, for machine_rewound. */
void machine_heard(struct machine *m, const struct buf *serial);
/* Asks QEMU to end and waits. Then only machine_device_fd, diagnosis and destroy. */
bool machine_quit(struct machine *m, struct err *err);
/* The snapshot file; stable while QEMU does not run. */
int machine_device_fd(const struct machine *m);
/* Pages of memory that QEMU wrote while it loaded the start. */
size_t machine_load_writes(const struct machine *m);
struct ram *machine_memory(struct machine *m);
const struct ram *machine_ready_memory(const struct machine *m);
/* Says where the serial port stands after memory was put back. */
bool machine_rewound(struct machine *m, uint64_t serial_size, struct err *err);

#endif
