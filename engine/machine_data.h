/* The inside of struct machine, for the files that make it up (machine_files, machine_start, machine_run, machine_input) and no
 * others. */
#ifndef ENGINE_MACHINE_DATA_H
#define ENGINE_MACHINE_DATA_H

#include "engine/child.h"
#include "engine/machine.h"
#include "engine/monitor.h"
#include "engine/qemuargs.h"

#define MACHINE_ANSWER_MS 30000 /* a command of the monitor; they take milliseconds */

struct machine {
	enum machine_mode mode;
	enum machine_state state;
	struct child child;
	struct monitor *monitor;
	struct ram ram;
	struct ram ready; /* fd -1 while booting */
	struct qemu_fds fds;
	int errors_fd;
	/* Of an open machine that records, else -1: what it reads and our end of that; where it speaks, and our end. */
	int keys_fd, input_fd, speaks_fd, speech_fd;
	bool open;
	unsigned memory_mib, output_mib;
	uint64_t start_icount, end_icount;
	uint64_t log_lead, lead_offset; /* machine_base.log_lead; where in the log it is, once known */
	size_t load_writes;
	int cancel_fd;
	struct cancel *cancel; /* machine_options.cancel */
	struct buf seen;       /* the longest the serial port has said, at the last restore */
	bool panicked, shut, break_set, log_taken, log_spoilt, unstoppable;
};

/* What an open machine that records is connected with. */
bool machine_make_input(struct machine *m, struct err *err);

#endif
